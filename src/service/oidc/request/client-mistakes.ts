import { didYouMean, listed, quote } from '../../text/message-parts.ts'
import type { IssuedForm } from '../policy.ts'
import type { Client, Clients } from '../ports.ts'
import { type Credentials, equalsSecret } from './client-auth.ts'

// Decision: a sandbox names its registered clients and says whether client_id or client_secret is
// wrong; it never shows the secret.

/**
 * The message for an unknown client: `client_id "web-shp" is not registered here. Did you mean
 * "web-shop"? Registered: ak_test_sandbox, web-shop.`
 */
export const unknownClient = (clientId: string, { ids }: Clients): string =>
  `client_id ${quote(clientId)} is not registered here.${didYouMean(clientId, ids)} Registered: ${listed(ids)}.`

/** Says whether client_id or client_secret is wrong, and recognises common mistakes in a secret. */
export function credentialsProblem(
  { clientId, clientSecret }: Credentials,
  clients: Clients,
): { readonly path: 'client_id' | 'client_secret'; readonly message: string } {
  const client = clients.find(clientId)
  if (!client) return { path: 'client_id', message: unknownClient(clientId, clients) }
  const shape =
    clientSecret === clientId ? 'it is the client_id' : secretMistake(clientSecret, client, clients)
  const mistake =
    shape ?? `${clientSecret.length} characters were received, which are another secret`
  const message = `client_secret is wrong for client ${quote(clientId)}, which is registered: ${mistake}. Registered: ${listed(clients.ids)}.`
  return { path: 'client_secret', message }
}

function secretMistake(sent: string, client: Client, clients: Clients): string | undefined {
  const usual = SECRET_MISTAKES.find(([repair]) =>
    equalsSecret(repair(sent), client.clientSecret),
  )?.[1]
  const [owner] = ownersOf(sent, clients)
  return (
    usual ??
    unencodedMistake(sent, client) ??
    (owner === undefined ? undefined : `it is that of client ${quote(owner)}`)
  )
}

/** What form decoding does to a value that was not percent-encoded, step by step. */
const FORM_READING: readonly (readonly [change: (text: string) => string, cause: string])[] = [
  [(text) => text.replace(/&.*/s, ''), '& ended it'],
  [(text) => text.replaceAll('+', ' '), '+ became a blank'],
  [percentDecoded, 'a % with two digits became one character'],
]

interface SpoiledSecret {
  readonly text: string
  readonly causes: readonly string[]
}

/**
 * Every text that form decoding can turn a secret into. Each step is optional: an encoder of whole
 * URLs leaves + and & unchanged but encodes %.
 */
function spoiledInForm(secret: string): readonly SpoiledSecret[] {
  let all: readonly SpoiledSecret[] = [{ text: secret, causes: [] }]
  for (const [change, cause] of FORM_READING) {
    all = all.flatMap((one) => {
      const text = change(one.text)
      return text === one.text ? [one] : [one, { text, causes: [...one.causes, cause] }]
    })
  }
  return all.filter(({ causes }) => causes.length > 0)
}

function unencodedMistake(sent: string, { clientSecret }: Client): string | undefined {
  const spoiled = spoiledInForm(clientSecret).find(({ text }) => equalsSecret(sent, text))
  if (spoiled === undefined) return undefined
  return `it is as if it was sent without percent-encoding: ${spoiled.causes.join(' and ')}; percent-encode it, as URLSearchParams does`
}

/** The clients with this secret. All secrets are compared, so that the duration reveals nothing. */
const ownersOf = (secret: string, clients: Clients): string[] =>
  clients.ids.filter((id) => equalsSecret(secret, clients.find(id)?.clientSecret ?? ''))

/** A mistake in transmission: the function that undoes the mistake, and its description. */
type Mistake = readonly [repair: (text: string) => string, mistake: string]

