import { codeHash } from '../../../service/oidc/id-token.ts'
import { takeApart } from '../../keys/compact-jws.ts'
import {
  paramOf,
  signAgain,
  withAnother,
  withFirst,
  withoutParam,
  withoutSignature,
  withParam,
} from '../answer-changes.ts'
import { familyOf, SAID } from '../families.ts'
import type { Apply, AuditRow, Ending } from '../outcome.ts'
import { changedCallback, type OutcomeRow, type OwnColumns, rowsUnder } from '../outcome-row.ts'

/** Rules for callbacks. */
const STATE =
  'state equals the one that was kept in this session, character by character; each serves once.'
const ONE_ANSWER =
  'A callback has one answer: an id_token, create_requested or an error. Refuse a mixture.'
const ONCE = 'No parameter comes twice (RFC 6749 section 3.1).'
const ERROR = 'error of any value means that there is no result; show a text of your own.'
const CONTRADICTORY = 'The app takes an answer that contradicts itself for a success.'
const DESCRIPTION =
  'error_description is for the log: cut it off, escape it, and never show it as it came.'

const DENIED: Ending = {
  kind: 'error',
  error: 'access_denied',
  description: 'the user went back or gave up',
}

/** Changed callbacks of the Use or the Create flow. */
function ofBothFlows(flow: 'use' | 'create'): OutcomeRow[] {
  const changed = changedCallback(flow)
  return [
    ...stateRows(flow),
    ...errorRows(flow),
    changed('iss_of_other_issuer', 'mix_up', {
      summary: 'A parameter iss names another issuer: an answer of another server (mix-up).',
      correctClient: 'depends',
      rule: 'A client that supports RFC 9207 refuses another issuer; one that does not ignores the parameter.',
      apply: (callback) => withParam(callback, 'iss', 'https://issuer.example'),
    }),
    changed('extra_parameter', 'control', {
      level: 'must',
      refs: [flow === 'use' ? 'RFC 6749 section 4.2.2' : 'RFC 6749 section 4.1.2'],
      summary: 'A parameter that the client does not know is there.',
      rule: 'Ignore parameters that are not understood.',
      apply: (callback, { invent }) => withAnother(callback, 'sandbox_unknown', invent()),
    }),
  ]
}

/** Callbacks with a missing, wrong or repeated state. */
function stateRows(flow: 'use' | 'create'): OutcomeRow[] {
  const changed = changedCallback(flow)
  // A Create flow lets nobody in, so the severity is lower.
  const ofCreate: OwnColumns = flow === 'create' ? { severity: 4.3 } : {}
  const stateRow = rowsUnder<Apply<'callback'>>(
    (name, family, row) => changed(name, family, { ...row, ...ofCreate }),
    'state',
    STATE,
  )
  const onceRow = rowsUnder(changed, 'parameters', ONCE)
  return [
    stateRow('state_missing', 'There is no state.', (callback) => withoutParam(callback, 'state')),
    stateRow('state_empty', 'The state is the empty string.', (callback) =>
      withParam(callback, 'state', ''),
    ),
    stateRow('state_changed', 'The last character of the state is another one.', (callback) => {
      const state = [...(paramOf(callback, 'state') ?? '')]
      return withParam(callback, 'state', state.with(-1, state.at(-1) === 'A' ? 'B' : 'A').join(''))
    }),
    stateRow(
      'state_of_other_session',
      'The state is a random one that no request sent.',
      (callback, { invent }) => withParam(callback, 'state', invent()),
    ),
    onceRow('state_twice', 'Two states: a wrong one, then the right one.', (callback, { invent }) =>
      withFirst(callback, 'state', invent()),
    ),
    onceRow(
      'state_twice_right_first',
      'Two states: the right one, then a wrong one.',
      (callback, { invent }) => withAnother(callback, 'state', invent()),
      { since: '0.2' },
    ),
    changed('empty', 'state', {
      ...ofCreate,
      breaks: flow === 'use' ? ['state', 'parameters'] : ['state'],
      summary: 'The callback has no parameters at all, as when its address is opened directly.',
      rule: 'A callback without a waiting flow belongs to no session: answer with a plain page.',
      apply: (callback) => ({ ...callback, params: [] }),
    }),
    changed('error_with_wrong_state', 'state', {
      ...ofCreate,
      harm: 'A stranger ends the flow of a user, or is let in by an error.',
      breaks: ['state', 'error'],
      ending: DENIED,
      summary:
        'access_denied with a state that was never sent: an attempt to end the flow from outside.',
      rule: `${STATE} A stranger's error ends no flow.`,
      apply: (callback, { invent }) => withParam(callback, 'state', invent()),
    }),
  ]
}

