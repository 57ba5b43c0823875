import type { OutcomeFlow } from '../../outcomes/outcome.ts'
import type { Asked, Called, CoverageCounters, EndingName } from '../counters.ts'

/** What an app was seen to use. */
export interface SeenFlows {
  /** Whether outcomes of the flow can reach the app. */
  uses(flow: OutcomeFlow): boolean
  asked(what: Asked): boolean
  readonly unused: readonly { readonly flow: OutcomeFlow; readonly reason: string }[]
}

export function seenFlows({ claims, asked, endings, calls }: CoverageCounters): SeenFlows {
  const hasAsked = (what: Asked) => asked[what] !== undefined
  const hasCalled = (...called: readonly Called[]) => called.some((one) => calls[one] !== undefined)
  const hasEnded = (...ended: readonly EndingName[]) => ended.some((one) => endings[one] !== undefined)
  const create = hasAsked('create') || hasCalled('par') || hasEnded('created', 'create_denied', 'request_uri_expired')
  const upgrade = hasAsked('upgrade') || hasCalled('token', 'upgrade')
  const used: Readonly<Record<OutcomeFlow, boolean>> = {
    use: hasAsked('use') || claims.length > 0,
    create,
    par: create,
    token: upgrade,
    upgrade,
    discovery: hasCalled('discovery'),
    jwks: hasCalled('jwks'),
  }
  return {
    uses: (flow) => used[flow],
    asked: hasAsked,
    unused: REASONS.filter(({ flow }) => !used[flow]),
  }
}

const REASONS: SeenFlows['unused'] = [
  { flow: 'use', reason: 'no valid Use request came (E1)' },
  { flow: 'create', reason: 'no Create request was pushed (E2)' },
  { flow: 'upgrade', reason: 'no Use request asked for the upgrade scope' },
  { flow: 'discovery', reason: 'no discovery document was read (E6)' },
  { flow: 'jwks', reason: 'the key set was not read (E6)' },
]
