import { inSeconds } from '../../../service/oidc/provider.ts'
import {
  findPushedRequest,
  type PushedRequest,
  pushedRequests,
} from '../../../service/oidc/pushed-request.ts'
import { bodyOf, withExpiryAsText, withMembers } from '../answer-changes.ts'
import type { Apply, ServerReply } from '../outcome.ts'
import {
  changedReply,
  membersRows,
  type OutcomeRow,
  refusedCalls,
  rowsUnder,
  successUnderStatus,
} from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

/** The finding of E2 and E5 about a provenance that is not on the allowlist. */
export const OFF_THE_LIST = {
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

/** Members that a client may ignore if it redirects immediately. */
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
  successUnderStatus('par', 500, {
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
    // RFC 6749 requires this of clients for the token response; RFC 9126 requires it for no
    // response.
    level: 'may',
    refs: ['RFC 6749 section 5.1'],
    summary: 'A member that the client does not know is there.',
    rule: 'Ignore members that are not understood.',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
]

/** Changes the pushed request that the service has just stored. */
async function changePushed(
  reply: ServerReply,
  { provider }: TamperTools,
  change: Partial<Pick<PushedRequest, 'clientId' | 'expiresAt'>>,
): Promise<void> {
  const pushed = await findPushedRequest(String(bodyOf(reply)['request_uri']), provider)
  if (pushed) await pushedRequests(provider).put(pushed.id, { ...pushed.record, ...change })
}
