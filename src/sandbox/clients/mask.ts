import { isJsonObject } from '../../service/age/json-object.ts'
import { ACCESS_TOKEN_PREFIX } from '../../service/oidc/policy.ts'

/** Removes secrets from a text, or from a JSON value with all of its members. */
export type Mask = <Value>(value: Value) => Value

/** Replaces a secret. */
export const MASKED = '***'

/** Parameters and members that always hold secrets. */
const SECRET_NAMES = ['client_secret', 'access_token', 'control_token']

/** A member of JSON text, or a parameter of a query, whose name says that it is a secret. */
const NAMED_MEMBER = new RegExp(
  `("(?:${SECRET_NAMES.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`,
  'g',
)
const NAMED_PARAMETER = new RegExp(`(\\b(?:${SECRET_NAMES.join('|')})=)[^&\\s"']+`, 'g')

/** Ends a value that a message has cut off. */
const CUT = '(?:…|\\.{3})'

const ACCESS_TOKEN = `${ACCESS_TOKEN_PREFIX}(?:[\\w+/=-]{20,}|[\\w+/=-]*${CUT})`

/**
 * Creates the mask for `secrets`. It finds each secret as it is, percent-encoded or escaped as in
 * JSON, also inside other texts and in Basic credentials. It finds access tokens by their prefix,
 * and values under the names of secrets.
 */
export function createMask(secrets: readonly string[]): Mask {
  const known = [...new Set(secrets)].filter((secret) => secret.trim() !== '')
  const shortest = Math.min(MIN_MASKED_ANYWHERE, ...known.map(({ length }) => length))
  const wanted = {
    pattern: new RegExp(patternOf(known), 'g'),
    // A client id of one character, the colon and the secret; three bytes are four characters.
    base64: new RegExp(`[\\w+/-]{${Math.ceil(((shortest + 2) * 4) / 3)},}={0,2}(?:${CUT})?`, 'g'),
  }
  return <Value>(value: Value) => masked(value, wanted) as Value
}

/** What a mask looks for. */
interface Wanted {
  /** The secrets. */
  readonly pattern: RegExp
  /**
   * What may be the base64 of credentials with a secret, in both alphabets of RFC 4648, also cut
   * off by a message.
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
  // A URL keeps its other parts.
  const parts = shown.replaceAll(/[^?&=#/\s"',]+/g, (part) =>
    isHidden(part, wanted) ? MASKED : part,
  )
  return isHidden(parts, wanted) ? MASKED : parts
}

/** Maximum number of decodings. A text that is encoded more often is masked as a whole. */
const MAX_DECODINGS = 8

/** Whether decoding the text, once or repeatedly, reveals a secret or credentials. */
const isHidden = (text: string, wanted: Wanted): boolean =>
  isRevealed(text, (plain) => plain.search(wanted.pattern) >= 0 || holdsCredentials(plain, wanted))

/** Whether `reveals` is true of the text after some decodings, or whether there are too many. */
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

/** `id:secret` in ASCII, which RFC 6749 allows alone; what stands around it is no text. */
const CREDENTIALS = /[\x20-\x7e]*:[\x20-\x7e]+/g

const holdsCredentials = (text: string, wanted: Wanted): boolean =>
  Array.from(text.matchAll(wanted.base64)).some(
    ([part]) => withoutCredentials(part, wanted) !== part,
  )

/**
 * A base64 text without the Basic credentials (RFC 7617) that hold a secret, as it is or
 * form-encoded in any way (RFC 6749 section 2.3.1). The credentials may follow a slash, because a
 * path also consists of the characters of base64.
 */
function withoutCredentials(base64: string, { pattern }: Wanted): string {
  const end = CUT_END.exec(base64)?.[0] ?? ''
  const text = base64.slice(0, base64.length - end.length)
  for (const offset of offsetsIn(text)) {
    // The parts of an id_token are decoded as such.
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
 * Where base64 may begin: at the start or behind a slash. Beginnings that are a multiple of four
 * characters apart decode alike.
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

/**
 * Decision: a shorter secret may be part of an ordinary word, so it is masked only where it stands
 * alone.
 */
const MIN_MASKED_ANYWHERE = 8

/**
 * A pattern of all secrets, each whole or cut off by a message. Plain alternatives stand together,
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

/** Maximum number of characters that a message quotes of a value. */
const MAX_QUOTED = 80

/** Matches the text; a blank also matches the `+` of a form. */
const literally = (text: string) =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '[ +]')

/**
 * Decodes percent-encoding, JSON escapes and the parts of an id_token; malformed parts stay as they
 * are.
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
