import { createHash } from 'node:crypto'
import { codeHash, requestClaimsHash } from '../../../service/oidc/id-token.ts'
import { createIssuer } from '../../../service/oidc/provider.ts'
import { SAID } from '../families.ts'
import { changedClaims, changedToken, claimsRows, type OutcomeRow } from '../outcome-row.ts'

const issuerRow = claimsRows('issuer', 'iss equals {base_url}/v1/oidc/use, character by character.')
const audienceRow = claimsRows('audience', 'aud contains the own client_id.')
const partyRow = claimsRows(
  'authorized_party',
  'An audience that the client does not trust is refused, though the specification asks only that aud contains the client_id.',
)
const subjectRow = claimsRows(
  'subject',
  'sub is a string of 1 to 255 characters: log it, a later revocation names it.',
)

/** The live service. It accepts no tokens of a sandbox, and no sandbox issues its tokens. */
const LIVE_ISSUER = 'https://api.agekey.org/v1/oidc/use'

const OTHER_CLIENT = 'ak_test_other_client'

/** Changes to the claims that name issuer, audience and subject. */
export const ID_TOKEN_PARTIES: readonly OutcomeRow[] = [
  issuerRow('iss_live_host', 'The issuer is the live service.', { iss: LIVE_ISSUER }),
  issuerRow(
    'iss_of_create',
    'The issuer is that of the Create flow, which gives no id_token.',
    ({ provider }) => ({
      iss: createIssuer(provider),
    }),
  ),
  issuerRow(
    'iss_without_path',
    'The issuer is the base address without the path of the Use flow.',
    ({ provider }) => ({
      iss: provider.baseUrl,
    }),
  ),
  issuerRow('iss_trailing_slash', 'The issuer ends with a slash.', (_tools, claims) => ({
    iss: `${String(claims['iss'])}/`,
  })),
  issuerRow('iss_missing', 'There is no issuer.', { iss: undefined }),
  audienceRow('aud_of_other_client', 'The audience is another client.', { aud: [OTHER_CLIENT] }),
  audienceRow(
    'aud_of_other_client_azp_own',
    'The audience is another client, and azp is the own client_id.',
    ({ transaction }) => ({ aud: [OTHER_CLIENT], azp: transaction?.clientId }),
    { since: '0.3' },
  ),
  audienceRow('aud_empty', 'The audience is an empty array.', { aud: [] }),
  audienceRow('aud_missing', 'There is no audience.', { aud: undefined }),
  audienceRow(
    'aud_prefix',
    'The audience is a string that merely begins with the client_id.',
    ({ transaction }) => ({
      aud: `${transaction?.clientId}_and_more`,
    }),
  ),
  partyRow(
    'aud_two_without_azp',
    'Another client stands in the audience beside the own one, and azp is missing.',
    ({ transaction }) => ({ aud: [transaction?.clientId, OTHER_CLIENT] }),
  ),
  partyRow(
    'azp_of_other_client',
    'Two audiences, and azp names the other one.',
    ({ transaction }) => ({
      aud: [transaction?.clientId, OTHER_CLIENT],
      azp: OTHER_CLIENT,
    }),
  ),
  audienceRow(
    'for_other_client',
    'A whole token that the service minted for another of its clients: its audience and its nonce are those of that client.',
    ({ invent }) => ({ sub: invent(), aud: [OTHER_CLIENT], nonce: invent() }),
    { breaks: ['aud', 'nonce'] },
  ),
  subjectRow('sub_missing', 'There is no subject.', { sub: undefined }),
  subjectRow('sub_empty', 'The subject is the empty string.', { sub: '' }),
  subjectRow('sub_number', 'The subject is a number.', { sub: 4711 }),
  subjectRow('sub_too_long', 'The subject has 300 characters.', { sub: 'x'.repeat(300) }),
  changedClaims('sub_seen_before', 'subject', {
    breaks: [],
    correctClient: 'depends',
    summary: 'The subject is always the same, while each verification should have its own.',
    rule: 'sub identifies one verification: a client that logs it can notice one that it has seen before.',
    apply: (claims) => ({ ...claims, sub: 'sandbox-sub-seen-before' }),
  }),
]

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const expiryRow = claimsRows('expiry', 'exp is a number of seconds in the future.')
const lifetimeRow = claimsRows(
  'lifetime',
  'exp is at most 10 minutes behind iat, give or take the skew of clocks.',
)
const issuedRow = claimsRows('issued_at', 'iat is there, and a number of seconds.')
const rangeRow = claimsRows(
  'issued_at',
  'Refuse an iat before the flow or in the future, give or take the skew of clocks, or go by exp and nonce: the range is left to the client.',
)
const DEPENDS = { correctClient: 'depends' } as const
const EXPIRY_REFS = [SAID.exp, 'RFC 7519 section 4.1.4'] as const
const MOMENT = { severity: 3.1, harm: 'A token counts for a moment longer than it says.' } as const
const EXPIRED_AND_OLD = { breaks: ['exp', 'iat'] } as const

