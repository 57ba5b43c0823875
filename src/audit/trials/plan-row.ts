import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Role } from '../drive/cast.ts'
import type { FlowPlan } from '../drive/driver.ts'
import type { AppProfile } from '../learn/app-profile.ts'
import { planOfCreate } from '../learn/learn-app.ts'
import type { AuditOptions } from '../options.ts'

/** How a row is brought to the app: one run for each role. */
export interface RowPlan {
  readonly roles: readonly Role[]
  plan(persona: string): FlowPlan
  /** It cannot run beside others: the journal does not say which run a call of it belongs to. */
  readonly runsAlone: boolean
}

type Pages = Pick<AuditOptions, 'create' | 'upgrade'>

export function planRow(row: Outcome, { profile, pages }: { profile: AppProfile; pages: Pages }): RowPlan {
  const { flow, name: outcome } = row
  const start = pages.create?.start
  switch (flow) {
    case 'create':
      return {
        roles: ['newcomer'],
        plan: (persona) => ({ ...planOfCreate(persona, { profile, start }), create: { persona, outcome } }),
        runsAlone: false,
      }
    case 'par':
      return {
        roles: ['newcomer'],
        plan: (persona) => ({ ...planOfCreate(persona, { profile, start }), later: { flow, outcome } }),
        runsAlone: true,
      }
    case 'token':
    case 'upgrade':
      return {
        roles: ['minor'],
        plan: (persona) => ({
          use: { persona, outcome: 'code_issued' },
          later: { flow, outcome },
          page: pages.upgrade?.start,
        }),
        runsAlone: true,
      }
    default:
      return {
        roles: rolesOf(row),
        plan: (persona) => ({
          use: { persona, outcome },
          create: { persona, outcome: 'created' },
          page: outcome === 'create_requested' ? start : outcome === 'code_issued' ? pages.upgrade?.start : undefined,
        }),
        runsAlone: row.prelude !== undefined || issuesCode(row),
      }
  }
}

const issuesCode = ({ ending }: Outcome) => ending?.kind === 'verified' && ending.allFalse === true

function rolesOf(row: Outcome): readonly Role[] {
  if (row.ending?.kind === 'create_requested') return ['newcomer']
  if (issuesCode(row)) return ['minor']
  if (row.correctClient === 'accept' || row.ending?.kind === 'error') return ['adult']
  return row.bait === 'both' ? ['adult', 'minor'] : [row.bait]
}
