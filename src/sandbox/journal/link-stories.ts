import { ENDPOINTS } from '../../service/oidc/endpoints.ts'
import { outcomeOf, summarizeFlow } from './explain-flow.ts'
import type { ListedFlow } from './journal.ts'

/** The ids of the flows before and after a flow in the story of one user. */
export interface StoryLinks {
  readonly before?: string
  readonly after?: string
}

/**
 * Links flows that probably belong to one user: a Create flow that follows `create_requested`, and
 * a Use flow that follows a saved or upgraded age key.
 * Decision: the sandbox does not know users. A flow continues the latest earlier flow of the same
 * client and `state`, or else of the same client and persona, and only if the earlier flow led to
 * this kind of flow. A persona that is undecided, or that the flow itself created, matches any
 * persona. Flows of an audit are never linked by persona, because many users share one persona
 * there.
 * @param flows newest first
 * @returns links by the id of a flow; flows without links are absent
 */
export function linkStories(flows: readonly ListedFlow[]): ReadonlyMap<string, StoryLinks> {
  const links = new Map<string, StoryLinks>()
  /** Finished flows, with the kind of flow that their user continues with. */
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
