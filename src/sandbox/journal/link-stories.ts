import { ENDPOINTS } from '../../service/oidc/endpoints.ts'
import { outcomeOf, summarizeFlow } from './explain-flow.ts'
import type { ListedFlow } from './journal.ts'

/** The ids of the flow that a flow continues, and of the one that continues it. */
export interface StoryLinks {
  readonly before?: string
  readonly after?: string
}

/**
 * The flows that are probably of one user: the Create flow that a `create_requested` asked for, and
 * the Use flow that comes after an age key was saved or upgraded.
 *
 * Decision: the sandbox knows no users, so a flow continues the latest earlier one of the same
 * client and `state`, else of the same client and persona, and only when that one asked for it. A
 * persona that is not decided yet, or that the flow has made, may have been any. Flows of an audit
 * are many users of one persona.
 *
 * @param flows newest first
 * @returns links by the id of a flow; a flow without any is absent
 */
export function linkStories(flows: readonly ListedFlow[]): ReadonlyMap<string, StoryLinks> {
  const links = new Map<string, StoryLinks>()
  /** Flows with the kind of flow that their user goes on with. */
  const decided: { readonly flow: ListedFlow; readonly asksFor: ListedFlow['flow'] | undefined }[] =
    []
  for (const flow of flows.toReversed()) {
    const earlier = [sameState, samePersona]
      .map((isSame) => decided.findLast((one) => isSame(one.flow, flow)))
      .find((one) => one !== undefined && one.asksFor === flow.flow)?.flow
    if (earlier) {
      links.set(earlier.id, { ...links.get(earlier.id), after: flow.id })
      links.set(flow.id, { before: earlier.id })
    }
    const { status } = summarizeFlow(flow)
    if (status === 'ok') decided.push({ flow, asksFor: askedFor(flow) })
  }
  return links
}

const sameState = (one: ListedFlow, other: ListedFlow) =>
  sameClient(one, other) && one.state !== undefined && one.state === other.state

const samePersona = (one: ListedFlow, other: ListedFlow) =>
  sameClient(one, other) &&
  !one.audit &&
  (one.persona === undefined ||
    other.persona === undefined ||
    other.outcome === 'created_new' ||
    one.persona === other.persona)

const sameClient = (one: ListedFlow, other: ListedFlow) =>
  one.client_id !== undefined && one.client_id === other.client_id

function askedFor(flow: ListedFlow): ListedFlow['flow'] | undefined {
  if (flow.flow === 'create') return 'use'
  if (outcomeOf(flow)?.ending?.kind === 'create_requested') return 'create'
  return flow.calls.some(({ endpoint }) => endpoint === ENDPOINTS.upgrade.number)
    ? 'use'
    : undefined
}
