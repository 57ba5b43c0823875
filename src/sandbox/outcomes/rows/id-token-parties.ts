import { createIssuer } from '../../../oidc/provider.ts'
import { changedClaims, claimsRows } from '../id-token-changes.ts'
import type { OutcomeRow } from '../outcome-row.ts'

const issuerRow = claimsRows('issuer', 'iss equals {base_url}/v1/oidc/use, character by character.')
const audienceRow = claimsRows('audience', 'aud contains the own client_id.')
const partyRow = claimsRows(
  'authorized_party',
  'An audience that the client does not trust is refused, though the specification asks only that aud contains the client_id.',
)
const subjectRow = claimsRows('subject', 'sub is a string of 1 to 255 characters: log it, a later revocation names it.')

/** The live service: its tokens never come from a sandbox, and a sandbox's never from there. */
const LIVE_ISSUER = 'https://api.agekey.org/v1/oidc/use'

const OTHER_CLIENT = 'ak_test_other_client'

/** Claims that name issuer, audience and subject. */
export const ID_TOKEN_PARTIES: readonly OutcomeRow[] = [
  issuerRow('iss_live_host', 'The issuer is the live service.', { iss: LIVE_ISSUER }),
  issuerRow('iss_of_create', 'The issuer is that of the Create flow, which gives no id_token.', ({ provider }) => ({
    iss: createIssuer(provider),
  })),
  issuerRow('iss_without_path', 'The issuer is the base address without the path of the Use flow.', ({ provider }) => ({
    iss: provider.baseUrl,
  })),
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
  audienceRow('aud_prefix', 'The audience is a string that merely begins with the client_id.', ({ transaction }) => ({
    aud: `${transaction?.clientId}_and_more`,
  })),
  partyRow(
    'aud_two_without_azp',
    'Another client stands in the audience beside the own one, and azp is missing.',
    ({ transaction }) => ({ aud: [transaction?.clientId, OTHER_CLIENT] }),
  ),
  partyRow('azp_of_other_client', 'Two audiences, and azp names the other one.', ({ transaction }) => ({
    aud: [transaction?.clientId, OTHER_CLIENT],
    azp: OTHER_CLIENT,
  })),
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
  changedClaims('sub_seen_before', {
    family: 'subject',
    breaks: [],
    correctClient: 'depends',
    summary: 'The subject is always the same, while each verification should have its own.',
    rule: 'sub identifies one verification: a client that logs it can notice one that it has seen before.',
    apply: (claims) => ({ ...claims, sub: 'sandbox-sub-seen-before' }),
  }),
]
