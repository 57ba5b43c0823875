import { expect, test } from 'vitest'
import { sendUse } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'
import { run } from './in-process.ts'

const WEB_SHOP = {
  clientId: 'web-shop',
  clientSecret: 's',
  redirectUris: ['http://localhost:3000/callback'],
}
const sandbox = await shareSandbox({ clients: [WEB_SHOP] })
const drive = (args: string) => run([...args.split(' '), '--url', sandbox.baseUrl])

test('next decides how the next flow goes', async () => {
  const { stdout } = await drive(
    'next --persona teen-16 --outcome access_denied --client ak_test_sandbox',
  )
  const decided =
    'Decides the next use request with client_id ak_test_sandbox: persona teen-16, outcome access_denied\n'
  expect(stdout).toMatch(
    new RegExp(`^${decided}Take it back: agekey-sandbox next --clear --url ${sandbox.baseUrl}\n$`),
  )
  expect((await drive('next')).stdout).toMatch(new RegExp(`^${decided}$`))
  await sendUse(sandbox.baseUrl)
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'access_denied' })
  expect((await drive('next')).stdout).toBe('No decision waits.\n')
})

test('next --clear takes back what was decided', async () => {
  const { stdout } = await drive('next --outcome request_uri.expired --times 2 --json')
  expect(JSON.parse(stdout)).toMatchObject({
    flow: 'create',
    outcome: 'request_uri.expired',
    times: 2,
  })
  expect((await drive('next --clear')).stdout).toBe('Taken back: 1 decision.\n')
  expect((await drive('next --clear')).stdout).toBe('No decision waits.\n')
  expect(await sandbox.expectations.list()).toEqual([])
})

test('clock moves the clock of the sandbox', async () => {
  expect((await drive('clock set 2030-01-31T10:00:00Z')).stdout).toMatch(
    /^It is 2030-01-31T10:00:0\d/,
  )
  expect((await drive('clock freeze')).stdout).toMatch(
    /; the clock stands still\.\nBack to real time: agekey-sandbox clock reset --url http:\S+\n$/,
  )
  const { stdout } = await drive('clock advance 91')
  expect(stdout).toMatch(
    /^It is 2030-01-31T10:01:\S+ in the sandbox, 91 seconds after 2030-01-31T10:00:\S+; the clock stands still\.\n/,
  )
  expect(JSON.parse((await drive('clock --json')).stdout)).toEqual(await sandbox.clock.state())
  await drive('clock reset')
  expect(await sandbox.clock.state()).toMatchObject({ advanced_seconds: 0, frozen: false })
})

test.each([
  ['next --persona teen-16', 'next --clear', () => sandbox.tenant('qa').expectations.list(), []],
  [
    'clock advance 91',
    'clock reset',
    () => sandbox.tenant('qa').clock.state(),
    { advanced_seconds: 0 },
  ],
])(
  'The command that %s prints takes back the change in that tenant',
  async (args, undo, state, before) => {
    const port = new URL(sandbox.baseUrl).port
    const { stdout } = await run([...args.split(' '), '-p', port, '--tenant', 'qa'])
    expect(stdout).toMatch(/^[^\n]* in tenant qa\b/)
    const [, printed = ''] = /agekey-sandbox (.+)\n$/.exec(stdout) ?? []
    expect(printed).toBe(`${undo} --port ${port} --tenant qa`)
    expect(await state()).not.toMatchObject(before)
    await run(printed.split(' '))
    expect(await state()).toMatchObject(before)
  },
)

test('reset puts the sandbox back to how it was declared', async () => {
  await sendUse(sandbox.baseUrl)
  const { stdout } = await drive('reset')
  expect(stdout).toMatch(/^http:\/\/localhost:\d+ is back to how it was declared: /)
  expect(await sandbox.flows.list()).toEqual([])
})

test.each([
  [
    'next --flow use',
    'next: name who the user is with --persona, or how the flow ends with --outcome, or both',
  ],
  [
    'next --clear --persona teen-16',
    '--clear: it takes decisions back; leave --persona and --outcome out',
  ],
  [
    'next --persona tean-16',
    'persona: there is no persona "tean-16". Did you mean "teen-16"? agekey-sandbox personas lists all.\n',
  ],
  [
    'next --outcome id_token.expird',
    'outcome: there is no outcome of use "id_token.expird". Did you mean "id_token.expired"? agekey-sandbox outcomes lists all.\n',
  ],
  ['next --persona teen-16 --flow used', '--flow: there is no flow "used". Did you mean "use"?'],
  [
    'next --persona teen-16 --client web-shopp',
    '--client: there is no client "web-shopp". Did you mean "web-shop"?\n',
  ],
  ['next --tenant nope', 'tenant: there is no tenant "nope". Known are default'],
  ['next --clear --tenant nope', 'tenant: there is no tenant "nope"'],
  ['reset --tenant nope', 'tenant: there is no tenant "nope"'],
  ['clock --tenant nope', 'tenant: there is no tenant "nope"'],
  ['clock reset --tenant nope', 'tenant: there is no tenant "nope"'],
  ['next --persona teen-16 --times few', '--times: "few" is not a number from 0 up'],
  ['clock advance soon', 'clock advance: "soon" is not a number from 0 up'],
  [
    'clock advance',
    "missing required argument 'seconds'; usage: agekey-sandbox clock advance [options] <seconds>",
  ],
  ['clock back', 'unknown command "back". Known are advance, set, freeze, reset'],
])('%s ends with one line on stderr', async (args, line) => {
  const { code, stdout, stderr } = await drive(args)
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`error: ${line}`),
  })
  expect(stderr).not.toContain('GET /')
})
