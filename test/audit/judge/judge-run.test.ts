import { expect, test } from 'vitest'
import type { FlowRun } from '../../../src/audit/drive/driver.ts'
import { judgeRun, type Readers } from '../../../src/audit/judge/judge-run.ts'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import type { Flow } from '../../../src/client/shapes/flow.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { ended, flowOf, imitatedApp, runOf, saidOf, sandboxOf, signatureOf } from '../../support/imitated-app.ts'

const YES = '200 /in Welcome.'
const NO = '403 /cb Sorry.'
const OTHER = '200 /other Hello.'
const SAVED = '200 /saved Saved.'
const UNSAVED = '200 /unsaved Not saved.'
const DONE = '200 /done Done.'
const SAME = '200 /same It stays.'
const SLOW = '429 /cb Slow.'

const showed = (said: string) => `your app showed ${summaryOf(said)}`
const summaryOf = (said: string) => said.replace(/^(\S+) (\S+) (.*)$/, '$1 at $2 ("$3")')

/** A flow of Use that ended with a row, and the calls in it. */
const f1 = (outcome: string, ...calls: string[]) => flowOf('f1', ['E1', ...calls], { outcome })
const f2 = (...calls: string[]) => flowOf('f2', calls, { flow: 'create', outcome: 'callback.state_missing' })
const UPGRADES = flowOf('f5', ['E4', 'E5'], { flow: 'upgrade' })

const seen = (said: string, changes: Partial<FlowRun> = {}) => runOf(said, changes)
const met = { isLaterMet: true }
const [begun, onward] = [{ useFlow: undefined }, { reachesCreate: true }]
const saved = { createFlow: 'f2', brought: { E1: true, E3: true } }
const unbrought = { brought: { E1: false, E3: true } }
const failing = { observation: saidOf('visit threw Error: no') }

const row = { use: 'use/id_token.expired', wish: 'use/create_requested', create: 'create/callback.state_missing' }
const call = { par: 'par/par.500', token: 'token/token.500', upgrade: 'upgrade/upgrade.500' }
const SPOILED = f1('id_token.expired')
const [CODE, EXCHANGED] = [f1('code_issued'), f1('code_issued', 'E4')]
const UPGRADED = f1('code_issued', 'E4', 'E5')

const [BEGAN_CREATE, EXCHANGED_CODE] = ['your app began to create an age key (E3)', 'your app exchanged the code (E4)']
const [WISHED, PUSHED, ANSWERED] = [f1('create_requested'), [CODE, f2('E2')], [SPOILED, f2('E2', 'E3')]]
const CREATED = [SPOILED, f2('E3')]
const CREATE = { flow: 'create' } as const
const BOTH = ['f1', 'f2']
const ASTRAY = [...PUSHED, flowOf('f3', ['E3'], CREATE)]
const SENT_ON = 'your app sent the browser on to Create (E3)'