/** Callbacks with an unusual error, or with an error beside a success. */
function errorRows(flow: 'use' | 'create'): OutcomeRow[] {
  const changed = changedCallback(flow)
  const error = flow === 'use' ? 'error' : 'create_error'
  return [
    changed('error_and_success', error, {
      summary: 'The answer of a flow that went well, and error=access_denied beside it.',
      ...(flow === 'create' && { harm: CONTRADICTORY }),
      rule: flow === 'use' ? `${ONE_ANSWER} ${ERROR}` : ERROR,
      apply: (callback) => withAnother(callback, 'error', 'access_denied'),
    }),
    changed('error_empty', error, {
      correctClient: 'depends',
      severity: 4.3,
      harm: CONTRADICTORY,
      refs: ['RFC 6749 section 3.1'],
      summary: 'The answer of a flow that went well, and an empty parameter error.',
      rule: 'Refuse any error, or take an empty parameter for one that was left out, as RFC 6749 section 3.1 has it of requests.',
      apply: (callback) => withAnother(callback, 'error', ''),
    }),
    changed('error_unknown', error, {
      ending: {
        kind: 'error',
        error: 'sandbox_unknown_error',
        description: 'an error code that no specification lists',
      },
      summary: 'An error code that no specification lists.',
      rule: ERROR,
    }),
    changed('error_description_long', error, {
      ...(flow === 'create' && { cwe: [770], harm: 'A page or a log of the app is flooded.' }),
      ending: DENIED,
      summary: 'An error_description of 8,000 characters.',
      rule: DESCRIPTION,
      apply: (callback) => withParam(callback, 'error_description', 'x'.repeat(8_000)),
    }),
    changed('error_description_markup', error, {
      ...(flow === 'use'
        ? { cwe: [636, 79] }
        : { cwe: [79], severity: 6.1, harm: 'A script of an attacker runs on a page of the app.' }),
      ending: DENIED,
      summary: 'An error_description that is HTML with a script in an attribute.',
      rule: DESCRIPTION,
      apply: (callback) =>
        withParam(callback, 'error_description', '"><img src=x onerror=alert(document.domain)>'),
    }),
  ]
}

/** Changed callbacks of both browser flows. The id_token is correct. */
export const CALLBACKS: readonly OutcomeRow[] = [
  ...ofBothFlows('use'),
  ...ofBothFlows('create'),
  changedCallback('create')('in_fragment', 'response_mode', {
    level: 'should',
    cwe: [754],
    refs: [SAID.createInQuery],
    harm: 'The server sees a callback without parameters, and an app that looks for an error alone takes it for a success.',
    summary: 'The answer comes in the fragment, where no server sees it.',
    rule: 'The Create flow answers in the query.',
    apply: (callback) => ({ ...callback, mode: 'fragment' }),
  }),
]

const OWN_MODE = 'Read the answer only from where it was asked for: fragment, query or form.'
const CODE =
  'A code comes when the upgrade scope was asked for and every threshold is false: then always, else never.'
const CREATE = 'create_requested is exactly true, and comes only to a request with can_create=true.'

const changedUse = changedCallback('use')
const onceRow = rowsUnder(changedUse, 'parameters', ONCE)
const OF_CREATE = { ending: { kind: 'create_requested' }, needs: ['can_create'] } as const
const createRow = rowsUnder(changedUse, 'create_request', CREATE)

/**
 * Changed callbacks that only the Use flow has. The id_token is correct unless the row says
 * otherwise.
 */
