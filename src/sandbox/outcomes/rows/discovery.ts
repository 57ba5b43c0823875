import type { Outcome } from '../outcome.ts'
import { bodyOf, changedReply, replyInstead, withJson, withMembers } from '../reply-changes.ts'

const ISSUER =
  'issuer equals the address that the document was asked for under (OpenID Connect Discovery 1.0 section 4.3).'
const REQUIRED = 'issuer, authorization_endpoint and jwks_uri are there: without them keep the last good document.'
const SAME_ORIGIN = 'Endpoints stand on the host of the issuer: the service has no others.'

/** Replies of E6, the discovery documents. */
export const DISCOVERY: readonly Outcome[] = [
  replyInstead('discovery', '404', {
    summary: '404: there is no discovery document.',
    rule: REQUIRED,
    apply: (reply) => ({ ...withJson(reply, { error: 'not_found' }), status: 404 }),
  }),
  changedReply('discovery', 'issuer_other', {
    summary: 'The issuer is another server.',
    rule: ISSUER,
    apply: (reply) => withMembers(reply, { issuer: 'https://issuer.example' }),
  }),
  changedReply('discovery', 'issuer_trailing_slash', {
    summary: 'The issuer ends with a slash.',
    rule: ISSUER,
    apply: (reply) => withMembers(reply, { issuer: `${String(bodyOf(reply)['issuer'])}/` }),
  }),
  changedReply('discovery', 'issuer_missing', {
    summary: 'There is no issuer.',
    rule: ISSUER,
    apply: (reply) => withMembers(reply, { issuer: undefined }),
  }),
  changedReply('discovery', 'jwks_uri_missing', {
    summary: 'There is no jwks_uri.',
    rule: REQUIRED,
    apply: (reply) => withMembers(reply, { jwks_uri: undefined }),
  }),
  changedReply('discovery', 'jwks_uri_on_other_host', {
    summary: 'The key set is said to be on another host.',
    rule: SAME_ORIGIN,
    apply: (reply) => withMembers(reply, { jwks_uri: 'https://keys.example/jwks.json' }),
  }),
  changedReply('discovery', 'authorization_endpoint_missing', {
    summary: 'There is no authorization_endpoint.',
    rule: REQUIRED,
    apply: (reply) => withMembers(reply, { authorization_endpoint: undefined }),
  }),
  changedReply('discovery', 'alg_none_listed', {
    correctClient: 'accept',
    summary: 'The algorithms of the id_token include none.',
    rule: 'Take the document, and never the algorithm none: pin the one that was agreed on.',
    apply: (reply) => withMembers(reply, { id_token_signing_alg_values_supported: ['none', 'RS256', 'ES256'] }),
  }),
  changedReply('discovery', 'extra_member', {
    correctClient: 'accept',
    summary: 'A member that the client does not know is there.',
    rule: 'Ignore members that are not understood (OpenID Connect Discovery 1.0 section 3).',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
]
