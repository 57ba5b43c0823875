import type { Reading } from '../reading.ts'

const SECTION = 'States and transitions'
const SINGLE_USE = 'Whether a code, a request_uri or an access token is single-use: not shown.'

/** How often, and for how long, something that was issued serves. */
export const LIVES: readonly Reading[] = [
  {
    name: 'code_use',
    point: 'Uses of a code',
    section: SECTION,
    quote: SINGLE_USE,
    default: 'single',
    variants: [
      {
        name: 'single',
        summary: 'A code serves once. A second exchange is refused and ends the access token of the first.',
        source: 'RFC 6749 section 4.1.2',
      },
      {
        name: 'repeated',
        summary: 'A code serves until it expires. Each exchange gives another access token.',
        source: 'OpenID Connect Core 1.0 section 3.1.3.2',
        effect: { decisions: { codeUse: 'repeated' } },
      },
    ],
    shownBy: ['use/code_issued'],
  },
  {
    name: 'request_uri_use',
    point: 'Uses of a request_uri',
    section: SECTION,
    quote: SINGLE_USE,
    default: 'single',
    variants: [
      { name: 'single', summary: 'A request_uri serves one decision of the user.', source: 'RFC 9126 section 4' },
      {
        name: 'repeated',
        summary: 'A request_uri serves until it expires.',
        source: 'RFC 9126 section 2.2',
        effect: { decisions: { requestUriUse: 'repeated' } },
      },
    ],
    shownBy: ['create/created'],
  },
  {
    name: 'access_token_use',
    point: 'Uses of an access token',
    section: SECTION,
    quote: SINGLE_USE,
    default: 'repeated',
    variants: [
      { name: 'repeated', summary: 'An access token serves until it expires.', source: 'RFC 6749 section 1.4' },
      {
        name: 'single',
        summary: 'An access token serves one upgrade.',
        source: 'RFC 6750 section 3.1',
        effect: { decisions: { accessTokenUse: 'single' } },
      },
    ],
    shownBy: ['use/code_issued'],
  },
  {
    name: 'code_lifetime',
    point: 'Lifetime of a code',
    section: 'Limits',
    quote: 'Lifetimes of the request_uri, the id_token and the access token. (nothing on that of the code)',
    default: '600',
    variants: [
      {
        name: '600',
        summary: 'A code is valid for 600 seconds.',
        source: 'RFC 6749 section 4.1.2',
        effect: { decisions: { codeSeconds: 600 } },
      },
      {
        name: '60',
        summary: 'A code is valid for 60 seconds.',
        source: 'RFC 6749 section 4.1.2',
        effect: { decisions: { codeSeconds: 60 } },
      },
      {
        name: '3600',
        summary: 'A code is valid for an hour.',
        source: 'RFC 6749 section 4.1.2',
        effect: { decisions: { codeSeconds: 3600 } },
      },
    ],
    shownBy: ['use/code_issued'],
  },
]
