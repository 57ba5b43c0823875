import {
  CATALOGUE_VERSION,
  CATALOGUE_VERSIONS,
  findRow,
  isBroughtAnswer,
  rowId,
} from '../../sandbox/outcomes/catalogue.ts'
import {
  type AuditRow,
  bringsNothing,
  REQUIREMENT_LEVELS,
  unmetNeedOf,
} from '../../sandbox/outcomes/outcome.ts'
import type { AuditChoices, KnownFinding } from '../choices.ts'
import { sentenceOf } from '../drive/observation.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { learnFlow } from '../learn/learned-flow.ts'
import { readRun } from '../learn/read-run.ts'
import { type SeenRun, seeRun } from '../learn/see-run.ts'
import type { AuditedRow } from '../report/audit-report.ts'
import { findingLevel, isFinding } from '../report/points.ts'
import type { AuditRun } from './audit-run.ts'
import { createStarts, rowTrial, unread, visitAs } from './row-trial.ts'
import { runTrials } from './run-trials.ts'
import { type Trial, type TrialFinding, undetermined } from './trial.ts'

/** How many times more runs are started when each of them waits for a job of the app. */
const WAITING = 4

/**
 * Tries rows: right answers first, because a refusal counts only beside them, then the most severe.
 */
export async function tryRows(rows: readonly AuditRow[], run: AuditRun) {
  const { learned, startFresh, visitsEach, options } = run
  const startOf = startFresh && createStarts(startFresh, run)
  const open = rows.filter((row) => !knownBefore(row, run))
  const twins = open
    .flatMap(({ twin }) => findRow(twin) ?? [])
    .filter((row) => !knownBefore(row, run))
  const order = [...new Set([...open, ...twins])].toSorted(byRank)
  const total = order.length
  options.onProgress?.({ stage: 'planned', trials: total, secondsPerVisit: learned.visitSeconds })
  const findings = new Map<AuditRow, TrialFinding>()
  // A batch may be tried again.
  const heard = new Set<AuditRow>()
  async function tryAll(
    some: readonly AuditRow[],
    trialOf: (row: AuditRow) => Trial,
    control: Trial,
  ) {
    const trials = new Map(some.map((row) => [row, trialOf(row)]))
    const findingOf = await runTrials([...trials.values()], {
      ...run,
      control,
      visitsEach: learned.use.waitMs > 0 ? WAITING * visitsEach : visitsEach,
      onFinding({ row }, finding) {
        if (row)
          options.onProgress?.({
            stage: 'row',
            done: heard.add(row).size,
            total,
            row: describeRow(row, finding, run),
          })
      },
    })
    for (const [row, trial] of trials) findings.set(row, findingOf(trial))
  }
  const atStart = order.filter(isReadAtStart)
  await tryAll(
    order.filter((row) => !isReadAtStart(row)),
    (row) => rowTrial(row, run),
    goodFlow(learned),
  )
  const right = findRow('use/verified')
  if (startOf && right) await tryAll(atStart, startOf, startOf(right))

  function told(row: AuditRow): TrialFinding {
    const found = findings.get(row)
    if (!found) return knownBefore(row, run) ?? notForThisApp('it was not tried')
    const own = atStart.flatMap((one) => (one.flow === row.flow ? (findings.get(one) ?? []) : []))
    const why = unread(row.flow)
    if (own.length > 0 && own.every(({ evidence }) => evidence.startsWith(why)))
      return notForThisApp(why)
    // A refusal proves nothing if the app also refuses the same answer without the fault.
    const twin =
      found.verdict === 'refused' && row.twin !== rowId(row) ? findRow(row.twin) : undefined
    if (!twin || told(twin).verdict !== 'too strict') return found
    const evidence = `your app also refuses ${row.twin}, which differs by the fault alone`
    return { ...found, verdict: 'undetermined', reason: 'masked', evidence }
  }
  const judged = rows.map((row) => describeRow(row, told(row), run))
  return withPlainFindings(judged, run)
}

const OF_THRESHOLDS = {
  breaks: ['age_thresholds'],
  rule: 'Let a user in only when the threshold of this page is exactly true: age_thresholds["18"] === true.',
} as const

/**
 * Adds what the app did wrong with right answers while it was learned, instead of the rows of these
 * answers.
 */
