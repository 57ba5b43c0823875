import { expect, test } from 'vitest'
import type { AuditChoices } from '../../../../src/audit/choices.ts'
import type { VerdictName } from '../../../../src/audit/report/audit-report.ts'
import { exitCodeOf } from '../../../../src/audit/report/summarise.ts'
import { goodFlow } from '../../../../src/audit/trials/good-flow.ts'
import { describeRow } from '../../../../src/audit/trials/rows/describe-row.ts'
import { notForThisApp, RESTART } from '../../../../src/audit/trials/rows/known-before.ts'
import type { TrialFinding } from '../../../../src/audit/trials/trial.ts'
import { findRow, OUTCOMES } from '../../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../../src/sandbox/outcomes/outcome.ts'
import { findByRows, imitatedApp, right, workerOf } from '../../../support/imitated-app.ts'
import { flowShowing, learnedOf, seenOf } from '../../../support/imitated-learning.ts'
import { NO, showed, YES } from '../../../support/imitated-pages.ts'

test('Rows that have to be accepted are judged first, with the twins of others, then the most severe', async () => {
  const ids = [
    'use/id_token.sub_empty',
    'use/id_token.alg_none',
    'use/id_token.extra_claim',
    'use/id_token.expired',
  ]
  const app = imitatedApp(({ use: { outcome = '' } }) =>
    /verified|extra_claim/.test(outcome) ? YES : NO,
  )
  const { heard, told, planned } = await findByRows(ids, app)
  expect(heard).toEqual([
    '1/5 use/verified accepted',
    '2/5 use/id_token.extra_claim accepted',
    '3/5 use/id_token.alg_none refused',
    '4/5 use/id_token.expired refused',
    '5/5 use/id_token.sub_empty refused',
  ])
  expect([told.map(({ row }) => row), planned]).toEqual([ids, [5]])
  expect(told[2]).toEqual({
    row: ids[2],
    verdict: 'accepted',
    evidence: `as the adult: ${showed(YES)}`,
  })
})

test('The refusal of a row shows nothing when the app refuses the right answer, too', async () => {
  const app = imitatedApp(({ use: { outcome, persona } }, run) =>
    outcome === 'verified' && persona === 'the adult' && run > 1 ? YES : NO,
  )
  const { told } = await findByRows(['use/id_token.expired', 'use/verified'], app)
  const evidence = 'your app also refuses use/verified, which differs by the fault alone'
  expect(told).toEqual([
    { row: 'use/id_token.expired', verdict: 'undetermined', reason: 'masked', evidence },
    { row: 'use/verified', verdict: 'too strict', evidence: `as the adult: ${showed(NO)}` },
  ])
  const later = await findByRows(['use/id_token.c_hash_wrong'], imitatedApp(right), {
    learned: CODE_REFUSED,
  })
  expect(later.told).toMatchObject([
    { reason: 'masked', evidence: evidence.replace('verified', 'code_issued') },
  ])
  expect(later.heard).toEqual(['1/1 use/id_token.c_hash_wrong refused'])
})

const evidence = 'what was seen while the app was learned'
const CREATE_REFUSED = {
  create: { kind: 'refused', rows: ['create/created'], reason: evidence },
} as const
const CODE_REFUSED = {
  upgrade: { kind: 'refused', rows: ['use/code_issued'], reason: evidence },
} as const
const SILENT = {
  create: { kind: 'learned', flow: flowShowing(YES), reason: 'visit says nothing' },
} as const
const masked = { verdict: 'undetermined', reason: 'masked', evidence }
const tooStrict = { verdict: 'too strict', evidence }
const notForIt = (reason: string) => ({ verdict: 'not for this app', reason })
const refused = (evidence: string) => ({ verdict: 'refused', evidence })
const NOT_REACHED = {
  ...masked,
  reason: 'not_reached',
  evidence: 'as the minor: 403 at /callback ("Sorry.")',
}

