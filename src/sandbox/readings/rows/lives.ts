import type { Reading } from '../reading.ts'

const SECTION = 'States and transitions'
const VERIFIED = ['use/verified']
const SINGLE_USE = 'Whether a code, a request_uri or an access token is single-use: not shown.'

/** How often and how long something serves, how much of it a request has, and what it does. */
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
        source: 'RFC 9126 section 4',
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
    section: 'E4. Use token',
    quote: 'The code from E1, issued when the upgrade scope was requested and all thresholds were false.',
    open: 'nothing on how long it serves',
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
    ],
    shownBy: ['use/code_issued'],
  },
  {
    name: 'signals_limit',
    point: 'Age signals in one request',
    section: 'Limits',
    quote: 'Maximum number of items in authorization_details: not shown.',
    default: '10',
    variants: [
      { name: '10', summary: 'authorization_details holds up to ten age signals.', source: 'RFC 9396 section 2' },
      {
        name: '1',
        summary: 'authorization_details holds one age signal: more are refused.',
        source: 'specification, "E2. Create PAR"',
        effect: { decisions: { maxSignals: 1 } },
      },
    ],
    shownBy: ['create/created', 'use/code_issued'],
  },
  {
    name: 'verified_after_date',
    point: 'A date in verified_after',
    section: 'Claims object',
    quote: 'ISO 8601 date or date-time. Only verifications after it are accepted.',
    open: 'nothing on which instant of its day a date is',
    default: 'start',
    variants: [
      {
        name: 'start',
        summary: 'A date is 00:00 UTC of its day: a verification later on that day is after it.',
        source: 'specification, "Claims object"',
      },
      {
        name: 'end',
        summary: 'A date is the end of its day: no verification on that day is after it.',
        source: 'specification, "Claims object"',
        effect: { decisions: { verifiedAfterDate: 'end' } },
      },
    ],
    shownBy: VERIFIED,
  },
  {
    name: 'upgrade_effect',
    point: 'What an upgrade does with the age signals before it',
    section: 'What the service does',
    quote: 'An existing age key that fails all requested thresholds is replaced or updated with a new age signal.',
    open: 'nothing on which of the two',
    default: 'adds',
    variants: [
      {
        name: 'adds',
        summary: 'An upgrade adds its age signals to those of the age key.',
        source: 'specification, "What the service does"',
      },
      {
        name: 'replaces',
        summary: 'An upgrade puts its age signals in the place of those of the age key.',
        source: 'specification, "What the service does"',
        effect: { decisions: { upgradeEffect: 'replaces' } },
      },
    ],
    shownBy: ['use/code_issued'],
  },
]
