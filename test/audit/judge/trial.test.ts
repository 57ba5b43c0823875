import { expect, test } from 'vitest'
import type { AppProgram } from '../../../src/audit/drive/audited-app.ts'
import type { RowVerdict } from '../../../src/audit/judge/judge-row.ts'
import { prepareCopies } from '../../../src/audit/judge/judged-copy.ts'
import { createTrial } from '../../../src/audit/judge/trial.ts'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { ended, type ImitatedApp, imitatedApp, learnedOf, NO, signatureOf, YES } from '../../support/imitated-app.ts'

const SHOWED_NO = 'as the adult: your app showed 403 at /callback ("Sorry.")'
const LEARNED = learnedOf(signatureOf(YES, NO))
/** Rows that an adult is given, each in one run. */
const ROWS = OUTCOMES.filter(
  (row) => row.flow === 'use' && row.correctClient === 'refuse' && row.bait === 'adult' && !row.prelude && !row.ending,
)
const rows = (count: number) => ROWS.slice(0, count)
const rowAt = (index: number) => ROWS[index] ?? expect.fail()
const refused = (evidence: string, flow: string) => ({ verdict: 'refused', evidence, flows: [flow], isLimited: false })

const isGoodFlow = (outcome: string | undefined) => outcome === 'verified'
/** An app that lets in whom it should, and nobody else. */
const right = () => imitatedApp(({ use }) => (isGoodFlow(use.outcome) ? YES : NO))

interface Settings {
  readonly app: ImitatedApp | readonly [ImitatedApp, ImitatedApp]
  readonly program?: AppProgram
  readonly visitsEach?: number
  readonly repeat?: number
  readonly signal?: AbortSignal
}

async function trialOf({ app, program, visitsEach = 1, repeat = 1, signal = new AbortController().signal }: Settings) {
  const apps = ('driver' in app ? [app] : app).map(({ sandbox, driver }) => ({ sandbox, driver, program }))
  const copies = await prepareCopies(apps, { learned: LEARNED, repeat })
  const heard: [string, RowVerdict['verdict']][] = []
  const trial = createTrial({ copies, visitsEach, learned: LEARNED, signal, pages: {} }, (row, { verdict }) =>
    heard.push([row.name, verdict]),
  )
  return { ...trial, heard, copies }
}

async function tried(count: number, settings: Settings) {
  const trial = await trialOf(settings)
  await trial.judge(rows(count))
  return trial
}

const ran = ({ plans }: ImitatedApp) => plans.map(({ use }) => use.outcome)

test('After 25 rows, and after the last, a plain good flow shows that the app still lets an adult in', async () => {
  const app = right()
  const trial = await tried(50, { app })
  const names = rows(50).map(({ name }) => name)
  expect(ran(app)).toEqual([...names.slice(0, 25), 'verified', ...names.slice(25), 'verified'])
  expect(trial.heard).toEqual(names.map((name) => [name, 'refused']))
  expect(trial.verdictOf(rowAt(25))).toMatchObject(refused(SHOWED_NO, 'f27'))
  expect(trial.notes).toEqual([])
})

/** An app that lets nobody in any more from a run on. */
const lostFrom = (run: number, until = Number.POSITIVE_INFINITY) =>
  imitatedApp(({ use }, n) => (isGoodFlow(use.outcome) && (n < run || n >= until) ? YES : NO))
const programThat = (restart: () => Promise<void>): AppProgram => ({ record: () => async () => [], restart })
const LOST = 'after row 2 your app no longer lets the adult in: 403 at /callback ("Sorry."); '
const VOID = 'what it refused since the last good flow does not count'

const SORRY = '403 at /callback ("Sorry.")'
const SHOWED = `; started again, it showed ${SORRY}`
const STAYS_DOWN = '; it did not start again: port in use'
const starts = programThat(async () => {})
const fails = programThat(() => Promise.reject(new Error('port in use')))

test.each([
  ['that the audit did not start', lostFrom(1), undefined, ''],
  ['that is started again', lostFrom(1, 4), starts, '; it was started again'],
  ['that does not start again', lostFrom(1), fails, STAYS_DOWN],
  ['that is not mended by another start', lostFrom(1), starts, SHOWED],
])('Refusals of an app %s after it let nobody in any more are void', async (_what, app, program, end) => {
  const trial = await tried(2, { app, ...(program && { program }) })
  const lost = { verdict: 'undetermined', reason: 'control_lost' }
  expect(trial.verdictOf(rowAt(0))).toEqual({
    ...lost,
    evidence: `${SHOWED_NO}; then a plain good flow was refused too`,
    flows: ['f1'],
    isLimited: false,
    ...(program && { log: [], refusedBy: undefined }),
  })
  expect(trial.notes).toEqual([`${LOST}${VOID}${end}`])
  await trial.judge(rows(3).slice(2))
  const evidence = 'it was not tried: before it, your app refused a plain good flow'
  const isMended = end === '; it was started again'
  expect(trial.verdictOf(rowAt(2))).toMatchObject(isMended ? { verdict: 'refused' } : { ...lost, evidence, flows: [] })
})

test('An app that lets nobody in any more is started again once', async () => {
  let starts = 0
  const app = imitatedApp(({ use }) => (isGoodFlow(use.outcome) && starts === 1 && app.plans.length < 5 ? YES : NO))
  const trial = await tried(2, { app, program: programThat(async () => void starts++) })
  await trial.judge(rows(3).slice(2))
  expect(starts).toBe(1)
  expect(trial.notes).toEqual([`${LOST}${VOID}; it was started again`, `${LOST.replace('2', '3')}${VOID}`])
})

