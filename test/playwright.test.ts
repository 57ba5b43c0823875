import { expect, test } from 'vitest'
import { sandboxFixtures } from '../src/playwright.ts'
import { startSandbox } from './support/sandbox.ts'

test('as() gives the browser its cookies for the base URL of the sandbox, not for the address by which it is driven', async () => {
  const { url } = await startSandbox({ baseUrl: 'http://localhost:9999', trustProxy: ['loopback'] })
  const { workerSandbox, sandbox } = sandboxFixtures({ url })
  const cookies: object[] = []
  const context = { addCookies: async (added: readonly object[]) => void cookies.push(...added) }
  const [open] = workerSandbox
  await open(
    {},
    (api) =>
      sandbox({ workerSandbox: api, context }, (fixture) => fixture.as('teen-16', { outcome: 'access_denied' }), {
        status: 'passed',
        expectedStatus: 'passed',
        titlePath: ['a.spec.ts', 'a test'],
        attach: () => Promise.reject(new Error('nothing failed')),
      }),
    { parallelIndex: 0, workerIndex: 0 },
  )
  const hosted = { url: 'http://localhost:9999/v1/oidc/' }
  expect(cookies).toEqual([
    { name: 'agekey_sandbox_persona', value: 'teen-16', ...hosted },
    { name: 'agekey_sandbox_outcome', value: 'access_denied', ...hosted },
    {
      name: 'agekey_sandbox_acting',
      value: encodeURIComponent('at=&persona=teen-16&outcome=access_denied'),
      url: 'http://localhost:9999/',
    },
  ])
})
