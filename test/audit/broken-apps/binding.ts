import type { BrokenApp } from './broken-app.ts'

/** Apps that take an answer for that of another browser, request or code. */
export const BINDING: readonly BrokenApp[] = [
  {
    name: 'compares no state',
    changes: [[' || answer.state !== sent[1]', '']],
    finds: ['*/callback.state_*', 'create/callback.empty', 'create/callback.in_fragment'],
  },
  {
    name: 'compares no state in Create',
    changes: [["  asked(request.query, { request, response, cookie: 'age_create' })\n", '']],
    finds: ['create/callback.state_*', 'create/callback.empty', 'create/callback.in_fragment'],
  },
  {
    name: 'takes the first of two states',
    changes: [['answer.state !== sent[1]', '[answer.state].flat()[0] !== sent[1]']],
    finds: ['*/callback.state_twice_right_first'],
  },
  {
    name: 'takes the last of two states',
    changes: [['answer.state !== sent[1]', '[answer.state].flat().at(-1) !== sent[1]']],
    finds: ['*/callback.state_twice'],
  },
  {
    name: 'never forgets a state that was answered',
    changes: [
      ['const COOKIE = {', 'const sentNonces = new Map()\nconst COOKIE = {'],
      ['  return { state, nonce }', '  sentNonces.set(state, nonce)\n  return { state, nonce }'],
      ['answer.state !== sent[1]', '!sentNonces.has(answer.state)'],
      ['return sent[2]', 'return sentNonces.get(answer.state)'],
    ],
    finds: ['use/callback.replayed'],
  },
  {
    name: 'compares no nonce',
    changes: [['    payload.nonce === nonce &&\n', '']],
    finds: ['use/id_token.nonce_*', 'use/id_token.replayed', 'use/id_token.of_other_session'],
  },
  {
    name: 'takes the nonce of any request that it has sent',
    changes: [
      ['const COOKIE = {', 'const sentNonces = new Set()\nconst COOKIE = {'],
      ['  return { state, nonce }', '  sentNonces.add(nonce)\n  return { state, nonce }'],
      ['payload.nonce === nonce', 'sentNonces.has(payload.nonce)'],
    ],
    finds: ['use/id_token.nonce_of_earlier_flow', 'use/id_token.replayed'],
  },
  {
    name: 'compares the nonce as text',
    changes: [['payload.nonce === nonce', 'String(payload.nonce) === nonce']],
    finds: ['use/id_token.nonce_array'],
  },
  {
    name: 'exchanges a code that c_hash does not fit',
    changes: [['    payload.c_hash === (code && hash(code, 16)) &&\n', '']],
    finds: ['use/id_token.c_hash_wrong', 'use/id_token.c_hash_missing', 'use/callback.code_other'],
  },
  {
    name: 'does not ask which claims the token answers',
    changes: [['    payload.req_claims_hash === hash(CLAIMS, 32) &&\n', '']],
    finds: ['use/id_token.req_claims_hash_*'],
  },
]
