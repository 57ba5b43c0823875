import { codeHash } from '../../../oidc/id-token.ts'
import { signCompact } from '../../keys/compact-jws.ts'
import { takeApart } from '../../keys/forge.ts'
import type { OutcomeRow } from '../outcome-row.ts'
import { ONCE, ONE_ANSWER, STATE } from './callback.ts'
import { changedCallback, paramOf, withAnother, withFirst, withoutParam, withParam } from './callback-changes.ts'

const OWN_MODE = 'Read the answer only from where it was asked for: fragment, query or form.'
const CODE = 'A code comes when the upgrade scope was asked for and every threshold is false: then always, else never.'
const CREATE = 'create_requested is exactly true, and comes only to a request with can_create=true.'

const changedUse = changedCallback('use')

/** Changed callbacks of the Use flow alone; the id_token itself is correct. */
export const USE_CALLBACKS: readonly OutcomeRow[] = [
  changedUse('state_of_earlier_flow', {
    family: 'state',
    needs: ['earlier_flow', 'earlier_state'],
    prelude: 'earlier_flow',
    summary: 'The state is that of the last flow of this client.',
    rule: STATE,
    apply: (callback, { earlier }) => withParam(callback, 'state', earlier.state),
  }),
  changedUse('replayed', {
    family: 'state',
    needs: ['earlier_flow'],
    prelude: 'earlier_flow',
    breaks: ['state', 'nonce'],
    summary:
      'The whole answer of the last flow of this client once more, state and id_token, as when the callback is requested twice.',
    rule: `${STATE} A state that has been answered is spent.`,
    apply: (callback, { earlier }) =>
      withParam(withParam(callback, 'state', earlier.state), 'id_token', earlier.idToken),
  }),
  changedUse('in_other_mode', {
    family: 'response_mode',
    summary:
      'The answer comes in the query though the fragment was asked for; in the fragment if it was the query or a form.',
    rule: OWN_MODE,
    apply: (callback) => ({ ...callback, mode: callback.mode === 'fragment' ? 'query' : 'fragment' }),
  }),
  changedUse('form_post_unasked', {
    family: 'response_mode',
    summary:
      'The answer is posted across sites, where cookies with SameSite=Lax stay behind; in the query if a form was asked for.',
    rule: `${OWN_MODE} A client that asks for form_post keeps the session in a cookie with SameSite=None.`,
    apply: (callback) => ({ ...callback, mode: callback.mode === 'form_post' ? 'query' : 'form_post' }),
  }),
  changedUse('id_token_missing', {
    family: 'parameters',
    level: 'must',
    severity: 9.1,
    cwe: [636, 754],
    harm: 'A callback without a token counts as a proof of age, and a child is let in.',
    needs: ['age_key'],
    summary: 'There is a state, but neither an id_token nor an error.',
    rule: ONE_ANSWER,
    apply: (callback) => withoutParam(callback, 'id_token'),
  }),
  changedUse('id_token_twice', {
    family: 'parameters',
    needs: ['age_key'],
    summary: 'Two parameters id_token: one without a signature, then the right one.',
    rule: ONCE,
    apply(callback) {
      const { header, payload } = takeApart(paramOf(callback, 'id_token') ?? '').parts
      return withFirst(callback, 'id_token', `${header}.${payload}.`)
    },
  }),
  changedUse('id_token_twice_right_first', {
    family: 'parameters',
    since: '0.2',
    needs: ['age_key'],
    summary: 'Two parameters id_token: the right one, then one without a signature.',
    rule: ONCE,
    apply(callback) {
      const { header, payload } = takeApart(paramOf(callback, 'id_token') ?? '').parts
      return withAnother(callback, 'id_token', `${header}.${payload}.`)
    },
  }),
  changedUse('create_requested_and_id_token', {
    family: 'parameters',
    layer: 'service',
    needs: ['age_key'],
    summary: 'An id_token and create_requested=true together.',
    rule: ONE_ANSWER,
    apply: (callback) => withAnother(callback, 'create_requested', 'true'),
  }),
  changedUse('create_requested_unasked', {
    family: 'create_request',
    twin: 'use/verified',
    ending: { kind: 'create_requested' },
    needs: ['no_can_create'],
    summary: 'create_requested=true to a request that did not send can_create=true.',
    rule: CREATE,
  }),
  changedUse('create_requested_upper_case', {
    family: 'create_request',
    ending: { kind: 'create_requested' },
    needs: ['can_create'],
    summary: 'create_requested=TRUE.',
    rule: CREATE,
    apply: (callback) => withParam(callback, 'create_requested', 'TRUE'),
  }),
  changedUse('create_requested_false', {
    family: 'create_request',
    ending: { kind: 'create_requested' },
    needs: ['can_create'],
    summary: 'create_requested=false, and nothing else.',
    rule: CREATE,
    apply: (callback) => withParam(callback, 'create_requested', 'false'),
  }),
  changedUse('code_unasked', {
    family: 'code',
    correctClient: 'depends',
    breaks: ['code', 'c_hash'],
    summary:
      'A code without a c_hash comes though none was asked for, or though a threshold is met; a second one if there is one already.',
    rule: 'Refuse it, or leave the code alone as a parameter that was not asked for: it is never exchanged.',
    apply: (callback, { invent }) => withAnother(callback, 'code', invent()),
  }),
  changedUse('code_unasked_with_c_hash', {
    family: 'code',
    correctClient: 'depends',
    since: '0.2',
    needs: ['age_key'],
    summary: 'A code comes though none was asked for, or though a threshold is met, and c_hash is that of this code.',
    rule: 'Refuse it, or leave the code alone as a parameter that was not asked for: it is never exchanged.',
    async apply(callback, { invent, keys }) {
      const code = invent()
      const { header, claims } = takeApart(paramOf(callback, 'id_token') ?? '')
      const payload = { ...claims, c_hash: codeHash(code) }
      const idToken = await signCompact({ header, payload }, await keys.signingKey())
      return withParam(withParam(callback, 'id_token', idToken), 'code', code)
    },
  }),
  changedUse('code_missing', {
    family: 'code',
    ending: { kind: 'verified', allFalse: true },
    needs: ['upgrade_scope'],
    summary: 'No threshold is met and the upgrade scope was asked for, but no code comes.',
    rule: CODE,
    apply: (callback) => withoutParam(callback, 'code'),
  }),
  changedUse('code_other', {
    family: 'code_hash',
    ending: { kind: 'verified', allFalse: true },
    needs: ['upgrade_scope'],
    summary: 'No threshold is met, and the code is another one than c_hash is over.',
    rule: 'Compare c_hash with the code before the code is exchanged (OpenID Connect Core section 3.3.2.10).',
    apply: (callback, { invent }) => withParam(callback, 'code', invent()),
  }),
]
