import { isJsonObject } from '../../service/age/json-object.ts'
import { ACCESS_TOKEN_PREFIX } from '../../service/oidc/policy.ts'

/** Removes secrets from a text, or from a JSON value and all of its members. */
export type Mask = <Value>(value: Value) => Value

/** The replacement of a secret. */
export const MASKED = '***'

/** Parameters and members whose values are always secret. */
const SECRET_NAMES = ['client_secret', 'access_token', 'control_token']

/** A JSON member, or a parameter of a query, with the name of a secret. */
const NAMED_MEMBER = new RegExp(
  `("(?:${SECRET_NAMES.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`,
  'g',
)
const NAMED_PARAMETER = new RegExp(`(\\b(?:${SECRET_NAMES.join('|')})=)[^&\\s"']+`, 'g')

/** Marks the end of a value that a message has shortened. */
const CUT = '(?:…|\\.{3})'

const ACCESS_TOKEN = `${ACCESS_TOKEN_PREFIX}(?:[\\w+/=-]{20,}|[\\w+/=-]*${CUT})`

/**
 * Creates a mask for `secrets`. It finds each secret unchanged, percent-encoded or JSON-escaped,
 * also within other texts and in Basic credentials. It also finds access tokens by their prefix,
 * and values with the name of a secret.
 */
export function createMask(secrets: readonly string[]): Mask {
  const known = [...new Set(secrets)].filter((secret) => secret.trim() !== '')
  const shortest = Math.min(MIN_MASKED_ANYWHERE, ...known.map(({ length }) => length))
  const wanted = {
    pattern: new RegExp(patternOf(known), 'g'),
    // The shortest credentials have a client_id of one character, the colon and the secret. Three
    // bytes are four characters of base64.
    base64: new RegExp(`[\\w+/-]{${Math.ceil(((shortest + 2) * 4) / 3)},}={0,2}(?:${CUT})?`, 'g'),
  }
  return <Value>(value: Value) => masked(value, wanted) as Value
}

/** The patterns of a mask. */
interface Wanted {
  /** Matches the secrets. */
  readonly pattern: RegExp
  /**
   * Matches candidates for base64 of credentials with a secret, in both alphabets of RFC 4648. A
   * message may have shortened the base64.
   */
  readonly base64: RegExp
}

function masked(value: unknown, wanted: Wanted): unknown {
  if (typeof value === 'string') return maskedText(value, wanted)
  if (Array.isArray(value)) return value.map((member) => masked(member, wanted))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.map(([name, member]) => [
      maskedText(name, wanted),
      SECRET_NAMES.includes(name) ? MASKED : masked(member, wanted),
    ]),
  )
}

