import { expect, test } from 'vitest'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { run } from '../in-process.ts'

test('flows lists the flows of a filter, shows one, prints one as a file, and names the newest for an unknown one', async () => {
  const { url } = await startSandbox()
  const flows = (...args: string[]) => run(['flows', ...args, '--url', url])
  const misplaced = await run(['flows', '--url', `${url}/v1/oidc/use`])
  expect(misplaced.stderr).toMatch(/^error: \/v1\/oidc\/use\/\S+ is not served here\. Give the base URL: http:\S+\n$/)
  expect(await flows()).toEqual({ code: 0, stdout: 'no flow yet\n', stderr: '' })
  expect((await flows('f99', '--as', 'har')).stderr).toMatch(/^error: flow: there is none with the id "f99".*yet$/m)
  for (const persona of ['teen-16', 'adult-passport']) await sendUse(url, { sandbox_persona: persona })
  expect((await flows()).stdout).toMatch(/^\S+ \S+ {2}f2 use ok: adult-passport.*\n\S+ \S+ {2}f1 use ok: teen-16.*\n$/)
  expect(JSON.parse((await flows('--json', '--limit', '1')).stdout).flows).toMatchObject([{ id: 'f2' }])
  for (const filter of [
    ['--persona', 'teen-16'],
    ['--query', 'TEEN-16 verified'],
  ])
    expect(JSON.parse((await flows('--json', ...filter)).stdout)).toMatchObject({ flows: [{ id: 'f1' }] })
  expect((await flows('--client', 'shop')).stdout).toBe(
    'no flow with client_id shop; there is no client "shop". Known are ak_test_sandbox.\n',
  )
  expect((await flows('--client', 'ak_test_sandbox', '--state', 'none')).stdout).toBe(
    'no flow with client_id ak_test_sandbox and state none\n',
  )
  expect((await flows('last')).stdout).toMatch(/^f2 use ok: adult-passport/)
  await sendUse(url, { client_id: 'nobody', sandbox_persona: undefined })
  expect((await flows('f3', '--as', 'scenario')).stderr).toMatch(/ makes no scenario, .*; take --as vitest$/m)
  const script = await flows('last', '--as', 'curl', '--persona', 'teen-16')
  expect(script.stdout).toMatch(/^#!.*\n# Flow f1 /)
  expect((await flows('f99', '--as', 'har')).stderr).toMatch(/"f99".*the newest one here is f3$/m)
})

test.each([
  ['f1 --as vites', '--as: there is no format "vites". Did you mean "vitest"?'],
  ['--as har', '--as: name a flow, for example f12 or last'],
  ['newest', 'flows: "newest" is not the id of a flow; give one like f12, or last'],
  // Refused before a sandbox is asked.
  ['--follow --limit 5', '--follow: it prints calls as they come; leave limit out\n'],
  ['--limit x', '--limit: "x" is not a whole number from 1 to 2000'],
])('flows %s is refused in one line', async (args, message) => {
  const result = await run(['flows', ...args.split(' ')])
  expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(`error: ${message}`) })
})
