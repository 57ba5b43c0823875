import { encodePart, signCompact } from '../../keys/compact-jws.ts'
import { takeApart } from '../../keys/forge.ts'
import { changedClaims, changedToken, withHeader, withPayloadText } from '../../outcomes/id-token-changes.ts'
import type { OutcomeRow } from '../../outcomes/outcome-row.ts'

export const rightClaims: typeof changedClaims = (name, row) => changedClaims(name, { correctClient: 'accept', ...row })
export const rightToken: typeof changedToken = (name, row) => changedToken(name, { correctClient: 'accept', ...row })

/** Rows of the catalogue of outcomes that change an id_token as a reading does. */
export const ID_TOKEN_CONTROLS = {
  extra_claim: rightClaims('extra_claim', {
    family: 'control',
    refs: ['RFC 7519 section 4'],
    summary: 'A claim that the client does not know is there.',
    rule: 'Ignore claims that are not understood (RFC 7519 section 4).',
    apply: (claims) => ({ ...claims, sandbox_extra: { note: 'ignore what you do not know' } }),
  }),
  header_reordered: rightToken('header_reordered', {
    family: 'control',
    refs: ['RFC 8259 section 1'],
    summary: 'The members of the header come in another order.',
    rule: 'JSON objects have no order.',
    async apply(idToken, { keys }) {
      const { header, claims } = takeApart(idToken)
      const reordered = Object.fromEntries(Object.entries(header).reverse())
      return signCompact({ header: reordered, payload: claims }, await keys.signingKey())
    },
  }),
  claims_reordered: rightClaims('claims_reordered', {
    family: 'control',
    refs: ['RFC 8259 section 1'],
    summary: 'The claims come in another order.',
    rule: 'JSON objects have no order.',
    apply: (claims) => Object.fromEntries(Object.entries(claims).reverse()),
  }),
  pretty_printed: rightToken('pretty_printed', {
    family: 'control',
    refs: ['RFC 7515 section 5.2'],
    summary: 'The JSON of the payload has line breaks and spaces.',
    rule: 'Verify the signature over the part as it came, never over JSON that was written again.',
    apply: (idToken, tools) => withPayloadText(idToken, JSON.stringify(takeApart(idToken).claims, undefined, 2), tools),
  }),
  header_extra_member: rightToken('header_extra_member', {
    family: 'control',
    refs: ['RFC 7515 section 4'],
    summary: 'The header has a member that the client does not know, and no crit.',
    rule: 'Ignore header members that are not understood (RFC 7515 section 4).',
    apply: (idToken, tools) => withHeader(idToken, { sandbox_extra: encodePart('ignore me') }, tools),
  }),
  typ_missing: rightToken('typ_missing', {
    family: 'control',
    refs: ['RFC 7519 section 5.1'],
    summary: 'The header has no typ.',
    rule: 'typ is optional (RFC 7519 section 5.1).',
    apply: (idToken, tools) => withHeader(idToken, { typ: undefined }, tools),
  }),
  azp_own: rightClaims('azp_own', {
    family: 'control',
    refs: ['OpenID Connect Core 1.0 section 3.1.3.7 (5)'],
    summary: 'azp is there and names the client itself.',
    rule: 'azp, where there is one, is the own client_id.',
    apply: (claims, { transaction }) => ({ ...claims, azp: transaction?.clientId }),
  }),
  nbf_past: rightClaims('nbf_past', {
    family: 'control',
    refs: ['RFC 7519 section 4.1.5'],
    summary: 'nbf is there and has passed.',
    rule: 'nbf, where there is one, is not in the future.',
    apply: (claims, { nowSeconds }) => ({ ...claims, nbf: nowSeconds - 60 }),
  }),
} satisfies Readonly<Record<string, OutcomeRow>>
