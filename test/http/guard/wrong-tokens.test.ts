import { describe, expect, test } from 'vitest'
import { createWrongTokens, MAX_COUNTED_ADDRESSES, MAX_WRONG_TOKENS } from '../../../src/http/guard/wrong-tokens.ts'
import { startSandbox } from '../../support/sandbox.ts'

const wrong = () => false
const right = () => true

/** A counter of wrong tokens in a time of its own. */
function createCounter() {
  let now = 0
  const counter = createWrongTokens(() => now)
  const send = (times: number, address = 'a') => {
    for (let n = 0; n < times; n++) counter.judge(address, wrong)
  }
  return {
    ...counter,
    send,
    pass(milliseconds: number) {
      now += milliseconds
    },
  }
}

const REFUSED = { status: 429, code: 'too_many_requests', headers: { 'Retry-After': '1' } }

describe('An address that sends wrong control tokens', () => {
  test('is still judged after 20 of them within a second', () => {
    const { send, judge } = createCounter()
    send(MAX_WRONG_TOKENS - 1)
    expect(judge('a', wrong)).toBe(false)
  })

  test('is refused beyond 20 of them, with the right token too, until their second is over', () => {
    const { send, judge, pass } = createCounter()
    send(MAX_WRONG_TOKENS)
    expect(() => judge('a', wrong)).toThrow(expect.objectContaining(REFUSED))
    pass(999)
    expect(() => judge('a', right)).toThrow('a has sent 20 wrong ones within a second')
    pass(1)
    expect(judge('a', right)).toBe(true)
    send(MAX_WRONG_TOKENS)
    expect(() => judge('a', right)).toThrow(expect.objectContaining(REFUSED))
  })

  test('does not affect another address', () => {
    const { send, judge } = createCounter()
    send(MAX_WRONG_TOKENS)
    expect(judge('b', right)).toBe(true)
  })

  test('may send right ones without end', () => {
    const { judge } = createCounter()
    for (let n = 0; n < 10 * MAX_WRONG_TOKENS; n++) expect(judge('a', right)).toBe(true)
  })

  test('is forgotten when 10,000 others have begun after it within the same second', () => {
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
})

describe('Of a burst of wrong control tokens that one address sends', () => {
  const start = () => startSandbox({ host: '0.0.0.0', controlToken: 'right-token' })
  type Send = (sandbox: Awaited<ReturnType<typeof start>>) => PromiseLike<{ status: number }>

  test.each<[string, Send]>([
    ['by bearer header', ({ request }) => request.get('/_sandbox/flows').set('Authorization', 'Bearer wrong')],
    [
      'by the console cookie',
      ({ request }) => request.get('/_sandbox/console/flows').set('Cookie', 'agekey_sandbox_control=wrong'),
    ],
    [
      'by the sign-in form',
      ({ request }) => request.post('/_sandbox/console/sign-in').type('form').send({ token: 'wrong' }),
    ],
  ])('%s, those beyond 20 a second are answered with 429', async (_, send) => {
    const sandbox = await start()
    const answers = await Promise.all(Array.from({ length: 60 }, () => send(sandbox)))
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(60)
  })

  test('the refusal says so, and when to come back', async () => {
    const sandbox = await start()
    const send = (token: string) => sandbox.request.get('/_sandbox/flows').set('Authorization', `Bearer ${token}`)
    const answers = await Promise.all([...Array(60).fill('wrong'), 'right-token'].map(send))
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers['retry-after']).toBe('1')
    expect(refused?.body).toEqual({
      error: 'too_many_requests',
      error_description: expect.stringMatching(/^control token: [\d.:a-f]+ has sent 20 wrong ones within a second/),
      findings: [],
    })
  })

  test('calls without a token are answered as before', async () => {
    const sandbox = await start()
    const calls = Array.from({ length: 60 }, () => sandbox.request.get('/_sandbox/flows'))
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([401]))
  })
})
