import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readLastAudit } from '../../../../src/audit/command/last-run.ts'
import { audit } from '../../../../src/tools/cli/audit/audit-command.ts'
import { MIXED } from '../../../audit/report/sample-report.ts'
import type { Changes } from '../../../support/express-example.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { shareSandbox, startSandbox } from '../../../support/sandbox.ts'
import { auditInProcess, reportIn, startSmallApp, useScratchFolder } from './audit-in-process.ts'

const EXAMPLE = fileURLToPath(new URL('../../../../examples/express/app.js', import.meta.url))

const sandbox = await shareSandbox({ lastAudit: readLastAudit })
useScratchFolder()

const read = (name: string) => readFileSync(name, 'utf8')

const FOUND_NONE =
  /^missing verifications can be found again \(should, severity 4\.0\)\n {2}What happened: your app found 0 of \d+ .*; f\d+: it answered 404$/m
const FINDS_ALL = /^undetermined 1 your app also finds a sub that it never received/m

/** A row that every app refuses if it checks the time. */
const EXPIRED = ['use/id_token.expired']
const LAST = '.agekey-audit/last.json'

test('An audit ends the app that --start started', async () => {
  const page = `http://localhost:${await findFreePort()}/verify`
  const start = `AGE_BASE_URL={base_url} PORT={port} exec "${process.execPath}" "${EXAMPLE}"`
  const { code, stdout } = await auditInProcess(sandbox, { page, start, only: EXPIRED })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('welcome you are') })
  await expect(fetch(page)).rejects.toThrow('fetch failed')
}, 60_000)

test('A whole audit is kept for its user alone', async () => {
  const page = await startSmallApp(sandbox.baseUrl, { exp: 'ignored' })
  const address = `${sandbox.baseUrl}/_sandbox/console/audit`
  expect((await auditInProcess(sandbox, { page, only: EXPIRED })).stdout).not.toContain(address)
  expect(() => read(LAST)).toThrow('ENOENT')
  const whole = await auditInProcess(sandbox, { page, rows: EXPIRED, json: 'a.json' })
  expect(whole.stdout).toContain(`All verdicts by check, with their flows: ${address}\n`)
  expect(await (await fetch(address)).text()).toContain(`datetime="${reportIn(LAST).started_at}"`)
  expect(reportIn(LAST)).toEqual(JSON.parse(read('a.json')))
  expect(statSync(LAST).mode & 0o777).toBe(0o600)
  expect(read('.agekey-audit/.gitignore')).toBe('*\n')
}, 60_000)

test('SARIF of an audit points at the code that agekey-audit.yaml names for a flow', async () => {
  const page = await startSmallApp(sandbox.baseUrl, { exp: 'ignored' })
  writeFileSync('agekey-audit.yaml', `app: ${page}\nuse: { source: 'src/verify.ts:12' }\n`)
  await auditInProcess(sandbox, { only: EXPIRED, sarif: 'a.sarif' })
  const [run] = JSON.parse(read('a.sarif')).runs
  expect(run.invocations).toMatchObject([{ executionSuccessful: true, exitCode: 1 }])
  expect(run.results[0].locations).toMatchObject([
    {
      physicalLocation: {
        artifactLocation: { uri: 'src/verify.ts' },
        region: { startLine: 12 },
      },
    },
  ])
}, 60_000)

test('An audit that can show nothing writes its reports', async () => {
  const page = await startSmallApp(sandbox.baseUrl)
  const given = { page, rows: ['jwks/jwks.500'], sarif: 'a.sarif', json: 'a.json' }
  const { code } = await auditInProcess(sandbox, given)
  expect(code).toBe(2)
  expect(reportIn('a.json').exit_code).toBe(2)
  expect(JSON.parse(read('a.sarif')).runs[0].invocations).toMatchObject([
    { executionSuccessful: false, exitCode: 2 },
  ])
}, 60_000)

test('An audit prints no link to a console that shows no such report', async () => {
  for (const lastAudit of [() => undefined, () => JSON.stringify(MIXED)]) {
    const other = await startSandbox({ lastAudit })
    const page = await startSmallApp(other.baseUrl)
    expect((await auditInProcess(other, { page, rows: EXPIRED })).stdout).not.toContain(
      '/_sandbox/console/audit',
    )
  }
}, 60_000)

test('An audit in a folder that cannot be written ends with a warning', async () => {
  const page = await startSmallApp(sandbox.baseUrl)
  writeFileSync('.agekey-audit', 'a file where the folder would be')
  const { code, stderr } = await auditInProcess(sandbox, { page, rows: EXPIRED, junit: 'a.xml' })
  expect(code).toBe(0)
  const warning = 'cannot be written (it is not a folder); --again will not know this audit'
  expect(stderr.split('\n').slice(-2)).toEqual([`warning: .agekey-audit/last.json: ${warning}`, ''])
  expect(read('a.xml')).toMatch(/^<\?xml/)
}, 60_000)

test('audit --learn writes agekey-audit.yaml, by which the next call needs no address', async () => {
  const page = await startSmallApp(sandbox.baseUrl)
  const { code, stdout } = await auditInProcess(sandbox, {
    page,
    learn: true,
    accepted: 'text=Welcome',
  })
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('agekey-audit.yaml: written; '),
  })
  expect(read('agekey-audit.yaml')).toMatch(
    /^# yes: .*\n(?:# no: .*\n)+use:\n {2}accepted: text=Welcome\n/m,
  )
  // Two good flows, two denials and two minors, and not every row of the catalogue.
  expect((await sandbox.flows.list()).length).toBeLessThan(30)
  expect(await auditInProcess(sandbox, { only: EXPIRED })).toMatchObject({ code: 0 })
  await expect(audit(page, {}, { learn: true })).rejects.toThrow(
    'agekey-audit.yaml: is there already and stays as it is; move it away first',
  )
}, 60_000)

const KEPT: Changes = [
  [
    'const app = express()\n',
    `const app = express()
const kept = new Set()
app.get('/find', ({ query }, response) => response.status(kept.has(query.sub) ? 200 : 404).send(query.sub))\n`,
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the app holds this text
  ['  console.log(`18 was proved by ${sub}`)\n', '  kept.add(sub)\n'],
]

test.each([
  [
    'holds when each is found',
    KEPT,
    0,
    /^holds: [\s\S]*verifications can be found again/m,
    'holds',
  ],
  ['fails when one is gone', [], 1, FOUND_NONE, 'missing'],
  [
    'shows nothing when it finds all',
    [...KEPT, ['kept.has(query.sub) ? 200 : 404', '200']],
    3,
    FINDS_ALL,
    'undetermined',
  ],
] as const)(
  'audit --find asks the app for each verification of this audit: the check %s',
  async (...args) => {
    const [, changes, code, stdout, verdict] = args
    const page = await startSmallApp(sandbox.baseUrl, { changes })
    const rows = [
      ...EXPIRED,
      'use/verified',
      'use/id_token.extra_claim',
      'use/callback.of_other_browser',
    ]
    const result = await auditInProcess(sandbox, { page, rows, find: '/find?sub={sub}' })
    expect(result).toMatchObject({ code, stdout: expect.stringMatching(stdout) })
    const { checks, exit_code } = reportIn(LAST)
    expect({
      exit_code,
      verdict: checks.find(({ check }) => check === 'verifications')?.verdict,
    }).toEqual({
      exit_code: code,
      verdict,
    })
  },
  60_000,
)
