import { createIssuer } from '../../../oidc/provider.ts'
import { changedClaims, without } from '../id-token-changes.ts'
import type { Outcome } from '../outcome.ts'

const ISSUER = 'iss equals {base_url}/v1/oidc/use, character by character.'
const AUDIENCE = 'aud contains the own client_id; a further audience needs azp, and azp is the own client_id.'
const SUBJECT = 'sub is a string of 1 to 255 characters: log it, a later revocation names it.'

/** The live service: its tokens never come from a sandbox, and a sandbox's never from there. */
const LIVE_ISSUER = 'https://api.agekey.org/v1/oidc/use'

const OTHER_CLIENT = 'ak_test_other_client'

/** Claims that name issuer, audience and subject. */
export const ID_TOKEN_PARTIES: readonly Outcome[] = [
  changedClaims('iss_live_host', {
    summary: 'The issuer is the live service.',
    rule: ISSUER,
    apply: (claims) => ({ ...claims, iss: LIVE_ISSUER }),
  }),
  changedClaims('iss_of_create', {
    summary: 'The issuer is that of the Create flow, which gives no id_token.',
    rule: ISSUER,
    apply: (claims, { provider }) => ({ ...claims, iss: createIssuer(provider) }),
  }),
  changedClaims('iss_without_path', {
    summary: 'The issuer is the base address without the path of the Use flow.',
    rule: ISSUER,
    apply: (claims, { provider }) => ({ ...claims, iss: provider.baseUrl }),
  }),
  changedClaims('iss_trailing_slash', {
    summary: 'The issuer ends with a slash.',
    rule: ISSUER,
    apply: (claims) => ({ ...claims, iss: `${String(claims['iss'])}/` }),
  }),
  changedClaims('iss_missing', {
    summary: 'There is no issuer.',
    rule: ISSUER,
    apply: (claims) => without(claims, 'iss'),
  }),
  changedClaims('aud_of_other_client', {
    summary: 'The audience is another client.',
    rule: AUDIENCE,
    apply: (claims) => ({ ...claims, aud: [OTHER_CLIENT] }),
  }),
  changedClaims('aud_empty', {
    summary: 'The audience is an empty array.',
    rule: AUDIENCE,
    apply: (claims) => ({ ...claims, aud: [] }),
  }),
  changedClaims('aud_missing', {
    summary: 'There is no audience.',
    rule: AUDIENCE,
    apply: (claims) => without(claims, 'aud'),
  }),
  changedClaims('aud_prefix', {
    summary: 'The audience is a string that merely begins with the client_id.',
    rule: AUDIENCE,
    apply: (claims, { transaction }) => ({ ...claims, aud: `${transaction?.clientId}_and_more` }),
  }),
  changedClaims('aud_two_without_azp', {
    summary: 'Another client stands in the audience beside the own one, and azp is missing.',
    rule: AUDIENCE,
    apply: (claims, { transaction }) => ({ ...claims, aud: [transaction?.clientId, OTHER_CLIENT] }),
  }),
  changedClaims('azp_of_other_client', {
    summary: 'Two audiences, and azp names the other one.',
    rule: AUDIENCE,
    apply: (claims, { transaction }) => ({
      ...claims,
      aud: [transaction?.clientId, OTHER_CLIENT],
      azp: OTHER_CLIENT,
    }),
  }),
  changedClaims('for_other_client', {
    summary: 'A whole token that the service minted for another of its clients.',
    rule: AUDIENCE,
    apply: (claims, { invent }) => ({ ...claims, sub: invent(), aud: [OTHER_CLIENT], nonce: invent() }),
  }),
  changedClaims('sub_missing', {
    summary: 'There is no subject.',
    rule: SUBJECT,
    apply: (claims) => without(claims, 'sub'),
  }),
  changedClaims('sub_empty', {
    summary: 'The subject is the empty string.',
    rule: SUBJECT,
    apply: (claims) => ({ ...claims, sub: '' }),
  }),
  changedClaims('sub_number', {
    summary: 'The subject is a number.',
    rule: SUBJECT,
    apply: (claims) => ({ ...claims, sub: 4711 }),
  }),
  changedClaims('sub_too_long', {
    summary: 'The subject has 300 characters.',
    rule: SUBJECT,
    apply: (claims) => ({ ...claims, sub: 'x'.repeat(300) }),
  }),
  changedClaims('sub_seen_before', {
    correctClient: 'depends',
    summary: 'The subject is always the same, while each verification should have its own.',
    rule: 'sub identifies one verification: a client that logs it can notice one that it has seen before.',
    apply: (claims) => ({ ...claims, sub: 'sandbox-sub-seen-before' }),
  }),
]
