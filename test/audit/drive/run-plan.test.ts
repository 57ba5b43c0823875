import { expect, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { createDriver } from '../../../src/audit/drive/driver.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { page, redirectTo, routes, startWebApp, type WebHandler } from '../../support/web-app.ts'

/** An app that begins Use at /verify, with a page at /more. */
async function startApp(callback: WebHandler = page('Welcome.')) {
  const sandbox = await startSandbox()
  const verify: WebHandler = (request, response) => {
    const use = useRequest({ redirect_uri: `${app.url}/callback`, response_mode: 'query' })
    const address = `${sandbox.url}/v1/oidc/use?${new URLSearchParams(use)}`
    redirectTo(address)(request, response)
  }
  const app = await startWebApp(
    routes({ '/verify': verify, '/callback': callback, '/more': page('More.') }),
  )
  const driver = createDriver(sandbox, {
    page: `${app.url}/verify`,
    agent: createHttpAgent(),
    timeoutSeconds: 10,
    signal: new AbortController().signal,
  })
  return { app, sandbox, driver }
}

const ADULT = { persona: 'adult-passport', outcome: 'verified' }

test('A run stops before the second Use request of the app', async () => {
  const { driver } = await startApp(redirectTo('/verify'))
  const { visit } = await driver.run({ use: ADULT })
  expect(visit.end).toBe('stopped')
  expect(visit.hops.filter(({ endpoint }) => endpoint === 'E1')).toHaveLength(1)
})

test('Each run of a driver has a decision for Use', async () => {
  const { driver, sandbox } = await startApp()
  await driver.run({ use: ADULT })
  const { useFlow = '' } = await driver.run({ use: { outcome: 'access_denied' } })
  expect((await sandbox.flows.get(useFlow)).outcome).toBe('access_denied')
})

test('A run in the browser of an earlier run has its cookies', async () => {
  const { driver, app } = await startApp((_request, response) =>
    response.setHeader('Set-Cookie', 'session=1; Path=/').end('Welcome.'),
  )
  const { browser } = await driver.run({ use: ADULT })
  await driver.run({ use: ADULT, browser })
  const begun = app.requests.filter(({ path }) => path === '/verify')
  expect(begun.map(({ headers }) => headers.cookie)).toEqual([undefined, 'session=1'])
})

test('A run opens the page of its plan after Use', async () => {
  const { driver } = await startApp()
  const { visit } = await driver.run({ use: ADULT, page: { url: '/more' } })
  expect(visit.page?.text).toBe('More.')
})

test('A run keeps the answer of Use when its second page brings no answer', async () => {
  const { driver, app } = await startApp()
  const { answer, brought } = await driver.run({ use: ADULT, page: { url: '/more' } })
  expect(answer?.url).toContain(`${app.url}/callback?`)
  expect(brought).toEqual({ E1: true, E3: false })
})

test('A run that holds back the answer of Use does not bring the answer to the app', async () => {
  const { driver, app } = await startApp()
  const { answer, brought } = await driver.run({ use: ADULT, holds: 'E1' })
  expect(answer?.url).toContain(`${app.url}/callback?`)
  expect(brought.E1).toBe(false)
})

test('A run takes back a decision for a token call that the app does not make', async () => {
  const { driver, sandbox } = await startApp()
  const later = { flow: 'token', outcome: 'token.500' } as const
  const { isLaterMet } = await driver.run({ use: ADULT, later })
  expect(isLaterMet).toBe(false)
  expect(await sandbox.expectations.list()).toEqual([])
})

test('A run without a later decision says nothing about a later call', async () => {
  const { driver } = await startApp()
  expect((await driver.run({ use: ADULT })).isLaterMet).toBeUndefined()
})

test.runIf(process.platform === 'linux')(
  'Each browser of a driver has its own address after the app has limited its clients',
  async () => {
    const { driver, app } = await startApp()
    await driver.run({ use: ADULT })
    driver.spreadOut()
    await driver.run({ use: ADULT })
    await driver.run({ use: ADULT })
    const begun = app.requests.filter(({ path }) => path === '/verify')
    const addresses = begun.map(({ headers }) => headers['x-forwarded-for'])
    expect(addresses[0]).toBeUndefined()
    expect(addresses[1]).toMatch(/^127\./)
    expect(addresses[2]).toMatch(/^127\./)
    expect(addresses[2]).not.toBe(addresses[1])
  },
)
