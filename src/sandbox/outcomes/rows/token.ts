import { forgottenAt } from '../../../service/oidc/collection.ts'
import { inSeconds } from '../../../service/oidc/provider.ts'
import { accessTokens } from '../../../service/oidc/token.ts'
import { bodyOf, withExpiryAsText, withMembers } from '../answer-changes.ts'
import { SAID } from '../families.ts'
import {
  changedReply,
  membersRows,
  type OutcomeRow,
  refusedCalls,
  successUnderStatus,
} from '../outcome-row.ts'

const changedExchange = changedReply('token')
const refusedExchange = refusedCalls(
  'token',
  'A status of 400 or 401 is final: log error and error_description, and let the user begin again.',
)
const tokenRow = membersRows(
  'token',
  'access_token',
  'The reply has access_token, a string, and token_type, which is Bearer in whatever case.',
)
const OF_TYPE = { breaks: ['token_type'], refs: [SAID.tokenType, 'RFC 6749 section 7.1'] } as const
const WRONG_END = {
  correctClient: 'depends',
  harm: 'The end of a good access token is computed wrongly.',
} as const

/** Replies of E4, the exchange of the code. */
export const TOKEN: readonly OutcomeRow[] = [
  refusedExchange('401', '401 invalid_client: the credentials are wrong.', 'TOK-02', {
    path: 'Authorization',
    message: 'Authorization is not Basic with the credentials of a registered client',
    headers: { 'WWW-Authenticate': 'Basic realm="agekey-sandbox", charset="UTF-8"' },
  }),
  refusedExchange(
    'code_reused',
    '400 invalid_grant: the code has already been exchanged.',
    'TOK-07',
    {
      path: 'code',
      message: 'the code has already been exchanged',
      more: 'Exchange each code once.',
    },
  ),
  refusedExchange('code_expired', '400 invalid_grant: the code has expired.', 'TOK-06', {
    path: 'code',
    message: 'the code has expired',
    more: 'Exchange the code when the callback arrives.',
  }),
  refusedExchange(
    'code_of_other_client',
    '400 invalid_grant: the code was issued to another client.',
    'TOK-05',
    {
      path: 'code',
      message: 'the code was not issued to this client',
    },
  ),
  changedExchange('reply_lost', 'connection', {
    summary: 'The code is spent, and the connection breaks before the reply.',
    rule: 'A code serves once: after a lost reply it may be spent, so be ready for invalid_grant.',
    apply: (reply) => ({ ...reply, dropped: true }),
  }),
  successUnderStatus('token', 400, {
    summary: '400, and the body of a success.',
    rule: 'Read the status before the body: with 400 nothing in the body is an access token.',
  }),
  tokenRow(
    'error_with_200',
    '200 with the body of an error.',
    {
      access_token: undefined,
      token_type: undefined,
      expires_in: undefined,
      error: 'server_error',
    },
    { breaks: ['access_token', 'token_type'] },
  ),
  tokenRow('access_token_missing', 'There is no access_token.', { access_token: undefined }),
  tokenRow(
    'access_token_empty',
    'The access_token is the empty string.',
    { access_token: '' },
    { refs: [SAID.accessToken, 'RFC 6749 appendix A.12'] },
  ),
  tokenRow('token_type_missing', 'There is no token_type.', { token_type: undefined }, OF_TYPE),
  tokenRow(
    'token_type_other',
    'The token_type is mac, which the client cannot use.',
    { token_type: 'mac' },
    OF_TYPE,
  ),
  changedExchange('token_type_lower_case', 'control', {
    refs: [SAID.tokenType, 'RFC 6749 section 5.1'],
    correctClient: 'depends',
    summary: 'The token_type is written bearer.',
    rule: 'The specification says Bearer: refuse another case, or take any (RFC 6749 section 5.1).',
    apply: (reply) => withMembers(reply, { token_type: 'bearer' }),
  }),
  changedExchange('expires_in_string', 'access_token', {
    ...WRONG_END,
    breaks: ['expires_in'],
    summary: 'expires_in is a string of digits.',
    rule: 'expires_in is a number; a client that upgrades at once need not mind.',
    apply: withExpiryAsText,
  }),
  changedExchange('expires_in_missing', 'access_token', {
    ...WRONG_END,
    breaks: [],
    summary: 'There is no expires_in.',
    rule: 'expires_in is recommended, not required (RFC 6749 section 5.1): the lifetime is then 10800 seconds.',
    apply: (reply) => withMembers(reply, { expires_in: undefined }),
  }),
  changedExchange('expires_in_1', 'access_token', {
    breaks: [],
    correctClient: 'depends',
    summary: 'The access token expires after one second, and expires_in says so.',
    rule: 'Upgrade at once, and be ready for 401 invalid_token.',
    async apply(reply, { provider }) {
      const token = String(bodyOf(reply)['access_token'])
      const record = await accessTokens(provider).get(token)
      const expiresAt = inSeconds(provider, 1)
      if (record)
        await accessTokens(provider).put(
          token,
          { ...record, expiresAt },
          forgottenAt({ expiresAt }),
        )
      return withMembers(reply, { expires_in: 1 })
    },
  }),
  changedExchange('extra_members', 'control', {
    level: 'must',
    refs: ['RFC 6749 section 5.1'],
    summary: 'Further members are there: a refresh_token, and one that nobody defines.',
    rule: 'Ignore members that are not understood (RFC 6749 section 5.1).',
    apply: (reply, { invent }) =>
      withMembers(reply, { refresh_token: invent(), sandbox_extra: true }),
  }),
]
