import { expect, test } from 'vitest'
import {
  type Callback,
  callbackSchema,
  callbackUrl,
  createCallback,
  createErrorCallback,
  isResponseMode,
  withDescriptionEnd,
} from '../../../src/service/oidc/callback.ts'
import { DEFAULT_POLICY } from '../../../src/service/oidc/policy.ts'

const TARGET = { mode: 'query', redirectUri: 'https://rp.example/cb', state: 's' } as const
const SENT = { mode: 'query', redirectUri: 'https://rp.example/cb' }
const descriptionOf = ({ params }: Callback) => new Map(params).get('error_description')

test('A callback omits a parameter without a value', () => {
  const params = Object.entries({ b: '1', a: '' })
  expect(createCallback(TARGET, { b: '1', none: undefined, a: '' })).toEqual({ ...SENT, params })
})

test('A callback has one of three response modes', () => {
  const words = ['form_post', 'fragment', 'query', 'jwt', 'Query', '']
  expect(words.filter(isResponseMode)).toEqual(words.slice(0, 3))
})

test.each([
  ['The user went back.', undefined, 'The user went back.'],
  ['scope is missing', 'Send scope=openid.', 'scope is missing. Send scope=openid.'],
  ['Known are a, b.', 'Send a.', 'Known are a, b. Send a.'],
  ['a.b is missing', 'Send c.', 'a.b is missing. Send c.'],
  [`a.b${'x'.repeat(398)}`, undefined, `a.b${'x'.repeat(394)}...`],
  ['Did you mean "a"?', 'Send a.', "Did you mean 'a'? Send a."],
  ['is "x…" \\ ü\n', undefined, "is 'x...' / ??"],
  ['x'.repeat(400), undefined, 'x'.repeat(400)],
  ['x'.repeat(401), undefined, `${'x'.repeat(397)}...`],
  [`${'x'.repeat(394)}...yyyy`, undefined, `${'x'.repeat(394)}...`],
])('An error is described by at most 400 plain characters: row %#', (description, hint, sent) => {
  const refusal = { error: 'e', description, ...(hint === undefined ? {} : { hint }) }
  const params = Object.entries({ error: 'e', error_description: sent, state: 's' })
  expect(createErrorCallback(TARGET, refusal)).toEqual({ ...SENT, params })
})

test('An error callback omits a state that was not sent', () => {
  const policy = { ...DEFAULT_POLICY, errorDescription: 'absent' } as const
  const error = { error: 'e', description: 'd' }
  expect(createErrorCallback({ ...TARGET, state: undefined }, error, policy).params).toEqual([
    ['error', 'e'],
  ])
})

test('The end that is added to a description takes its room from the description alone', () => {
  const callback = createErrorCallback(TARGET, { error: 'e', description: 'x'.repeat(400) })
  const ended = withDescriptionEnd(callback, ' The end.')
  expect(descriptionOf(ended)).toBe(`${'x'.repeat(388)}... The end.`)
  expect({ ...ended, params: [] }).toEqual({ ...callback, params: [] })
  expect(ended.params.map(([name]) => name)).toEqual(['error', 'error_description', 'state'])
  const short = createErrorCallback(TARGET, { error: 'e', description: 'x'.repeat(391) })
  expect(descriptionOf(withDescriptionEnd(short, ' The end.'))).toBe(`${'x'.repeat(391)} The end.`)
})

test.each([
  [{ mode: 'query' }, 'https://rp.example/cb?a=b%20c%26%2B&state='],
  [{ mode: 'query', blanks: '+' }, 'https://rp.example/cb?a=b+c%26%2B&state='],
  [{ mode: 'fragment' }, 'https://rp.example/cb#a=b%20c%26%2B&state='],
  [
    { mode: 'query', redirectUri: 'https://rp.example/cb?x=y+z' },
    'https://rp.example/cb?x=y+z&a=b%20c%26%2B&state=',
  ],
  [
    { mode: 'query', redirectUri: 'https://rp.example/cb??x=y' },
    'https://rp.example/cb??x=y&a=b%20c%26%2B&state=',
  ],
  [
    { mode: 'fragment', redirectUri: 'https://rp.example/cb?x=y' },
    'https://rp.example/cb?x=y#a=b%20c%26%2B&state=',
  ],
  [{ mode: 'query', params: [] }, 'https://rp.example/cb'],
] as const)('The browser takes the callback %j to %s', (changes, url) => {
  const params = Object.entries({ a: 'b c&+', state: '' })
  const callback: Callback = { redirectUri: 'https://rp.example/cb', params, ...changes }
  expect(callbackUrl(callback)).toBe(url)
  expect(callbackSchema.parse(callback)).toEqual(callback)
})
