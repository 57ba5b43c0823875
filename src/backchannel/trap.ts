import type { Handler } from '../http/handler.ts'
import { json } from '../http/reply.ts'
import type { Endpoint } from '../oidc/endpoints.ts'
import { TRAP_PATH } from '../sandbox/outcomes/tamper-tools.ts'

/**
 * An address in a forged id_token (`jku`, `x5u`) or redirect. A client that fetches it follows an address of an attacker. A
 * fetch is recorded in the flow whose answer named the address, whatever the kind of that flow; one that discovery or the key
 * set named belongs to none, and is a flow of its own.
 */
export const TRAP_ENDPOINT = {
  number: 'trap',
  flow: 'use',
  correlation: 'trap',
  method: 'get',
  path: `${TRAP_PATH}/:id`,
  title: 'Trap fetched',
  caller: 'server',
} as const satisfies Endpoint

export const trap: Handler = () => ({ reply: json(200, { keys: [] }) })
