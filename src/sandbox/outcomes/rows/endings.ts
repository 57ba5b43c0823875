import { FAMILIES, SAID } from '../families.ts'
import type { Ending } from '../outcome.ts'
import type { OutcomeRow, OwnColumns, RowAt } from '../outcome-row.ts'

/** Makes the row of a successful flow. */
const ended = (
  flow: 'use' | 'create',
  row: RowAt<'callback'> & { name?: string; ending: Ending },
): OutcomeRow => ({
  name: row.ending.kind,
  flow,
  seam: 'callback',
  family: 'ending',
  ...row,
})

/**
 * Makes rows of flows that end with an error in the callback. `errors` maps the name of a row to
 * the description of the error and the summary of the row.
 */
const failed = (
  flow: 'use' | 'create',
  rule: string,
  errors: Readonly<Record<string, readonly [description: string, summary: string]>>,
  { error, ...columns }: OwnColumns & { error?: string } = {},
): OutcomeRow[] =>
  Object.entries(errors).map(([name, [description, summary]]) => ({
    name,
    flow,
    seam: 'callback',
    family: flow === 'use' ? 'error' : 'create_error',
    summary,
    rule,
    ending: { kind: 'error', error: error ?? name, description },
    ...columns,
  }))

const NO_RESULT =
  'A callback with error carries no result: say so to the user and offer another way.'
const OUR_MISTAKE =
  'The request itself was wrong: log error and error_description, and do not try the same again.'

/** Endings that the user or the service causes. No seam changes the answer. */
export const ENDINGS: readonly OutcomeRow[] = [
  ended('use', {
    ending: { kind: 'verified' },
    summary:
      'The thresholds are evaluated; with the upgrade scope and every threshold false a code comes too.',
    rule: 'Validate signature, iss, aud, exp, nonce and state; then trust age_thresholds.',
  }),
  ended('use', {
    name: 'code_issued',
    ending: { kind: 'verified', allFalse: true },
    since: '0.2',
    needs: ['upgrade_scope'],
    refs: [SAID.code],
    summary:
      'Every threshold is false, whatever the age key of the persona holds, and a code comes beside the id_token.',
    rule: 'Verify the age in another way, then exchange the code (E4) and upgrade the age key (E5).',
  }),
  ended('use', {
    ending: { kind: 'create_requested' },
    needs: ['can_create'],
    refs: [SAID.createRequested],
    summary: 'The user chooses to create an age key.',
    rule: 'Verify the age in another way, then begin the Create flow.',
  }),
  ended('create', {
    ending: { kind: 'created' },
    refs: [SAID.created, SAID.createSuccess],
    summary: 'The age key of the persona is replaced by one with the submitted age signals.',
    rule: 'Compare state; a callback without error is a success.',
  }),
  ended('create', {
    ending: { kind: 'created_new' },
    refs: [SAID.created, SAID.createSuccess],
    summary: 'A new persona with a generated name holds the submitted age signals.',
    rule: 'Compare state; a callback without error is a success.',
  }),
  ...failed('use', NO_RESULT, {
    access_denied: ['the user went back or gave up', 'The user goes back or gives up.'],
  }),
  ...failed('create', NO_RESULT, {
    access_denied: ['the user declined or gave up', 'The user declines or gives up.'],
  }),
  ...(['use', 'create'] as const).flatMap((flow): OutcomeRow[] => [
    {
      name: 'no_answer',
      flow,
      seam: 'reply',
      family: 'no_answer',
      ending: { kind: 'no_answer' },
      ...(flow === 'create' && { severity: 4.3, harm: FAMILIES.create_error.harm }),
      summary: 'The user closes the window: no callback follows.',
      rule: 'A flow may never come back: let its state expire, and let the user start again.',
    },
    ...failed(flow, 'The service failed, not the user: keep the session and offer to try again.', {
      server_error: [
        'the service failed unexpectedly',
        'The service fails while the user is there.',
      ],
      temporarily_unavailable: [
        'the service is overloaded or under maintenance',
        'The service is overloaded or under maintenance.',
      ],
    }),
    ...failed(flow, OUR_MISTAKE, {
      invalid_request: [
        'a parameter is missing, repeated or malformed',
        'The service finds the request malformed.',
      ],
      invalid_scope: [
        'the scope is unknown or not allowed to this client',
        'The service does not know the scope, or does not grant it to this client.',
      ],
      unauthorized_client: [
        'the client may not use this flow',
        'The client is not allowed to use this flow.',
      ],
      unsupported_response_type: [
        'the response type is not supported',
        'The service does not support the response type.',
      ],
    }),
  ]),
  ...failed(
    'use',
    'No session is assumed at the service: begin a new flow in which the user can take part.',
    {
      interaction_required: [
        'the user must take part',
        'The service cannot go on without the user.',
      ],
      login_required: [
        'the user must sign in with the passkey',
        'The user must sign in with the passkey and has not.',
      ],
      account_selection_required: [
        'the user must select an age key',
        'The user holds more than one age key and has selected none.',
      ],
      consent_required: ['the user must consent', 'The user has not consented to the answer.'],
    },
  ),
  ...failed(
    'create',
    'A request_uri serves once, within 90 seconds: push the request again and send the user to the new one.',
    {
      'request_uri.expired': [
        'CRE-09: request_uri has expired',
        'The user arrives after the 90 seconds of the request_uri.',
      ],
      'request_uri.used': [
        'CRE-10: request_uri has already been used',
        'The request_uri has served before, as when the user goes back and tries again.',
      ],
    },
    { error: 'invalid_request_uri', refs: [SAID.createSuccess, 'RFC 9126 section 4'] },
  ),
  ...failed(
    'create',
    OUR_MISTAKE,
    {
      invalid_authorization_details: [
        'an age signal is not accepted any more',
        'The service accepted the age signals when they were pushed and refuses them now.',
      ],
    },
    { refs: [SAID.createSuccess, 'RFC 9396 section 5'] },
  ),
]
