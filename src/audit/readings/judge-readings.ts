import type { FailedCombination, ReadingsReport, TriedVariant } from '../../sandbox/outcomes/report/readings-report.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import { combinationsOf, findFailingSets, LOST, readingsOf, TIMED_OUT } from './combine.ts'
import { needsStart, whyNotMet } from './delivery.ts'
import type { FlowSettings, ShownFlow, TriedFlow } from './tried-flow.ts'
import type { TriedReadings } from './try-readings.ts'
import { applicabilityOf, nameOf, type UnusualVariant, unusualVariants } from './variants.ts'
import { shareAmong, tryBy, type Worker } from './workers.ts'

interface Settings extends FlowSettings {
  /** Copies of the app that run. */
  readonly running: readonly Worker[]
  /** Those that start it for each set of readings; none when the audit cannot. */
  readonly starting: readonly Worker[]
  /** Runs a flow under the usual readings. */
  showUsual(flow: TriedFlow): Promise<ShownFlow>
  readonly usualReadings: Readings
  readonly signal: AbortSignal
  /** Hears of each set of readings that was tried. */
  onTried(progress: { done: number; total: number; failing: number }): void
}

type Verdict = Pick<TriedVariant, 'verdict' | 'reason' | 'evidence' | 'flows'>

/** Tries each variant alone, then what works in combinations that hold every pair. */
export async function judgeReadings(settings: Settings): Promise<Pick<ReadingsReport, 'variants' | 'combinations'>> {
  const { running, starting, usualReadings, signal } = settings
  const variants = unusualVariants(usualReadings)
  const plans = new Map(variants.map((one) => [one, applicabilityOf(one, settings, usualReadings)]))
  const flowsOf = (some: readonly UnusualVariant[]) => {
    const flows = some.flatMap((one) => {
      const plan = plans.get(one)
      return plan?.kind === 'applies' ? plan.flows : []
    })
    return [...new Map(flows.map((flow) => [flow.name, flow])).values()]
  }
  const usual = new Map<string, ShownFlow>()
  for (const flow of flowsOf(variants)) usual.set(flow.name, await settings.showUsual(flow))

  const open = variants.filter((one) => plans.get(one)?.kind === 'applies')
  const isStarted = ({ reading }: UnusualVariant) => starting.length > 0 && needsStart(reading.name)
  const workersOf = (some: readonly UnusualVariant[]) => (some.some(isStarted) ? starting : running)
  const verdicts = new Map<UnusualVariant, Verdict>()
  let failing = 0
  let done = 0
  const act = async (one: UnusualVariant, worker: Worker) => {
    const tried = await tryBy(worker, readingsOf([one]), { flows: flowsOf([one]), usual })
    // What was ended with the audit shows nothing.
    if (signal.aborted) return
    verdicts.set(one, verdictOn(one, tried, worker.bench.isFresh))
    done += 1
    if (tried.kind === 'fails') failing += 1
    settings.onTried({ done, total: open.length, failing })
  }
  await shareAmong(
    running,
    open.filter((one) => !isStarted(one)),
    { signal, act },
  )
  await shareAmong(starting, open.filter(isStarted), { signal, act })

  const works = open.filter((one) => verdicts.get(one)?.verdict === 'works')
  const combinations = combinationsOf(works)
  let tried = 0
  const { failing: sets, ...counts } = await findFailingSets(combinations, {
    workersOf,
    signal,
    async try(some, worker, flows = flowsOf(some)) {
      return tryBy(worker, readingsOf(some), { flows, usual })
    },
    onTried: () => settings.onTried({ done: open.length + ++tried, total: open.length + combinations.length, failing }),
  })
  return {
    variants: variants.map((one) => {
      const plan = plans.get(one)
      const missing =
        plan && plan.kind !== 'applies' ? { verdict: plan.kind, reason: plan.reason, flows: [] } : undefined
      const lost = { verdict: 'undetermined', reason: signal.aborted ? TIMED_OUT : LOST, flows: [] } as const
      return describeVariant(one, missing ?? verdicts.get(one) ?? lost)
    }),
    combinations: { ...counts, failed: sets.map(({ variants: some, tried: found }) => describeSet(some, found)) },
  }
}

const describeVariant = ({ reading, variant, usual }: UnusualVariant, verdict: Verdict): TriedVariant => ({
  reading: reading.name,
  variant: variant.name,
  usual,
  summary: variant.summary,
  silent: `${reading.section}: ${reading.quote}`,
  ...verdict,
})

const describeSet = (
  variants: readonly UnusualVariant[],
  { evidence, runs }: Extract<TriedReadings, { kind: 'fails' }>,
): FailedCombination => ({ variants: variants.map(nameOf), evidence, flows: idsOf(runs.slice(-2)) })

function verdictOn(one: UnusualVariant, tried: TriedReadings, isFresh: boolean): Verdict {
  const { reading, variant, usual } = one
  const { runs, documents } = tried
  switch (tried.kind) {
    case 'fails':
      return {
        verdict: 'depends',
        evidence: tried.evidence,
        flows: idsOf(runs.filter(({ flow }) => flow === tried.flow)),
      }
    case 'undetermined':
      return { verdict: 'undetermined', reason: tried.reason, flows: idsOf(runs.slice(-1)) }
    case 'works': {
      const reason = whyNotMet({ reading, variant: variant.name, usual, runs, documents, isFresh })
      const shown = runs.filter(({ flow }) => reading.shownBy.includes(`${flow.row.flow}/${flow.row.name}`))
      return reason === undefined
        ? { verdict: 'works', flows: idsOf(shown) }
        : { verdict: 'undetermined', reason, flows: [] }
    }
  }
}

const idsOf = (runs: TriedReadings['runs']): string[] => [
  ...new Set(runs.flatMap(({ shown }) => shown.flows.map(({ id }) => id)).toReversed()),
]
