import { cookiesSet, isServerError, type Observation, sentenceOf } from '../drive/observation.ts'
import { asksTheApp } from './accepted-rule.ts'
import type { LearnedFlow } from './learned-flow.ts'
import type { Likeness } from './likeness.ts'
import type { SeenRun } from './see-run.ts'

/** What a run says about the user: in, out, or that the app broke. */
export interface RunResult {
  readonly says: 'in' | 'out' | 'broke' | 'unknown'
  /** The kind of refusal that the answer page resembles: `minor`. */
  readonly like?: string | undefined
  /** A sentence. */
  readonly evidence: string
  /** Whether the app answered a probe with 429. */
  readonly isLimited?: boolean
}

/** A run and the comparison of its answer page. */
interface ComparedRun extends SeenRun {
  readonly page: ReturnType<Likeness['compare']> | undefined
  /** The answer page as a sentence. */
  readonly shown: string
}

/**
 * Reads a run. Declared rules take precedence over probes, and probes over the answer page. A crash
 * is not a refusal.
 */
export function readRun(seen: SeenRun, learned: LearnedFlow): RunResult {
  const { observation } = seen.run
  const page = learned.page?.compare(observation)
  const run: ComparedRun = { ...seen, page, shown: sentenceOf(observation) }
  if (observation.end === 'visit failed' || observation.status === 429)
    return resultOf('unknown', run)
  const byRules = readByRules(run, learned)
  if (byRules) return byRules
  return learned.probes.length > 0 ? readByProbes(run, learned) : readByPage(run, learned)
}

function resultOf(
  says: RunResult['says'],
  { run, page, shown }: ComparedRun,
  evidence = shown,
): RunResult {
  if (says !== 'in' && isCrash(run.observation)) return { says: 'broke', evidence }
  return says === 'out' ? { says, evidence, like: page?.label } : { says, evidence }
}

const isCrash = ({ end, status }: Observation): boolean =>
  ['timed_out', 'dropped', 'unreachable'].includes(end) || isServerError(status)

/** Reads a run by the declared rules; `undefined` if no rule decides. */
function readByRules(run: ComparedRun, { rules }: LearnedFlow): RunResult | undefined {
  if (run.accepted)
    return resultOf('in', run, `${run.shown}; ${JSON.stringify(rules.accepted?.text)} holds`)
  if (run.refused) return resultOf('out', run)
  if (!rules.accepted) return undefined
  const isNo = asksTheApp(rules.accepted) || run.run.observation.end === 'page'
  return resultOf(isNo ? 'out' : 'unknown', run)
}

function readByProbes(run: ComparedRun, { probes }: LearnedFlow): RunResult {
  const readings = probes.flatMap(({ path, likeness }) => {
    const after = run.probes.get(path)
    if (!after || after.status === 429) return []
    const evidence = `${run.shown}; then ${path} shows ${after.summary}`
    return [{ as: likeness.compare(after).as, evidence }]
  })
  const yes = readings.find(({ as }) => as === 'in')
  if (yes) return resultOf('in', run, `${yes.evidence}, as to a user who is let in`)
  const no = readings.find(({ as }) => as === 'out')
  if (no && run.page?.as !== 'in')
    return resultOf('out', run, `${no.evidence}, as to a user who is not`)
  const [limited] = [...run.probes].find(([, after]) => after.status === 429) ?? []
  if (limited === undefined) return resultOf('unknown', run, readings[0]?.evidence)
  const evidence = `${run.shown}; then ${limited} answers 429`
  return { ...resultOf('unknown', run, evidence), isLimited: true }
}

function readByPage(run: ComparedRun, learned: LearnedFlow): RunResult {
  const { page, shown } = run
  const { cookies = [] } = learned.page ?? {}
  const set = cookiesSet(run.run.visit)
  const hasCookies = cookies.length > 0 && cookies.every((name) => set.includes(name))
  if (page?.as !== 'in' && !hasCookies) {
    const { text } = run.run.observation
    // The app shows its start page again, which a user who is in does not get.
    const isFirst = page?.as === 'unknown' && text !== undefined && text === learned.first?.text
    return resultOf(isFirst ? 'out' : (page?.as ?? 'unknown'), run)
  }
  // Not `resultOf`: a crash here must not count as `broke`.
  if (learned.isRefuted)
    return { says: 'unknown', evidence: `${shown}, as after an invented answer` }
  if (page?.as === 'in') return resultOf('in', run)
  const proof = `it set the cookie ${cookies.join(', ')}, as for a user who is let in`
  return resultOf('in', run, `${shown}; ${proof}`)
}
