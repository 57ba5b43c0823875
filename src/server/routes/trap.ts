import * as z from 'zod'
import { TRAP_PATH } from '../../sandbox/outcomes/tamper-tools.ts'
import { collection } from '../../service/oidc/collection.ts'
import type { Endpoint } from '../../service/oidc/endpoints.ts'
import { REMEMBERED_SECONDS } from '../../service/oidc/policy.ts'
import { inSeconds, type Provider } from '../../service/oidc/provider.ts'
import { identifier } from '../http/calls/record-call.ts'
import type { Handler } from '../http/handler.ts'
import { json } from '../http/reply.ts'

/**
 * The endpoint behind a trap: an address in a forged id_token (`jku`, `x5u`) or redirect. A client
 * that fetches the address trusts an attacker.
 */
export const TRAP_ENDPOINT = {
  number: 'trap',
  flow: 'use',
  correlation: 'trap',
  method: 'get',
  path: `${TRAP_PATH}/:id`,
  title: 'Trap fetched',
  caller: 'server',
  beginsFlow: false,
} as const satisfies Endpoint

/**
 * Traps in forged discovery documents and key sets. Requests for these documents belong to no flow,
 * so no flow can hold the id of the trap.
 */
const trapsOutsideFlows = collection({ name: 'trap', schema: z.literal(true) })

/** Remembers the traps in an answer outside any flow. */
export async function rememberTraps(ids: readonly string[], provider: Provider): Promise<void> {
  const expiresAt = inSeconds(provider, REMEMBERED_SECONDS)
  for (const id of ids) await trapsOutsideFlows(provider).put(id, true, expiresAt)
}

/**
 * Serves a trap. The call begins a flow if discovery or a key set named the trap. An unknown id
 * begins no flow.
 */
export const trap: Handler = async ({ params: { id = '' } }, { provider }) => {
  const reply = json(200, { keys: [] })
  const isNamed = await trapsOutsideFlows(provider).get(id)
  return isNamed ? { reply, begins: true, issuedIds: [identifier('trap', id)] } : { reply }
}
