import { expect, test } from 'vitest'
import {
  CATALOGUE_VERSION,
  describeOutcome,
  OUTCOMES,
} from '../../../src/sandbox/outcomes/catalogue.ts'
import { describeReading, READINGS } from '../../../src/sandbox/readings/readings.ts'
import { explainName } from '../../../src/server/client/explain-name.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { run } from './in-process.ts'

const NAMES = ['use-04', 'id_token.expired', 'create/access_denied']

test.each(NAMES)('explain %s is in the words of explainName', async (name) => {
  const explained = explainName(name)
  const lines = explained.kind === 'unknown' ? [] : explained.lines
  expect(await run(['explain', name])).toEqual({
    code: 0,
    stdout: `${lines.join('\n')}\n`,
    stderr: '',
  })
})

test('explain finds a flow by its id, or by the address of its page in a tenant, also as JSON', async () => {
  const { url } = await startSandbox()
  await sendUse(`${url}/t/qa`, { response_type: 'code' })
  const page = `${url}/t/qa/_sandbox/console/flows/f1`
  const { stdout } = await run(['explain', page, '--json'])
  const steps = [/state/, /findings/].map((text) => expect.stringMatching(text))
  expect(JSON.parse(stdout)).toMatchObject({
    id: 'f1',
    tenant: 'qa',
    status: 'error',
    page,
    next_steps: steps,
  })
  const byId = await run(['explain', 'f1', '--url', url, '--tenant', 'qa'])
  expect(byId.stdout).toMatch(
    new RegExp(`^f1 use error: .*\n${page}\n[\\s\\S]*error USE-04: .*\n +To mend it: `),
  )
})

test('explain uses the sandbox of AGEKEY_SANDBOX_URL', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { sandbox_persona: 'teen-16' })
  const env = { AGEKEY_SANDBOX_URL: url }
  const { stdout } = await run(['explain', 'f1'], { env })
  expect(stdout).toMatch(/^Why\n {2}Decided by query parameter sandbox_persona/m)
  expect(stdout).toMatch(/ 302 to \S+ with id_token, state$/m)
  expect(stdout).not.toContain('eyJ')
})

test('explain uses the sandbox of the settings', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { sandbox_persona: 'teen-16' })
  expect((await run(['explain', 'f1', '--port', new URL(url).port])).code).toBe(0)
})

test('explain names the newest flow for an unknown one', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { sandbox_persona: 'teen-16' })
  const env = { AGEKEY_SANDBOX_URL: url }
  const stderr = expect.stringMatching(
    /^error: flow: there is none with the id "f9".*; the newest one here is f1\n$/,
  )
  expect(await run(['explain', 'f9'], { env })).toEqual({ code: 1, stdout: '', stderr })
})

