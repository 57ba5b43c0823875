import { expect, test } from 'vitest'
import { CONSOLE_PAGES } from '../../src/http/console-page.ts'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, textOf } from '../support/markup.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'

const STATUS = '/_sandbox/console/status'
const PAGES = [
  '/',
  '/_sandbox/demo',
  ...CONSOLE_PAGES.map(({ path }) => (path === 'docs' ? '/_sandbox/docs' : `/_sandbox/console/${path}`)),
]

const sandbox = await shareSandbox()

test.each(PAGES)('The page %s shows what is set, and has a button that takes it back', async (path) => {
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

test.each([
  '//evil.example/_sandbox/console/',
  'https://evil.example/',
  '/_sandbox/..//evil.example',
  '/v1/oidc/use',
  '',
  '/\\evil',
])('Taking a mode back never leads to %j, which is no page of this sandbox', async (here) => {
  const answer = await createBrowserClient(sandbox.url).submit(STATUS, { take_back: 'clock', here })
  expect([answer.status, answer.headers.location]).toEqual([303, '/_sandbox/console'])
})

test('Taking a mode of a tenant back changes that tenant only, stays in it, and can leave it', async () => {
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.tenant('qa').next({ persona: 'teen-16' })
  const here = '/t/qa/_sandbox/console/force'
  const browser = createBrowserClient(sandbox.url)
  const takeBack = async (mode: string) =>
    (await browser.submit(`/t/qa${STATUS}`, { take_back: mode, here })).headers.location
  expect(byTestId((await browser.get(here)).text, 'mode-tenant')).toHaveLength(1)
  expect(await takeBack('expectations')).toBe(here)
  const queues = [await sandbox.tenant('qa').expectations.list(), await sandbox.expectations.list()]
  expect([queues.map(({ length }) => length), await takeBack('tenant')]).toEqual([[0, 1], '/_sandbox/console'])
})

test('Beyond this machine the open pages name nothing that is queued, and only who has signed in takes a mode back', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.clock.advance(86_400)
  const browser = createBrowserClient(sandbox.url)
  const { text } = await browser.get('/_sandbox/demo')
  expect([byTestId(text, 'mode-clock').length, byTestId(text, 'mode-expectations').length]).toEqual([1, 0])
  expect((await browser.submit(STATUS, { take_back: 'clock' })).status).toBe(401)
})
