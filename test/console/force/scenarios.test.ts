import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const FORCE = '/_sandbox/console/force'
const YAML = `name: Gives up, then comes back
client: ak_test_sandbox
steps:
  - clock: { advance: 60 }
  - decide: { flow: use, outcome: access_denied }
  - decide: { flow: use, persona: teen-16 }
    expect: { nonce: another }
`

test('The page Force arms what is pasted, shows how far it has come and why it failed, and removes it', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  const shown = async () => textOf((await browser.get(FORCE)).text)
  expect(await shown()).toContain('No scenario is armed')
  const armed = await browser.submit(FORCE, { arm: 'true', yaml: YAML })
  expect([armed.status, armed.headers.location]).toEqual([303, `${FORCE}#scenarios`])
  expect(await shown()).toMatch(/then comes back .*1 of 3 steps.*Waits for the next use request of ak_test_sandbox/)
  await sandbox.request.get('/v1/oidc/use').query(useRequest())
  expect(await shown()).toMatch(/2 of 3 steps/)
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: 'mine' }))
  expect(await shown()).toContain('Failed: nonce: expected "another", came "mine"')
  const [scenario] = await sandbox.scenarios.list()
  await browser.submit(FORCE, { remove: scenario?.id ?? '' })
  expect(await sandbox.scenarios.list()).toEqual([])
  await sandbox.scenarios.arm({ name: 'Upgrades', steps: [{ await: 'upgrade' }] })
  expect(await shown()).toContain('Waits for a successful upgrade call of your app.')
})
