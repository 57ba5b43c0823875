import type { SeenNames } from '../journal/journal.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Coverage, CoverageDimension, CoverageItem, SeenByClients } from './coverage.ts'
import { answerItems } from './dimensions/answers.ts'
import { endingItems } from './dimensions/endings.ts'
import { type ClosingPersonas, closingPersonas, type SeenSet } from './dimensions/gap-closing.ts'
import { mustItems } from './dimensions/must.ts'
import { usedFlows } from './dimensions/used-flows.ts'
import { seenByClients } from './seen-by-clients.ts'

/**
 * Derives what was seen, what is missing, and which persona or outcome closes each gap. The work is
 * done in turns, because there may be many personas.
 */
export async function describeCoverage(
  seen: SeenByClients,
  personas: ClosingPersonas,
): Promise<Coverage> {
  const names: SeenSet = new Set(seen.names)
  const flows = usedFlows(names)
  const described = { seen, names, personas }
  const hasFlow = flows.uses('use') || flows.uses('create')
  const dimension = (items: readonly CoverageItem[]) => dimensionOf(items, hasFlow)
  const answers = await answerItems(described)
  return {
    ...seen,
    omitted: seen.omitted || answers.omitted,
    dimensions: {
      answers: dimension(answers.items),
      endings: dimension(endingItems(described, flows)),
      must: dimension(mustItems(described, flows)),
    },
    unused: [...flows.unused],
  }
}

function dimensionOf(items: readonly CoverageItem[], hasFlow: boolean): CoverageDimension {
  const sides = items.flatMap((item) => Object.values(item.sides))
  const covered = sides.filter(({ seen }) => seen).length
  const total = sides.length
  // Decision: without any flow nothing was seen (0 percent). With flows but without any side,
  // everything was seen.
  const percentOfNothing = hasFlow ? 100 : 0
  const percent = total > 0 ? Math.floor((100 * covered) / total) : percentOfNothing
  return { covered, total, percent, items: [...items] }
}

/** The parts of a tenant from which its coverage is derived. */
interface CoveredTenant {
  readonly name: string
  readonly journal: { readonly seen: Pick<SeenNames, 'read'> }
  readonly personas: { list(): Promise<readonly Persona[]> }
  readonly clock: { now(): number; base(): number }
}

/**
 * The coverage of a tenant; for the root tenant, the coverage of all tenants. Gaps are closed with
 * the personas and the clock of the tenant.
 */
export async function currentCoverage({
  name,
  journal,
  personas,
  clock,
}: CoveredTenant): Promise<Coverage> {
  const seen = seenByClients(await journal.seen.read(name))
  const instants = { base: clock.base(), now: clock.now() }
  return describeCoverage(seen, await closingPersonas(await personas.list(), instants))
}
