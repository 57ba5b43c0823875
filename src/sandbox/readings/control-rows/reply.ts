import { foreignKey } from '../../keys/foreign-keys.ts'
import type { OutcomeRow } from '../../outcomes/outcome-row.ts'
import { changedReply, IGNORE_KEYS, keysOf, withHeaders, withMembers, withText } from '../../outcomes/reply-changes.ts'

/** Rows of the catalogue of outcomes that change a reply as a reading does. */
export const REPLY_CONTROLS = {
  status_200: changedReply('par')('status_200', {
    family: 'pushed_request',
    correctClient: 'depends',
    breaks: [],
    summary: '200 instead of 201.',
    rule: 'RFC 9126 section 2.2 demands 201, the specification names no status: refuse 200, or take any status from 200 to 299.',
    apply: (reply) => ({ ...reply, status: 200 }),
  }),
  par_extra_member: changedReply('par')('extra_member', {
    family: 'control',
    refs: ['RFC 6749 section 5.1'],
    correctClient: 'accept',
    summary: 'A member that the client does not know is there.',
    rule: 'Ignore members that are not understood.',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
  token_type_lower_case: changedReply('token')('token_type_lower_case', {
    family: 'control',
    refs: ['RFC 6749 section 5.1'],
    correctClient: 'accept',
    summary: 'The token_type is written bearer.',
    rule: 'The case of token_type does not matter (RFC 6749 section 5.1).',
    apply: (reply) => withMembers(reply, { token_type: 'bearer' }),
  }),
  token_extra_members: changedReply('token')('extra_members', {
    family: 'control',
    refs: ['RFC 6749 section 5.1'],
    correctClient: 'accept',
    summary: 'Members that the client does not know are there, a refresh_token among them.',
    rule: 'Ignore members that are not understood (RFC 6749 section 5.1).',
    apply: (reply, { invent }) => withMembers(reply, { refresh_token: invent(), sandbox_extra: true }),
  }),
  ok_without_quotes: changedReply('upgrade')('ok_without_quotes', {
    family: 'upgrade',
    breaks: ['body'],
    correctClient: 'depends',
    summary: '200 with OK as plain text, without the quotes of JSON.',
    rule: 'The body is the JSON string "OK"; a client that goes by the status accepts plain text too.',
    apply: (reply) => withHeaders(withText(reply, 'OK'), { 'Content-Type': 'text/plain; charset=utf-8' }),
  }),
  ok_with_space: changedReply('upgrade')('ok_with_space', {
    family: 'control',
    refs: ['RFC 8259 section 2'],
    correctClient: 'accept',
    summary: '200 with the JSON string OK and a line break behind it.',
    rule: 'Parse the body as JSON instead of comparing its text.',
    apply: (reply) => withText(reply, '"OK"\n'),
  }),
  discovery_extra_member: changedReply('discovery')('extra_member', {
    family: 'control',
    refs: ['OpenID Connect Discovery 1.0 section 3'],
    correctClient: 'accept',
    summary: 'A member that the client does not know is there.',
    rule: 'Ignore members that are not understood (OpenID Connect Discovery 1.0 section 3).',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
  alg_missing: changedReply('jwks')('alg_missing', {
    family: 'control',
    refs: ['RFC 7517 section 4.2', 'RFC 7517 section 4.4'],
    correctClient: 'accept',
    summary: 'The keys have neither alg nor use.',
    rule: 'alg and use are optional (RFC 7517 sections 4.2 and 4.4).',
    apply: (reply) => withMembers(reply, { keys: keysOf(reply).map(({ alg: _alg, use: _use, ...key }) => key) }),
  }),
  unknown_key_type: changedReply('jwks')('unknown_key_type', {
    family: 'control',
    refs: ['RFC 7517 section 5'],
    correctClient: 'accept',
    summary: 'The first key is of an unknown type.',
    rule: IGNORE_KEYS,
    apply: (reply) => withMembers(reply, { keys: [{ kty: 'SANDBOX', kid: 'sandbox-unknown' }, ...keysOf(reply)] }),
  }),
  extra_key: changedReply('jwks')('extra_key', {
    family: 'control',
    refs: ['RFC 7515 section 4.1.4'],
    correctClient: 'accept',
    summary: 'The first key is another one, as before a rotation.',
    rule: 'Select the key by its kid, never by its place.',
    async apply(reply, { signingAlgs }) {
      const foreign = await Promise.all(signingAlgs.map(foreignKey))
      return withMembers(reply, { keys: [...foreign.map(({ publicJwk }) => publicJwk), ...keysOf(reply)] })
    },
  }),
} satisfies Readonly<Record<string, OutcomeRow>>
