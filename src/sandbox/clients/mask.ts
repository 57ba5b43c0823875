import { isJsonObject } from '../../age/json-object.ts'
import { ACCESS_TOKEN_PREFIX } from '../../oidc/decisions.ts'

/** Takes the secrets out of what is shown of a call: a text, or a value of JSON with all of its members. */
export type Mask = <Value>(value: Value) => Value

/** What stands in the place of a secret. */
export const MASKED = '***'

/** Parameters and members whose values are secrets, whatever the values are. */
const SECRET_NAMES = ['client_secret', 'access_token', 'control_token']

/** A member of JSON text, and a parameter of a query, that have the name of a secret. */
const NAMED_MEMBER = new RegExp(`("(?:${SECRET_NAMES.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'g')
const NAMED_PARAMETER = new RegExp(`(\\b(?:${SECRET_NAMES.join('|')})=)[^&\\s"']+`, 'g')

/**
 * Makes the mask for these secrets. The mask finds each secret as it is, percent-encoded or escaped as in JSON, inside of other texts
 * and under any name, access tokens by their beginning, and what has the name of a secret.
 */
export function createMask(secrets: readonly string[]): Mask {
  const known = [...new Set(secrets)].filter((secret) => secret.trim() !== '')
  const pattern = new RegExp([...known.flatMap(formsOf), `${ACCESS_TOKEN_PREFIX}[\\w-]{20,}`].join('|'), 'g')
  return <Value>(value: Value) => masked(value, pattern) as Value
}

function masked(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return maskedText(value, pattern)
  if (Array.isArray(value)) return value.map((member) => masked(member, pattern))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.map(([name, member]) => [
      maskedText(name, pattern),
      SECRET_NAMES.includes(name) ? MASKED : masked(member, pattern),
    ]),
  )
}

function maskedText(text: string, pattern: RegExp): string {
  const shown = text
    .replace(NAMED_MEMBER, `$1"${MASKED}"`)
    .replace(NAMED_PARAMETER, `$1${MASKED}`)
    .replace(pattern, MASKED)
  if (!isHidden(shown, pattern)) return shown
  // A URL keeps its other parts.
  const parts = shown.replaceAll(/[^?&=#/\s"',]+/g, (part) => (isHidden(part, pattern) ? MASKED : part))
  return isHidden(parts, pattern) ? MASKED : parts
}

/** Whether a secret comes out of the text when it is decoded, once or more often. */
function isHidden(text: string, pattern: RegExp): boolean {
  for (let encoded = text; ; ) {
    const plain = percentDecoded(encoded)
    if (plain === encoded) return false
    if (plain.search(pattern) >= 0) return true
    encoded = plain
  }
}

/** Decision: a shorter secret may be a word, or a part of one, so it is masked only where it stands alone. */
const MIN_MASKED_ANYWHERE = 8

/** The forms of a secret, as patterns: as it is, and as JSON text has it. */
function formsOf(secret: string): string[] {
  const forms = [...new Set([secret, JSON.stringify(secret).slice(1, -1)])].map(literally)
  return secret.length < MIN_MASKED_ANYWHERE ? forms.map((form) => `(?<!\\w)${form}(?!\\w)`) : forms
}

const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The characters behind percent-encoding; what is not well-formed stays. */
const percentDecoded = (text: string) =>
  text.includes('%')
    ? text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
