import { expect, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { createDriver } from '../../../src/audit/drive/driver.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startWebApp } from '../../support/web-app.ts'

test('Each browser of an audit begins with a reset of the app', async () => {
  const app = await startWebApp((_request, response) =>
    response.setHeader('Set-Cookie', 'seen=1; Path=/').end(),
  )
  const driver = createDriver(await startSandbox(), {
    page: `${app.url}/verify`,
    agent: createHttpAgent(),
    reset: { url: '/reset', method: 'POST', json: { all: true } },
    before: [
      { url: '/login/{n}', form: { email: 'user-{n}@example.test' } },
      { url: '/welcome', json: ['{n}'] },
    ],
    timeoutSeconds: 10,
    signal: new AbortController().signal,
  })
  await driver.newBrowser()
  await driver.newBrowser()
  const begun = (n: number) => [
    { method: 'POST', path: '/reset', body: '{"all":true}', cookie: undefined },
    {
      method: 'POST',
      path: `/login/${n}`,
      body: `email=user-${n}%40example.test`,
      cookie: undefined,
    },
    { method: 'POST', path: '/welcome', body: `["${n}"]`, cookie: 'seen=1' },
  ]
  const requests = app.requests.map(({ method, path, body, headers: { cookie } }) => ({
    method,
    path,
    body,
    cookie,
  }))
  // All audits of a process share one count.
  const first = Number(requests[1]?.path.split('/').at(-1))
  expect(requests).toEqual([...begun(first), ...begun(first + 1)])
})

test('A decision that a run of the app does not meet is taken back, so that it decides no later run', async () => {
  const app = await startWebApp((_request, response) => response.end('Nothing is pushed here.'))
  const sandbox = await startSandbox()
  const limits = { timeoutSeconds: 10, signal: new AbortController().signal }
  const driver = createDriver(sandbox, { page: app.url, agent: createHttpAgent(), ...limits })
  const { isLaterMet } = await driver.run({ use: {}, later: { flow: 'par', outcome: 'par.500' } })
  expect(isLaterMet).toBe(false)
  expect(await sandbox.expectations.list()).toEqual([])
})