function withPlainFindings(judged: readonly AuditedRow[], run: AuditRun): readonly AuditedRow[] {
  const { letsIn, minor, between, create } = run.learned
  const { age } = run.options
  const found: AuditedRow[] = []
  const add = (
    id: string,
    columns: Pick<AuditRow, 'breaks' | 'rule' | 'harm'>,
    evidence: string,
    seen?: SeenRun,
  ) => {
    const row = findRow(id)
    const finding = {
      verdict: 'let in',
      evidence,
      flows: [seen?.run.useFlow ?? []].flat(),
    } as const
    if (row) found.push(describeRow({ ...row, ...columns, severity: 9.1 }, finding, run))
  }
  const early = between.find(
    ({ misses, isLetIn }) => isLetIn && (age === undefined || age >= misses),
  )
  if (letsIn.includes('minor')) {
    const harm = 'A child gets in with an honest answer: the app does not read the thresholds.'
    const evidence = `a right token whose thresholds are all false is taken for a yes: ${sentenceOf(minor.run.observation)}`
    add('use/verified', { ...OF_THRESHOLDS, harm }, evidence, minor)
  } else if (early) {
    const { persona, misses, seen } = early
    const harm = `A user below ${misses} gets in with an honest answer: the app does not read the threshold of ${misses}.`
    const evidence = `as ${persona}: an honest user who does not reach ${misses} gets all that an adult gets`
    const advice = age === undefined ? '; when the page is for a lower age, say so: --age' : ''
    add('use/verified', { ...OF_THRESHOLDS, harm }, evidence + advice, seen)
  }
  if (create.kind === 'absent' && create.letsIn) {
    const harm = 'A child presses the button for a new age key, and is let in without one.'
    const rule = 'create_requested=true proves nothing: begin Create, and let in nobody.'
    const evidence =
      'a user who only wishes to create an age key is let in, and no Create flow begins'
    add(
      'use/create_requested',
      { breaks: ['create_requested'], rule, harm },
      evidence,
      create.letsIn,
    )
  }
  return [...found, ...judged.filter(({ row }) => !found.some((one) => one.row === row))]
}

/**
 * Fresh copies come last, because they take long; otherwise right answers come first, then the most
 * severe.
 */
export function byRank(one: AuditRow, other: AuditRow): number {
  const rank = (row: AuditRow) =>
    (isReadAtStart(row) ? 2 : 0) + (row.correctClient === 'accept' ? 0 : 1)
  return rank(one) - rank(other) || other.severity - one.severity
}

/**
 * A plain good flow, which may fail once: a row before it may have crashed the app. Pages that are
 * new are learned.
 */
export const goodFlow = ({ use, personas }: LearnedApp): Trial<SeenRun> => ({
  name: 'a plain good flow',
  runs: 'alone',
  async drive(worker) {
    const beAdult = async () =>
      seeRun(await visitAs(personas.adult, worker.driver), use, worker.driver)
    const first = await beAdult()
    const { end, status } = first.run.observation
    if (status === 429 || readRun(first, use).says === 'in') return first
    const again = await beAdult()
    const isNew = end === 'page' && status < 400 && readRun(again, use).says === 'in'
    if (isNew) Object.assign(use, learnFlow({ ...use, ins: [...use.ins, first] }))
    return again
  },
  proof(seen) {
    const { says, evidence, isLimited = seen.run.observation.status === 429 } = readRun(seen, use)
    if (says === 'in') return { verdict: 'accepted', evidence, flows: [] }
    return { verdict: 'undetermined', reason: 'control_lost', evidence, flows: [], isLimited }
  },
})

export function describeRow(
  row: AuditRow,
  finding: TrialFinding,
  run: Pick<AuditRun, 'options' | 'today'>,
): AuditedRow {
  const { options, today } = run
  const { flow, family, breaks: checks, summary, rule, harm, severity, refs, cwe } = row
  const { evidence, log, refusedBy, flows } = finding
  const id = rowId(row)
  const known = options.known?.find((one) => one.row === id)
  const { verdict, reason } = known ? asKnown(finding, known, today) : finding
  const level = findingLevel({ verdict, level: row.level })
  const columns = {
    row: id,
    flow,
    family,
    checks,
    summary,
    rule,
    harm,
    level,
    severity,
    verdict,
    refs,
  }
  return {
    ...columns,
    ...{
      reason,
      evidence: evidence || undefined,
      log: log?.length ? log : undefined,
      refused_by: refusedBy,
    },
    flows: [...new Set(flows)],
    cwe: cwe.map((one) => `CWE-${one}`),
    counted: isCounted(row, { verdict, level }, options),
  }
}