test('What an app let in stays a finding when the app lets nobody in any more', async () => {
  const app = imitatedApp((_plan, run) => (run === 1 ? YES : NO))
  const trial = await tried(2, { app })
  expect(rows(2).map((row) => trial.verdictOf(row).verdict)).toEqual(['let in', 'undetermined'])
})

test('A row at which the app breaks is followed by a good flow, which may fail once', async () => {
  const app = imitatedApp(({ use }, run) => {
    if (!isGoodFlow(use.outcome)) return run === 1 ? { shows: ended('dropped') } : NO
    return run === 2 ? { shows: ended('dropped') } : YES
  })
  const trial = await tried(2, { app })
  expect(ran(app)).toEqual([ROWS[0]?.name, 'verified', 'verified', ROWS[1]?.name, 'verified'])
  expect(trial.heard.map(([, verdict]) => verdict)).toEqual(['broke', 'refused'])
})

test('A row that broke or came out differently beside others is judged again, alone', async () => {
  const [always, breaks, flaky, good] = rows(4).map(({ name }) => name)
  const app = imitatedApp(({ use: { outcome } }) => {
    const time = ran(app).filter((name) => name === outcome).length
    if (outcome === always || (outcome === breaks && time === 1)) return { shows: ended('dropped') }
    if (outcome === flaky && time === 1) return YES
    return isGoodFlow(outcome) ? YES : NO
  })
  const trial = await tried(4, { app, visitsEach: 2, repeat: 2 })
  expect(ran(app).slice(-5, -1).toSorted()).toEqual([breaks, flaky, always, always].toSorted())
  expect(ran(app).at(-1)).toBe('verified')
  const all = [always, breaks, flaky, good].map((name) => [name, name === always ? 'broke' : 'refused'])
  expect(trial.heard.toSorted()).toEqual(all.toSorted())
})

test('Rows that cannot run beside others come last, and a good flow follows each 25 rows', async () => {
  const replay = OUTCOMES.find(({ flow, prelude }) => flow === 'use' && prelude !== undefined) ?? expect.fail()
  const app = right()
  const trial = await trialOf({ app, visitsEach: 4 })
  await trial.judge([replay, ...rows(25)])
  const names = ran(app)
  const first = rows(24).map(({ name }) => name)
  expect(names.slice(0, 24).toSorted()).toEqual(first.toSorted())
  expect(names.slice(24)).toEqual(['verified', 'access_denied', replay.name, 'verified', ROWS[24]?.name, 'verified'])
})

test('Rows that run side by side end when the app lets nobody in any more', async () => {
  const app = lostFrom(1)
  const trial = await tried(26, { app, visitsEach: 4 })
  expect(ran(app)).toHaveLength(26)
  expect(trial.verdictOf(rowAt(25)).reason).toBe('control_lost')
})

test('A limit of requests in an app is noted once, with the row at which the limit began', async () => {
  const app = imitatedApp(({ use }, run) => (isGoodFlow(use.outcome) ? YES : run === 1 ? NO : '429 /callback Slow.'))
  const trial = await tried(3, { app })
  expect(trial.notes).toEqual(['your app answers 429 since row 2; raise its limit for tests, or --jobs 1'])
})

test.each([1, 4])('Two copies of an app share the rows, %i at once, and each has its own good flows', async (each) => {
  const apps = [right(), lostFrom(1)] as const
  const trial = await tried(4, { app: apps, visitsEach: each })
  expect(apps.map((app) => ran(app).length).reduce((sum, one) => sum + one)).toBe(6)
  expect(apps.flatMap(ran).filter(isGoodFlow)).toHaveLength(2)
  expect(trial.copies.map(({ name }) => name)).toEqual(['copy 1 of your app', 'copy 2 of your app'])
  const lost = LOST.replace('2 your app', '4 copy 2 of your app').replace('the adult', 'adult-passport')
  expect(trial.notes).toEqual([`${lost}${VOID}`])
  expect(trial.verdictOf(rowAt(4)).evidence).toBe('it was not tried')
})

test('A row that is judged alone has the last lines of the log, which name the refusing check', async () => {
  const recorded: string[] = []
  const log = ['JWTExpired: "exp" claim timestamp check failed']
  const record = () => {
    recorded.push('begin')
    return async () => {
      recorded.push('end')
      return log
    }
  }
  const trial = await tried(1, { app: right(), program: { restart: async () => {}, record } })
  expect(recorded).toEqual(['begin', 'end'])
  expect(trial.verdictOf(rowAt(0))).toMatchObject({ refusedBy: 'exp', log })
})

test.each([
  ['an interrupted row shows nothing', YES],
  ['an interrupted row that was refused counts', NO],
])('Rows that an ended audit did not reach say so, and %s', async (_what, shows) => {
  const end = new AbortController()
  const app = imitatedApp(({ use }) => {
    if (use.outcome !== ROWS[1]?.name) return NO
    end.abort()
    return shows
  })
  const trial = await trialOf({ app, signal: end.signal })
  const before = { verdict: 'undetermined', reason: 'timed_out', flows: [] }
  expect(trial.verdictOf(rowAt(0))).toEqual({ ...before, evidence: 'it was not tried' })
  await trial.judge(rows(3))
  expect(ran(app)).toEqual(rows(2).map(({ name }) => name))
  expect(trial.heard).toEqual(rows(shows === NO ? 2 : 1).map(({ name }) => [name, 'refused']))
  const evidence = 'it was not tried: the audit ended before; raise --budget'
  for (const row of rows(3).slice(trial.heard.length)) expect(trial.verdictOf(row)).toEqual({ ...before, evidence })
})