/** Changes to the claims about time. */
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
  changedClaims('expired_two_minutes_ago', 'expiry', {
    since: '0.3',
    refs: EXPIRY_REFS,
    ...MOMENT,
    correctClient: 'depends',
    summary: 'The token expired two minutes ago, and iat is now.',
    rule: 'Leeway for the skew of clocks is usually no more than a few minutes (RFC 7519 section 4.1.4): two may pass.',
    apply: (claims, { nowSeconds }) => ({ ...claims, exp: nowSeconds - 2 * MINUTE }),
  }),
  changedClaims('expired_one_second_ago', 'expiry', {
    correctClient: 'depends',
    summary: 'The token expired one second ago, and iat is now.',
    refs: EXPIRY_REFS,
    ...MOMENT,
    rule: 'exp is in the future; a client that allows for the skew of clocks accepts this one (RFC 7519 section 4.1.4).',
    apply: (claims, { nowSeconds }) => ({ ...claims, exp: nowSeconds - 1 }),
  }),
  expiryRow('exp_missing', 'There is no exp.', { exp: undefined }),
  expiryRow(
    'exp_string',
    'exp is right, but a string.',
    (_tools, claims) => ({ exp: String(claims['exp']) }),
    {
      level: 'should',
      severity: 3.7,
      cwe: [1287],
      refs: ['RFC 7519 section 4.1.4'],
    },
  ),
  lifetimeRow(
    'exp_milliseconds',
    'exp is in milliseconds: some fifty thousand years from now.',
    (_tools, claims) => ({
      exp: Number(claims['exp']) * 1000,
    }),
  ),
  lifetimeRow('exp_far_future', 'The token is valid for a year.', ({ nowSeconds }) => ({
    exp: nowSeconds + 365 * DAY,
  })),
  issuedRow('iat_missing', 'The token does not say when it was issued.', { iat: undefined }),
  issuedRow('iat_string', 'iat is right, but a string.', (_tools, claims) => ({
    iat: String(claims['iat']),
  })),
  rangeRow(
    'iat_future',
    'The token will be issued in nine minutes, and expires in ten.',
    ({ nowSeconds }) => ({ iat: nowSeconds + 9 * MINUTE }),
    { ...DEPENDS, harm: 'A token counts before the time at which it says that it is issued.' },
  ),
  rangeRow(
    'iat_far_past',
    'The token was issued a day ago and has not expired.',
    ({ nowSeconds }) => ({
      iat: nowSeconds - DAY,
    }),
    { ...DEPENDS, breaks: ['iat', 'lifetime'] },
  ),
  rangeRow(
    'issued_before_the_flow',
    'The token was issued nine minutes ago, before the flow began, and expires in a minute.',
    ({ nowSeconds }) => ({ iat: nowSeconds - 9 * MINUTE, exp: nowSeconds + MINUTE }),
    DEPENDS,
  ),
  changedClaims('nbf_future', 'not_before', {
    summary: 'The token is not to be accepted before an hour has passed.',
    rule: 'nbf, where there is one, is not in the future.',
    apply: (claims, { nowSeconds }) => ({ ...claims, nbf: nowSeconds + HOUR }),
  }),
]