/** A known finding, or an entry for a row that has no finding any more. */
function asKnown(
  finding: TrialFinding,
  { because, until }: KnownFinding,
  today: string,
): Pick<TrialFinding, 'verdict' | 'reason'> {
  const { verdict } = finding
  if (isFinding({ verdict }))
    return (until ?? today) < today.slice(0, 10) ? finding : { verdict: 'known', reason: because }
  if (verdict !== 'refused' && verdict !== 'accepted' && verdict !== 'observed') return finding
  return {
    verdict: 'stale',
    reason: `it is listed under known and is ${verdict} now; take the entry out`,
  }
}

/** Whether a verdict on a row counts for the exit code. */
export function isCounted(
  { correctClient, since }: AuditRow,
  { verdict, level }: Pick<AuditedRow, 'verdict' | 'level'>,
  { failOn = 'must', catalogue = CATALOGUE_VERSION }: AuditChoices,
): boolean {
  if (['known', 'observed', 'not for this app'].includes(verdict)) return false
  if (failOn === 'none' || correctClient === 'depends') return false
  const versions: readonly string[] = CATALOGUE_VERSIONS
  if (versions.indexOf(since) > versions.indexOf(catalogue)) return false
  return (
    verdict === 'stale' || REQUIREMENT_LEVELS.indexOf(level) <= REQUIREMENT_LEVELS.indexOf(failOn)
  )
}

/**
 * Documents that an app reads at its start or for its first token, so that only a fresh copy meets
 * their rows.
 */
export const isReadAtStart = ({ flow }: AuditRow): boolean =>
  flow === 'jwks' || flow === 'discovery'

export const RESTART =
  'an app reads keys and discovery when it starts: let the audit start yours, by start with {base_url} and by {port} in app, in agekey-audit.yaml'

type Subject = Pick<AuditRun, 'learned'> & Partial<AuditRun>

export function notForThisApp(reason: string): TrialFinding {
  return { verdict: 'not for this app', reason, evidence: '', flows: [] }
}

/** The verdict on a row that is known before a trial; `undefined` when the row must be tried. */
export function knownBefore(
  row: AuditRow,
  { learned, options, startFresh, isVisited }: Subject,
): TrialFinding | undefined {
  const { profile, create, upgrade } = learned
  const { flow, name } = row
  const isOfCreate = flow === 'create' || flow === 'par' || name === 'create_requested'
  const isOfUpgrade = flow === 'token' || flow === 'upgrade' || name === 'code_issued'
  const later = isOfCreate ? create : isOfUpgrade ? upgrade : undefined
  const { canCreate: can_create, upgradeScope: upgrade_scope, repeatsState } = profile
  const has = {
    can_create,
    no_can_create: !can_create,
    upgrade_scope,
    earlier_state: !repeatsState,
  }
  const reason = [
    isReadAtStart(row) && !startFresh && RESTART,
    isVisited &&
      isBroughtAnswer(row) &&
      'a function brings each answer by itself, so that no other browser can',
    bringsNothing(row) && 'nothing comes back, so that there is no answer to let in',
    name.endsWith('.slow') && !options?.slow && 'it takes half a minute; --slow tries it',
    later?.kind === 'absent' && later.reason,
    later?.kind === 'learned' && (flow === 'create' || flow === 'upgrade') && later.reason,
    unmetNeedOf(row, has),
  ].find((one) => typeof one === 'string')
  if (reason !== undefined) return notForThisApp(reason)
  // The app does not complete this flow with right answers: nothing else can be shown there.
  if (later?.kind !== 'refused') return undefined
  const { rows, reason: evidence } = later
  if (rows.includes(rowId(row))) return { verdict: 'too strict', evidence, flows: [] }
  return flow === 'use' ? undefined : undetermined(evidence, 'masked')
}
