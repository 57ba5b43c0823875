import { expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../../src/service/oidc/policy.ts'
import { isUnavailable, Refusal } from '../../../src/service/oidc/refusal.ts'
import { ERROR_STATUS } from '../../../src/service/oidc/rules/error-codes.ts'

const SOURCE = 'query parameter sandbox_persona'
const UNKNOWN = { source: SOURCE, kind: 'persona', name: 'teen', known: ['teen-14', 'adult'] }
const ELSEWHERE = { ...UNKNOWN, status: 404, problem: 'no.', listedBy: 'GET /x' } as const
const FORM = { call: 'par', policy: DEFAULT_POLICY, readings: undefined } as const
const UNSET = { restartHint: undefined, form: undefined, cause: undefined }
const details = { title: 'Refused', findings: [], suggestions: [], headers: {}, ...UNSET }
const IMPOSSIBLE = { title: 'This test decision is not possible', suggestions: ['teen-14'] }
const NO_PERSONA = `${SOURCE}: there is no persona "teen". Did you mean "teen-14"?`
const AWAY = {
  title: 'The sandbox cannot answer now',
  headers: { 'Retry-After': '1' },
  cause: 'why',
}
const RULE = { title: 'This request cannot be answered' }

test.each<[Refusal, status: number, code: string, message: string, others?: object]>([
  [Refusal.byRules('invalid_client', 'is "x"…'), 401, 'invalid_client', "is 'x'...", RULE],
  [
    Refusal.byRules('invalid_request', String.raw`is "{\"a\":\"\u200b\"}"`),
    400,
    'invalid_request',
    "is '{'a':'/u200b'}'",
    RULE,
  ],
  [
    Refusal.byRules('invalid_scope', 'x', { status: 415, title: 'T' }),
    415,
    'invalid_scope',
    'x',
    { title: 'T' },
  ],
  [Refusal.invalidRequest('"x"'), 400, 'invalid_request', '"x"'],
  [
    Refusal.invalidRequest('x', { restartHint: 'again' }),
    400,
    'invalid_request',
    'x',
    { restartHint: 'again' },
  ],
  [
    Refusal.unauthorized('x', 'Basic'),
    401,
    'invalid_token',
    'x',
    { headers: { 'WWW-Authenticate': 'Basic' } },
  ],
  [Refusal.forbidden('x'), 403, 'access_denied', 'x'],
  [Refusal.notFound('x', { suggestions: ['y'] }), 404, 'not_found', 'x', { suggestions: ['y'] }],
  [Refusal.notFound('x'), 404, 'not_found', 'x'],
  [Refusal.conflict('x'), 409, 'conflict', 'x'],
  [Refusal.byHttp(413, 'x', { title: 'T' }), 413, 'invalid_request', 'x', { title: 'T' }],
  [Refusal.unavailable('x', 'why'), 503, 'temporarily_unavailable', 'x', AWAY],
  [Refusal.forbidden('x').with({ form: FORM }), 403, 'access_denied', 'x', { form: FORM }],
  [
    Refusal.unavailable('x', 'why').with({ form: FORM }),
    503,
    'temporarily_unavailable',
    'x',
    { ...AWAY, form: FORM },
  ],
  [Refusal.unknownName(UNKNOWN), 400, 'invalid_request', NO_PERSONA, IMPOSSIBLE],
  [
    Refusal.unknownName(ELSEWHERE),
    404,
    'not_found',
    `${SOURCE}: no. GET /x lists all.`,
    IMPOSSIBLE,
  ],
])(
  'The refusal %s has the status %i with the code %s',
  (refusal, status, code, message, others) => {
    const {
      name,
      stack: _stack,
      ...members
    } = { ...refusal, message: refusal.message, cause: refusal.cause }
    expect({ name, ...members }).toEqual({
      name: 'Refusal',
      status,
      code,
      message,
      ...details,
      ...others,
    })
  },
)

test('Only a refusal for want of the store is unavailable', () => {
  const errors = [
    Refusal.unavailable('x'),
    Refusal.forbidden('x'),
    new Error('temporarily_unavailable'),
    undefined,
  ]
  expect(errors.map(isUnavailable)).toEqual([true, false, false, false])
})

test('Only an unavailable refusal has a cause', () => {
  expect(Refusal.forbidden('x')).not.toHaveProperty('cause')
  expect(Refusal.unavailable('x', 'why')).toHaveProperty('cause')
})

test('Each error code has its HTTP status', () => {
  const statuses = Object.entries(ERROR_STATUS).filter(([, status]) => status !== 400)
  expect(Object.keys(ERROR_STATUS)).toHaveLength(16)
  const forbidden = { insufficient_scope: 403, access_denied: 403 }
  const unanswered = { server_error: 500, temporarily_unavailable: 503 }
  const unauthorized = { invalid_client: 401, invalid_token: 401 }
  expect(Object.fromEntries(statuses)).toEqual({ ...unauthorized, ...forbidden, ...unanswered })
})