export const USE_CALLBACKS: readonly OutcomeRow[] = [
  changedUse('state_of_earlier_flow', 'state', {
    needs: ['earlier_flow', 'earlier_state'],
    summary: 'The state is that of the last flow of this client.',
    rule: STATE,
    apply: (callback, { earlier }) => withParam(callback, 'state', earlier.state),
  }),
  changedUse('replayed', 'state', {
    needs: ['earlier_flow'],
    cwe: [352, 294],
    breaks: ['state', 'nonce'],
    summary:
      'The whole answer of the last flow of this client once more, state and id_token, as when the callback is requested twice.',
    rule: `${STATE} A state that has been answered is spent.`,
    apply: (callback, { earlier }) =>
      withParam(withParam(callback, 'state', earlier.state), 'id_token', earlier.idToken),
  }),
  changedUse('in_other_mode', 'response_mode', {
    summary:
      'The answer comes in the query though the fragment was asked for; in the fragment if it was the query or a form.',
    rule: OWN_MODE,
    apply: (callback) => ({
      ...callback,
      mode: callback.mode === 'fragment' ? 'query' : 'fragment',
    }),
  }),
  changedUse('form_post_unasked', 'response_mode', {
    cwe: [20],
    harm: 'An answer is read from where the app did not ask for it, without the cookies of its session.',
    summary:
      'The answer is posted across sites, where cookies with SameSite=Lax stay behind; in the query if a form was asked for.',
    rule: `${OWN_MODE} A client that asks for form_post keeps the session in a cookie with SameSite=None.`,
    apply: (callback) => ({
      ...callback,
      mode: callback.mode === 'form_post' ? 'query' : 'form_post',
    }),
  }),
  changedUse('id_token_missing', 'parameters', {
    level: 'must',
    severity: 9.1,
    cwe: [636, 754],
    refs: [SAID.validated, SAID.idTokenIsSuccess],
    harm: 'A callback without a token counts as a proof of age, and a child is let in.',
    summary: 'The id_token is missing, and there is no error.',
    rule: ONE_ANSWER,
    apply: (callback) => withoutParam(callback, 'id_token'),
  }),
  onceRow(
    'id_token_twice',
    'Two parameters id_token: one without a signature, then the right one.',
    (callback) =>
      withFirst(callback, 'id_token', withoutSignature(paramOf(callback, 'id_token') ?? '')),
  ),
  onceRow(
    'id_token_twice_right_first',
    'Two parameters id_token: the right one, then one without a signature.',
    (callback) =>
      withAnother(callback, 'id_token', withoutSignature(paramOf(callback, 'id_token') ?? '')),
    { since: '0.2' },
  ),
  changedUse('create_requested_and_id_token', 'parameters', {
    layer: 'service',
    refs: [SAID.createRequested],
    summary: 'An id_token and create_requested=true together.',
    rule: ONE_ANSWER,
    apply: (callback) => withAnother(callback, 'create_requested', 'true'),
  }),
  changedUse('create_requested_unasked', 'create_request', {
    twin: 'use/verified',
    ending: { kind: 'create_requested' },
    needs: ['no_can_create'],
    summary: 'create_requested=true to a request that did not send can_create=true.',
    rule: CREATE,
  }),
  createRow(
    'create_requested_upper_case',
    'create_requested=TRUE.',
    (callback) => withParam(callback, 'create_requested', 'TRUE'),
    OF_CREATE,
  ),
  createRow(
    'create_requested_false',
    'create_requested=false and the state, without an id_token.',
    (callback) => withParam(callback, 'create_requested', 'false'),
    OF_CREATE,
  ),
  changedUse('code_unasked', 'code', {
    correctClient: 'depends',
    needs: ['no_code'],
    breaks: ['code', 'c_hash'],
    summary:
      'A code without a c_hash comes though none was asked for, or though a threshold is met.',
    rule: 'Refuse it, or leave the code alone as a parameter that was not asked for: it is never exchanged.',
    apply: (callback, { invent }) => withAnother(callback, 'code', invent()),
  }),
  changedUse('code_unasked_with_c_hash', 'code', {
    correctClient: 'depends',
    since: '0.2',
    needs: ['no_code'],
    summary:
      'A code comes though none was asked for, or though a threshold is met, and c_hash is that of this code.',
    rule: 'Refuse it, or leave the code alone as a parameter that was not asked for: it is never exchanged.',
    async apply(callback, tools) {
      const code = tools.invent()
      const idToken = paramOf(callback, 'id_token') ?? ''
      const payload = { ...takeApart(idToken).claims, c_hash: codeHash(code) }
      const signed = await signAgain(idToken, tools, { payload })
      return withParam(withParam(callback, 'id_token', signed), 'code', code)
    },
  }),
  changedUse('code_missing', 'code', {
    ending: { kind: 'verified', allFalse: true },
    needs: ['upgrade_scope'],
    plainNo: true,
    summary:
      'No threshold is met and the upgrade scope was asked for, but the code of which c_hash speaks does not come.',
    rule: CODE,
    apply: (callback) => withoutParam(callback, 'code'),
  }),
  changedUse('code_other', 'code_hash', {
    ending: { kind: 'verified', allFalse: true },
    needs: ['upgrade_scope'],
    summary: 'No threshold is met, and the code is another one than c_hash is over.',
    rule: 'Compare c_hash with the code before the code is exchanged (OpenID Connect Core section 3.3.2.10).',
    apply: (callback, { invent }) => withParam(callback, 'code', invent()),
  }),
]

const BROUGHT = {
  ...familyOf('state'),
  flow: 'use',
  family: 'state',
  correctClient: 'refuse',
  twin: 'use/verified',
  since: '0.3',
  breaks: ['state', 'nonce'],
} as const

/**
 * Right answers that a browser brings in a wrong way. The sandbox cannot produce them, so only an
 * audit tries them.
 */
export const BROUGHT_ANSWERS: readonly AuditRow[] = [
  {
    ...BROUGHT,
    name: 'callback.of_other_browser',
    summary:
      'A browser that has begun a flow of its own brings the right answer to a flow of another browser.',
    rule: 'state belongs to the browser that the request was made for: compare it with the session, not with a list of all requests.',
    severity: 8.1,
    cwe: [352, 384],
    harm: 'Somebody else proves an age, and a child opens the address of that answer.',
  },
  {
    ...BROUGHT,
    name: 'callback.twice',
    level: 'should',
    summary:
      'The same browser brings an answer once more, after the session that it opened is over.',
    rule: 'A state that has been answered is spent: remove it from the session before the answer is read.',
    severity: 6.5,
    cwe: [294],
    refs: ['RFC 9700 section 2.1'],
    harm: 'Whoever finds the address of an answer in the history of a browser opens a session with it again.',
  },
]
