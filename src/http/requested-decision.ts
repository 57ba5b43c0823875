import { Refusal } from '../oidc/refusal.ts'
import type { Pairs } from '../oidc/request/parameters.ts'
import type { Wish } from '../sandbox/decision/decide.ts'
import { findOutcome } from '../sandbox/outcomes/catalogue.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { Defaults } from '../sandbox/tenants/world.ts'
import type { Incoming } from './incoming.ts'

const SANDBOX_PARAMETERS = ['sandbox_persona', 'sandbox_outcome']

/**
 * Divides the query of E1 or E3 into what belongs to the service and what drives the sandbox.
 * @throws Refusal for an unknown or repeated `sandbox_` parameter: never ignored.
 */
export function splitSandboxParameters(pairs: Pairs): { query: Pairs; wishes: readonly Wish[] } {
  const ours = pairs.filter(([name]) => name.startsWith('sandbox_'))
  for (const [name] of ours) {
    if (SANDBOX_PARAMETERS.includes(name)) continue
    throw Refusal.unknownName({ source: 'query', kind: 'parameter', name, known: SANDBOX_PARAMETERS })
  }
  const read = (name: string) => {
    const values = ours.filter((pair) => pair[0] === name)
    if (values.length > 1) throw Refusal.invalidRequest(`${name}: it is sent more than once; send it once.`)
    // Not well-formed: no name can be read from it, so it becomes one that nothing has.
    return values[0] && (values[0][1] ?? '\ufffd')
  }
  return {
    query: pairs.filter((pair) => !ours.includes(pair)),
    wishes: [
      { persona: read('sandbox_persona'), source: 'query parameter sandbox_persona' },
      { outcome: read('sandbox_outcome'), source: 'query parameter sandbox_outcome' },
    ],
  }
}

/** What a request itself says about who decides, the strongest first. */
export function wishesOf(request: Incoming, query: readonly Wish[]): Wish[] {
  return [
    ...query,
    { persona: request.header('x-sandbox-persona'), source: 'request header X-Sandbox-Persona' },
    { outcome: request.header('x-sandbox-outcome'), source: 'request header X-Sandbox-Outcome' },
  ]
}

/** What the server decides when nobody else does; an outcome of another flow does not concern this one. */
export function defaultWish(flow: OutcomeFlow, { persona, outcome }: Defaults): Wish {
  const isOfFlow = outcome !== undefined && findOutcome(flow, outcome) !== undefined
  return { persona, outcome: isOfFlow ? outcome : undefined, source: 'the default of the sandbox' }
}
