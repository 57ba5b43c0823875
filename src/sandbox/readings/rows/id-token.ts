import type { Reading } from '../reading.ts'

const USE = 'E1. Use authorization'
const SIGNED_JWT = "Signed JWT. Must be validated on the client's server."
const VALIDATION = 'Authentication'
const VERIFIED = ['use/verified']

/** How an id_token is made: its signature, its header and its JSON. */
export const ID_TOKEN: readonly Reading[] = [
  {
    name: 'signing',
    point: 'Algorithm of the signature',
    section: VALIDATION,
    quote: 'signature against the published key set (the sample validation uses RS256)',
    open: 'no algorithm is demanded',
    default: 'RS256',
    variants: [
      {
        name: 'RS256',
        summary: 'Each id_token is signed with RS256, whatever its client has set.',
        source: 'OpenID Connect Core 1.0 section 3.1.3.7',
        effect: { decisions: { signingAlg: 'RS256' } },
      },
      {
        name: 'ES256',
        summary: 'Each id_token is signed with ES256, whatever its client has set.',
        source: 'RFC 7518 section 3.1',
        effect: { decisions: { signingAlg: 'ES256' } },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'typ',
    point: 'typ in the header',
    section: USE,
    quote: SIGNED_JWT,
    open: 'nothing on its header',
    default: 'JWT',
    variants: [
      { name: 'JWT', summary: 'The header says typ JWT.', source: 'RFC 7519 section 5.1' },
      {
        name: 'absent',
        summary: 'The header has no typ.',
        source: 'RFC 7519 section 5.1',
        effect: { changes: ['use/id_token.typ_missing'] },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'token_order',
    point: 'Order of header members and claims',
    section: USE,
    quote: SIGNED_JWT,
    open: 'nothing on the order of its members',
    default: 'usual',
    variants: [
      { name: 'usual', summary: 'alg and sub come first.', source: 'RFC 8259 section 4' },
      {
        name: 'reversed',
        summary: 'Header members and claims come in the other order.',
        source: 'RFC 8259 section 4',
        effect: { changes: ['use/id_token.claims_reordered', 'use/id_token.header_reordered'] },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'token_layout',
    point: 'Blanks in the JSON of an id_token',
    section: USE,
    quote: SIGNED_JWT,
    open: 'nothing on the layout of its JSON',
    default: 'compact',
    variants: [
      { name: 'compact', summary: 'The JSON of the claims has no blanks.', source: 'RFC 8259 section 2' },
      {
        name: 'indented',
        summary: 'The JSON of the claims has line breaks and blanks.',
        source: 'RFC 8259 section 2',
        effect: { changes: ['use/id_token.pretty_printed'] },
      },
    ],
    shownBy: VERIFIED,
  },
]