const USUAL_MISTAKES: readonly Mistake[] = [
  [(text) => text.trim(), 'there are blanks or line breaks around it'],
  [(text) => text.replaceAll(/^["']|["']$/g, ''), 'there are quotation marks around it'],
  [percentDecoded, 'it is percent-encoded twice'],
]

const SECRET_MISTAKES: readonly Mistake[] = [
  ...USUAL_MISTAKES,
  [(secret) => secret.slice(secret.indexOf(':') + 1), 'the client_id and a colon stand before it'],
  [(secret) => percentDecoded(secret.replaceAll('+', ' ')), 'it is percent-encoded twice'],
  [
    (secret) => Buffer.from(secret, 'base64').toString('utf8'),
    'it is base64 here, where it must stand as it is',
  ],
]

/**
 * Mistakes in an issued identifier. An identifier may end with two equals signs and has no other
 * equals sign.
 */
const IDENTIFIER_MISTAKES: readonly Mistake[] = [
  ...USUAL_MISTAKES,
  [
    (text) => text.replace(/[&?#].*|(?<!=)=$/s, ''),
    'there is something behind it, such as another parameter',
  ],
]

/**
 * Decodes percent-encoding once; returns the text itself when its percent-encoding is malformed.
 */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** How the sandbox issues identifiers of one kind: a prefix, then random bytes. */
interface IssuedKind {
  readonly what: string
  readonly bytes: number
  readonly prefix?: string
  readonly form: IssuedForm
}

/**
 * Describes a text that is not an issued identifier: its length, its first characters, and the
 * mistake that it shows. The message does not reveal the whole text.
 */
export function receivedInstead(
  text: string,
  { what, bytes, prefix = '', form }: IssuedKind,
): string {
  const mistake = IDENTIFIER_MISTAKES.find(([repair]) => repair(text) !== text)?.[1]
  const beginning = text.slice(0, (text.startsWith(prefix) ? prefix.length : 0) + 4)
  const length = prefix.length + Math.ceil((bytes * 4) / 3)
  const expected =
    form === 'short' && text.length !== length
      ? `; ${what} of this sandbox has ${length} characters`
      : ''
  return `received ${text.length} characters that begin with ${quote(beginning)}${mistake === undefined ? expected : `: ${mistake}`}`
}

/** Why a Basic `Authorization` header authenticates no client. */
export function basicProblem(authorization: string, clients: Clients): string {
  const encoded = behindScheme(authorization)
  const problem = schemeProblem(authorization, 'Basic')
  if (problem !== undefined) return problem
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (encoded.includes(':'))
    return 'Authorization has the credentials as they are; it must have their base64'
  const foreign = encoded.match(/[^A-Za-z0-9+/_=-]/g) ?? encoded.match(/=(?===|[^=])/g)
  if (foreign)
    return `Authorization has characters behind Basic that are no base64: ${shown(foreign)}`
  if (colon < 0) return 'Authorization is Basic without the base64 of client_id:client_secret'
  const clientSecret = text.slice(colon + 1)
  if (clientSecret === '') return 'Authorization is Basic with an empty client_secret'
  return credentialsProblem({ clientId: text.slice(0, colon), clientSecret }, clients).message
}

/**
 * How the credentials of a Basic header differ from standard base64 (RFC 4648 section 4);
 * `undefined` if they do not.
 */
export function base64Problem(authorization: string): string | undefined {
  const encoded = behindScheme(authorization)
  const letters = /[-_]/.test(encoded) ? ['letters of base64url (- or _)'] : []
  const padding = encoded.length % 4 === 0 ? [] : ['too little padding (=)']
  const faults = [...letters, ...padding].join(' and ')
  return faults === ''
    ? undefined
    : `Authorization must be Basic with standard base64; it has ${faults}`
}

const behindScheme = (authorization: string): string =>
  authorization.replace(/^\S+ */, '').trimEnd()

/** The first three distinct characters, quoted: too few to reveal a secret. */
const shown = (characters: readonly string[]): string =>
  [...new Set(characters)].slice(0, 3).map(quote).join(' ')

/**
 * Why an `Authorization` header does not have the expected scheme, or `undefined`. A header without
 * a known scheme may be a secret, so the message does not repeat it.
 */
export function schemeProblem(
  authorization: string,
  expected: 'Basic' | 'Bearer',
): string | undefined {
  const scheme = /^([A-Za-z]{1,20})(?: |$)/.exec(authorization)?.[1]
  if (scheme?.toLowerCase() === expected.toLowerCase()) return undefined
  const isKnown = SCHEMES.some((known) => known === scheme?.toLowerCase())
  return `Authorization ${isKnown ? `is ${scheme}` : 'names no scheme that is known'}; it must be ${expected}`
}

const SCHEMES: readonly string[] = ['basic', 'bearer', 'digest', 'dpop', 'negotiate', 'token']

/**
 * Recognises a text that was sent in place of an access token or a code, such as a JWT. The message
 * does not repeat the text.
 * @returns an empty text when the text is not recognised
 */
export function mistakenFor(text: string, clients: Clients): string {
  if (text === 'undefined' || text === 'null')
    return `: it is the text ${quote(text)} of a variable without a value`
  if (/^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(text)) return ': it is a JWT, such as the id_token'
  if (/^urn:\w+:request:/.test(text)) return ': it is a request_uri'
  return ownersOf(text, clients).length > 0 ? ': it is a client_secret' : ''
}
