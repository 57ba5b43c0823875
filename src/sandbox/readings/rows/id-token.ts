import { inClaims, type ReadingRow } from '../reading.ts'

const SIGNED_JWT = {
  section: 'E1. Use authorization',
  quote: "Signed JWT. Must be validated on the client's server.",
}

const CLAIMS = 'ID token claims'

/** Readings of the id_token: its claims, then its signature, header and JSON. */
export const ID_TOKEN: readonly ReadingRow[] = [
  {
    name: 'sub',
    point: 'Form of sub',
    section: CLAIMS,
    quote: 'Session identifier of this verification.',
    open: 'nothing on its form and length',
    default: 'short',
    source: 'OpenID Connect Core 1.0 section 2',
    variants: {
      short: 'sub has 22 characters of base64url.',
      uuid: {
        summary: 'sub is a UUID.',
        source: 'RFC 9562 section 4',
        changes: [inClaims((claims) => ({ ...claims, sub: asUuid(String(claims['sub'])) }))],
      },
      long: {
        summary: 'sub has 255 characters.',
        changes: [inClaims((claims) => ({ ...claims, sub: String(claims['sub']).padEnd(MAX_SUB, '0') }))],
      },
    },
  },
  {
    name: 'token_times',
    point: 'Fractions in iat and exp',
    section: CLAIMS,
    quote: 'iat | number | UNIX epoch seconds.',
    open: 'nothing on fractions',
    default: 'whole',
    source: 'RFC 7519 section 2',
    variants: {
      whole: 'iat and exp are whole numbers.',
      fractional: {
        summary: 'iat and exp have a fraction.',
        changes: [
          inClaims((claims) => ({ ...claims, iat: Number(claims['iat']) - 0.5, exp: Number(claims['exp']) - 0.5 })),
        ],
      },
    },
  },
  {
    name: 'claims_hash',
    point: 'Padding of req_claims_hash',
    section: CLAIMS,
    quote: 'Base64url SHA-256 hash of the claims JSON that was sent.',
    open: 'nothing on padding',
    default: 'unpadded',
    source: 'RFC 7515 section 2',
    variants: {
      unpadded: 'The hash has no padding.',
      padded: {
        summary: 'The hash ends with the padding of base64url.',
        source: 'RFC 4648 section 5',
        changes: [inClaims((claims) => ({ ...claims, req_claims_hash: `${claims['req_claims_hash']}=` }))],
      },
    },
  },
  {
    name: 'azp',
    point: 'Authorized party',
    section: CLAIMS,
    quote: "Contains the client's client_id.",
    open: 'nothing on azp',
    default: 'absent',
    source: 'OpenID Connect Core 1.0 section 2',
    variants: {
      absent: 'There is no azp.',
      present: { summary: 'azp is the client_id.', changes: ['use/id_token.azp_own'] },
    },
  },
  {
    name: 'nbf',
    point: 'Beginning of the validity',
    section: CLAIMS,
    quote: '10 minutes of validity.',
    open: 'nothing on nbf',
    default: 'absent',
    source: 'RFC 7519 section 4.1.5',
    variants: {
      absent: 'There is no nbf.',
      present: { summary: 'nbf is iat.', changes: [inClaims((claims) => ({ ...claims, nbf: claims['iat'] }))] },
    },
  },
  {
    name: 'signing',
    point: 'Algorithm of the signature',
    section: 'Authentication',
    quote: 'signature against the published key set (the sample validation uses RS256)',
    open: 'no algorithm is demanded',
    decides: 'signingAlg',
    default: 'RS256',
    source: 'OpenID Connect Core 1.0 section 3.1.3.7',
    variants: {
      RS256: 'Each id_token is signed with RS256, whatever its client has set.',
      ES256: {
        summary: 'Each id_token is signed with ES256, whatever its client has set.',
        source: 'RFC 7518 section 3.1',
      },
    },
  },
  {
    name: 'typ',
    point: 'typ in the header',
    ...SIGNED_JWT,
    open: 'nothing on its header',
    default: 'JWT',
    source: 'RFC 7519 section 5.1',
    variants: {
      JWT: 'The header says typ JWT.',
      absent: { summary: 'The header has no typ.', changes: ['use/id_token.typ_missing'] },
    },
  },
  {
    name: 'token_order',
    point: 'Order of header members and claims',
    ...SIGNED_JWT,
    open: 'nothing on the order of its members',
    default: 'usual',
    source: 'RFC 8259 section 4',
    variants: {
      usual: 'alg and sub come first.',
      reversed: {
        summary: 'Header members and claims come in the other order.',
        changes: ['use/id_token.claims_reordered', 'use/id_token.header_reordered'],
      },
    },
  },
  {
    name: 'token_layout',
    point: 'Blanks in the JSON of an id_token',
    ...SIGNED_JWT,
    open: 'nothing on the layout of its JSON',
    default: 'compact',
    source: 'RFC 8259 section 2',
    variants: {
      compact: 'The JSON of the claims has no blanks.',
      indented: {
        summary: 'The JSON of the claims has line breaks and blanks.',
        changes: ['use/id_token.pretty_printed'],
      },
    },
  },
]

/** OpenID Connect Core 1.0 section 2: at most so many ASCII characters. */
const MAX_SUB = 255

/** The same 128 bits as a UUID of version 4. */
function asUuid(sub: string): string {
  const bytes = Buffer.from(sub, 'base64url')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