const CASES: readonly [string, string, FlowRun, readonly Flow[], string, string, (readonly string[])?][] = [
  ['the no of Use', row.use, seen(NO), [SPOILED], 'refused', showed(NO)],
  ['the yes of Use', row.use, seen(YES), [SPOILED], 'taken', showed(YES)],
  ['a page never seen', row.use, seen(OTHER), [SPOILED], 'page_unknown', showed(OTHER)],
  ['a result', row.use, seen(NO, { observation: saidOf(true) }), [SPOILED], 'page_unknown', 'visit returned true'],
  ['too many requests', row.use, seen(SLOW), [SPOILED], 'control_lost', `your app answers ${summaryOf(SLOW)}`],
  ['the flow of another row', row.use, seen(NO), [f1('verified')], 'not_delivered', summaryOf(NO)],
  ['an answer not brought', row.use, seen(NO, unbrought), [SPOILED], 'not_delivered', summaryOf(NO)],
  ['no flow', row.use, seen(NO, begun), [SPOILED], 'not_reached', summaryOf(NO), []],
  ['a failed visit', row.use, seen(NO, failing), [SPOILED], 'visit_failed', 'visit threw Error: no'],
  ['an early failure', row.use, seen(NO, { ...failing, ...begun }), [], 'visit_failed', 'visit threw Error: no', []],
  ['an exchanged code', row.use, seen(NO), [f1('id_token.expired', 'E4')], 'taken', EXCHANGED_CODE],
  ['a later exchange beside others', row.use, seen(NO), [SPOILED, UPGRADES], 'refused', showed(NO)],
  ['a way to Create', row.use, seen(NO, onward), [SPOILED], 'taken', BEGAN_CREATE],
  ['a wish to create', row.wish, seen(NO, onward), [WISHED], 'taken', BEGAN_CREATE],
  ['a wish that leads nowhere', row.wish, seen(NO), [WISHED], 'refused', showed(NO)],
  ['no token call', call.token, seen(NO, { isLaterMet: false }), [EXCHANGED], 'not_reached', summaryOf(NO)],
  ['a token call elsewhere', call.token, seen(NO, met), [CODE], 'not_delivered', summaryOf(NO)],
  ['a token call that was not to fail', call.token, seen(NO), [EXCHANGED], 'not_delivered', summaryOf(NO)],
  ['the no of Upgrade', call.token, seen(SAME, met), [EXCHANGED], 'refused', showed(SAME)],
  ['the no of Use after a token call', call.token, seen(NO, met), [EXCHANGED], 'refused', showed(NO)],
  ['an upgrade without a token', call.token, seen(NO, met), [UPGRADED], 'taken', 'your app sent an upgrade (E5)'],
  ['the yes of Use after an upgrade', call.upgrade, seen(YES, met), [UPGRADED], 'page_unknown', showed(YES)],
  ['the yes of Use after a token call', call.token, seen(YES, met), [EXCHANGED], 'taken', showed(YES)],
  ['the yes of Upgrade after an answer of Use', row.use, seen(DONE), [SPOILED], 'page_unknown', showed(DONE)],
  ['an upgrade that was not to fail', call.upgrade, seen(NO), [UPGRADED], 'not_delivered', summaryOf(NO)],
  ['the yes of Upgrade', call.upgrade, seen(DONE, met), [UPGRADED], 'taken', showed(DONE)],
  ['no upgrade', call.upgrade, seen(NO, met), [EXCHANGED], 'not_delivered', summaryOf(NO)],
  ['an earlier push', call.par, seen(NO, met), [flowOf('f1', ['E2'], CREATE)], 'not_reached', summaryOf(NO)],
  ['a way on', call.par, seen(NO, { ...met, ...onward }), [CODE, f2('E2', 'E3')], 'taken', SENT_ON, BOTH],
  ['a way on without a request_uri', call.par, seen(NO, { ...met, ...onward }), ASTRAY, 'taken', SENT_ON, BOTH],
  ['the no of Use after a pushed request', call.par, seen(NO, met), PUSHED, 'refused', showed(NO), BOTH],
  ['the no of Create', call.par, seen(UNSAVED, { ...met, ...begun }), [f2('E2')], 'refused', showed(UNSAVED), ['f2']],
  ['a push that was not to fail', call.par, seen(NO, begun), [f2('E2')], 'not_delivered', summaryOf(NO), ['f2']],
  ['a Create answer', row.create, seen(UNSAVED, saved), ANSWERED, 'refused', showed(UNSAVED), BOTH],
  ['a saved key', row.create, seen(SAVED, saved), ANSWERED, 'taken', showed(SAVED), BOTH],
  ['a lost answer', row.create, seen(NO, { createFlow: 'f2' }), CREATED, 'not_delivered', summaryOf(NO), BOTH],
]

interface Judged {
  readonly row?: string
  readonly run: FlowRun
  readonly flows?: readonly Flow[]
  readonly readers?: Partial<Readers>
  readonly isAlone?: boolean
}

function judge({ row: id = row.use, run, flows = [SPOILED], readers, isAlone = false }: Judged) {
  const signatures = {
    use: signatureOf(YES, NO),
    create: signatureOf(SAVED, UNSAVED),
    upgrade: signatureOf(DONE, SAME),
  }
  const rules = { use: {}, create: {}, upgrade: {} }
  const { driver } = imitatedApp(() => NO)
  const known = { sandbox: sandboxOf({ flows }), driver, signatures, rules, createsAfterDenial: false, ...readers }
  return judgeRun(findRow(id) ?? expect.fail(`there is no row ${id}`), run, { readers: known, isAlone })
}