test('explain makes no tenant', async () => {
  const sandbox = await startSandbox()
  const { code, stderr } = await run(['explain', 'f1', '--url', sandbox.url, '--tenant', 'typo'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^error: tenant: there is no tenant "typo"\./)
  expect((await sandbox.request.get('/_sandbox/tenants')).body.tenants).toMatchObject([
    { name: 'default' },
  ])
})

const NO_READING =
  /no rule, no outcome and no reading "refused_token_statuss"\. Did you mean "refused_token_status"\?$/m

test.each([
  [
    'explain id_token.expire',
    /^error: there is no rule and no outcome "id_token\.expire"\. Did you mean /,
  ],
  ['explain f1 --url localhost:2435', /^error: --url: "localhost:2435" is not a URL like http:/],
  ['explain f1 --url http://127.0.0.1:9', /^error: http:\/\/127\.0\.0\.1:9: /],
  [
    'outcomes show use-04',
    /^error: USE-04 is a rule, not an outcome; agekey-sandbox explain USE-04 explains it$/m,
  ],
  ['explain f1 --port 0', /^error: --url: needed, because port 0 /],
  ['explain refused_token_statuss', NO_READING],
  ['explain reading', /no reading "reading"\. Did you mean "readings"\?$/m],
  [
    'explain teen-16',
    /^error: teen-16 is a persona; agekey-sandbox personas show teen-16 shows it$/m,
  ],
  [
    'outcomes expird',
    /^error: no outcome has "expird" in its name or summary\. Did you mean .*"id_token\.expired"/,
  ],
  [
    'outcomes xyzzy*',
    /^error: no outcome has "xyzzy\*" in its name or summary\. agekey-sandbox outcomes lists all of them\.$/m,
  ],
  [
    'outcomes verified --flow jwks',
    /^error: no outcome of jwks has "verified" in its name or summary\./,
  ],
  [
    'outcomes --flow tokens',
    /^error: --flow: there is no flow "tokens"\. Did you mean "token"\?$/m,
  ],
])('"%s" ends with one line on stderr', async (args, line) => {
  const { code, stdout, stderr } = await run([...args.split(' '), '--json'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('explain asks for the control token where a sandbox wants one', async () => {
  const { url } = await startSandbox({
    controlToken: 'secret-token-1',
    baseUrl: 'http://sandbox.example',
  })
  await sendUse(url)
  const { code, stderr } = await run(['explain', 'f1', '--url', url])
  expect(code).toBe(1)
  expect(stderr).toMatch(/; give it by --control-token\n$/)
})

test('explain sends the control token', async () => {
  const { url } = await startSandbox({
    controlToken: 'secret-token-1',
    baseUrl: 'http://sandbox.example',
  })
  await sendUse(url)
  expect(
    (await run(['explain', 'f1', '--url', url, '--control-token', 'secret-token-1'])).code,
  ).toBe(0)
})

test('explain readings lists each reading with its variants', async () => {
  const { code, stdout } = await run(['explain', 'readings'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^refused_token_status {2}\S.*\n {2}.*\n {2}\* {2}401 {2,}\S.*\n {5}403 {2,}\S/m,
  )
})

test.each([
  ['readings', READINGS],
  ['sub', READINGS.filter(({ name }) => name === 'sub')],
])('explain %s --json prints all readings, or the reading of this name', async (name, found) => {
  const { stdout } = await run(['explain', name, '--json'])
  expect(JSON.parse(stdout)).toEqual({ readings: found.map(describeReading) })
})

test('outcomes lists all outcomes by flow, with what a correct client does', async () => {
  const { code, stdout } = await run(['outcomes'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^use\n {2}verified {2,}accept {2,}must {2,}\S/m)
  expect(stdout).toMatch(/^ {2}id_token\.expired {2,}refuse {2,}must {2,}\S/m)
  expect(stdout).toMatch(/^create$/m)
})

test.each<[args: string, finds: (row: (typeof OUTCOMES)[number]) => boolean]>([
  ['', () => true],
  ['EXPIRED', ({ name, summary }) => /expired/i.test(`${name} ${summary}`)],
  ['id_token.exp_*', ({ name }) => name.startsWith('id_token.exp_')],
  ['token/*', ({ flow }) => flow === 'token'],
  ['par.40?', ({ name }) => ['par.400', 'par.401'].includes(name)],
  ['--flow jwks', ({ flow }) => flow === 'jwks'],
  [
    'key --flow jwks',
    ({ flow, name, summary }) => flow === 'jwks' && /key/i.test(`${name} ${summary}`),
  ],
])('outcomes --json %s prints the rows of the catalogue that it names', async (args, finds) => {
  const { code, stdout, stderr } = await run([
    'outcomes',
    '--json',
    ...args.split(' ').filter(Boolean),
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const rows = OUTCOMES.filter(finds)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.parse(stdout)).toEqual({
    catalogue: CATALOGUE_VERSION,
    outcomes: rows.map(describeOutcome),
  })
})

test('outcomes show explains an outcome as explain does, also as JSON', async () => {
  const shown = await run(['outcomes', 'show', 'id_token.expired'])
  expect(shown).toEqual(await run(['explain', 'id_token.expired']))
  const force = { header: 'X-Sandbox-Outcome: id_token.expired' }
  const json = await run(['outcomes', 'show', 'id_token.expired', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    kind: 'outcome',
    name: 'use/id_token.expired',
    force,
  })
})
