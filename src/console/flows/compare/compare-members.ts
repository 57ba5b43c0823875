import { isJsonObject } from '../../../age/json-object.ts'
import { looksLikeJson, parseJson } from '../../../oidc/request/json.ts'
import { withoutEnding } from '../../../sandbox/journal/flow-link.ts'

/** One value of two flows, as text; absent where a flow has none. */
export interface Compared {
  /** Where it stands: `claims.age_thresholds`. */
  readonly name: string
  readonly a: string | undefined
  readonly b: string | undefined
  /** `random`: another one in every flow, so that a difference says nothing. */
  readonly kind: 'differs' | 'same' | 'random'
}

export type Members = Readonly<Record<string, unknown>>

/** What is another one in each flow, by the last word of its name: `sent: state`, `payload.iat`. */
const RANDOM: readonly string[] = [
  'state',
  'nonce',
  'code',
  'c_hash',
  'sub',
  'iat',
  'exp',
  'nbf',
  'jti',
  'request_uri',
  'access_token',
  'transaction',
  'verification_id',
]

/** Compares two mappings member by member, those of members included, in the order in which they first appear. */
export function compareMembers(a: Members, b: Members): Compared[] {
  const [ofA, ofB] = [flattened(a), flattened(b)]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].map((name) => {
    const compared = { name, a: ofA.get(name), b: ofB.get(name) }
    return { ...compared, kind: kindOf(compared) }
  })
}

function kindOf({ name, a, b }: Pick<Compared, 'name' | 'a' | 'b'>): Compared['kind'] {
  if (a === b) return 'same'
  // One that is missing, or empty, is a difference.
  const isRandom = RANDOM.includes(/\w+$/.exec(name)?.[0] ?? '')
  return isRandom && a && b ? 'random' : 'differs'
}

/** The values of a mapping by the path to each. */
function flattened(members: Members): Map<string, string> {
  const values = new Map<string, string>()
  const add = (name: string, value: unknown): void => {
    const json = typeof value === 'string' ? jsonIn(value) : value
    if (json === undefined) return void values.set(name, typeof value === 'string' ? withoutEnding(value) : 'undefined')
    const inside = partsOf(json)
    if (inside === undefined) return void values.set(name, typeof json === 'string' ? json : JSON.stringify(json))
    for (const [part, member] of inside) add(`${name}${part}`, member)
  }
  for (const [name, value] of Object.entries(members)) if (value !== undefined) add(name, value)
  return values
}

/** The object or array that a text holds as JSON. */
function jsonIn(text: string): unknown {
  const json = looksLikeJson(text) ? parseJson(text) : undefined
  return json?.ok ? json.value : undefined
}

/** The members of an object, or the items of a list of objects; a list of plain values is one value. */
function partsOf(value: unknown): readonly (readonly [part: string, member: unknown])[] | undefined {
  if (Array.isArray(value)) {
    return value.some(isJsonObject) ? value.map((item, index) => [`[${index}]`, item]) : undefined
  }
  const members = isJsonObject(value) ? Object.entries(value) : []
  return members.length === 0 ? undefined : members.map(([name, member]) => [`.${name}`, member])
}
