import { createPublicKey } from 'node:crypto'
import { SIGNING_ALGORITHMS } from '../../../oidc/ports.ts'
import attackerCertificates from '../../keys/attacker-certificates.json' with { type: 'json' }
import { encodePart, signCompact } from '../../keys/compact-jws.ts'
import { foreignKey } from '../../keys/foreign-keys.ts'
import { signWithSecret, takeApart } from '../../keys/forge.ts'
import type { SigningKey } from '../../keys/signing-keys.ts'
import { SAID } from '../families.ts'
import { changedToken, inverted, withHeader } from '../id-token-changes.ts'
import { type OutcomeRow, rowsUnder } from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

const SIGNATURE = 'Verify the signature with the key of the published key set that has the kid of the header.'
const ALGORITHM =
  'Verify with the algorithm that was agreed on (signing_alg), never with the one that the header asks for.'
const OWN_KEYS = 'Take keys from the jwks_uri of the service only: a key or address inside the token proves nothing.'
const CRITICAL = 'Refuse a token whose crit lists an extension that is not understood (RFC 7515 section 4.1.11).'
const TYPE =
  'typ is JWT or absent. RFC 8725 section 3.11 recommends to check it, OpenID Connect does not demand it: both are right.'
const signatureRow = rowsUnder(changedToken, 'signature', SIGNATURE)
const algorithmRow = rowsUnder(changedToken, 'algorithm', ALGORITHM)

