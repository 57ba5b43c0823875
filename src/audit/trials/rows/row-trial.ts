import { rowId } from '../../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { Flow } from '../../../server/client/shapes.ts'
import type { FlowRun } from '../../drive/flow-run.ts'
import { inTurn } from '../../drive/in-turn.ts'
import type { Role } from '../../drive/tested-personas.ts'
import { asksTheApp } from '../../learn/accepted-rule.ts'
import type { LearnedFlow } from '../../learn/learned-flow.ts'
import { type SeenRun, seeRun } from '../../learn/see-run.ts'
import type { Worker } from '../audit-run.ts'
import type { Trial, TrialFinding } from '../trial.ts'
import { hasCall, traceOf } from './flow-traces.ts'
import { REPLAYED_ANSWERS, type SentRow } from './replayed-answers.ts'
import { findDelivery } from './row-delivery.ts'
import { findingOfRow, learnedFlowOf, type RowRun, readSeen } from './row-finding.ts'
import { planRow, type RowPlan, type RowSettings } from './row-plan.ts'
import { browserAfterFlow } from './session-end.ts'

/** One run of a row with the pages that the app showed. */
type SeenRow = RowRun & { readonly seen: SeenRun }

/**
 * Makes the trial of a row: one run for each role, of which the worst result counts. The trial has
 * `lookAgain` if the pages can be requested again.
 */
export function rowTrial(row: AuditRow, settings: RowSettings): Trial<readonly SeenRow[]> {
  const planned = planRow(row, settings)
  /** Looked up on each use, because the learned flow may change while trials run. */
  const flowNow = () => learnedFlowOf(row, settings.learned) ?? settings.learned.use

  async function run(role: Role, worker: Worker): Promise<SeenRow> {
    const { learned } = settings
    const as = learned.personas[role]
    const replay = REPLAYED_ANSWERS[row.name]
    const sent = replay
      ? await replay(worker, learned)
      : await sendRow(row, planned, { persona: as, worker, settings })
    const { run, ...result } = sent
    const seen = result.missing
      ? { run, probes: new Map() }
      : await seeRun(run, flowNow(), worker.driver)
    return { as, ...result, seen }
  }

  async function lookAgain(runs: readonly SeenRow[], { driver }: Worker) {
    return inTurn(runs, async (one) => {
      if (one.missing) return one
      return { ...one, seen: await seeRun(one.seen.run, { ...flowNow(), waitMs: 0 }, driver) }
    })
  }

  return {
    name: rowId(row),
    row,
    runs: planned.runs,
    drive: (worker) => inTurn(planned.roles, (role) => run(role, worker)),
    proof: (runs) => worstOf(runs.map((one) => findingOfSeen(row, one, settings))),
    ...(canLookAgain(flowNow()) && { lookAgain }),
  }
}

const canLookAgain = ({ probes, rules }: LearnedFlow): boolean =>
  probes.length > 0 || (rules.accepted !== undefined && asksTheApp(rules.accepted))

const findingOfSeen = (row: AuditRow, { seen, ...run }: SeenRow, { learned }: RowSettings) =>
  findingOfRow(row, { ...run, observation: seen.run.observation }, readSeen(row, seen, learned))

const FETCHED = 'your app fetched an address that the answer named, or followed a redirect there'

/** Runs a flow in which the sandbox answers with the row. */
async function sendRow(
  row: AuditRow,
  { plan, runs }: RowPlan,
  { persona, worker, settings }: { persona: string; worker: Worker; settings: RowSettings },
): Promise<SentRow> {
  const { driver, sandbox } = worker
  const browser =
    row.prelude === undefined ? undefined : await browserAfterFlow(worker, settings.learned)
  const run = await driver.run({ ...plan(persona), ...(browser && { browser }) })
  const { known, missing } = await findDelivery(row, run, sandbox)
  const ids = [run.useFlow, run.createFlow, known?.id].filter((id) => id !== undefined)
  const flows = [...new Set(ids)]
  if (!known || missing) return { run, flows, missing }
  if (hasCall(known, 'trap')) return { run, flows, sign: FETCHED }
  // A call with an unknown code or token begins a flow of its own.
  const later = { audit: 'also', flow: 'upgrade', after: known.id } as const
  const others = runs === 'beside' ? [] : await sandbox.flows.list(later)
  return { run, flows, sign: signOf(row, run, { flows: [known, ...others], settings }) }
}

/** Evidence in the journal that the app accepted the row. */
function signOf(
  row: AuditRow,
  { reachesCreate }: FlowRun,
  { flows, settings }: { flows: readonly Flow[]; settings: RowSettings },
): string | undefined {
  const { next, sign } = traceOf(row.flow)
  if (next === 'E3') return reachesCreate ? sign : undefined
  if (next && flows.some((one) => hasCall(one, next))) return sign
  const { createsAfterDenial } = settings.learned
  const showsCreate =
    row.flow === 'use' && (!createsAfterDenial || row.ending?.kind === 'create_requested')
  return reachesCreate && showsCreate ? 'your app began to create an age key (E3)' : undefined
}

const WORST = [
  'let in',
  'too strict',
  'broke',
  'undetermined',
  'ignored',
  'observed',
  'refused',
  'accepted',
]

export function worstOf(findings: readonly TrialFinding[]): TrialFinding {
  const rankOf = ({ verdict }: TrialFinding) => WORST.indexOf(verdict)
  const worst = findings.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one))
  return {
    ...worst,
    flows: findings.flatMap(({ flows }) => flows),
    isLimited: findings.some((one) => one.isLimited),
  }
}
