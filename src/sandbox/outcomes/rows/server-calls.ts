import { forgottenAt } from '../../../service/oidc/collection.ts'
import { inSeconds } from '../../../service/oidc/provider.ts'
import {
  findPushedRequest,
  type PushedRequest,
  pushedRequests,
} from '../../../service/oidc/pushed-request.ts'
import { accessTokens } from '../../../service/oidc/token.ts'
import { bodyOf, withHeaders, withJson, withMembers, withText } from '../answer-changes.ts'
import { SAID } from '../families.ts'
import type { Apply, ServerReply } from '../outcome.ts'
import {
  changedReply,
  membersRows,
  type OutcomeRow,
  refusedCalls,
  replyInstead,
  rowsUnder,
} from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

/** Makes the row of a call with the body of a success under the status of a failure. */
const statusRow = (
  flow: 'par' | 'token' | 'upgrade',
  status: number,
  row: Readonly<Record<'summary' | 'rule', string>>,
) =>
  changedReply(flow)(`status_${status}_right_body`, 'failure', {
    ...{ refs: ['RFC 9110 section 15'], since: '0.2', breaks: ['status'], ...row },
    apply: (reply) => ({ ...reply, status }),
  })

const OFF_THE_LIST = {
  path: 'authorization_details[0].provenance',
  message: 'provenance is not on the allowlist',
}

const changedPush = changedReply('par')
const refusedPush = refusedCalls(
  'par',
  'A status of 400 or 401 is a mistake of the client: log error and error_description, do not try the same again.',
)
const pushRow = membersRows(
  'par',
  'pushed_request',
  'The reply has request_uri, a string, and expires_in, a number of seconds.',
)

/** Members that a client which sends the user on at once need not read. */
const UNREAD = {
  correctClient: 'depends',
  breaks: [],
  harm: 'A good reference is thrown away, or its end is computed wrongly.',
} as const
const spentRow = rowsUnder<Apply<'reply'>>(
  (name, family, row) =>
    changedPush(name, family, { ...row, correctClient: 'depends', breaks: [] }),
  'pushed_request',
  'Send the user at once, and push again when the Create flow answers invalid_request_uri.',
)