test.each([
  ['create/created', CREATE_REFUSED, tooStrict],
  ['create/callback.state_missing', CREATE_REFUSED, masked],
  ['par/par.500', CREATE_REFUSED, masked],
  ['use/code_issued', CODE_REFUSED, tooStrict],
  ['token/token.500', CODE_REFUSED, masked],
  ['upgrade/upgrade.500', CODE_REFUSED, masked],
  ['token/token.500', CREATE_REFUSED, notForIt('it has no Upgrade')],
  ['create/created', CODE_REFUSED, notForIt('it has no Create')],
  ['create/callback.state_missing', SILENT, notForIt('visit says nothing')],
  [
    'use/id_token.expired',
    { ...CREATE_REFUSED, ...CODE_REFUSED },
    refused(`as the adult: ${showed(NO)}`),
  ],
  ['use/no_answer', {}, notForIt('nothing comes back, so that there is no answer to let in')],
  ['jwks/jwks.500', {}, notForIt(RESTART)],
  ['token/token.500', { ...CREATE_REFUSED, upgrade: SILENT.create }, NOT_REACHED],
])('The row %s is judged by what was learned of the app: %j', async (row, learned, told) => {
  const {
    told: all,
    judged,
    heard,
    notes,
  } = await findByRows([row], imitatedApp(right), { learned })
  expect([all, notes]).toEqual([[{ row, ...told }], []])
  const isTried = 'evidence' in told && told.evidence !== evidence
  expect(judged[0]?.flows).toEqual(isTried ? [expect.stringMatching(/^f/)] : [])
  // Findings of learning are not reported again.
  expect(heard.length > 0).toBe(isTried)
})

const early = (misses: number, isLetIn = true) => [
  { persona: 'teen-16', misses, isLetIn, seen: seenOf(YES) },
]
const below18 = 'as teen-16: an honest user who does not reach 18 gets all that an adult gets'
const BY_AGE =
  'A user below 18 gets in with an honest answer: the app does not read the threshold of 18.'

const CHILD = `a right token whose thresholds are all false is taken for a yes: ${showed(YES)}`
const BY_CHILD = 'A child gets in with an honest answer: the app does not read the thresholds.'
const say = `${below18}; when the page is for a lower age, say so: --age`

test.each([
  [
    'lets a minor in',
    { learned: { letsIn: ['minor' as const], minor: seenOf(YES) } },
    CHILD,
    BY_CHILD,
    ['f1'],
  ],
  [
    'gives all below its highest threshold',
    { learned: { between: early(18) } },
    say,
    BY_AGE,
    ['f1'],
  ],
  [
    'gives all below the age of its page',
    { learned: { between: early(18) }, options: { age: 18 } },
    below18,
    BY_AGE,
    ['f1'],
  ],
])(
  'An app that %s with a right token has that as a finding',
  async (_what, settings, evidence, harm, flows) => {
    const { judged } = await findByRows(
      ['use/verified', 'use/id_token.expired'],
      imitatedApp(right),
      settings,
    )
    const verdicts = judged.map(({ row, verdict }) => `${row} ${verdict}`)
    expect(verdicts).toEqual(['use/verified let in', 'use/id_token.expired refused'])
    expect(judged[0]).toMatchObject({
      evidence,
      harm,
      flows,
      counted: true,
      checks: ['age_thresholds'],
    })
  },
)

test('An app that lets in a user who only wishes to create an age key has that as a finding', async () => {
  const create = { kind: 'absent', reason: 'no Create began', letsIn: seenOf(YES) } as const
  const { judged } = await findByRows(['use/create_requested'], imitatedApp(right), {
    learned: { create },
  })
  const evidence =
    'a user who only wishes to create an age key is let in, and no Create flow begins'
  expect(judged).toMatchObject([
    { verdict: 'let in', evidence, flows: ['f1'], counted: true, level: 'must' },
  ])
})

