import { encodePart, signCompact, takeApart } from '../../keys/compact-jws.ts'
import { signAgain } from '../answer-changes.ts'
import { changedClaims, changedToken, type OutcomeRow } from '../outcome-row.ts'
/**
 * Unusual but valid tokens. A client that refuses them is too strict or faulty, unless both sides
 * agreed otherwise.
 */
export const CONTROLS: readonly OutcomeRow[] = [
  changedClaims('extra_claim', 'control', {
    level: 'must',
    refs: ['RFC 7519 section 4'],
    summary: 'A claim that the client does not know is there.',
    rule: 'Ignore claims that are not understood (RFC 7519 section 4).',
    apply: (claims) => ({ ...claims, sandbox_extra: { note: 'ignore what you do not know' } }),
  }),
  changedToken('header_reordered', 'control', {
    refs: ['RFC 8259 section 1'],
    summary: 'The members of the header come in another order.',
    rule: 'JSON objects have no order.',
    async apply(idToken, { keys }) {
      const { header, claims } = takeApart(idToken)
      const reordered = Object.fromEntries(Object.entries(header).reverse())
      return signCompact({ header: reordered, payload: claims }, await keys.signingKey())
    },
  }),
  changedClaims('claims_reordered', 'control', {
    refs: ['RFC 8259 section 1'],
    summary: 'The claims come in another order.',
    rule: 'JSON objects have no order.',
    apply: (claims) => Object.fromEntries(Object.entries(claims).reverse()),
  }),
  changedToken('pretty_printed', 'control', {
    refs: ['RFC 8259 section 2', 'RFC 7515 section 5.2'],
    summary: 'The JSON of the payload has line breaks and spaces.',
    rule: 'Verify the signature over the part as it came, never over JSON that was written again.',
    apply: (idToken, tools) =>
      signAgain(idToken, tools, {
        payload: JSON.stringify(takeApart(idToken).claims, undefined, 2),
      }),
  }),
  changedToken('header_extra_member', 'control', {
    level: 'must',
    refs: ['RFC 7515 section 4'],
    summary: 'The header has a member that the client does not know, and no crit.',
    rule: 'Ignore header members that are not understood (RFC 7515 section 4).',
    apply: (idToken, tools) =>
      signAgain(idToken, tools, { header: { sandbox_extra: encodePart('ignore me') } }),
  }),
  changedToken('typ_missing', 'control', {
    refs: ['RFC 7519 section 5.1'],
    summary: 'The header has no typ.',
    rule: 'typ is optional (RFC 7519 section 5.1).',
    apply: (idToken, tools) => signAgain(idToken, tools, { header: { typ: undefined } }),
  }),
  changedToken('key_rotated', 'control', {
    summary:
      'Signed by the next key, which has just been published; the old one stays published and signs the other tokens.',
    rule: 'Fetch the key set again when a kid is unknown, or refuse until a while has passed: many libraries wait half a minute and more.',
    refs: ['OpenID Connect Core 1.0 section 10.1.1'],
    correctClient: 'depends',
    async apply(idToken, tools) {
      const key = await tools.publishNextKey()
      return signAgain(idToken, tools, { header: { kid: key.kid }, key })
    },
  }),
  changedToken('es256', 'control', {
    summary:
      'Signed with ES256, whatever the sandbox usually signs with; discovery lists it and the key set has the key.',
    rule: 'Accept every algorithm that discovery lists, with the key that the kid names, or only the one that was agreed on.',
    refs: ['OpenID Connect Core 1.0 section 3.1.3.7 (7)', 'RFC 8725 section 3.1'],
    correctClient: 'depends',
    async apply(idToken, tools) {
      const key = await tools.keys.keyFor('ES256')
      return signAgain(idToken, tools, { header: { alg: key.alg, kid: key.kid }, key })
    },
  }),
  changedClaims('aud_string', 'control', {
    refs: ['RFC 7519 section 4.1.3'],
    correctClient: 'depends',
    summary: 'The audience is a string, as RFC 7519 lets a single one be.',
    rule: 'The specification says that aud is an array: refuse a string, or take it as the one audience (RFC 7519 section 4.1.3).',
    apply: (claims, { transaction }) => ({ ...claims, aud: transaction?.clientId }),
  }),
  changedClaims('azp_own', 'control', {
    refs: ['OpenID Connect Core 1.0 section 3.1.3.7 (5)'],
    summary: 'azp is there and names the client itself.',
    rule: 'azp, where there is one, is the own client_id.',
    apply: (claims, { transaction }) => ({ ...claims, azp: transaction?.clientId }),
  }),
  changedClaims('nbf_past', 'control', {
    refs: ['RFC 7519 section 4.1.5'],
    summary: 'nbf is there and has passed.',
    rule: 'nbf, where there is one, is not in the future.',
    apply: (claims, { nowSeconds }) => ({ ...claims, nbf: nowSeconds - 60 }),
  }),
]
