import { encodePart, signInput } from '../../keys/compact-jws.ts'
import { takeApart } from '../../keys/forge.ts'
import { SAID } from '../families.ts'
import { changedClaims, changedToken, withPayloadText } from '../id-token-changes.ts'
import { type OutcomeRow, rowsUnder } from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

const LIMITS =
  'Refuse a token above a few kilobytes before anything parses it: a real one has about one. It is signed rightly, so a client may also take it.'
const UNIQUE = 'Claim names are unique: refuse a repeated one, or take the last (RFC 7519 section 4).'
const compactRow = rowsUnder(
  changedToken,
  'serialisation',
  'An id_token is a compact JWS: three parts of base64url without padding, and nothing else (RFC 7515).',
)
const objectRow = rowsUnder(changedToken, 'payload', 'The payload of a JWT is a JSON object (RFC 7519 section 7.2).')

/** A text without a signature of the service is no id_token. */
const UNSIGNED = {
  level: 'must',
  severity: 9.8,
  cwe: [347, 1286],
  refs: [SAID.signature, 'RFC 7519 section 7.2'],
  harm: 'A text without a signature of the service is taken for a token, and a child is let in.',
} as const

/** Serialisations that a parser must refuse. */
export const ID_TOKEN_SHAPE: readonly OutcomeRow[] = [
  compactRow('four_parts', 'A fourth part follows the signature.', (idToken) => `${idToken}.${encodePart('more')}`),
  compactRow(
    'two_parts',
    'The signature and its dot are cut off.',
    (idToken) => {
      const { header, payload } = takeApart(idToken).parts
      return `${header}.${payload}`
    },
    UNSIGNED,
  ),
  compactRow(
    'jwe_shape',
    'Five parts, as of an encrypted token.',
    (_idToken, { invent, provider }) => {
      const header = encodePart({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: `sandbox-${invent()}` })
      return [header, ...[64, 12, 64, 16].map((bytes) => provider.ids.random(bytes))].join('.')
    },
    UNSIGNED,
  ),
  compactRow('trailing_data', 'Characters that are not base64url follow the signature.', (idToken) => `${idToken}~~~~`),
  changedToken('padded', {
    family: 'serialisation',
    correctClient: 'depends',
    summary: 'The payload is padded with =, and the signature is over it with the padding.',
    refs: ['RFC 7515 section 2'],
    rule: 'RFC 7515 leaves the padding out: refuse it, or take what is rightly signed, as many libraries do.',
    async apply(idToken, tools) {
      const { header, payload } = takeApart(await withPaddablePayload(idToken, tools)).parts
      return signInput(`${header}.${payload}${'='.repeat(4 - (payload.length % 4))}`, await tools.keys.signingKey())
    },
  }),
  compactRow('not_a_jwt', 'Plain text instead of a token.', () => 'verified', UNSIGNED),
  compactRow('invented', 'A random text without dots.', (_idToken, { invent }) => invent(), {
    ...UNSIGNED,
    since: '0.3',
    bait: 'both',
  }),
  compactRow('empty', 'The parameter id_token is there and empty.', () => '', UNSIGNED),
  objectRow('payload_not_object', 'Rightly signed, but the payload is a JSON array.', (idToken, tools) =>
    withPayloadText(idToken, JSON.stringify([takeApart(idToken).claims]), tools),
  ),
  objectRow('payload_not_json', 'Rightly signed, but the payload is not JSON.', (idToken, tools) =>
    withPayloadText(idToken, 'age_thresholds: {18: true}', tools),
  ),
  changedToken('nonce_twice', {
    family: 'payload',
    refs: ['RFC 7519 section 4'],
    summary: 'Rightly signed JSON with two members nonce: the right one, then another.',
    rule: UNIQUE,
    apply(idToken, tools) {
      const { claims } = takeApart(idToken)
      const text = JSON.stringify(claims).replace(/}$/, `,"nonce":${JSON.stringify(tools.invent())}}`)
      return withPayloadText(idToken, text, tools)
    },
  }),
  changedClaims('huge', {
    family: 'limits',
    correctClient: 'depends',
    summary: 'Rightly signed, with a claim that makes the token 64 KB.',
    rule: LIMITS,
    apply: (claims) => ({ ...claims, padding: 'x'.repeat(48 * 1024) }),
  }),
  changedToken('nested_deeply', {
    family: 'limits',
    correctClient: 'depends',
    summary: 'Rightly signed, with a claim of 4,000 nested arrays.',
    rule: LIMITS,
    apply(idToken, tools) {
      const { claims } = takeApart(idToken)
      // Deep enough to end a recursive parser in many languages.
      const nested = `${'['.repeat(4_000)}${']'.repeat(4_000)}`
      return withPayloadText(idToken, JSON.stringify(claims).replace(/}$/, `,"nested":${nested}}`), tools)
    },
  }),
]

/** The same claims, followed by a space if base64 would not pad their JSON: one length in three needs no padding. */
async function withPaddablePayload(idToken: string, tools: TamperTools): Promise<string> {
  const text = JSON.stringify(takeApart(idToken).claims)
  return withPayloadText(idToken, Buffer.byteLength(text) % 3 === 0 ? `${text} ` : text, tools)
}