test.each([
  ['lets a denial in', { learned: { letsIn: ['access_denied' as const] } }],
  ['refuses who is below a threshold', { learned: { between: early(18, false) } }],
  ['is for a lower age', { learned: { between: early(18) }, options: { age: 16 } }],
])('An app that %s has no finding of right tokens', async (_what, settings) => {
  const { told } = await findByRows(['use/verified'], imitatedApp(right), settings)
  expect(told).toMatchObject([{ verdict: 'accepted' }])
})

test('Rows of the audit itself are tried, unless a function of a test suite drives the app', async () => {
  const ids = ['use/callback.of_other_browser', 'use/callback.twice']
  const app = imitatedApp(right, { open: () => NO })
  expect((await findByRows(ids, app)).told).toMatchObject([
    { verdict: 'refused' },
    { verdict: 'observed' },
  ])
  const reason = 'a function brings each answer by itself, so that no other browser can'
  const { told } = await findByRows(ids, app, { isVisited: true })
  expect(told).toEqual(ids.map((row) => ({ row, ...notForIt(reason) })))
})

test('A plain good flow may fail once, and pages that were not seen before are learned from it', async () => {
  const showing = (...shows: readonly string[]) => {
    const app = imitatedApp((_plan, run) => shows[run - 1] ?? YES)
    const trial = goodFlow({ learned: learnedOf(flowShowing(YES)) })
    return { app, find: async () => trial.proof(await trial.drive(workerOf(app))) }
  }
  const accepted = { verdict: 'accepted' }
  expect(await showing(YES).find()).toMatchObject(accepted)
  expect(await showing('500 /callback Oops.').find()).toMatchObject(accepted)
  expect(await showing('429 /verify Slow.').find()).toMatchObject({
    reason: 'control_lost',
    isLimited: true,
  })
  expect(await showing(NO, NO).find()).toMatchObject({
    reason: 'control_lost',
    evidence: showed(NO),
  })
  const other = '200 /members Welcome. The other layout.'
  const changing = showing(other, YES, other)
  expect([await changing.find(), await changing.find()]).toMatchObject([accepted, accepted])
  expect(changing.app.plans).toHaveLength(3)
})

const today = '2026-11-22T10:00:00Z'

const rowOf = (id: string): Outcome => findRow(id) ?? expect.fail(`there is no row ${id}`)
const oneOf = (level: Outcome['level']) =>
  OUTCOMES.find(
    (row) => row.level === level && row.correctClient === 'refuse' && row.since === '0.1',
  ) ?? expect.fail(`no row has level ${level}`)

const foundAs = (verdict: VerdictName): TrialFinding => ({
  verdict,
  evidence: 'e',
  flows: ['f1', 'f1'],
})
const judge = (row: Outcome, verdict: VerdictName, counting: AuditChoices = {}) =>
  describeRow(row, foundAs(verdict), { options: counting, today })
const exitCode = (row: Outcome, verdict: VerdictName, counting?: AuditChoices) =>
  exitCodeOf([judge(row, verdict, counting)])

test.each([
  ['must', 'let in', 'must', 1],
  ['should', 'let in', 'must', 0],
  ['should', 'let in', 'should', 1],
  ['may', 'let in', 'should', 0],
  ['may', 'let in', 'may', 1],
  ['must', 'let in', 'none', 0],
  ['must', 'refused', 'may', 0],
  ['must', 'undetermined', 'must', 2],
  ['must', 'not for this app', 'must', 2],
  // Nobody was let in: a finding of level should, whatever the row demands.
  ['must', 'broke', 'must', 0],
  ['must', 'broke', 'should', 1],
  ['must', 'ignored', 'must', 0],
] as const)(
  'The exit code of a %s row that is %s, with fail-on %s, is %i',
  (level, verdict, failOn, code) => {
    expect(exitCode(oneOf(level), verdict, { failOn })).toBe(code)
  },
)

const REASON = 'the library is old'
const knownAs = (row: Outcome) => ({ known: [{ row: `${row.flow}/${row.name}`, because: REASON }] })
const LATER: Outcome = { ...oneOf('must'), since: '0.2' }

