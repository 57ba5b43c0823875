import { withHeaders, withJson, withText } from '../answer-changes.ts'
import {
  changedReply,
  type OutcomeRow,
  refusedCalls,
  replyInstead,
  rowsUnder,
  successUnderStatus,
} from '../outcome-row.ts'
import { OFF_THE_LIST } from './par.ts'

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
  successUnderStatus('upgrade', 500, {
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
