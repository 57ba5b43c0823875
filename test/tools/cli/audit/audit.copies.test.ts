import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findFreePort } from '../../../support/free-port.ts'
import { shareSandbox } from '../../../support/sandbox.ts'
import {
  auditInProcess,
  exampleAfter,
  jose,
  OPENID_CLIENT,
  reportIn,
  tenantsOf,
  useScratchFolder,
  writeStart,
} from './audit-in-process.ts'

const sandbox = await shareSandbox()
useScratchFolder()

/** How copies of the Express example are started, and what each runs before it. */
const writeCopies = (code: string) => writeStart(exampleAfter(code))

/** Records which copies there were. */
const NOTE_START = `import { appendFileSync } from 'node:fs'
appendFileSync('starts.txt', process.pid + ' ' + process.env.PORT + ' ' + process.env.AGE_BASE_URL + '\\n')`

const starts = () =>
  [...readFileSync('starts.txt', 'utf8').matchAll(/(.+) (.+) (.+)\n/g)].map(
    ([, pid, port, baseUrl = '']) => ({
      ...{ pid: Number(pid), port, baseUrl },
    }),
  )

test('Copies of an app divide the rows of an audit', async () => {
  writeCopies(NOTE_START)
  const only = ['use/id_token.expired', 'use/id_token.extra_claim', 'par/par.500', 'par/par.503']
  expect(await auditInProcess(sandbox, { only, jobs: '3', json: 'report.json' })).toMatchObject({
    code: 0,
  })
  const copies = starts()
  expect(copies).toHaveLength(3)
  expect(new Set(copies.map(({ port }) => port))).toHaveProperty('size', 3)
  expect(new Set(copies.map(({ baseUrl }) => baseUrl))).toHaveProperty('size', 3)
  for (const { baseUrl } of copies)
    expect(baseUrl).toMatch(new RegExp(`^${sandbox.baseUrl}/t/audit-[a-z0-9]+-[123]$`))
  const { rows } = reportIn('report.json')
  expect(
    rows.filter(({ verdict }) => !['refused', 'observed', 'accepted'].includes(verdict)),
  ).toEqual([])
  // The app logs why it refused.
  expect(rows.find(({ row }) => row === 'use/id_token.expired')?.log?.join('\n')).toMatch(
    /JWTExpired/,
  )
  expect(await tenantsOf(sandbox)).toEqual(['default'])
  expect(await sandbox.flows.list()).toEqual([])
  for (const { pid } of copies) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
}, 180_000)

test('A copy of an app that dies is started again', async () => {
  // The app ends at the 20th answer.
  writeCopies(`${NOTE_START}
import { existsSync, writeFileSync } from 'node:fs'
const isFirst = !existsSync('first.txt')
if (isFirst) writeFileSync('first.txt', '')
import http from 'node:http'
const { emit } = http.Server.prototype
let answers = 0
http.Server.prototype.emit = function (name, request, ...rest) {
  if (isFirst && name === 'request' && request.url.startsWith('/callback') && ++answers > 20) process.exit(7)
  return emit.call(this, name, request, ...rest)
}`)
  const only = ['use/id_token.a*', 'use/id_token.i*']
  const { code } = await auditInProcess(sandbox, { only, jobs: '2', json: 'report.json' })
  const { rows, notes } = reportIn('report.json')
  const lost =
    /^after use\/\S+ copy 1 of your app no longer lets an adult in: your app showed nothing.*: .*; what it refused since/
  const remedy = 'the last good flow does not count; it was started again'
  expect(notes).toEqual([expect.stringMatching(new RegExp(`${lost.source} ${remedy}$`))])
  expect(code).toBe(0)
  expect(starts()).toHaveLength(3)
  expect(rows.filter(({ reason }) => reason === 'control_lost')).toEqual([])
  expect(rows.filter(({ verdict }) => verdict === 'refused').length).toBeGreaterThan(5)
  expect(rows.filter(({ verdict }) => verdict === 'broke')).toEqual([])
}, 180_000)

test('An audit starts at most one copy for each row', async () => {
  writeCopies(`${NOTE_START}\nprocess.env.AGE_BASE_URL = ${JSON.stringify(sandbox.baseUrl)}`)
  await expect(auditInProcess(sandbox, { only: ['use/id_token.expired'] })).rejects.toThrow(
    /^GET \/verify goes to http:\S+\/v1\/oidc\/use, not to this sandbox; set your app's base URL to http:\S+\/t\/audit-\w+-1; in start that is \{base_url\}$/,
  )
  expect(starts()).toHaveLength(1)
  expect(await tenantsOf(sandbox)).toEqual(['default'])
})

