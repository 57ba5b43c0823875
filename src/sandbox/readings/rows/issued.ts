import { inClaims, type ReadingRow } from '../reading.ts'

const SIGNED_JWT = {
  section: 'E1. Use authorization',
  quote: "Signed JWT. Must be validated on the client's server.",
}

const CLAIMS = 'ID token claims'

/** Readings of the id_token: claims, signature, header and JSON. */
export const ID_TOKEN: readonly ReadingRow[] = [
  {
    name: 'sub',
    point: 'Form of sub',
    section: CLAIMS,
    quote: 'Session identifier of this verification.',
    open: 'nothing on its form and length',
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
        changes: [
          inClaims((claims) => ({ ...claims, sub: String(claims['sub']).padEnd(MAX_SUB, '0') })),
        ],
      },
    },
  },
  {
    name: 'token_times',
    point: 'Fractions in iat and exp',
    section: CLAIMS,
    quote: 'iat | number | UNIX epoch seconds.',
    open: 'nothing on fractions',
    source: 'RFC 7519 section 2',
    variants: {
      whole: 'iat and exp are whole numbers.',
      fractional: {
        summary: 'iat and exp have a fraction.',
        changes: [
          inClaims((claims) => ({
            ...claims,
            iat: Number(claims['iat']) - 0.5,
            exp: Number(claims['exp']) - 0.5,
          })),
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
    source: 'RFC 7515 section 2',
    variants: {
      unpadded: 'The hash has no padding.',
      padded: {
        summary: 'The hash ends with the padding of base64url.',
        source: 'RFC 4648 section 5',
        changes: [
          inClaims((claims) => ({ ...claims, req_claims_hash: `${claims['req_claims_hash']}=` })),
        ],
      },
    },
  },
  {
    name: 'azp',
    point: 'Authorized party',
    section: CLAIMS,
    quote: "Contains the client's client_id.",
    open: 'nothing on azp',
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
    source: 'RFC 7519 section 4.1.5',
    variants: {
      absent: 'There is no nbf.',
      present: {
        summary: 'nbf is iat.',
        changes: [inClaims((claims) => ({ ...claims, nbf: claims['iat'] }))],
      },
    },
  },
  {
    name: 'signing',
    point: 'Algorithm of the signature',
    section: 'Authentication',
    quote: 'signature against the published key set (the sample validation uses RS256)',
    open: 'no algorithm is demanded',
    decides: 'signingAlg',
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

/** OpenID Connect Core 1.0 section 2: maximum length of `sub` in ASCII characters. */
const MAX_SUB = 255

/** Writes the 128 bits of `sub` as a UUID of version 4. */
function asUuid(sub: string): string {
  const bytes = Buffer.from(sub, 'base64url')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const SINGLE_USE = {
  section: 'States and transitions',
  quote: 'Whether a code, a request_uri or an access token is single-use: not shown.',
}

const CODE = {
  section: 'E4. Use token',
  quote:
    'The code from E1, issued when the upgrade scope was requested and all thresholds were false.',
}

/** Variants for the form of a value that is opaque to clients. */
const formsOf = (what: string) => ({
  short: `${what} has some 20 to 50 letters of base64url.`,
  jwt: `${what} is a JWT of some 1,000 characters, with dots.`,
  base64: `${what} has the characters /, + and =.`,
})
const FORM = { open: 'nothing on its form and length' }

/**
 * Readings of codes, access tokens and pushed requests: uses, lifetimes, limits, effects and forms.
 */
export const LIVES: readonly ReadingRow[] = [
  {
    name: 'code_use',
    point: 'Uses of a code',
    ...SINGLE_USE,
    decides: 'codeUse',
    source: 'RFC 6749 section 4.1.2',
    variants: {
      single:
        'A code serves once. A second exchange is refused and ends the access token of the first.',
      repeated: {
        summary: 'A code serves until it expires. Each exchange gives another access token.',
        source: 'OpenID Connect Core 1.0 section 3.1.3.2',
      },
    },
    shownBy: ['use/code_issued'],
  },
  {
    name: 'request_uri_use',
    point: 'Uses of a request_uri',
    ...SINGLE_USE,
    decides: 'requestUriUse',
    source: 'RFC 9126 section 4',
    variants: {
      single: 'A request_uri serves one decision of the user.',
      repeated: 'A request_uri serves until it expires.',
    },
    shownBy: ['create/created'],
  },
  {
    name: 'access_token_use',
    point: 'Uses of an access token',
    ...SINGLE_USE,
    decides: 'accessTokenUse',
    source: 'RFC 6749 section 1.4',
    variants: {
      repeated: 'An access token serves until it expires.',
      single: { summary: 'An access token serves one upgrade.', source: 'RFC 6750 section 3.1' },
    },
    shownBy: ['use/code_issued'],
  },
  {
    name: 'code_lifetime',
    point: 'Lifetime of a code',
    ...CODE,
    open: 'nothing on how long it serves',
    decides: 'codeSeconds',
    default: '600',
    source: 'RFC 6749 section 4.1.2',
    variants: {
      600: 'A code is valid for 600 seconds.',
      60: 'A code is valid for 60 seconds.',
    },
    shownBy: ['use/code_issued'],
  },
  {
    name: 'signals_limit',
    point: 'Age signals in one request',
    section: 'Limits',
    quote: 'Maximum number of items in authorization_details: not shown.',
    decides: 'maxSignals',
    source: 'RFC 9396 section 2',
    variants: {
      10: 'authorization_details holds up to ten age signals.',
      1: {
        summary: 'authorization_details holds one age signal: more are refused.',
        source: 'specification, "E2. Create PAR"',
      },
    },
    shownBy: ['create/created', 'use/code_issued'],
  },
  {
    name: 'verified_after_date',
    point: 'A date in verified_after',
    section: 'Claims object',
    quote: 'ISO 8601 date or date-time. Only verifications after it are accepted.',
    open: 'nothing on which instant of its day a date is',
    decides: 'verifiedAfterDate',
    source: 'specification, "Claims object"',
    variants: {
      start: 'A date is 00:00 UTC of its day: a verification later on that day is after it.',
      end: 'A date is the end of its day: no verification on that day is after it.',
    },
  },
  {
    name: 'upgrade_effect',
    point: 'What an upgrade does with the age signals before it',
    section: 'What the service does',
    quote:
      'An existing age key that fails all requested thresholds is replaced or updated with a new age signal.',
    open: 'nothing on which of the two',
    decides: 'upgradeEffect',
    source: 'specification, "What the service does"',
    variants: {
      adds: 'An upgrade adds its age signals to those of the age key.',
      replaces: 'An upgrade puts its age signals in the place of those of the age key.',
    },
    shownBy: ['use/code_issued'],
  },
  {
    name: 'code_form',
    point: 'Form of a code',
    ...CODE,
    ...FORM,
    decides: 'codeForm',
    source: 'RFC 6749 appendix A.11',
    variants: formsOf('A code'),
    shownBy: ['use/code_issued'],
  },
  {
    name: 'access_token_form',
    point: 'Form of an access token',
    section: 'Token response',
    quote: 'Bearer token for the upgrade call.',
    ...FORM,
    decides: 'accessTokenForm',
    source: 'RFC 6750 section 2.1',
    variants: formsOf('An access token'),
    shownBy: ['use/code_issued'],
  },
  {
    name: 'request_uri_form',
    point: 'Form of a request_uri',
    section: 'Pushed request reference',
    quote: 'Shape urn:svc:request:<id>.',
    ...FORM,
    decides: 'requestUriForm',
    source: 'RFC 8141 section 2.2',
    variants: formsOf('The id in a request_uri'),
    shownBy: ['create/created'],
  },
]
