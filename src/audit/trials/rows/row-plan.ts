import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { FlowPlan } from '../../drive/flow-run.ts'
import type { Role } from '../../drive/tested-personas.ts'
import { planOfCreate } from '../../learn/plan-create.ts'
import type { AuditRun } from '../audit-run.ts'
import type { Trial } from '../trial.ts'
import { traceOf } from './flow-traces.ts'

export type RowSettings = Pick<AuditRun, 'learned' | 'options'>

/** How the audit sends a row to the app. */
export interface RowPlan {
  /** The flow to run as a persona. */
  plan(persona: string): FlowPlan
  /** The roles to try, one run each. */
  readonly roles: readonly Role[]
  /** Which trials may run at the same time. */
  readonly runs: Trial['runs']
}

export const planRow = (row: AuditRow, settings: RowSettings): RowPlan => ({
  plan: (persona) => planFlow(row, persona, settings),
  roles: rolesOf(row),
  runs: runsOf(row),
})

function planFlow(row: AuditRow, persona: string, { learned, options }: RowSettings): FlowPlan {
  const { flow, name: outcome } = row
  const { profile } = learned
  const createPage = options.create?.start
  switch (flow) {
    case 'create':
      return planOfCreate(persona, { profile, page: createPage, outcome })
    case 'par':
      return {
        ...planOfCreate(persona, { profile, page: createPage }),
        later: { flow, outcome },
      }
    case 'token':
    case 'upgrade':
      return {
        use: { persona, outcome: 'code_issued' },
        later: { flow, outcome },
        page: options.upgrade?.start,
        waitMs: waitOfUpgrade(learned),
      }
    default:
      return {
        use: { persona, outcome },
        create: { persona, outcome: 'created' },
        page: pageAfterUse(outcome, options),
        ...(issuesCode(row) && { waitMs: waitOfUpgrade(learned) }),
      }
  }
}

/** The page that begins Create or Upgrade after Use. */
function pageAfterUse(outcome: string, { create, upgrade }: RowSettings['options']) {
  if (outcome === 'create_requested') return create?.start
  return outcome === 'code_issued' ? upgrade?.start : undefined
}

/** Milliseconds from the answer page until the app has sent an upgrade. */
const waitOfUpgrade = ({ upgrade }: RowSettings['learned']): number =>
  upgrade.kind === 'learned' ? upgrade.flow.waitMs : 0

const issuesCode = ({ ending }: AuditRow): boolean =>
  ending?.kind === 'verified' && ending.allFalse === true

function rolesOf(row: AuditRow): readonly Role[] {
  const { flow, ending, correctClient, bait } = row
  if (traceOf(flow).page === 'create' || ending?.kind === 'create_requested') return ['newcomer']
  if (flow === 'token' || flow === 'upgrade' || issuesCode(row)) return ['minor']
  if (correctClient === 'accept' || ending?.kind === 'error') return ['adult']
  return bait === 'both' ? ['adult', 'minor'] : [bait]
}

function runsOf(row: AuditRow): Trial['runs'] {
  if (row.flow === 'par' || row.prelude !== undefined) return 'alone'
  return row.flow === 'token' || issuesCode(row) ? 'in turn' : 'beside'
}
