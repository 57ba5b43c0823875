import { createPublicKey } from 'node:crypto'
import { SIGNING_ALGORITHMS } from '../../../service/oidc/ports.ts'
import attackerCertificates from '../../keys/attacker-certificates.json' with { type: 'json' }
import { encodePart, signInput, signWithSecret, takeApart } from '../../keys/compact-jws.ts'
import { foreignKey, type SigningKey } from '../../keys/signing-keys.ts'
import { answersAs, signAgain, withoutSignature } from '../answer-changes.ts'
import { SAID } from '../families.ts'
import { changedClaims, changedToken, type OutcomeRow, rowsUnder } from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

const SIGNATURE =
  'Verify the signature with the key of the published key set that has the kid of the header.'
const ALGORITHM =
  'Verify with the algorithm that was agreed on (signing_alg), never with the one that the header asks for.'
const OWN_KEYS =
  'Take keys from the jwks_uri of the service only: a key or address inside the token proves nothing.'
const signatureRow = rowsUnder(changedToken, 'signature', SIGNATURE)
const algorithmRow = rowsUnder(changedToken, 'algorithm', ALGORITHM)

/** Wrong signatures, and headers that try to choose how the signature is verified. */
export const ID_TOKEN_SIGNATURE: readonly OutcomeRow[] = [
  signatureRow('signature_bit_flipped', 'One bit of the signature is flipped.', (idToken) => {
    const { header, payload, signature } = takeApart(idToken).parts
    const bytes = Buffer.from(signature, 'base64url')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return `${header}.${payload}.${bytes.toString('base64url')}`
  }),
  signatureRow(
    'payload_changed',
    'Every answer is inverted after signing.',
    (idToken) => {
      const { claims, parts } = takeApart(idToken)
      const payload = encodePart({
        ...claims,
        age_thresholds: answersAs(claims, (answer) => !answer),
      })
      return `${parts.header}.${payload}.${parts.signature}`
    },
    { bait: 'minor' },
  ),
  signatureRow(
    'signature_missing',
    'The header announces a signature, and the part for it is empty.',
    withoutSignature,
  ),
  signatureRow(
    'foreign_key_same_kid',
    'Signed by a foreign key under the kid of the published one.',
    (idToken, tools) => signForeign(idToken, tools, () => ({})),
  ),
  changedToken('foreign_key_unknown_kid', 'signature', {
    breaks: ['kid', 'signature'],
    summary: 'Signed by a foreign key under a kid that is not in the key set.',
    rule: `${SIGNATURE} An unknown kid may cause one new fetch of the key set, then the token is refused.`,
    apply: (idToken, tools) => signForeign(idToken, tools, ({ kid }) => ({ kid })),
  }),
  changedToken('embedded_jwk', 'key_source', {
    summary:
      'Signed by a foreign key that the header brings along as jwk, under a kid that is not in the key set.',
    rule: OWN_KEYS,
    apply: (idToken, tools) =>
      signForeign(idToken, tools, ({ kid, publicJwk }) => ({ kid, jwk: publicJwk })),
  }),
  changedToken('x5c', 'key_source', {
    since: '0.3',
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 2', 'RFC 7515 section 4.1.6'],
    summary:
      'Signed by the key of a foreign certificate in the header x5c, under a kid that is not in the key set.',
    rule: OWN_KEYS,
    apply: (idToken, tools) =>
      signForeign(idToken, tools, ({ kid, alg }) => ({ kid, x5c: [attackerCertificates[alg]] })),
  }),
  ...(['jku', 'x5u'] as const).map((member) =>
    changedToken(member, 'key_source', {
      cwe: [347, 918],
      refs: [SAID.signature, 'OpenID Connect Core 1.0 section 2', 'RFC 8725 section 3.10'],
      summary: `Signed by a foreign key under a kid that is not in the key set; the header ${member} points at a trap of the sandbox.`,
      rule: `${OWN_KEYS} Never fetch an address that a token names.`,
      apply: (idToken, tools) =>
        signForeign(idToken, tools, ({ kid }) => ({ kid, [member]: tools.createTrap() })),
    }),
  ),
  ...Object.entries({
    alg_none: 'none',
    alg_none_mixed_case: 'nOnE',
    alg_none_upper_case: 'NONE',
  }).map(([name, alg]) =>
    changedToken(name, 'algorithm', {
      summary: `The header says alg ${alg}, and there is no signature.`,
      rule: ALGORITHM,
      apply(idToken) {
        const { header, parts } = takeApart(idToken)
        return `${encodePart({ ...header, alg })}.${parts.payload}.`
      },
    }),
  ),
  algorithmRow(
    'hs256_with_public_key_pem',
    'HS256 keyed with the public key in PEM.',
    (idToken, tools) =>
      signByPublicKey(idToken, tools, (key) => key.export({ type: 'spki', format: 'pem' })),
  ),
  algorithmRow(
    'hs256_with_public_key_der',
    'HS256 keyed with the public key in DER.',
    (idToken, tools) =>
      signByPublicKey(idToken, tools, (key) => key.export({ type: 'spki', format: 'der' })),
  ),
  algorithmRow(
    'hs256_with_public_key_member',
    'HS256 keyed with the member n (or x) of the published JWK.',
    async (idToken, { keys }) => {
      const { n, x } = (await keys.signingKey()).publicJwk
      return signShared(idToken, { alg: 'HS256' }, n ?? x ?? '')
    },
  ),
  changedToken('kid_path_traversal', 'algorithm', {
    cwe: [347, 22],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 3.1.3.7 (7)', 'RFC 8725 section 3.10'],
    breaks: ['alg', 'kid', 'signature'],
    summary: 'HS256 with an empty secret, under a kid that is the path of an empty file.',
    rule: `${ALGORITHM} A kid is compared, never used as a path or in a query.`,
    apply: (idToken) =>
      signShared(idToken, { alg: 'HS256', kid: '../../../../../../dev/null' }, ''),
  }),
  algorithmRow(
    'alg_of_other_family',
    'The header announces ES256 over an RS256 signature, or the other way round.',
    (idToken, tools) =>
      signAgain(idToken, tools, {
        header: { alg: SIGNING_ALGORITHMS.find((alg) => alg !== tools.keys.alg) },
      }),
    {
      severity: 4.3,
      refs: [SAID.signature, 'RFC 7515 section 5.2'],
      harm: 'A token whose header lies about its algorithm is taken for a sound one.',
      breaks: ['signature'],
    },
  ),
  changedToken('kid_empty', 'header', {
    summary: 'Rightly signed, but the kid is the empty string.',
    rule: SIGNATURE,
    apply: (idToken, tools) => signAgain(idToken, tools, { header: { kid: '' } }),
  }),
  changedToken('kid_missing', 'header', {
    correctClient: 'depends',
    summary: 'Rightly signed, but the header has no kid.',
    rule: 'With several published keys a kid names one (OpenID Connect Core section 10.1). Refuse, or try the few keys of the agreed algorithm.',
    apply: (idToken, tools) => signAgain(idToken, tools, { header: { kid: undefined } }),
  }),
  changedToken('crit_unknown', 'header', {
    level: 'must',
    severity: 4.3,
    refs: ['RFC 7515 section 4.1.11'],
    breaks: ['crit'],
    summary: 'Rightly signed, with a crit header that lists an unknown extension.',
    rule: 'Refuse a token whose crit lists an extension that is not understood (RFC 7515 section 4.1.11).',
    apply: (idToken, tools) =>
      signAgain(idToken, tools, {
        header: { crit: ['sandbox_extension'], sandbox_extension: true },
      }),
  }),
  changedToken('typ_other', 'header', {
    refs: ['RFC 8725 section 3.11'],
    breaks: ['typ'],
    correctClient: 'depends',
    summary: 'Rightly signed, but typ says at+jwt: an access token, not an id_token.',
    rule: 'typ is JWT or absent. RFC 8725 section 3.11 recommends to check it, OpenID Connect does not demand it: both are right.',
    apply: (idToken, tools) => signAgain(idToken, tools, { header: { typ: 'at+jwt' } }),
  }),
]

