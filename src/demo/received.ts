import { decodePairs } from '../oidc/request/parameters.ts'
import type { Sent } from './journey.ts'

/** The parameters of a callback; empty ones are there too, for `error=` is no absence of an error. */
export interface Received {
  readonly params: Sent
  /** Names that came more than once: then nobody can say which value counts. */
  readonly repeated: readonly string[]
}

/** Reads what came in the query or in a form. */
export function readReceived(encoded: string): Received {
  const pairs = decodePairs(encoded).map(([name, value = '']): [string, string] => [name, value])
  const names = pairs.map(([name]) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return { params: Object.fromEntries(pairs), repeated: [...new Set(repeated)] }
}
