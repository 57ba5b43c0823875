import { isJsonObject } from '../../age/json-object.ts'
import { ACCESS_TOKEN_PREFIX } from '../../oidc/decisions.ts'

/** Takes the secrets out of what the journal, an event or the log shows: a text, or a value of JSON with all of its members. */
export type Mask = <Value>(value: Value) => Value

/**
 * Makes the mask for these secrets. It goes by name, which finds misspelt secrets, and by value, which finds secrets in a wrong place:
 * inside another text, as a name, percent-encoded or in base64.
 */
export function createMask(secrets: readonly string[]): Mask {
  const configured = [...new Set(secrets)].filter((secret) => secret.trim() !== '')
  const known = [...configured.map(createSecret), accessTokens()]
  return <Value>(value: Value) => {
    const text = JSON.stringify(value)
    if (text === undefined) return value
    const plain = percentDecoded(text)
    const found = known.filter(({ mayBeIn }) => mayBeIn(text) || (plain !== text && mayBeIn(plain)))
    if (found.length === 0 && !SECRET_NAME.test(text)) return value
    return masked(value, found) as Value
  }
}

/** What stands in the place of a secret. */
export const MASKED = '***'

/** Matches misspelt names of secrets too. */
const SECRET_NAME = /secret|access.?token|control.?token/i

/** A member of JSON text, and a parameter of a query, that have the name of a secret. */
const NAMED_MEMBER = /("[\w.-]{0,40}(?:secret|access.?token|control.?token)[\w.-]{0,40}"\s*:\s*)"(?:[^"\\]|\\.)*"/gi
const NAMED_PARAMETER = /(\b[\w.-]{0,40}(?:secret|access.?token|control.?token)=)[^&\s"']+/gi

function masked(value: unknown, found: readonly Secret[]): unknown {
  if (typeof value === 'string') return maskedText(value, found)
  if (Array.isArray(value)) return value.map((member) => masked(member, found))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.map(([name, member]) => [maskedName(name, found), SECRET_NAME.test(name) ? MASKED : masked(member, found)]),
  )
}

/** What has the name of a secret and more beside it, like JSON that was sent as a form, is not shown. */
const maskedName = (name: string, found: readonly Secret[]) =>
  SECRET_NAME.test(name) && !/^[\w.-]{1,60}$/.test(name) ? MASKED : maskedText(name, found)

function maskedText(text: string, found: readonly Secret[]): string {
  const masked = withoutNamed(found.reduce((rest, { pattern }) => rest.replace(pattern, MASKED), text))
  const isHidden = (part: string) => found.some((secret) => isEncodedIn(part, secret))
  if (!isHidden(masked)) return masked
  // A URL keeps its other parts.
  const parts = masked.replaceAll(/[^?&=#/\s"',]+/g, (part) => (isHidden(part) ? MASKED : part))
  return isHidden(parts) ? MASKED : parts
}

const withoutNamed = (text: string) =>
  SECRET_NAME.test(text) ? text.replace(NAMED_MEMBER, `$1"${MASKED}"`).replace(NAMED_PARAMETER, `$1${MASKED}`) : text

function isEncodedIn(text: string, { pattern, base64 }: Secret): boolean {
  const plain = percentDecoded(text)
  return (plain !== text && plain.search(pattern) >= 0) || base64.some((form) => text.includes(form))
}

interface Secret {
  /** Whether JSON text may hold the secret; only then its members are looked at. */
  mayBeIn(text: string): boolean
  readonly pattern: RegExp
  /** What remains of the secret in base64, whatever stands before and behind it. */
  readonly base64: readonly string[]
}

/** Decision: a shorter secret may be a word, or a part of one, so it is masked only where it stands alone. */
const MIN_MASKED_ANYWHERE = 8

function createSecret(secret: string): Secret {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const literal = [...new Set([secret, escaped])].map(literally).join('|')
  const base64 = [0, 1, 2].flatMap((offset) => base64Forms(secret, offset))
  return {
    // JSON text within JSON text escapes a quotation mark more than once.
    mayBeIn: (text) => escaped !== secret || text.includes(secret) || base64.some((form) => text.includes(form)),
    pattern: new RegExp(secret.length < MIN_MASKED_ANYWHERE ? `(?<!\\w)(?:${literal})(?!\\w)` : literal, 'g'),
    base64,
  }
}

/** Access tokens are many and known by their beginning. */
const accessTokens = (): Secret => ({
  ...createSecret(ACCESS_TOKEN_PREFIX),
  pattern: new RegExp(`${ACCESS_TOKEN_PREFIX}[\\w-]{20,}`, 'g'),
})

/** The characters that stand for this secret alone, behind `offset` other bytes. */
function base64Forms(secret: string, offset: number): string[] {
  const bytes = Buffer.from('\0'.repeat(offset) + secret)
  const own = (text: string) => text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
  const forms = [own(bytes.toString('base64')), own(bytes.toString('base64url'))]
  return [...new Set(forms)].filter((form) => form.length >= MIN_BASE64)
}

/** A shorter form would be found by chance. */
const MIN_BASE64 = 6

const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The characters behind percent-encoding; what is not well-formed stays. */
const percentDecoded = (text: string) =>
  text.includes('%')
    ? text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
