import { changedClaims, without } from '../id-token-changes.ts'
import type { Outcome } from '../outcome.ts'

const EXPIRY = 'exp is a number of seconds in the future.'
const LIFETIME = 'exp is at most 10 minutes behind iat, give or take the skew of clocks.'
const ISSUED =
  'iat is a number of seconds, not before the flow began and not in the future, give or take the skew of clocks.'
const NOT_BEFORE = 'nbf, where there is one, is not in the future.'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Claims about time. */
export const ID_TOKEN_TIMES: readonly Outcome[] = [
  changedClaims('expired', {
    summary: 'The token expired an hour ago.',
    rule: EXPIRY,
    apply: (claims, { nowSeconds }) => ({ ...claims, iat: nowSeconds - 70 * MINUTE, exp: nowSeconds - HOUR }),
  }),
  changedClaims('expired_a_day_ago', {
    summary: 'The token expired a day ago.',
    rule: EXPIRY,
    apply: (claims, { nowSeconds }) => ({ ...claims, iat: nowSeconds - DAY - 10 * MINUTE, exp: nowSeconds - DAY }),
  }),
  changedClaims('expired_one_second_ago', {
    correctClient: 'depends',
    summary: 'The token expired one second ago.',
    rule: 'exp is in the future; a client that allows for the skew of clocks, by a minute at most, accepts this one.',
    apply: (claims, { nowSeconds }) => ({ ...claims, iat: nowSeconds - MINUTE, exp: nowSeconds - 1 }),
  }),
  changedClaims('exp_missing', {
    summary: 'The token never expires.',
    rule: EXPIRY,
    apply: (claims) => without(claims, 'exp'),
  }),
  changedClaims('exp_string', {
    summary: 'exp is right, but a string.',
    rule: EXPIRY,
    apply: (claims) => ({ ...claims, exp: String(claims['exp']) }),
  }),
  changedClaims('exp_milliseconds', {
    summary: 'exp is in milliseconds: some fifty thousand years from now.',
    rule: LIFETIME,
    apply: (claims) => ({ ...claims, exp: Number(claims['exp']) * 1000 }),
  }),
  changedClaims('exp_far_future', {
    summary: 'The token is valid for a year.',
    rule: LIFETIME,
    apply: (claims, { nowSeconds }) => ({ ...claims, exp: nowSeconds + 365 * DAY }),
  }),
  changedClaims('iat_missing', {
    summary: 'The token does not say when it was issued.',
    rule: ISSUED,
    apply: (claims) => without(claims, 'iat'),
  }),
  changedClaims('iat_string', {
    summary: 'iat is right, but a string.',
    rule: ISSUED,
    apply: (claims) => ({ ...claims, iat: String(claims['iat']) }),
  }),
  changedClaims('iat_future', {
    summary: 'The token will be issued in an hour.',
    rule: ISSUED,
    apply: (claims, { nowSeconds }) => ({ ...claims, iat: nowSeconds + HOUR, exp: nowSeconds + HOUR + 10 * MINUTE }),
  }),
  changedClaims('iat_far_past', {
    summary: 'The token was issued a day ago and has not expired.',
    rule: ISSUED,
    apply: (claims, { nowSeconds }) => ({ ...claims, iat: nowSeconds - DAY }),
  }),
  changedClaims('issued_before_the_flow', {
    summary: 'The token was minted two hours before the flow began and has not expired.',
    rule: ISSUED,
    apply: (claims, { nowSeconds }) => ({ ...claims, iat: nowSeconds - 2 * HOUR }),
  }),
  changedClaims('nbf_future', {
    summary: 'The token is not to be accepted before an hour has passed.',
    rule: NOT_BEFORE,
    apply: (claims, { nowSeconds }) => ({ ...claims, nbf: nowSeconds + HOUR }),
  }),
]
