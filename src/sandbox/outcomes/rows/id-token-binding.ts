import { createHash } from 'node:crypto'
import { codeHash, requestClaimsHash } from '../../../oidc/id-token.ts'
import { changedClaims, changedToken, claimsRows } from '../id-token-changes.ts'
import type { OutcomeRow } from '../outcome-row.ts'

const NONCE = 'nonce equals the one that was sent in this session; each serves once.'
const SESSION = 'A token belongs to the session whose nonce it carries: find the session first, then compare.'
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

/** A flow with the upgrade scope whose thresholds are all false, so that a code comes. */
const WITH_CODE = { ending: { kind: 'verified', allFalse: true }, needs: ['upgrade_scope'] } as const

/** Claims that tie a token to one session, one request and one code. */
export const ID_TOKEN_BINDING: readonly OutcomeRow[] = [
  nonceRow('nonce_missing', 'There is no nonce.', { nonce: undefined }),
  nonceRow('nonce_other', 'The nonce is one that no request sent.', ({ invent }) => ({ nonce: invent() })),
  nonceRow(
    'nonce_of_earlier_flow',
    'The nonce is that of the last flow of this client.',
    ({ earlier }) => ({ nonce: earlier.nonce }),
    { needs: ['earlier_flow'] },
  ),
  nonceRow('nonce_array', 'The nonce is right, but inside an array.', (_tools, claims) => ({
    nonce: [claims['nonce']],
  })),
  changedToken('replayed', {
    family: 'nonce',
    needs: ['earlier_flow'],
    summary: 'The whole token of the last flow of this client once more.',
    rule: NONCE,
    apply: (_idToken, { earlier }) => earlier.idToken,
  }),
  changedClaims('of_other_session', {
    family: 'nonce',
    summary: 'A right token that another user of the same client got a moment ago.',
    rule: SESSION,
    apply: (claims, { invent }) => ({ ...claims, sub: invent(), nonce: invent() }),
  }),
  claimsHashRow(
    'req_claims_hash_weaker',
    'The hash is that of a request for the age of 0, or of 1 when just that was sent.',
    ({ transaction }) => ({
      req_claims_hash: requestClaimsHash(`{"age_thresholds":[${transaction?.claimsText === FOR_ZERO ? 1 : 0}]}`),
    }),
  ),
  claimsHashRow('req_claims_hash_hex', 'The hash is right, but in hexadecimal.', ({ transaction }) => ({
    req_claims_hash: createHash('sha256')
      .update(transaction?.claimsText ?? '')
      .digest('hex'),
  })),
  claimsHashRow('req_claims_hash_missing', 'There is no hash of the requested claims.', { req_claims_hash: undefined }),
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
  changedClaims('c_hash_without_code', {
    family: 'code_hash',
    correctClient: 'depends',
    needs: ['no_code'],
    summary: 'c_hash is that of a code that does not come.',
    rule: 'Refuse it, or ignore it as a claim without a use: without a code there is nothing to compare.',
    breaks: [],
    apply: (claims, { invent }) => ({ ...claims, c_hash: codeHash(invent()) }),
  }),
]
