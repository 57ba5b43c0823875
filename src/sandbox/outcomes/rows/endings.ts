import { CALLBACK_FAMILIES } from '../families/callback-families.ts'
import { SAID } from '../families/citations.ts'
import type { Ending } from '../outcome.ts'
import type { OutcomeRow } from '../outcome-row.ts'

/** A flow that ends with an error in the callback. */
function failed(flow: 'use' | 'create', error: string, description: string) {
  const ending: Ending = { kind: 'error', error, description }
  const family = flow === 'use' ? 'error' : 'create_error'
  return { name: error, flow, seam: 'callback', family, ending, correctClient: 'refuse' } as const
}

const NO_RESULT = 'A callback with error carries no result: say so to the user and offer another way.'
const TRY_LATER = 'The service failed, not the user: keep the session and offer to try again.'
const OUR_MISTAKE = 'The request itself was wrong: log error and error_description, and do not try the same again.'
const INTERACTION = 'No session is assumed at the service: begin a new flow in which the user can take part.'
const PUSH_AGAIN =
  'A request_uri serves once, within 90 seconds: push the request again and send the user to the new one.'
const OF_REFERENCE = [SAID.createSuccess, 'RFC 9126 section 4'] as const
const NO_ANSWER = 'A flow may never come back: let its state expire, and let the user start again.'

/** Endings that a user or the service causes; nothing sent is changed. */
export const ENDINGS: readonly OutcomeRow[] = [
  {
    name: 'verified',
    flow: 'use',
    seam: 'callback',
    family: 'ending',
    ending: { kind: 'verified' },
    summary: 'The thresholds are evaluated; with the upgrade scope and every threshold false a code comes too.',
    rule: 'Validate signature, iss, aud, exp, nonce and state; then trust age_thresholds.',
    correctClient: 'accept',
  },
  {
    name: 'code_issued',
    flow: 'use',
    since: '0.2',
    seam: 'callback',
    family: 'ending',
    ending: { kind: 'verified', allFalse: true },
    needs: ['upgrade_scope'],
    refs: [SAID.code],
    summary:
      'Every threshold is false, whatever the age key of the persona holds, and a code comes beside the id_token.',
    rule: 'Verify the age in another way, then exchange the code (E4) and upgrade the age key (E5).',
    correctClient: 'accept',
  },
  {
    name: 'create_requested',
    flow: 'use',
    seam: 'callback',
    family: 'ending',
    ending: { kind: 'create_requested' },
    needs: ['can_create'],
    refs: [SAID.createRequested],
    summary: 'The user chooses to create an age key.',
    rule: 'Verify the age in another way, then begin the Create flow.',
    correctClient: 'accept',
  },
  {
    name: 'created',
    flow: 'create',
    seam: 'callback',
    family: 'ending',
    ending: { kind: 'created' },
    refs: [SAID.created, SAID.createSuccess],
    summary: 'The age key of the persona is replaced by one with the submitted age signals.',
    rule: 'Compare state; a callback without error is a success.',
    correctClient: 'accept',
  },
  {
    name: 'created_new',
    flow: 'create',
    seam: 'callback',
    family: 'ending',
    ending: { kind: 'created_new' },
    refs: [SAID.created, SAID.createSuccess],
    summary: 'A new persona with a generated name holds the submitted age signals.',
    rule: 'Compare state; a callback without error is a success.',
    correctClient: 'accept',
  },
  {
    ...failed('use', 'access_denied', 'the user went back or gave up'),
    summary: 'The user goes back or gives up.',
    rule: NO_RESULT,
  },
  {
    ...failed('create', 'access_denied', 'the user declined or gave up'),
    summary: 'The user declines or gives up.',
    rule: NO_RESULT,
  },
  ...(['use', 'create'] as const).flatMap((flow): OutcomeRow[] => [
    {
      name: 'no_answer',
      flow,
      seam: 'reply',
      family: 'no_answer',
      ...(flow === 'create' && { severity: 4.3, harm: CALLBACK_FAMILIES.create_error.harm }),
      ending: { kind: 'no_answer' },
      summary: 'The user closes the window: no callback follows.',
      rule: NO_ANSWER,
      correctClient: 'refuse',
    },
    {
      ...failed(flow, 'server_error', 'the service failed unexpectedly'),
      summary: 'The service fails while the user is there.',
      rule: TRY_LATER,
    },
    {
      ...failed(flow, 'temporarily_unavailable', 'the service is overloaded or under maintenance'),
      summary: 'The service is overloaded or under maintenance.',
      rule: TRY_LATER,
    },
    {
      ...failed(flow, 'invalid_request', 'a parameter is missing, repeated or malformed'),
      summary: 'The service finds the request malformed.',
      rule: OUR_MISTAKE,
    },
    {
      ...failed(flow, 'invalid_scope', 'the scope is unknown or not allowed to this client'),
      summary: 'The service does not know the scope, or does not grant it to this client.',
      rule: OUR_MISTAKE,
    },
    {
      ...failed(flow, 'unauthorized_client', 'the client may not use this flow'),
      summary: 'The client is not allowed to use this flow.',
      rule: OUR_MISTAKE,
    },
    {
      ...failed(flow, 'unsupported_response_type', 'the response type is not supported'),
      summary: 'The service does not support the response type.',
      rule: OUR_MISTAKE,
    },
  ]),
  {
    ...failed('use', 'interaction_required', 'the user must take part'),
    summary: 'The service cannot go on without the user.',
    rule: INTERACTION,
  },
  {
    ...failed('use', 'login_required', 'the user must sign in with the passkey'),
    summary: 'The user must sign in with the passkey and has not.',
    rule: INTERACTION,
  },
  {
    ...failed('use', 'account_selection_required', 'the user must select an age key'),
    summary: 'The user holds more than one age key and has selected none.',
    rule: INTERACTION,
  },
  {
    ...failed('use', 'consent_required', 'the user must consent'),
    summary: 'The user has not consented to the answer.',
    rule: INTERACTION,
  },
  {
    ...failed('create', 'invalid_request_uri', 'CRE-09: request_uri has expired'),
    refs: OF_REFERENCE,
    name: 'request_uri.expired',
    summary: 'The user arrives after the 90 seconds of the request_uri.',
    rule: PUSH_AGAIN,
  },
  {
    ...failed('create', 'invalid_request_uri', 'CRE-10: request_uri has already been used'),
    refs: OF_REFERENCE,
    name: 'request_uri.used',
    summary: 'The request_uri has served before, as when the user goes back and tries again.',
    rule: PUSH_AGAIN,
  },
  {
    ...failed('create', 'invalid_authorization_details', 'an age signal is not accepted any more'),
    refs: [SAID.createSuccess, 'RFC 9396 section 5'],
    summary: 'The service accepted the age signals when they were pushed and refuses them now.',
    rule: OUR_MISTAKE,
  },
]
