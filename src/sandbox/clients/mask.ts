import { isJsonObject } from '../../age/json-object.ts'
import { ACCESS_TOKEN_PREFIX } from '../../oidc/decisions.ts'

/** Removes secrets from a text, or from a JSON value with all of its members. */
export type Mask = <Value>(value: Value) => Value

/** Replaces a secret. */
export const MASKED = '***'

/** Parameters and members that always hold secrets. */
const SECRET_NAMES = ['client_secret', 'access_token', 'control_token']

/** A member of JSON text, or a parameter of a query, whose name says that it is a secret. */
const NAMED_MEMBER = new RegExp(`("(?:${SECRET_NAMES.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'g')
const NAMED_PARAMETER = new RegExp(`(\\b(?:${SECRET_NAMES.join('|')})=)[^&\\s"']+`, 'g')

/** Ends a value that a message has cut off. */
const CUT = '(?:…|\\.{3})'

const ACCESS_TOKEN = `${ACCESS_TOKEN_PREFIX}(?:[\\w+/=-]{20,}|[\\w+/=-]*${CUT})`

/**
 * Creates the mask for `secrets`. It finds each secret as it is, percent-encoded or escaped as in JSON, also inside other texts. It finds
 * access tokens by their prefix, and values under the names of secrets.
 */
export function createMask(secrets: readonly string[]): Mask {
  const known = [...new Set(secrets)].filter((secret) => secret.trim() !== '')
  const pattern = new RegExp(patternOf(known), 'g')
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

/** How often a text is decoded. A text that is encoded more often is masked as a whole. */
const MAX_DECODINGS = 8

/** Whether decoding the text, once or repeatedly, reveals a secret. */
function isHidden(text: string, pattern: RegExp): boolean {
  let encoded = text
  for (let times = 0; times < MAX_DECODINGS; times++) {
    const plain = decoded(encoded)
    if (plain === encoded) return false
    if (plain.search(pattern) >= 0) return true
    encoded = plain
  }
  return true
}

/** Decision: a shorter secret may be part of an ordinary word, so it is masked only where it stands alone. */
const MIN_MASKED_ANYWHERE = 8

/** A pattern of all secrets, each whole or cut off by a message. Plain alternatives stand together, because V8 then joins them. */
function patternOf(secrets: readonly string[]): string {
  const forms = [
    ...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), decoded(secret)])),
  ]
  const long = forms.filter((form) => form.length >= MIN_MASKED_ANYWHERE)
  const short = forms.filter((form) => form.length < MIN_MASKED_ANYWHERE)
  const beginnings = [...new Set(long.map((form) => form.slice(0, MIN_MASKED_ANYWHERE)))]
  return [
    ...long.map(literally),
    ...(long.length > 0 ? [`(?:${beginnings.map(literally).join('|')})[^…]{0,${MAX_QUOTED}}?${CUT}`] : []),
    ...short.map((form) => `(?<!\\w)${literally(form)}(?!\\w)`),
    ACCESS_TOKEN,
  ].join('|')
}

/** Characters that a message quotes of a value, at most. */
const MAX_QUOTED = 80

/** Matches the text; a blank also matches the `+` of a form. */
const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '[ +]')

/** Decodes percent-encoding, JSON escapes and the parts of an id_token; malformed parts stay as they are. */
const decoded = (text: string) =>
  text.replaceAll(
    /(?:%|\\u00)([0-9a-f]{2})|\\(["\\/])|\b(eyJ[\w-]+)/gi,
    (_, code?: string, escaped?: string, part = '') =>
      escaped ?? (code ? String.fromCharCode(Number.parseInt(code, 16)) : Buffer.from(part, 'base64url').toString()),
  )
