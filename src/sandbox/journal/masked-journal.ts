import { ENDPOINTS } from '../../service/oidc/endpoints.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import { ruleRow } from '../../service/oidc/rules/rules.ts'
import type { Mask } from '../clients/mask.ts'
import type { CallRecord } from './call-record.ts'
import type { Flow, Journal, ListedFlow } from './journal.ts'

/**
 * The journal of a tenant without secrets. `find` also adds advice to the flow.
 * @param mask returns the current mask; called on each read
 */
export function maskedJournal(journal: Journal, mask: () => Mask): Journal {
  async function* masked<Item>(items: AsyncIterable<Item>) {
    for await (const item of items) yield mask()(item)
  }
  return {
    ...journal,
    list: (tenant, filter) => masked(journal.list(tenant, filter)),
    listEnded: (tenant, since, filter) => masked(journal.listEnded(tenant, since, filter)),
    async find(tenant, id) {
      const flow = await journal.find(tenant, id)
      return flow && mask()(await adviseOnRepeats(flow, journal))
    },
  }
}

/**
 * Number of earlier requests that must have the same value. One repetition may come from a reloaded
 * page.
 */
const EARLIER = 2

/**
 * Adds advice to a flow whose Use request repeats the `state` or `nonce` of earlier requests of its
 * client (USE-25).
 */
export async function adviseOnRepeats(flow: Flow, { list }: Pick<Journal, 'list'>): Promise<Flow> {
  const request = requestOf(flow)
  if (!request || flow.client_id === undefined) return flow
  const earlier: ListedFlow[] = []
  const filter = {
    flow: 'use',
    client_id: flow.client_id,
    before: flow.id,
    audit: flow.audit && 'only',
  } as const
  for await (const one of list(flow.tenant, filter)) if (earlier.push(one) === EARLIER) break
  if (earlier.length < EARLIER) return flow
  const advice = (['state', 'nonce'] as const).flatMap((name): Finding[] => {
    const value = request.parameters[name]
    const isRepeated = value && earlier.every((one) => requestOf(one)?.parameters[name] === value)
    if (!isRepeated) return []
    const { id: rule, hint } = ruleRow('USE-25')
    const ids = earlier.map(({ id }) => id).join(' and ')
    return [{ rule, level: 'advice', path: name, message: `${name} is the same in ${ids}`, hint }]
  })
  const advised = { ...request, findings: [...request.findings, ...advice] }
  return { ...flow, calls: flow.calls.map((call) => (call === request ? advised : call)) }
}

const requestOf = ({ calls }: ListedFlow): CallRecord | undefined =>
  calls.find(({ endpoint }) => endpoint === ENDPOINTS.use.number)
