import type { Readings } from '../../sandbox/readings/reading.ts'
import type { Bench } from './bench.ts'
import { type Comparison, compareFlows } from './compare-flows.ts'
import type { DocumentName } from './delivery.ts'
import type { ShownFlow, TriedFlow } from './tried-flow.ts'

/** What the app did under a set of readings. */
export type TriedReadings =
  /** Every flow ended as usual. */
  | (Seen & { readonly kind: 'works' })
  /** A flow did not, twice, and did again under the usual readings. */
  | (Seen & { readonly kind: 'fails'; readonly evidence: string; readonly flow?: TriedFlow | undefined })
  | (Seen & { readonly kind: 'undetermined'; readonly reason: string; readonly lostBy?: string | undefined })

interface Seen {
  readonly runs: readonly { readonly flow: TriedFlow; readonly shown: ShownFlow }[]
  readonly documents: ReadonlySet<DocumentName>
}

/** The flows as they end under the usual readings. */
export type Usual = ReadonlyMap<string, ShownFlow>

/**
 * Runs flows under readings, up to the first that does not end as usual. That one is looked at once more, and then under the usual
 * readings: an app that changes its mind, or that does not get through it any more, shows nothing.
 */
export async function tryReadings(
  readings: Readings,
  flows: readonly TriedFlow[],
  { bench, usual }: { bench: Bench; usual: Usual },
): Promise<TriedReadings> {
  const compare = (flow: TriedFlow, shown: ShownFlow): Comparison => {
    const known = usual.get(flow.name)
    return known ? compareFlows(known, shown) : { kind: 'unknown', reason: `${flow.name} was not run as usual` }
  }
  const isFailure = (flow: TriedFlow, shown: ShownFlow) => compare(flow, shown).kind === 'fails'
  const run = (under: Readings, some: readonly TriedFlow[]) => bench.run(under, { flows: some, isOver: isFailure })

  const first = await run(readings, flows)
  const seen: Seen = first
  if (first.notStarted !== undefined) return confirmStart(first.notStarted)
  const compared = first.runs.map(({ flow, shown }) => ({ flow, shown, found: compare(flow, shown) }))
  const failed = compared.find(({ found }) => found.kind === 'fails')
  if (failed?.found.kind === 'fails') return confirm(failed.flow, failed.found.evidence)
  const unknown = compared.flatMap(({ flow, found }) => (found.kind === 'unknown' ? [{ flow, ...found }] : []))
  const [worst] = unknown
  if (worst) return { ...seen, kind: 'undetermined', reason: `in ${worst.flow.name} ${worst.reason}` }
  return { ...seen, kind: 'works' }

  async function confirm(flow: TriedFlow, evidence: string): Promise<TriedReadings> {
    const again = await run(readings, [flow])
    const runs = [...seen.runs, ...again.runs]
    const isAgain = again.runs.some((one) => isFailure(one.flow, one.shown))
    if (!isAgain) return { ...seen, runs, kind: 'undetermined', reason: flaky(`in ${flow.name} ${evidence}`) }
    const control = await run({}, [flow])
    const lost = control.runs.find((one) => compare(one.flow, one.shown).kind !== 'same')
    if (control.notStarted === undefined && !lost)
      return { ...seen, runs, kind: 'fails', evidence: `in ${flow.name} ${evidence}`, flow }
    return lostBy(`in ${flow.name} ${evidence}`, control.notStarted ?? lost?.shown.observation.summary ?? '')
  }

  async function confirmStart(problem: string): Promise<TriedReadings> {
    const evidence = `your app did not start: ${problem}`
    const again = await run(readings, flows.slice(0, 1))
    if (again.notStarted === undefined) return { ...seen, kind: 'undetermined', reason: flaky(evidence) }
    const control = await run({}, flows.slice(0, 1))
    if (control.notStarted === undefined) return { ...seen, kind: 'fails', evidence }
    return lostBy(evidence, control.notStarted)
  }

  function lostBy(evidence: string, shown: string): TriedReadings {
    const reason = `control_lost: ${evidence}; afterwards it was so under the usual readings too: ${shown}`
    return { ...seen, kind: 'undetermined', reason, lostBy: evidence }
  }
}

const flaky = (first: string) => `flaky: ${first}; the second time it did not`
