import { expect, it } from 'vitest'
import { CONSOLE_PAGES } from '../../src/http/html/console-page.ts'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const STATUS = '/_sandbox/console/status'
const PAGES = ['/', '/_sandbox/demo', '/_sandbox/docs', ...CONSOLE_PAGES.map(({ path }) => `/_sandbox/console/${path}`)]

it.each(PAGES)('%s shows what is set, and has a button that takes it back', async (path) => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  const calm = await browser.get(path)
  expect([calm.status, byTestId(calm.text, 'nothing-set').length]).toEqual([200, 1])
  await sandbox.clock.advance(86_400)
  await browser.submit('/_sandbox/console/personas', { persona: 'teen-16' })
  const { text } = await browser.get(`${path}?q=x`)
  expect(textOf(text)).toMatch(/Clock \+1 day .*Acting as teen-16/)
  expect(text).toContain(`name="here" value="${path}?q=x"`)
  const answer = await browser.submit(STATUS, { take_back: 'clock', here: `${path}?q=x` })
  expect([answer.status, answer.headers.location]).toEqual([303, `${path}?q=x`])
  expect(byTestId((await browser.get(path)).text, 'mode-clock')).toEqual([])
  await browser.submit(STATUS, { take_back: 'acting', here: path })
  expect(byTestId((await browser.get(path)).text, 'nothing-set')).toHaveLength(1)
})

it.each([
  '//evil.example/_sandbox/console/',
  'https://evil.example/',
  '/_sandbox/..//evil.example',
  '/v1/oidc/use',
  '',
  '/\\evil',
])('never leads to %j, which is no page of this sandbox', async (here) => {
  const { url } = await startSandbox()
  const answer = await createBrowserClient(url).submit(STATUS, { take_back: 'clock', here })
  expect([answer.status, answer.headers.location]).toEqual([303, '/_sandbox/console'])
})

it('leads back within the tenant, and changes that tenant only', async () => {
  const sandbox = await startSandbox()
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.tenant('qa').next({ persona: 'teen-16' })
  const here = '/t/qa/_sandbox/console/clock'
  const answer = await createBrowserClient(sandbox.url).submit(`/t/qa${STATUS}`, { take_back: 'expectations', here })
  expect(answer.headers.location).toBe(here)
  expect([await sandbox.tenant('qa').expectations.list(), (await sandbox.expectations.list()).length]).toEqual([[], 1])
})

it('leaves a tenant for the console of the sandbox itself', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  expect(byTestId((await browser.get('/t/qa/_sandbox/console/clock')).text, 'mode-tenant')).toHaveLength(1)
  const answer = await browser.submit(`/t/qa${STATUS}`, { take_back: 'tenant', here: '/t/qa/_sandbox/console/clock' })
  expect([answer.status, answer.headers.location]).toEqual([303, '/_sandbox/console'])
})

it('names on the open pages beyond this machine nothing that is queued', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.clock.advance(86_400)
  const { text } = await createBrowserClient(sandbox.url).get('/_sandbox/demo')
  expect([byTestId(text, 'mode-clock').length, byTestId(text, 'mode-expectations').length]).toEqual([1, 0])
})

it('refuses an unknown mode by naming those that there are', async () => {
  const { url } = await startSandbox()
  const answer = await createBrowserClient(url).submit(STATUS, { take_back: 'cloak' })
  expect([answer.status, textOf(answer.text)]).toEqual([
    400,
    expect.stringContaining('there is no "cloak"; send one of tenant, clock, acting'),
  ])
})

it('is closed to browsers beyond this machine that have not signed in', async () => {
  const { url } = await startSandbox({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  expect((await createBrowserClient(url).submit(STATUS, { take_back: 'clock' })).status).toBe(401)
})