function maskedText(text: string, wanted: Wanted): string {
  const shown = text
    .replace(NAMED_MEMBER, `$1"${MASKED}"`)
    .replace(NAMED_PARAMETER, `$1${MASKED}`)
    .replace(wanted.pattern, MASKED)
    .replace(wanted.base64, (part) => withoutCredentials(part, wanted))
  if (!isHidden(shown, wanted)) return shown
  // Only the hidden parts of a URL are masked.
  const parts = shown.replaceAll(/[^?&=#/\s"',]+/g, (part) =>
    isHidden(part, wanted) ? MASKED : part,
  )
  return isHidden(parts, wanted) ? MASKED : parts
}

/** Maximum number of decodings. A text that was encoded more often is masked as a whole. */
const MAX_DECODINGS = 8

/** Whether decoding the text once or several times reveals a secret or credentials. */
const isHidden = (text: string, wanted: Wanted): boolean =>
  isRevealed(text, (plain) => plain.search(wanted.pattern) >= 0 || holdsCredentials(plain, wanted))

/**
 * Whether `reveals` returns true for the text after one or more decodings; also true after too many
 * decodings.
 */
function isRevealed(text: string, reveals: (plain: string) => boolean): boolean {
  let encoded = text
  for (let times = 0; times < MAX_DECODINGS; times++) {
    const plain = decoded(encoded)
    if (plain === encoded) return false
    if (reveals(plain)) return true
    encoded = plain
  }
  return true
}

/**
 * `id:secret` in printable ASCII, the only characters that RFC 6749 allows. Bytes around it are not
 * text.
 */
const CREDENTIALS = /[\x20-\x7e]*:[\x20-\x7e]+/g

const holdsCredentials = (text: string, wanted: Wanted): boolean =>
  Array.from(text.matchAll(wanted.base64)).some(
    ([part]) => withoutCredentials(part, wanted) !== part,
  )

/**
 * Removes Basic credentials (RFC 7617) with a secret from a base64 text. The credentials may be
 * form-encoded in any way (RFC 6749 section 2.3.1). They may follow a slash, because a path can
 * consist of base64 characters too.
 */
function withoutCredentials(base64: string, { pattern }: Wanted): string {
  const end = CUT_END.exec(base64)?.[0] ?? ''
  const text = base64.slice(0, base64.length - end.length)
  for (const offset of offsetsIn(text)) {
    // `decoded` already decodes the parts of an id_token.
    if (text.startsWith('eyJ', offset)) continue
    const bytes = Buffer.from(text.slice(offset), 'base64')
    if (!bytes.includes(':')) continue
    for (const { 0: credentials, index } of bytes.toString('latin1').matchAll(CREDENTIALS)) {
      const shown = credentials + end
      if (shown.search(pattern) < 0 && !isRevealed(shown, (plain) => plain.search(pattern) >= 0))
        continue
      return text.slice(0, offset + Math.floor((index * 4) / 3)) + MASKED
    }
  }
  return base64
}

/**
 * Possible starts of base64: the beginning, and after a slash. Starts that differ by a multiple of
 * four characters decode in the same way.
 */
function offsetsIn(text: string): Iterable<number> {
  const offsets = new Map([[0, 0]])
  for (
    let slash = text.indexOf('/');
    slash >= 0 && offsets.size < 4;
    slash = text.indexOf('/', slash + 1)
  ) {
    const offset = slash + 1
    if (!offsets.has(offset % 4)) offsets.set(offset % 4, offset)
  }
  return offsets.values()
}

const CUT_END = new RegExp(`${CUT}$`)

/** Decision: a shorter secret may occur in ordinary words, so it is masked only as a whole word. */
const MIN_MASKED_ANYWHERE = 8

/**
 * A pattern for all secrets, complete or shortened by a message. Plain alternatives are adjacent,
 * because V8 then joins them.
 */
function patternOf(secrets: readonly string[]): string {
  const forms = [
    ...new Set(
      secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), decoded(secret)]),
    ),
  ]
  const long = forms.filter((form) => form.length >= MIN_MASKED_ANYWHERE)
  const short = forms.filter((form) => form.length < MIN_MASKED_ANYWHERE)
  const beginnings = [...new Set(long.map((form) => form.slice(0, MIN_MASKED_ANYWHERE)))]
  return [
    ...long.map(literally),
    ...(long.length > 0
      ? [`(?:${beginnings.map(literally).join('|')})[^…]{0,${MAX_QUOTED}}?${CUT}`]
      : []),
    ...short.map((form) => `(?<!\\w)${literally(form)}(?!\\w)`),
    ACCESS_TOKEN,
  ].join('|')
}

/** Maximum number of characters of a value that a message quotes. */
const MAX_QUOTED = 80

/** Matches the text literally, except that a space also matches the `+` of a form. */
const literally = (text: string) =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '[ +]')

/**
 * Decodes percent-encoding, JSON escapes and the parts of an id_token once. Malformed parts are
 * kept.
 */
const decoded = (text: string) =>
  text.replaceAll(
    /(?:%|\\u00)([0-9a-f]{2})|\\(["\\/])|\b(eyJ[\w-]+)/gi,
    (_, code?: string, escaped?: string, part = '') =>
      escaped ??
      (code
        ? String.fromCharCode(Number.parseInt(code, 16))
        : Buffer.from(part, 'base64url').toString()),
  )
