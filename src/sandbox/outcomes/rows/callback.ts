import type { Ending } from '../outcome.ts'
import type { OutcomeRow } from '../outcome-row.ts'
import { rowsUnder } from '../rows-under.ts'
import { changedCallback, paramOf, withAnother, withFirst, withoutParam, withParam } from './callback-changes.ts'

/** Rules of callbacks. */
export const STATE = 'state equals the one that was kept in this session, character by character; each serves once.'
export const ONE_ANSWER = 'A callback has one answer: an id_token, create_requested or an error. Refuse a mixture.'
export const ONCE = 'No parameter comes twice (RFC 6749 section 3.1).'
const ERROR = 'error of any value means that there is no result; show a text of your own.'
const DESCRIPTION = 'error_description is for the log: cut it off, escape it, and never show it as it came.'

const DENIED: Ending = { kind: 'error', error: 'access_denied', description: 'the user went back or gave up' }

/** Changed callbacks of both browser flows. */
function ofBothFlows(flow: 'use' | 'create'): OutcomeRow[] {
  const changed = changedCallback(flow)
  const stateRow = rowsUnder(changed, 'state', STATE)
  return [
    stateRow('state_missing', 'There is no state.', (callback) => withoutParam(callback, 'state')),
    stateRow('state_empty', 'The state is the empty string.', (callback) => withParam(callback, 'state', '')),
    stateRow('state_changed', 'The last character of the state is another one.', (callback) => {
      const state = paramOf(callback, 'state') ?? ''
      return withParam(callback, 'state', state.slice(0, -1) + (state.endsWith('A') ? 'B' : 'A'))
    }),
    stateRow(
      'state_of_other_session',
      'The state is one that this browser never got: an answer for another session.',
      (callback, { invent }) => withParam(callback, 'state', invent()),
    ),
    changed('state_twice', {
      family: 'parameters',
      summary: 'Two states: a wrong one, then the right one.',
      rule: ONCE,
      apply: (callback, { invent }) => withFirst(callback, 'state', invent()),
    }),
    changed('state_twice_right_first', {
      family: 'parameters',
      since: '0.2',
      summary: 'Two states: the right one, then a wrong one.',
      rule: ONCE,
      apply: (callback, { invent }) => withAnother(callback, 'state', invent()),
    }),
    changed('empty', {
      family: 'state',
      breaks: flow === 'use' ? ['state', 'parameters'] : ['state'],
      summary: 'The callback has no parameters at all, as when its address is opened directly.',
      rule: 'A callback without a waiting flow belongs to no session: answer with a plain page.',
      apply: (callback) => ({ ...callback, params: [] }),
    }),
    changed('error_with_wrong_state', {
      family: 'error',
      breaks: ['state', 'error'],
      ending: DENIED,
      summary: 'access_denied with a state that was never sent: an attempt to end the flow from outside.',
      rule: `${STATE} A stranger's error ends no flow.`,
      apply: (callback, { invent }) => withParam(callback, 'state', invent()),
    }),
    changed('error_and_success', {
      family: 'error',
      summary: 'The answer of a flow that went well, and error=access_denied beside it.',
      rule: `${ONE_ANSWER} ${ERROR}`,
      apply: (callback) => withAnother(callback, 'error', 'access_denied'),
    }),
    changed('error_empty', {
      family: 'error',
      correctClient: 'depends',
      refs: ['RFC 6749 section 3.1'],
      summary: 'The answer of a flow that went well, and an empty parameter error.',
      rule: 'Refuse any error, or take an empty parameter for one that was left out (RFC 6749 section 3.1).',
      apply: (callback) => withAnother(callback, 'error', ''),
    }),
    changed('error_unknown', {
      family: 'error',
      ending: {
        kind: 'error',
        error: 'sandbox_unknown_error',
        description: 'an error code that no specification lists',
      },
      summary: 'An error code that no specification lists.',
      rule: ERROR,
    }),
    changed('error_description_long', {
      family: 'error',
      ending: DENIED,
      summary: 'An error_description of 8,000 characters.',
      rule: DESCRIPTION,
      apply: (callback) => withParam(callback, 'error_description', 'x'.repeat(8_000)),
    }),
    changed('error_description_markup', {
      family: 'error',
      cwe: [636, 79],
      ending: DENIED,
      summary: 'An error_description that is HTML with a script.',
      rule: DESCRIPTION,
      apply: (callback) => withParam(callback, 'error_description', '"><img src=x onerror=alert(document.domain)>'),
    }),
    changed('iss_of_other_issuer', {
      family: 'mix_up',
      summary: 'A parameter iss names another issuer: an answer of another server (mix-up).',
      correctClient: 'depends',
      rule: 'A client that supports RFC 9207 refuses another issuer; one that does not ignores the parameter.',
      apply: (callback) => withAnother(callback, 'iss', 'https://issuer.example'),
    }),
    changed('extra_parameter', {
      family: 'control',
      refs: ['RFC 6749 section 4.2.2'],
      correctClient: 'accept',
      summary: 'A parameter that the client does not know is there.',
      rule: 'Ignore parameters that are not understood (RFC 6749 section 4.2.2).',
      apply: (callback, { invent }) => withAnother(callback, 'session_state', invent()),
    }),
  ]
}

/** Changed callbacks of the browser flows; the id_token itself is correct. */
export const CALLBACKS: readonly OutcomeRow[] = [
  ...ofBothFlows('use'),
  ...ofBothFlows('create'),
  changedCallback('create')('in_fragment', {
    family: 'response_mode',
    summary: 'The answer comes in the fragment, where no server sees it.',
    rule: 'The Create flow answers in the query.',
    apply: (callback) => ({ ...callback, mode: 'fragment' }),
  }),
]