test('Copies of an app that cannot run side by side are reported in one line with the remedy', async () => {
  const port = await findFreePort()
  writeCopies(
    `import { createServer } from 'node:net'\ncreateServer().listen(${port}, 'localhost')`,
  )
  await expect(auditInProcess(sandbox, { only: ['use/id_token.ex*'], jobs: '2' })).rejects.toThrow(
    /^agekey-audit\.yaml:3: start: ".*" ended with code 1 before an answer of http:\S+; it wrote: .*EADDRINUSE.*; the first copy of your app did start: when copies cannot run side by side, give --jobs 1$/,
  )
})

const ISSUER_OTHER = 'discovery/discovery.issuer_other'
const OTHER_HOST = 'discovery/discovery.jwks_uri_on_other_host'
const ANSWER_500 = 'discovery/discovery.500'
const FOREIGN_KEY = 'jwks/jwks.foreign_key_same_kid'

/** Audits an app by rows that each need a start of it. */
async function audit(app: string, only: readonly string[]) {
  writeStart(app, '  ready: http://localhost:{port}/\n')
  await auditInProcess(sandbox, { only, repeat: '1', jobs: '2', json: 'report.json' })
  const { rows, notes } = reportIn('report.json')
  return {
    notes,
    rowOf: (id: string) => rows.find(({ row }) => row === id),
    verdicts: Object.fromEntries(rows.map(({ row, verdict }) => [row, verdict])),
  }
}

test('Rows of the documents judge an app by openid-client 6', async () => {
  const expected = {
    ...{ [ISSUER_OTHER]: 'refused', 'discovery/discovery.extra_member': 'accepted' },
    ...{ [ANSWER_500]: 'observed', [FOREIGN_KEY]: 'refused', 'jwks/jwks.extra_key': 'accepted' },
  }
  const app = `console.log('got not-a-real-secret')\n${OPENID_CLIENT}`
  const { verdicts, notes, rowOf } = await audit(app, Object.keys(expected))
  expect({ notes, verdicts }).toEqual({ notes: [], verdicts: expected })
  // Its messages name the check that refused.
  const evidence = expect.stringMatching(
    /^as adult-passport: your app did not start: .* ended with code 1 /,
  )
  expect(rowOf(ISSUER_OTHER)).toMatchObject({ evidence, refused_by: 'issuer' })
  expect(rowOf(FOREIGN_KEY)?.refused_by).toBe('signature')
  expect(rowOf('discovery/discovery.extra_member')?.log).toContain('got ***')
}, 300_000)

test.each([
  [
    'is sound',
    true,
    { [ISSUER_OTHER]: 'refused', [FOREIGN_KEY]: 'refused', [ANSWER_500]: 'observed' },
  ],
  // jose follows no redirect.
  [
    'checks nothing',
    false,
    { [ISSUER_OTHER]: 'let in', [OTHER_HOST]: 'let in', 'jwks/jwks.redirect': 'observed' },
  ],
])(
  'Rows of the documents judge an app that reads discovery late, which %s',
  async (...row) => {
    const [, checks, expected] = row
    const { verdicts, notes, rowOf } = await audit(jose({ checks }), Object.keys(expected))
    expect({ notes, verdicts }).toEqual({ notes: [], verdicts: expected })
    // Output of the app when it begins to listen does not count.
    if (checks)
      expect(rowOf(ISSUER_OTHER)?.log?.[0]).toMatch(/^Error: discovery names another issuer/)
  },
  300_000,
)

test.each([
  ['--fail-on should', { failOn: 'should' }],
  ['--readings --fail-on-readings', { readings: true, failOnReadings: true }],
])(
  'The Express example passes audit %s',
  async (_flags, flags) => {
    writeStart(exampleAfter())
    const { code, stdout } = await auditInProcess(sandbox, { ...flags, jobs: '2', json: 'r.json' })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.not.stringContaining('undetermined'),
    })
    const { rows, readings } = reportIn('r.json')
    const judged = rows.length > 0 ? rows : (readings?.variants ?? [])
    expect(judged.filter(({ verdict }) => verdict !== 'not for this app').length).toBeGreaterThan(
      40,
    )
  },
  300_000,
)