test.each(CASES)('A run with %s is judged by row %s', async (_, row, run, flows, verdict, evidence, ids = ['f1']) => {
  const isVerdict = ['taken', 'refused', 'broke'].includes(verdict)
  expect(await judge({ row, run, flows })).toEqual({
    ...(isVerdict ? { verdict } : { verdict: 'undetermined', reason: verdict }),
    evidence,
    flows: ids,
    ...(verdict === 'control_lost' && { isLimited: true }),
  })
})

test.each([
  ['dropped', 'a closed connection without an answer at /callback'],
  ['timed_out', 'no answer in time at /callback'],
] as const)('An app whose visit is %s has broken after the answer, and shows nothing before', async (end, shown) => {
  const [after, before] = [runOf(ended(end)), runOf(ended(end), unbrought)]
  expect(await judge({ run: after })).toEqual({ verdict: 'broke', evidence: `your app showed ${shown}`, flows: ['f1'] })
  const reason = end === 'timed_out' ? 'timed_out' : 'not_delivered'
  expect(await judge({ run: before })).toEqual({ verdict: 'undetermined', reason, evidence: shown, flows: ['f1'] })
})

test('A call in a later flow belongs to a run that is alone', async () => {
  const alone = { run: runOf(NO), isAlone: true }
  expect(await judge({ ...alone, flows: [SPOILED, UPGRADES] })).toMatchObject({ evidence: EXCHANGED_CODE })
  const withoutCode = flowOf('f5', ['E5'], { flow: 'upgrade' })
  expect(await judge({ ...alone, flows: [SPOILED, withoutCode] })).toMatchObject({ verdict: 'refused' })
  const later = flowOf('f6', ['E1'], { outcome: 'id_token.expired' })
  const run = runOf(NO, { useFlow: 'f6' })
  expect(await judge({ ...alone, run, flows: [UPGRADES, later] })).toMatchObject({ verdict: 'refused', flows: ['f6'] })
  const token = { row: call.token, run: runOf(NO, met), flows: [EXCHANGED, UPGRADES] }
  expect(await judge({ ...alone, ...token })).toMatchObject({ evidence: 'your app sent an upgrade (E5)' })
  expect(await judge(token)).toMatchObject({ verdict: 'refused' })
})

test('An app that creates after each denial says nothing by that, but after create_requested', async () => {
  const readers = { createsAfterDenial: true }
  expect(await judge({ run: runOf(NO, onward), readers })).toMatchObject({ verdict: 'refused' })
  const wish = { row: row.wish, run: runOf(NO, onward), flows: [f1('create_requested')], readers }
  expect(await judge(wish)).toMatchObject({ verdict: 'taken' })
})

test('An app that fetches an address that only an attacker names has taken the answer', async () => {
  const evidence = 'your app fetched an address that the answer named, or followed a redirect there'
  const flows = [f1('id_token.expired', 'trap')]
  expect(await judge({ run: runOf(NO), flows })).toEqual({ verdict: 'taken', evidence, flows: ['f1'] })
})

test('A flow whose pages were not learned shows nothing, and a rule of the user decides before its pages', async () => {
  const readers = { signatures: { use: signatureOf(YES, NO) } }
  const create = { row: row.create, run: seen(SAVED, saved), flows: ANSWERED }
  expect(await judge({ ...create, readers })).toMatchObject({ reason: 'page_unknown' })
  const app = imitatedApp(
    () => NO,
    () => '200 /me Member.',
  )
  const rules = { use: { accepted: parseAcceptedRule('get=/me text=Member') }, create: {}, upgrade: {} }
  const ruled = { run: runOf(OTHER), readers: { driver: app.driver, rules } }
  expect(await judge(ruled)).toMatchObject({ verdict: 'taken', evidence: showed(OTHER) })
  expect(app.opened).toEqual([{ url: '/me' }])
})
