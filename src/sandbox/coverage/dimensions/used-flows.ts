import type { CallName } from '../../../service/oidc/endpoints.ts'
import type { Asked } from '../seen-names.ts'
import type { SeenSet } from './gap-closing.ts'

/** The flows that an app was seen to use, and what its requests asked for. */
export interface UsedFlows {
  /** Whether outcomes of this flow can reach the app. */
  uses(flow: CallName): boolean
  asked(what: Asked): boolean
  /** The flows that the app does not use, with the reason. */
  readonly unused: readonly { readonly flow: CallName; readonly reason: string }[]
}

/**
 * Derives the used flows.
 * @param names what clients have seen
 */
export function usedFlows(names: SeenSet): UsedFlows {
  const asked = (what: Asked) => names.has(`asked ${what}`)
  const hasRow = (...flows: readonly CallName[]) =>
    [...names].some((name) => flows.some((flow) => name.startsWith(`row ${flow}/`)))
  const create = asked('create') || hasRow('create', 'par')
  const upgrade = asked('upgrade') || hasRow('token', 'upgrade')
  const used: Readonly<Record<CallName, boolean>> = {
    use: asked('use') || hasRow('use'),
    create,
    par: create,
    token: upgrade,
    upgrade,
    discovery: hasRow('discovery'),
    jwks: hasRow('jwks'),
  }
  return {
    uses: (flow) => used[flow],
    asked,
    unused: REASONS.filter(({ flow }) => !used[flow]),
  }
}

const REASONS: UsedFlows['unused'] = [
  { flow: 'use', reason: 'no valid Use request came (E1)' },
  { flow: 'create', reason: 'no valid Create request came (E3)' },
  { flow: 'upgrade', reason: 'no Use request asked for the upgrade scope' },
  { flow: 'discovery', reason: 'no outcome of the discovery document was forced (E6)' },
  { flow: 'jwks', reason: 'no outcome of the key set was forced (E6)' },
]
