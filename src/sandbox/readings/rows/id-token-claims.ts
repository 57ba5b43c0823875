import { inClaims, type Reading } from '../reading.ts'

const CLAIMS = 'ID token claims'
const VERIFIED = ['use/verified']

/** What the claims of an id_token are. */
export const ID_TOKEN_CLAIMS: readonly Reading[] = [
  {
    name: 'sub',
    point: 'Form of sub',
    section: CLAIMS,
    quote: 'Session identifier of this verification.',
    open: 'nothing on its form and length',
    default: 'short',
    variants: [
      { name: 'short', summary: 'sub has 22 characters of base64url.', source: 'OpenID Connect Core 1.0 section 2' },
      {
        name: 'uuid',
        summary: 'sub is a UUID.',
        source: 'RFC 9562 section 4',
        effect: { changes: [inClaims((claims) => ({ ...claims, sub: asUuid(String(claims['sub'])) }))] },
      },
      {
        name: 'long',
        summary: 'sub has 255 characters.',
        source: 'OpenID Connect Core 1.0 section 2',
        effect: { changes: [inClaims((claims) => ({ ...claims, sub: String(claims['sub']).padEnd(MAX_SUB, '0') }))] },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'token_times',
    point: 'Fractions in iat and exp',
    section: CLAIMS,
    quote: 'iat | number | UNIX epoch seconds.',
    open: 'nothing on fractions',
    default: 'whole',
    variants: [
      { name: 'whole', summary: 'iat and exp are whole numbers.', source: 'RFC 7519 section 2' },
      {
        name: 'fractional',
        summary: 'iat and exp have a fraction.',
        source: 'RFC 7519 section 2',
        effect: {
          changes: [
            inClaims((claims) => ({ ...claims, iat: Number(claims['iat']) - 0.5, exp: Number(claims['exp']) - 0.5 })),
          ],
        },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'claims_hash',
    point: 'Padding of req_claims_hash',
    section: CLAIMS,
    quote: 'Base64url SHA-256 hash of the claims JSON that was sent.',
    open: 'nothing on padding',
    default: 'unpadded',
    variants: [
      {
        name: 'unpadded',
        summary: 'The hash has no padding.',
        source: 'RFC 7515 section 2',
      },
      {
        name: 'padded',
        summary: 'The hash ends with the padding of base64url.',
        source: 'RFC 4648 section 5',
        effect: { changes: [inClaims((claims) => ({ ...claims, req_claims_hash: `${claims['req_claims_hash']}=` }))] },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'azp',
    point: 'Authorized party',
    section: CLAIMS,
    quote: "Contains the client's client_id.",
    open: 'nothing on azp',
    default: 'absent',
    variants: [
      { name: 'absent', summary: 'There is no azp.', source: 'OpenID Connect Core 1.0 section 2' },
      {
        name: 'present',
        summary: 'azp is the client_id.',
        source: 'OpenID Connect Core 1.0 section 2',
        effect: { changes: ['use/id_token.azp_own'] },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'nbf',
    point: 'Beginning of the validity',
    section: CLAIMS,
    quote: '10 minutes of validity.',
    open: 'nothing on nbf',
    default: 'absent',
    variants: [
      { name: 'absent', summary: 'There is no nbf.', source: 'RFC 7519 section 4.1.5' },
      {
        name: 'present',
        summary: 'nbf is iat.',
        source: 'RFC 7519 section 4.1.5',
        effect: { changes: [inClaims((claims) => ({ ...claims, nbf: claims['iat'] }))] },
      },
    ],
    shownBy: VERIFIED,
  },
]

/** OpenID Connect Core 1.0 section 2: no more ASCII characters. */
const MAX_SUB = 255

/** The same 128 bits as a UUID of version 4. */
function asUuid(sub: string): string {
  const bytes = Buffer.from(sub, 'base64url')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