const NONCE = 'nonce equals the one that was sent in this session; each serves once.'
const nonceRow = claimsRows('nonce', NONCE)
const claimsHashRow = claimsRows(
  'claims_hash',
  'req_claims_hash is the base64url SHA-256 of the claims string exactly as it was sent.',
)
const codeHashRow = claimsRows(
  'code_hash',
  'c_hash is there when a code is, and fits it (OpenID Connect Core section 3.3.2.11).',
)

const FOR_ZERO = '{"age_thresholds":[0]}'

/** A flow with the upgrade scope in which every threshold is false, so that a code is issued. */
const WITH_CODE = {
  ending: { kind: 'verified', allFalse: true },
  needs: ['upgrade_scope'],
} as const

/** Changes to the claims that bind a token to a session, a request and a code. */
export const ID_TOKEN_BINDING: readonly OutcomeRow[] = [
  nonceRow('nonce_missing', 'There is no nonce.', { nonce: undefined }),
  nonceRow('nonce_other', 'The nonce is one that no request sent.', ({ invent }) => ({
    nonce: invent(),
  })),
  nonceRow(
    'nonce_of_earlier_flow',
    'The nonce is that of the last flow of this client.',
    ({ earlier }) => ({ nonce: earlier.nonce }),
    { needs: ['earlier_flow'] },
  ),
  nonceRow('nonce_array', 'The nonce is right, but inside an array.', (_tools, claims) => ({
    nonce: [claims['nonce']],
  })),
  changedToken('replayed', 'nonce', {
    needs: ['earlier_flow'],
    summary: 'The whole token of the last flow of this client once more.',
    rule: NONCE,
    apply: (_idToken, { earlier }) => earlier.idToken,
  }),
  changedClaims('of_other_session', 'nonce', {
    summary: 'A right token that another user of the same client got a moment ago.',
    rule: 'A token belongs to the session whose nonce it carries: find the session first, then compare.',
    apply: (claims, { invent }) => ({ ...claims, sub: invent(), nonce: invent() }),
  }),
  claimsHashRow(
    'req_claims_hash_weaker',
    'The hash is that of a request for the age of 0, or of 1 when just that was sent.',
    ({ transaction }) => ({
      req_claims_hash: requestClaimsHash(
        `{"age_thresholds":[${transaction?.claimsText === FOR_ZERO ? 1 : 0}]}`,
      ),
    }),
  ),
  claimsHashRow(
    'req_claims_hash_hex',
    'The hash is right, but in hexadecimal.',
    ({ transaction }) => ({
      req_claims_hash: createHash('sha256')
        .update(transaction?.claimsText ?? '')
        .digest('hex'),
    }),
  ),
  claimsHashRow('req_claims_hash_missing', 'There is no hash of the requested claims.', {
    req_claims_hash: undefined,
  }),
  codeHashRow(
    'c_hash_wrong',
    'No threshold is met, a code comes, and c_hash is that of another code.',
    ({ invent }) => ({ c_hash: codeHash(invent()) }),
    WITH_CODE,
  ),
  codeHashRow(
    'c_hash_missing',
    'No threshold is met, a code comes, and there is no c_hash.',
    { c_hash: undefined },
    WITH_CODE,
  ),
  changedClaims('c_hash_without_code', 'code_hash', {
    correctClient: 'depends',
    needs: ['no_code'],
    summary: 'c_hash is that of a code that does not come.',
    rule: 'Refuse it, or ignore it as a claim without a use: without a code there is nothing to compare.',
    breaks: [],
    apply: (claims, { invent }) => ({ ...claims, c_hash: codeHash(invent()) }),
  }),
]