/** Replies of E2, the pushed authorization request. */
export const PAR: readonly OutcomeRow[] = [
  refusedPush('400', '400 invalid_request: state is missing.', 'PAR-09', {
    path: 'state',
    message: 'state is missing',
  }),
  refusedPush('401', '401 invalid_client: the credentials are wrong.', 'PAR-02', {
    path: 'client_secret',
    message: 'client_id and client_secret do not belong to a registered client',
  }),
  refusedPush(
    'provenance_refused',
    '400 invalid_authorization_details: the provenance is not on the allowlist.',
    'SIG-20',
    OFF_THE_LIST,
  ),
  statusRow('par', 500, {
    summary: '500, and the body of a success.',
    rule: 'Read the status before the body: below 200 and from 300 on nothing in the body is a result.',
  }),
  pushRow('error_with_200', 'The status of a success, and the body of an error.', {
    request_uri: undefined,
    expires_in: undefined,
    error: 'server_error',
  }),
  pushRow('request_uri_missing', 'There is no request_uri.', { request_uri: undefined }),
  pushRow('request_uri_number', 'request_uri is a number.', { request_uri: 4711 }),
  changedPush('expires_in_missing', 'pushed_request', {
    ...UNREAD,
    summary: 'There is no expires_in.',
    rule: 'RFC 9126 section 2.2 demands expires_in; a client that sends the user on at once never reads it.',
    apply: (reply) => withMembers(reply, { expires_in: undefined }),
  }),
  changedPush('expires_in_string', 'pushed_request', {
    ...UNREAD,
    breaks: ['expires_in'],
    summary: 'expires_in is a string of digits.',
    rule: 'expires_in is a number; a client that never uses it need not mind.',
    apply: withExpiryAsText,
  }),
  spentRow(
    'expires_in_1',
    'The request_uri expires after one second, and expires_in says so.',
    async (reply, tools) => {
      await changePushed(reply, tools, { expiresAt: inSeconds(tools.provider, 1) })
      return withMembers(reply, { expires_in: 1 })
    },
  ),
  spentRow(
    'request_uri_already_used',
    'The request_uri has been used already: the Create flow will answer invalid_request_uri.',
    async (reply, { provider }) => {
      const pushed = await findPushedRequest(String(bodyOf(reply)['request_uri']), provider)
      if (pushed)
        await provider.store.write(pushedRequests(provider).spending(pushed.id, pushed.record))
      return reply
    },
  ),
  spentRow(
    'request_uri_of_other_client',
    'The request_uri belongs to another client: the Create flow will answer invalid_request_uri without a state.',
    async (reply, tools) => {
      await changePushed(reply, tools, { clientId: 'ak_test_other_client' })
      return reply
    },
  ),
  changedPush('status_200', 'pushed_request', {
    ...UNREAD,
    summary: '200 instead of 201.',
    rule: 'RFC 9126 section 2.2 demands 201, the specification names no status: refuse 200, or take any status from 200 to 299.',
    apply: (reply) => ({ ...reply, status: 200 }),
  }),
  changedPush('extra_member', 'control', {
    // RFC 6749 says so of the token response; RFC 9126 says it of no response.
    level: 'may',
    refs: ['RFC 6749 section 5.1'],
    summary: 'A member that the client does not know is there.',
    rule: 'Ignore members that are not understood.',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
]

/** Changes the request that the service has just accepted and remembers. */
async function changePushed(
  reply: ServerReply,
  { provider }: TamperTools,
  change: Partial<Pick<PushedRequest, 'clientId' | 'expiresAt'>>,
): Promise<void> {
  const pushed = await findPushedRequest(String(bodyOf(reply)['request_uri']), provider)
  if (pushed) await pushedRequests(provider).put(pushed.id, { ...pushed.record, ...change })
}

function withExpiryAsText(reply: ServerReply): ServerReply {
  return withMembers(reply, { expires_in: String(bodyOf(reply)['expires_in']) })
}

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

/** Replies of E4, the exchange of a code for an access token. */
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
  statusRow('token', 400, {
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

const challenge = (error: string) => ({
  'WWW-Authenticate': `Bearer realm="agekey-sandbox", error="${error}"`,
})
const changedUpgrade = changedReply('upgrade')
const successRow = rowsUnder(
  changedUpgrade,
  'upgrade',
  'A success is status 200 with the JSON string OK, and nothing else is.',
)
const refusedToken = refusedCalls(
  'upgrade',
  'A 401 ends the access token: let the user run a Use flow with the upgrade scope again.',
)
const refusedDetails = refusedCalls(
  'upgrade',
  'A 400 is a mistake in the age signals: log error and error_description, do not try the same again.',
)
const ABOUT_TOKEN = { path: 'Authorization', headers: challenge('invalid_token') }

/** Replies of E5, the upgrade call. */
export const UPGRADE: readonly OutcomeRow[] = [
  refusedToken('token_expired', '401 invalid_token: the access token has expired.', 'UPG-03', {
    ...ABOUT_TOKEN,
    message: 'the access token has expired',
  }),
  refusedToken(
    'token_unknown',
    '401 invalid_token: the access token was not issued here.',
    'UPG-03',
    {
      ...ABOUT_TOKEN,
      message: 'the access token was not issued here',
    },
  ),
  refusedToken(
    'token_of_other_key',
    '401 invalid_token: the age key that the token names no longer exists.',
    'UPG-04',
    { ...ABOUT_TOKEN, message: 'the age key that the access token names no longer exists' },
  ),
  refusedToken(
    'second_upgrade',
    '401 invalid_token: the access token has served an upgrade already.',
    'UPG-03',
    {
      ...ABOUT_TOKEN,
      message: 'the access token has already been used',
      more: 'Do not count on a second upgrade with the same token.',
    },
  ),
  replyInstead('upgrade')('insufficient_scope', 'failure', {
    breaks: ['status', 'ok'],
    summary: '403 insufficient_scope.',
    rule: 'A 403 does not go away by trying again: log it and tell the user that nothing was changed.',
    apply(reply) {
      const body = {
        error: 'insufficient_scope',
        error_description: 'the access token does not allow an upgrade',
      }
      const headers = challenge('insufficient_scope')
      return { ...withHeaders(withJson(reply, { ...body, findings: [] }), headers), status: 403 }
    },
  }),
  refusedDetails(
    '400',
    '400 invalid_authorization_details: the provenance is not on the allowlist.',
    'SIG-20',
    OFF_THE_LIST,
  ),
  changedUpgrade('reply_lost', 'connection', {
    correctClient: 'depends',
    summary: 'The age key is upgraded, and the connection breaks before the reply.',
    rule: 'Tell the user that it is not known, or send the upgrade again where a second one is known to do no harm.',
    apply: (reply) => ({ ...reply, dropped: true }),
  }),
  statusRow('upgrade', 500, {
    summary: '500, and the JSON string OK.',
    rule: 'Read the status before the body: only status 200 is a success.',
  }),
  successRow('error_with_200', '200 with the body of an error.', (reply) =>
    withJson(reply, { error: 'server_error' }),
  ),
  successRow('not_ok', '200 with the JSON string PENDING.', (reply) => withJson(reply, 'PENDING')),
  changedUpgrade('ok_without_quotes', 'upgrade', {
    breaks: ['body'],
    correctClient: 'depends',
    harm: 'An upgrade that was done counts as failed.',
    summary: '200 with OK as plain text, without the quotes of JSON.',
    rule: 'The body is the JSON string "OK"; a client that goes by the status accepts plain text too.',
    apply: (reply) =>
      withHeaders(withText(reply, 'OK'), { 'Content-Type': 'text/plain; charset=utf-8' }),
  }),
  changedUpgrade('ok_with_space', 'control', {
    refs: ['RFC 8259 section 2'],
    summary: '200 with the JSON string OK and a line break behind it.',
    rule: 'Parse the body as JSON instead of comparing its text.',
    apply: (reply) => withText(reply, '"OK"\n'),
  }),
]