/** Changed signatures, and headers that try to choose how the signature is verified. */
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
      const payload = encodePart({ ...claims, age_thresholds: inverted(claims) })
      return `${parts.header}.${payload}.${parts.signature}`
    },
    { bait: 'minor' },
  ),
  signatureRow('signature_missing', 'The header announces a signature, and the part for it is empty.', (idToken) => {
    const { header, payload } = takeApart(idToken).parts
    return `${header}.${payload}.`
  }),
  signatureRow(
    'foreign_key_same_kid',
    'Signed by a foreign key under the kid of the published one.',
    (idToken, tools) => signForeign(idToken, tools, () => ({})),
  ),
  changedToken('foreign_key_unknown_kid', {
    family: 'signature',
    breaks: ['kid', 'signature'],
    summary: 'Signed by a foreign key under a kid that is not in the key set.',
    rule: `${SIGNATURE} An unknown kid may cause one new fetch of the key set, then the token is refused.`,
    apply: (idToken, tools) => signForeign(idToken, tools, ({ kid }) => ({ kid })),
  }),
  changedToken('embedded_jwk', {
    family: 'key_source',
    summary: 'Signed by a foreign key that the header brings along as jwk, under a kid that is not in the key set.',
    rule: OWN_KEYS,
    apply: (idToken, tools) => signForeign(idToken, tools, ({ kid, publicJwk }) => ({ kid, jwk: publicJwk })),
  }),
  changedToken('x5c', {
    family: 'key_source',
    since: '0.3',
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 2', 'RFC 7515 section 4.1.6'],
    summary: 'Signed by the key of a foreign certificate in the header x5c, under a kid that is not in the key set.',
    rule: OWN_KEYS,
    apply: (idToken, tools) =>
      signForeign(idToken, tools, ({ kid, alg }) => ({ kid, x5c: [attackerCertificates[alg]] })),
  }),
  ...(['jku', 'x5u'] as const).map((member) =>
    changedToken(member, {
      family: 'key_source',
      cwe: [347, 918],
      refs: [SAID.signature, 'OpenID Connect Core 1.0 section 2', 'RFC 8725 section 3.10'],
      summary: `Signed by a foreign key under a kid that is not in the key set; the header ${member} points at a trap of the sandbox.`,
      rule: `${OWN_KEYS} Never fetch an address that a token names.`,
      apply: (idToken, tools) => signForeign(idToken, tools, ({ kid }) => ({ kid, [member]: tools.createTrap() })),
    }),
  ),
  ...Object.entries({ alg_none: 'none', alg_none_mixed_case: 'nOnE', alg_none_upper_case: 'NONE' }).map(([name, alg]) =>
    changedToken(name, {
      family: 'algorithm',
      summary: `The header says alg ${alg}, and there is no signature.`,
      rule: ALGORITHM,
      apply(idToken) {
        const { header, parts } = takeApart(idToken)
        return `${encodePart({ ...header, alg })}.${parts.payload}.`
      },
    }),
  ),
  algorithmRow('hs256_with_public_key_pem', 'HS256 keyed with the public key in PEM.', (idToken, tools) =>
    signByPublicKey(idToken, tools, (key) => key.export({ type: 'spki', format: 'pem' })),
  ),
  algorithmRow('hs256_with_public_key_der', 'HS256 keyed with the public key in DER.', (idToken, tools) =>
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
  changedToken('kid_path_traversal', {
    family: 'algorithm',
    cwe: [347, 22],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 3.1.3.7 (7)', 'RFC 8725 section 3.10'],
    breaks: ['alg', 'kid', 'signature'],
    summary: 'HS256 with an empty secret, under a kid that is the path of an empty file.',
    rule: `${ALGORITHM} A kid is compared, never used as a path or in a query.`,
    apply: (idToken) => signShared(idToken, { alg: 'HS256', kid: '../../../../../../dev/null' }, ''),
  }),
  algorithmRow(
    'alg_of_other_family',
    'The header announces ES256 over an RS256 signature, or the other way round.',
    (idToken, tools) => withHeader(idToken, { alg: otherAlgorithm(tools) }, tools),
    {
      severity: 4.3,
      refs: [SAID.signature, 'RFC 7515 section 5.2'],
      harm: 'A token whose header lies about its algorithm is taken for a sound one.',
      breaks: ['signature'],
    },
  ),
  changedToken('kid_empty', {
    family: 'header',
    summary: 'Rightly signed, but the kid is the empty string.',
    rule: SIGNATURE,
    apply: (idToken, tools) => withHeader(idToken, { kid: '' }, tools),
  }),
  changedToken('kid_missing', {
    family: 'header',
    correctClient: 'depends',
    summary: 'Rightly signed, but the header has no kid.',
    rule: 'With several published keys a kid names one (OpenID Connect Core section 10.1). Refuse, or try the few keys of the agreed algorithm.',
    apply: (idToken, tools) => withHeader(idToken, { kid: undefined }, tools),
  }),
  changedToken('crit_unknown', {
    family: 'header',
    level: 'must',
    severity: 4.3,
    refs: ['RFC 7515 section 4.1.11'],
    breaks: ['crit'],
    summary: 'Rightly signed, with a crit header that lists an unknown extension.',
    rule: CRITICAL,
    apply: (idToken, tools) => withHeader(idToken, { crit: ['sandbox_extension'], sandbox_extension: true }, tools),
  }),
  changedToken('typ_other', {
    family: 'header',
    refs: ['RFC 8725 section 3.11'],
    breaks: ['typ'],
    correctClient: 'depends',
    summary: 'Rightly signed, but typ says at+jwt: an access token, not an id_token.',
    rule: TYPE,
    apply: (idToken, tools) => withHeader(idToken, { typ: 'at+jwt' }, tools),
  }),
]

const otherAlgorithm = ({ keys }: TamperTools) => SIGNING_ALGORITHMS.find((alg) => alg !== keys.alg)

/** The same claims under a changed header, signed by an unpublished key. */
async function signForeign(
  idToken: string,
  { keys }: TamperTools,
  change: (key: SigningKey) => Readonly<Record<string, unknown>>,
): Promise<string> {
  const { header, claims } = takeApart(idToken)
  const key = await foreignKey(keys.alg)
  return signCompact({ header: { ...header, ...change(key) }, payload: claims }, key)
}

function signShared(idToken: string, change: Readonly<Record<string, unknown>>, secret: string | Buffer): string {
  const { header, claims } = takeApart(idToken)
  return signWithSecret({ header: { ...header, ...change }, payload: claims }, secret)
}

async function signByPublicKey(
  idToken: string,
  { keys }: TamperTools,
  secretOf: (key: ReturnType<typeof createPublicKey>) => string | Buffer,
): Promise<string> {
  const { publicJwk } = await keys.signingKey()
  return signShared(idToken, { alg: 'HS256' }, secretOf(createPublicKey({ key: { ...publicJwk }, format: 'jwk' })))
}
