import { isJsonObject } from '../age/json-object.ts'
import { parseJson } from '../oidc/request/json.ts'
import type { IdTokenView } from './html/id-token-table.ts'

/** Header and payload of a compact JWT, however spoiled: what cannot be read is empty. Nothing is verified. */
export function decodeIdToken(token: string): IdTokenView {
  const [header = '', payload = ''] = token.split('.')
  return { token, header: membersOf(header), payload: membersOf(payload) }
}

function membersOf(part: string): Readonly<Record<string, unknown>> {
  const json = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
  return json.ok && isJsonObject(json.value) ? json.value : {}
}