/** Signs the same claims with an unpublished key, under a changed header. */
async function signForeign(
  idToken: string,
  tools: TamperTools,
  change: (key: SigningKey) => Readonly<Record<string, unknown>>,
): Promise<string> {
  const key = await foreignKey(tools.keys.alg)
  return signAgain(idToken, tools, { header: change(key), key })
}

function signShared(
  idToken: string,
  change: Readonly<Record<string, unknown>>,
  secret: string | Buffer,
): string {
  const { header, claims } = takeApart(idToken)
  return signWithSecret({ header: { ...header, ...change }, payload: claims }, secret)
}

async function signByPublicKey(
  idToken: string,
  { keys }: TamperTools,
  secretOf: (key: ReturnType<typeof createPublicKey>) => string | Buffer,
): Promise<string> {
  const { publicJwk } = await keys.signingKey()
  return signShared(
    idToken,
    { alg: 'HS256' },
    secretOf(createPublicKey({ key: { ...publicJwk }, format: 'jwk' })),
  )
}
const LIMITS =
  'Refuse a token above a few kilobytes before anything parses it: a real one has about one. It is signed rightly, so a client may also take it.'
const compactRow = rowsUnder(
  changedToken,
  'serialisation',
  'An id_token is a compact JWS: three parts of base64url without padding, and nothing else (RFC 7515).',
)
const objectRow = rowsUnder(
  changedToken,
  'payload',
  'The payload of a JWT is a JSON object (RFC 7519 section 7.2).',
)

