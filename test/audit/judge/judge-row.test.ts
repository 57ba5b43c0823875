import { expect, test } from 'vitest'
import { forEach } from '../../../src/audit/judge/for-each.ts'
import {
  confirmFinding,
  type Judge,
  judgeRow,
  type RowVerdict,
  verdictNameFor,
} from '../../../src/audit/judge/judge-row.ts'
import type { RowPlan } from '../../../src/audit/plan/plan-row.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import {
  browserOf,
  CAST,
  ended,
  hopTo,
  imitatedApp,
  NO,
  SHOWED_NO,
  SHOWED_YES,
  signatureOf,
  YES,
} from '../../support/imitated-app.ts'

const rowOf = (id: string) => findRow(id) ?? expect.fail(`there is no row ${id}`)

const planFor = (outcome: string, roles: RowPlan['roles'] = ['adult']): RowPlan => ({
  roles,
  plan: (persona) => ({ use: { persona, outcome } }),
  runsAlone: false,
})

function judgeBy({ driver, sandbox }: ReturnType<typeof imitatedApp>, repeat = 1): Judge {
  const rules = { use: {}, create: {}, upgrade: {} }
  const readers = { sandbox, driver, signatures: { use: signatureOf(YES, NO) }, rules, createsAfterDenial: false }
  return { readers, driver, cast: CAST, repeat }
}

const EXPIRED = 'use/id_token.expired'

const HELLO = '200 / Hello.'
const SHOWED_DROP = 'your app showed a closed connection without an answer at /callback'

const SLOW = '429 /callback Slow.'
const LIMITED = 'as the adult: your app answers 429 at /callback ("Slow.")'

test.each([
  ['let in', { adult: NO, minor: YES }, undefined, `as the minor: ${SHOWED_YES}`],
  ['refused', { adult: NO, minor: NO }, undefined, `as the adult: ${SHOWED_NO}`],
  ['undetermined', { adult: NO, minor: HELLO }, 'page_unknown', 'as the minor: your app showed 200 at / ("Hello.")'],
  ['broke', { adult: HELLO, minor: ended('dropped') }, undefined, `as the minor: ${SHOWED_DROP}`],
  ['undetermined', { adult: SLOW, minor: NO }, 'control_lost', LIMITED],
])('Of a row that is run as two personas the worst run counts: %s', async (verdict, shows, reason, evidence) => {
  const app = imitatedApp(({ use }) => ({ shows: shows[use.persona === 'adult' ? 'adult' : 'minor'] }))
  const judged = await judgeRow(rowOf(EXPIRED), planFor('id_token.expired', ['adult', 'minor']), judgeBy(app))
  expect(judged).toEqual({ verdict, reason, evidence, flows: ['f1', 'f2'], isLimited: shows.adult === SLOW })
})

test('A row of the catalogue that no role runs is a defect', async () => {
  const judged = judgeRow(rowOf(EXPIRED), planFor('id_token.expired', []), judgeBy(imitatedApp(() => NO)))
  await expect(judged).rejects.toThrow('id_token.expired is run by no role')
})

test('A finding is looked at again as often as it is repeated, with all its flows', async () => {
  const app = imitatedApp(() => YES)
  const judged = await judgeRow(rowOf(EXPIRED), planFor('id_token.expired'), judgeBy(app, 3))
  const evidence = `as the adult: ${SHOWED_YES}`
  expect(judged).toMatchObject({ verdict: 'let in', evidence, flows: ['f1', 'f2', 'f3'] })
})

const found = (verdict: RowVerdict['verdict'], flow: string): RowVerdict => ({
  verdict,
  evidence: `it is ${verdict}`,
  flows: [flow],
  log: [`log of ${flow}`],
})

test.each(['let in', 'too strict', 'broke'] as const)(
  'A row with the verdict %s once and refused then is flaky',
  async (first) => {
    expect(await confirmFinding(found(first, 'f1'), async () => found('refused', 'f2'), 2)).toEqual({
      verdict: 'undetermined',
      reason: 'flaky',
      evidence: `${first} at first (it is ${first}), then refused (it is refused)`,
      flows: ['f1', 'f2'],
      log: ['log of f2'],
    })
  },
)

test.each(['refused', 'accepted', 'observed', 'undetermined', 'not for this app'] as const)(
  'A row with the verdict %s is looked at once',
  async (verdict) => {
    const first = found(verdict, 'f1')
    expect(await confirmFinding(first, () => expect.fail('it was looked at again'), 2)).toBe(first)
  },
)

test.each([
  ['refuse', { taken: 'let in', refused: 'refused', broke: 'broke', undetermined: 'undetermined' }],
  ['accept', { taken: 'accepted', refused: 'too strict', broke: 'too strict', undetermined: 'undetermined' }],
  ['depends', { taken: 'observed', refused: 'observed', broke: 'observed', undetermined: 'undetermined' }],
] as const)('What the app does decides the verdict on a row of the kind %s', (correctClient, verdicts) => {
  const row = { ...rowOf(EXPIRED), correctClient }
  const verdict = (of: keyof typeof verdicts) => verdictNameFor(row, { verdict: of, evidence: '', flows: [] })
  const [taken, refused] = [verdict('taken'), verdict('refused')]
  expect({ taken, refused, broke: verdict('broke'), undetermined: verdict('undetermined') }).toEqual(verdicts)
})

const REPLAYED = 'use/id_token.replayed'
const SESSION = { hops: [hopTo('http://localhost:3000/callback', { isCallback: true, cookies: ['session', 'proof'] })] }

test.each([
  ['in the browser of the earlier flow, without the cookies of its answer', NO, true],
  ['in a fresh browser when the app keeps its proof elsewhere', YES, false],
  ['in a fresh browser when the app begins no flow in the old one', undefined, false],
])('A row that needs an earlier flow is judged %s', async (_what, afterDenial, isSameBrowser) => {
  const browser = browserOf()
  const app = imitatedApp(({ use: { outcome } }) => {
    if (outcome === 'verified') return { shows: { ...ended('page'), ...SESSION }, changes: { browser } }
    if (outcome !== 'access_denied') return NO
    return { shows: afterDenial ?? NO, changes: afterDenial === undefined ? { request: undefined } : {} }
  })
  const judged = await judgeRow(rowOf(REPLAYED), planFor('id_token.replayed'), judgeBy(app))
  expect(judged).toMatchObject({ verdict: 'refused', flows: ['f3'] })
  expect(browser.forgotten).toEqual(['session', 'proof'])
  const own = isSameBrowser ? { browser } : {}
  expect(app.plans).toEqual([
    { use: { persona: 'adult', outcome: 'verified' } },
    { use: { outcome: 'access_denied' }, browser },
    { use: { persona: 'adult', outcome: 'id_token.replayed' }, ...own },
  ])
})

test('forEach works on items in their order, at most so many at the same time', async () => {
  const order: string[] = []
  let running = 0
  await forEach([1, 2, 3, 4, 5], 2, async (item) => {
    running += 1
    order.push(`${item} beside ${running - 1}`)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
  })
  expect(order).toEqual(['1 beside 0', '2 beside 1', '3 beside 1', '4 beside 1', '5 beside 1'])
})
