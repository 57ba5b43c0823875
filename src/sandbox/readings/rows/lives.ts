import type { ReadingRow } from '../reading.ts'

const SINGLE_USE = {
  section: 'States and transitions',
  quote: 'Whether a code, a request_uri or an access token is single-use: not shown.',
}

const CODE = {
  section: 'E4. Use token',
  quote: 'The code from E1, issued when the upgrade scope was requested and all thresholds were false.',
}

/** Values that a client only sends back and must not look into. */
const formsOf = (what: string) => ({
  short: `${what} has some 20 to 50 letters of base64url.`,
  jwt: `${what} is a JWT of some 1,000 characters, with dots.`,
  base64: `${what} has the characters /, + and =.`,
})
const FORM = { open: 'nothing on its form and length', default: 'short' } as const

/** Readings of what is issued: how often and how long it serves, its limits, its effect and its form. */
export const LIVES: readonly ReadingRow[] = [
  {
    name: 'code_use',
    point: 'Uses of a code',
    ...SINGLE_USE,
    decides: 'codeUse',
    default: 'single',
    source: 'RFC 6749 section 4.1.2',
    variants: {
      single: 'A code serves once. A second exchange is refused and ends the access token of the first.',
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
    default: 'single',
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
    default: 'repeated',
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
    default: '10',
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
    default: 'start',
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
    quote: 'An existing age key that fails all requested thresholds is replaced or updated with a new age signal.',
    open: 'nothing on which of the two',
    decides: 'upgradeEffect',
    default: 'adds',
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