/** Columns for a text without a signature of the service: it is not an id_token. */
const UNSIGNED = {
  level: 'must',
  severity: 9.8,
  cwe: [347, 1286],
  refs: [SAID.signature, 'RFC 7519 section 7.2'],
  harm: 'A text without a signature of the service is taken for a token, and a child is let in.',
} as const

/** Malformed serialisations, which a parser must refuse. */
export const ID_TOKEN_SHAPE: readonly OutcomeRow[] = [
  compactRow(
    'four_parts',
    'A fourth part follows the signature.',
    (idToken) => `${idToken}.${encodePart('more')}`,
  ),
  compactRow(
    'two_parts',
    'The signature and its dot are cut off.',
    (idToken) => withoutSignature(idToken).slice(0, -1),
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
  compactRow(
    'trailing_data',
    'Characters that are not base64url follow the signature.',
    (idToken) => `${idToken}~~~~`,
  ),
  changedToken('padded', 'serialisation', {
    correctClient: 'depends',
    summary: 'The payload is padded with =, and the signature is over it with the padding.',
    refs: ['RFC 7515 section 2'],
    rule: 'RFC 7515 leaves the padding out: refuse it, or take what is rightly signed, as many libraries do.',
    async apply(idToken, tools) {
      const { header, payload } = takeApart(await withPaddablePayload(idToken, tools)).parts
      return signInput(
        `${header}.${payload}${'='.repeat(4 - (payload.length % 4))}`,
        await tools.keys.signingKey(),
      )
    },
  }),
  compactRow('not_a_jwt', 'Plain text instead of a token.', () => 'verified', UNSIGNED),
  compactRow('invented', 'A random text without dots.', (_idToken, { invent }) => invent(), {
    ...UNSIGNED,
    since: '0.3',
    bait: 'both',
  }),
  compactRow('empty', 'The parameter id_token is there and empty.', () => '', UNSIGNED),
  objectRow(
    'payload_not_object',
    'Rightly signed, but the payload is a JSON array.',
    (idToken, tools) =>
      signAgain(idToken, tools, { payload: JSON.stringify([takeApart(idToken).claims]) }),
  ),
  objectRow('payload_not_json', 'Rightly signed, but the payload is not JSON.', (idToken, tools) =>
    signAgain(idToken, tools, { payload: 'age_thresholds: {18: true}' }),
  ),
  changedToken('nonce_twice', 'payload', {
    refs: ['RFC 7519 section 4'],
    summary: 'Rightly signed JSON with two members nonce: the right one, then another.',
    rule: 'Claim names are unique: refuse a repeated one, or take the last (RFC 7519 section 4).',
    apply(idToken, tools) {
      const { claims } = takeApart(idToken)
      const text = JSON.stringify(claims).replace(
        /}$/,
        `,"nonce":${JSON.stringify(tools.invent())}}`,
      )
      return signAgain(idToken, tools, { payload: text })
    },
  }),
  changedClaims('huge', 'limits', {
    correctClient: 'depends',
    summary: 'Rightly signed, with a claim that makes the token 64 KB.',
    rule: LIMITS,
    apply: (claims) => ({ ...claims, padding: 'x'.repeat(48 * 1024) }),
  }),
  changedToken('nested_deeply', 'limits', {
    correctClient: 'depends',
    summary: 'Rightly signed, with a claim of 4,000 nested arrays.',
    rule: LIMITS,
    apply(idToken, tools) {
      const { claims } = takeApart(idToken)
      // Deep enough to crash a recursive parser in many languages.
      const nested = `${'['.repeat(4_000)}${']'.repeat(4_000)}`
      return signAgain(idToken, tools, {
        payload: JSON.stringify(claims).replace(/}$/, `,"nested":${nested}}`),
      })
    },
  }),
]

/**
 * Signs the claims with a trailing space if the base64 of their JSON needs no padding. One length
 * in three needs none.
 */
async function withPaddablePayload(idToken: string, tools: TamperTools): Promise<string> {
  const text = JSON.stringify(takeApart(idToken).claims)
  return signAgain(idToken, tools, {
    payload: Buffer.byteLength(text) % 3 === 0 ? `${text} ` : text,
  })
}
