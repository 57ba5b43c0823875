import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type AuditOptions, type AuditReport, audit, type VisitFunction } from '../src/audit.ts'
import { rowId } from '../src/sandbox/outcomes/catalogue.ts'
import { findBrokenApp, rowsLetIn } from './audit/apps/broken-apps.ts'
import type { Changes } from './support/express-example.ts'
import { shareSandbox } from './support/sandbox.ts'
import { visitExample, visitUseOfExample } from './support/visits.ts'

const sandbox = await shareSandbox()

const token = (name: string) => `use/id_token.${name}`
/** The rows of two checks, another wrong token, an error, and a token to accept. */
const SOME = [
  'family:nonce',
  'use/access_denied',
  ...['nonce_twice', 'expired*', 'aud_missing', 'extra_claim'].map(token),
]

const EXPIRED = 'use/id_token.expired'
const TWO = [EXPIRED, 'use/id_token.aud_missing']

const visitUse = (changes: Changes = []) => visitUseOfExample(sandbox, changes)

const rowsWith = ({ rows }: AuditReport, verdict: string) =>
  rows.filter((row) => row.verdict === verdict).map(({ row }) => row)

const auditBy = (visit: VisitFunction, options: Partial<AuditOptions> = {}) =>
  audit(sandbox, { visit, only: SOME, ...options })

type VisitDetails = Parameters<VisitFunction>[0]

async function problemOf(audited: Promise<AuditReport>): Promise<string> {
  const { message } = await audited.then(
    ({ totals }) => expect.fail(`it ended with ${JSON.stringify(totals)}`),
    (error: Error) => error,
  )
  expect(message).not.toContain('\n')
  return message
}

/** Wrong options, and the message of each refusal. */
const problemWith = (options: object) =>
  problemOf(Reflect.apply(audit, undefined, [sandbox, options]))

const spoiling =
  (visit: VisitFunction, spoil: VisitFunction): VisitFunction =>
  (details) =>
    (details.row.endsWith('expired') ? spoil : visit)(details)

test('An audit by a function finds nothing in the whole example app', async () => {
  const only = [...SOME, '*/*.html', 'create/callback.state_missing', 'use/callback.state_missing']
  const report = await audit(sandbox, { visit: await visitExample(sandbox), only, failOn: 'may' })
  const good = ['refused', 'accepted', 'observed', 'not for this app']
  expect(report.rows.filter(({ verdict }) => !good.includes(verdict))).toEqual([])
  expect(report.totals.refused).toBeGreaterThan(15)
  for (const flow of ['use', 'create', 'par', 'token', 'upgrade'])
    expect(rowsWith(report, 'refused').join(), flow).toContain(`${flow}/`)
  expect(report).toMatchObject({
    agent: 'function',
    exit_code: 0,
    app: expect.stringMatching(/\/callback$/),
  })
  // By its seconds the token has not expired.
  expect(Date.parse(report.started_at) + report.seconds * 1_000).toBeLessThan(Date.now() + 1_000)
})

test('An audit by a function finds the faults of an app by their rows alone', async () => {
  const faults = [findBrokenApp('compares no nonce'), findBrokenApp('does not look at exp')]
  const report = await auditBy(await visitUse(faults.flatMap(({ changes }) => changes)), {
    failOn: 'may',
  })
  expect(rowsWith(report, 'let in').toSorted()).toEqual(
    faults.flatMap(rowsLetIn).map(rowId).toSorted(),
  )
  expect(report.exit_code).toBe(1)
})

