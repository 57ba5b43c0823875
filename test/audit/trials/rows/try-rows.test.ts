import { expect, test } from 'vitest'
import { RESTART } from '../../../../src/audit/trials/rows/known-before.ts'
import { findByRows, imitatedApp, right } from '../../../support/imitated-app.ts'
import { flowShowing, seenOf } from '../../../support/imitated-learning.ts'
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
  expect(told.map(({ row }) => row)).toEqual(ids)
  expect(planned).toEqual([5])
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
  expect(all).toEqual([{ row, ...told }])
  expect(notes).toEqual([])
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