test.each<[string, Outcome, VerdictName, AuditChoices, number]>([
  ['has to be accepted and is refused', rowOf('use/id_token.extra_claim'), 'too strict', {}, 1],
  ['is observed', oneOf('must'), 'observed', {}, 0],
  ['depends on the client', rowOf('use/id_token.kid_missing'), 'let in', { failOn: 'may' }, 0],
  ['came with the catalogue that was asked for', LATER, 'let in', {}, 1],
  ['came after the catalogue that was asked for', LATER, 'let in', { catalogue: '0.1' }, 0],
  ['is of level may and has a stale entry', oneOf('may'), 'refused', knownAs(oneOf('may')), 1],
  [
    'has a stale entry, with fail-on none',
    oneOf('must'),
    'refused',
    { ...knownAs(oneOf('must')), failOn: 'none' },
    0,
  ],
])(
  'The exit code of an audit follows from a row that %s',
  (_what, row, verdict, counting, code) => {
    expect(judge(row, verdict, counting).counted).toBe(code === 1)
    expect(exitCode(row, verdict, counting)).toBe(code)
  },
)

const KNOWN = { verdict: 'known', reason: REASON, counted: false }
const staleAs = (verdict: string) =>
  `it is listed under known and is ${verdict} now; take the entry out`

test.each<[VerdictName, string | undefined, object]>([
  ['let in', undefined, KNOWN],
  ['broke', undefined, KNOWN],
  ['let in', '2026-11-22', KNOWN],
  ['let in', '2026-11-21', { verdict: 'let in', counted: true }],
  ['refused', undefined, { verdict: 'stale', reason: staleAs('refused'), counted: true }],
  ['accepted', undefined, { verdict: 'stale', reason: staleAs('accepted'), counted: true }],
  ['observed', undefined, { verdict: 'stale', reason: staleAs('observed'), counted: true }],
  ['undetermined', undefined, { verdict: 'undetermined', counted: true }],
  ['not for this app', undefined, { verdict: 'not for this app', counted: false }],
])('A row that is %s, and known until %s, is described as %j', (verdict, until, expected) => {
  const row = oneOf('must')
  const own = { row: `${row.flow}/${row.name}`, because: REASON, until }
  const known = [{ row: 'use/verified', because: 'another row' }, own]
  const { verdict: described, reason, counted } = judge(row, verdict, { known })
  expect({ verdict: described, ...(reason !== undefined && { reason }), counted }).toEqual(expected)
})

test('A judged row says what the catalogue says, what was found, and each flow once', () => {
  const row = rowOf('use/id_token.expired')
  const { flow, family, breaks: checks, summary, rule, harm, level, severity, refs } = row
  const columns = {
    row: 'use/id_token.expired',
    flow,
    family,
    checks,
    summary,
    rule,
    harm,
    level,
    severity,
    refs,
  }
  const cwe = row.cwe.map((id) => `CWE-${id}`)
  const found = {
    ...foundAs('refused'),
    reason: undefined,
    log: ['JWTExpired'],
    refusedBy: 'exp',
  } as const
  const described = {
    ...columns,
    cwe,
    verdict: 'refused',
    evidence: 'e',
    flows: ['f1'],
    counted: true,
  }
  expect(describeRow(row, found, { options: {}, today })).toEqual({
    ...described,
    log: ['JWTExpired'],
    refused_by: 'exp',
  })
  const bare = {
    verdict: 'undetermined',
    reason: 'flaky',
    evidence: '',
    flows: [],
    log: [],
  } as const
  const empty = {
    ...columns,
    cwe,
    verdict: 'undetermined',
    reason: 'flaky',
    flows: [],
    counted: true,
  }
  expect(describeRow(row, bare, { options: {}, today })).toEqual(empty)
  const absent = {
    ...columns,
    cwe,
    verdict: 'not for this app',
    reason: 'it has no Create',
    flows: [],
    counted: false,
  }
  expect(describeRow(row, notForThisApp('it has no Create'), { options: {}, today })).toEqual(
    absent,
  )
})