test('An audit tells its function for what each visit is', async () => {
  const visit = await visitExample(sandbox)
  const seen: VisitDetails[] = []
  await audit(sandbox, {
    visit: (details) => visit(seen[seen.push(details) - 1] ?? details),
    only: [EXPIRED],
  })
  expect(seen.map(({ n }) => n)).toEqual(seen.map((_details, index) => index + 1))
  expect(seen.at(0)).toMatchObject({
    row: 'use/access_denied',
    flow: 'use',
    outcome: 'access_denied',
  })
  const expired = { flow: 'use', outcome: 'id_token.expired', persona: 'adult-passport' }
  expect(seen.find(({ row }) => row === EXPIRED)).toMatchObject(expired)
  expect(seen.find(({ row }) => row === 'create/created')).toMatchObject({ flow: 'create' })
  expect(await sandbox.expectations.list()).toEqual([])
  expect((await sandbox.personas.list()).filter(({ name }) => name.startsWith('audit-'))).toEqual(
    [],
  )
})

const stalling: VisitFunction = ({ signal }) =>
  wait(60_000, false, { signal }).catch(() => wait(50, false))
const NO_BUTTON = 'as adult-passport: visit failed: no such button'
const NO_END = 'as adult-passport: visit did not end within 3 s'

test.each<[string, VisitFunction, { reason: string; evidence?: string }]>([
  [
    'throws',
    () => Promise.reject(new Error('no such button\nat 3')),
    { reason: 'visit_failed', evidence: NO_BUTTON },
  ],
  ['does not end in time', stalling, { reason: 'visit_failed', evidence: NO_END }],
  ['says no before the app has asked', () => false, { reason: 'not_reached' }],
])('An audited row is never refused when its visit %s', async (_, spoil, expected) => {
  const timeoutSeconds = expected.evidence === NO_END ? 3 : 20
  const report = await auditBy(spoiling(await visitUse(), spoil), { only: TWO, timeoutSeconds })
  expect(report.exit_code).toBe(3)
  expect(rowsWith(report, 'refused')).toEqual(['use/id_token.aud_missing'])
  expect(report.rows.find(({ row }) => row === EXPIRED)).toMatchObject({
    verdict: 'undetermined',
    ...expected,
  })
})

test('A visit that never ends leaves all audited rows after it undetermined: it might take their decisions', async () => {
  const visit = spoiling(await visitUse(), () => new Promise<boolean>(() => {}))
  const report = await auditBy(visit, { only: TWO, timeoutSeconds: 0.5 })
  expect(report.exit_code).not.toBe(0)
  expect(rowsWith(report, 'refused')).toEqual([])
})

const returned = (value: string) =>
  `visit returned ${value} for use/access_denied; return true when the app let the user in, and false when it refused`
const CLOSED = 'visit failed: open("http://127.0.0.1:9/") ended without'

test.each<[string, (details: VisitDetails) => unknown, string]>([
  ['returns nothing', () => {}, returned('undefined')],
  ['returns an object', () => ({ status: 200 }), returned('[Object]')],
  ['fails at once', async ({ open }) => (await open('http://127.0.0.1:9/')).status === 200, CLOSED],
])(
  'An audit shows nothing, and says why in one line, when its function %s',
  async (_, visit, expected) => {
    expect((await problemWith({ visit, only: SOME })).slice(0, expected.length)).toBe(expected)
  },
)

test('Two audits that use one sandbox at the same time show nothing', async () => {
  const visit = await visitUse()
  const problems = await Promise.all([auditBy(visit), auditBy(visit)].map(problemOf))
  expect(problems.join('\n')).toMatch(
    /^something else uses the sandbox at the same time: f\d+ was decided by expectation /m,
  )
})

test.each([
  [
    { visit: 'http://localhost:3000' },
    'visit must be a function, found the text "http://localhost:3000"',
  ],
  [{ onyl: [] }, 'onyl: unknown key. Did you mean "only"?'],
  [{ known: [{ row: 'use/x', because: 'y' }] }, 'known[0].row: there is no row use/x.'],
  [{ timeoutSeconds: 0 }, 'timeoutSeconds: must be more than 0 seconds, found 0'],
])('An audit by a function refuses the options %j in one line', async (given, message) => {
  const problem = await problemWith({ visit: () => false, ...given })
  expect(problem.slice(0, message.length + 7)).toBe(`audit: ${message}`)
})
