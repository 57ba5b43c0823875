import { expect, test } from 'vitest'
import { createWrongTokens, MAX_COUNTED_ADDRESSES, MAX_WRONG_TOKENS } from '../../../src/http/guard/wrong-tokens.ts'
import { startSandbox } from '../../support/sandbox.ts'

const wrong = () => false
const right = () => true

/** A counter of wrong tokens in a time of its own. */
function createCounter() {
  const time = { now: 0 }
  const counter = createWrongTokens(() => time.now)
  const send = (times: number) => {
    for (let n = 0; n < times; n++) counter.judge('a', wrong)
  }
  return { ...counter, send, time }
}

const REFUSED = { status: 429, code: 'too_many_requests', headers: { 'Retry-After': '1' } }

test('An address that sends wrong control tokens is refused beyond 20 of them, with the right token too, for a second', () => {
  const { send, judge, time } = createCounter()
  send(MAX_WRONG_TOKENS - 1)
  expect(judge('a', wrong)).toBe(false)
  expect(() => judge('a', wrong)).toThrow(expect.objectContaining(REFUSED))
  for (let n = 0; n < 10 * MAX_WRONG_TOKENS; n++) expect(judge('b', right)).toBe(true)
  time.now += 999
  expect(() => judge('a', right)).toThrow('a has sent 20 wrong ones within a second')
  time.now += 1
  expect(judge('a', right)).toBe(true)
  send(MAX_WRONG_TOKENS)
  expect(() => judge('a', right)).toThrow(expect.objectContaining(REFUSED))
})

test('An address that sent wrong tokens is forgotten when 10,000 others have begun after it within the same second', () => {
  const isCountedAfter = (others: number) => {
    const { send, judge } = createCounter()
    send(MAX_WRONG_TOKENS)
    for (let n = 0; n < others; n++) judge(`other-${n}`, wrong)
    try {
      return !judge('a', right)
    } catch {
      return true
    }
  }
  expect([isCountedAfter(MAX_COUNTED_ADDRESSES - 1), isCountedAfter(MAX_COUNTED_ADDRESSES)]).toEqual([true, false])
})

const startBeyond = () => startSandbox({ host: '0.0.0.0', controlToken: 'right-token' })
const burst = (send: () => PromiseLike<{ status: number }>) => Promise.all(Array.from({ length: 60 }, send))

test.each([
  ['by bearer header', 'get', 'flows', { Authorization: 'Bearer wrong' }],
  ['by the console cookie', 'get', 'console/flows', { Cookie: 'agekey_sandbox_control=wrong' }],
  ['by the cookie of its events', 'get', 'events', { Cookie: 'agekey_sandbox_control=wrong' }],
  ['by the sign-in form', 'post', 'console/sign-in', {}],
] as const)('Of a burst of wrong tokens %s those beyond 20 a second get 429', async (_, method, path, headers) => {
  const { request } = await startBeyond()
  const send = () => request[method](`/_sandbox/${path}`).set(headers)
  const answers = await burst(() => (method === 'get' ? send() : send().type('form').send({ token: 'wrong' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
  const refused = answers.find(({ status }) => status === 429)
  const text = expect.stringMatching(/control token: [\d.:a-f]+ has sent 20 wrong ones within a second/)
  expect(refused).toMatchObject({ headers: { 'retry-after': '1' }, text })
})

test('Calls without a control token are not counted as wrong ones', async () => {
  const { request } = await startBeyond()
  const statuses = (await burst(() => request.get('/_sandbox/flows'))).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401]))
})
