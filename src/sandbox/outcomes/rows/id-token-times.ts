import { SAID } from '../citations.ts'
import { changedClaims, claimsRows } from '../id-token-changes.ts'
import type { OutcomeRow } from '../outcome-row.ts'

const NOT_BEFORE = 'nbf, where there is one, is not in the future.'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const expiryRow = claimsRows('expiry', 'exp is a number of seconds in the future.')
const lifetimeRow = claimsRows('lifetime', 'exp is at most 10 minutes behind iat, give or take the skew of clocks.')
const issuedRow = claimsRows('issued_at', 'iat is there, and a number of seconds.')
const rangeRow = claimsRows(
  'issued_at',
  'Refuse an iat before the flow or in the future, give or take the skew of clocks, or go by exp and nonce: the range is left to the client.',
)
const READING = { correctClient: 'depends' } as const

const EXPIRY_REFS = [SAID.exp, 'RFC 7519 section 4.1.4'] as const
const MOMENT = { severity: 3.1, harm: 'A token counts for a moment longer than it says.' } as const
const EXPIRED_AND_OLD = { breaks: ['exp', 'iat'] } as const

/** Claims about time. */
export const ID_TOKEN_TIMES: readonly OutcomeRow[] = [
  expiryRow(
    'expired',
    'The token expired an hour ago; it was issued ten minutes earlier.',
    ({ nowSeconds }) => ({ iat: nowSeconds - 70 * MINUTE, exp: nowSeconds - HOUR }),
    EXPIRED_AND_OLD,
  ),
  expiryRow(
    'expired_a_day_ago',
    'The token expired a day ago; it was issued ten minutes earlier.',
    ({ nowSeconds }) => ({ iat: nowSeconds - DAY - 10 * MINUTE, exp: nowSeconds - DAY }),
    EXPIRED_AND_OLD,
  ),
  expiryRow(
    'expired_issued_now',
    'The token expired an hour ago, and iat is now: only exp says that it is too old.',
    ({ nowSeconds }) => ({ exp: nowSeconds - HOUR }),
    { since: '0.2' },
  ),
  ...Object.entries({ fifty: 50, ten: 10 }).map(([name, minutes]) =>
    expiryRow(
      `expired_${name}_minutes_ago`,
      `The token expired ${minutes} minutes ago, and iat is now: more than clocks differ.`,
      ({ nowSeconds }) => ({ exp: nowSeconds - minutes * MINUTE }),
      { since: '0.3', refs: EXPIRY_REFS },
    ),
  ),
  changedClaims('expired_two_minutes_ago', {
    family: 'expiry',
    since: '0.3',
    refs: EXPIRY_REFS,
    ...MOMENT,
    correctClient: 'depends',
    summary: 'The token expired two minutes ago, and iat is now.',
    rule: 'Leeway for the skew of clocks is usually no more than a few minutes (RFC 7519 section 4.1.4): two may pass.',
    apply: (claims, { nowSeconds }) => ({ ...claims, exp: nowSeconds - 2 * MINUTE }),
  }),
  changedClaims('expired_one_second_ago', {
    family: 'expiry',
    correctClient: 'depends',
    summary: 'The token expired one second ago, and iat is now.',
    refs: EXPIRY_REFS,
    ...MOMENT,
    rule: 'exp is in the future; a client that allows for the skew of clocks accepts this one (RFC 7519 section 4.1.4).',
    apply: (claims, { nowSeconds }) => ({ ...claims, exp: nowSeconds - 1 }),
  }),
  expiryRow('exp_missing', 'There is no exp.', { exp: undefined }),
  expiryRow('exp_string', 'exp is right, but a string.', (_tools, claims) => ({ exp: String(claims['exp']) }), {
    level: 'should',
    severity: 3.7,
    cwe: [1287],
    refs: ['RFC 7519 section 4.1.4'],
  }),
  lifetimeRow('exp_milliseconds', 'exp is in milliseconds: some fifty thousand years from now.', (_tools, claims) => ({
    exp: Number(claims['exp']) * 1000,
  })),
  lifetimeRow('exp_far_future', 'The token is valid for a year.', ({ nowSeconds }) => ({
    exp: nowSeconds + 365 * DAY,
  })),
  issuedRow('iat_missing', 'The token does not say when it was issued.', { iat: undefined }),
  issuedRow('iat_string', 'iat is right, but a string.', (_tools, claims) => ({ iat: String(claims['iat']) })),
  rangeRow(
    'iat_future',
    'The token will be issued in nine minutes, and expires in ten.',
    ({ nowSeconds }) => ({ iat: nowSeconds + 9 * MINUTE }),
    { ...READING, harm: 'A token counts before the time at which it says that it is issued.' },
  ),
  rangeRow(
    'iat_far_past',
    'The token was issued a day ago and has not expired.',
    ({ nowSeconds }) => ({
      iat: nowSeconds - DAY,
    }),
    { ...READING, breaks: ['iat', 'lifetime'] },
  ),
  rangeRow(
    'issued_before_the_flow',
    'The token was issued nine minutes ago, before the flow began, and expires in a minute.',
    ({ nowSeconds }) => ({ iat: nowSeconds - 9 * MINUTE, exp: nowSeconds + MINUTE }),
    READING,
  ),
  changedClaims('nbf_future', {
    family: 'not_before',
    summary: 'The token is not to be accepted before an hour has passed.',
    rule: NOT_BEFORE,
    apply: (claims, { nowSeconds }) => ({ ...claims, nbf: nowSeconds + HOUR }),
  }),
]
