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
 * An address in a forged id_token (`jku`, `x5u`) or redirect: a client that fetches the address
 * trusts an attacker.
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

/** Traps that discovery or keys named: these calls belong to no flow that could hold the id. */
const trapsOutsideFlows = collection({ name: 'trap', schema: z.literal(true) })

/** Remembers traps that an answer outside any flow names. */
export async function rememberTraps(ids: readonly string[], provider: Provider): Promise<void> {
  const expiresAt = inSeconds(provider, REMEMBERED_SECONDS)
  for (const id of ids) await trapsOutsideFlows(provider).put(id, true, expiresAt)
}

/**
 * The fetch of a trap. It begins a flow if discovery or keys named the trap; an id that nothing
 * named begins none.
 */
export const trap: Handler = async ({ params: { id = '' } }, { provider }) => {
  const reply = json(200, { keys: [] })
  const isNamed = await trapsOutsideFlows(provider).get(id)
  return isNamed ? { reply, begins: true, issuedIds: [identifier('trap', id)] } : { reply }
}
