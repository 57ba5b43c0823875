import { signCompact } from '../../keys/compact-jws.ts'
import { takeApart } from '../../keys/forge.ts'
import { ID_TOKEN_CONTROLS, rightClaims, rightToken } from '../../readings/control-rows/id-token.ts'
import type { OutcomeRow } from '../outcome-row.ts'

/** Unusual but valid tokens: a client that refuses them is too strict or broken. Some depend on what was agreed on. */
export const CONTROLS: readonly OutcomeRow[] = [
  ID_TOKEN_CONTROLS.extra_claim,
  ID_TOKEN_CONTROLS.header_reordered,
  ID_TOKEN_CONTROLS.claims_reordered,
  ID_TOKEN_CONTROLS.pretty_printed,
  ID_TOKEN_CONTROLS.header_extra_member,
  ID_TOKEN_CONTROLS.typ_missing,
  rightToken('key_rotated', {
    family: 'control',
    summary:
      'Signed by the next key, which has just been published; the old one stays published and signs the other tokens.',
    rule: 'Fetch the key set again when a kid is unknown, or refuse until a while has passed: many libraries wait half a minute and more.',
    refs: ['OpenID Connect Core 1.0 section 10.1.1'],
    correctClient: 'depends',
    async apply(idToken, { publishNextKey }) {
      const { header, claims } = takeApart(idToken)
      const key = await publishNextKey()
      return signCompact({ header: { ...header, kid: key.kid }, payload: claims }, key)
    },
  }),
  rightToken('es256', {
    family: 'control',
    summary:
      'Signed with ES256, whatever the sandbox usually signs with; discovery lists it and the key set has the key.',
    rule: 'Accept every algorithm that discovery lists, with the key that the kid names, or only the one that was agreed on.',
    refs: ['OpenID Connect Core 1.0 section 3.1.3.7 (7)', 'RFC 8725 section 3.1'],
    correctClient: 'depends',
    async apply(idToken, { keys }) {
      const { header, claims } = takeApart(idToken)
      const key = await keys.keyFor('ES256')
      return signCompact({ header: { ...header, alg: key.alg, kid: key.kid }, payload: claims }, key)
    },
  }),
  rightClaims('aud_string', {
    family: 'control',
    refs: ['RFC 7519 section 4.1.3'],
    summary: 'The audience is a string, as a single one may be.',
    rule: 'aud is an array or, for a single audience, a string (RFC 7519 section 4.1.3).',
    apply: (claims, { transaction }) => ({ ...claims, aud: transaction?.clientId }),
  }),
  ID_TOKEN_CONTROLS.azp_own,
  ID_TOKEN_CONTROLS.nbf_past,
]
