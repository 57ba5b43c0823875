import { describe, expect, test } from 'vitest'
import { addresses, differenceFrom } from '../../../src/oidc/request/redirect-difference.ts'

const REGISTERED = 'http://localhost:3000/callback'

describe('differenceFrom', () => {
  test.each([
    ['http://localhost:3000/callback/', ' (differs by the final slash)'],
    ['https://localhost:3000/callback', ' (differs by the scheme: https: is not http:)'],
    ['http://localhost/callback', ' (differs by the port: none is not 3000)'],
    ['http://127.0.0.1:3000/callback', ' (differs by the host: 127.0.0.1 is not localhost)'],
    ['http://localhost:3000/Callback', ' (differs by upper and lower case)'],
    ['http://localhost:3000/callback?a=b', ' (differs by the query: ?a=b is not none)'],
    ['http://localhost:3000/callback#', ' (differs by its spelling: it is compared character by character)'],
    ['http://localhost:3000/callback#a', ' (differs by the fragment)'],
    ['http://localhost:3000/call%62ack', ' (differs by percent-encoding: /call%62ack is not /callback)'],
    ['http://localhost:3000/callback ', ' (differs by blanks or line breaks around it)'],
    ['http://localhost:3000/cb', ' (differs by the path: /cb is not /callback)'],
    ['https://localhost:3000/cb', ' (differs by the scheme: https: is not http: and the path: /cb is not /callback)'],
    ['http%3A%2F%2Flocalhost%3A3000%2Fcallback', ' (differs by percent-encoding: it is encoded twice)'],
  ])('of %s is "%s"', (received, difference) => {
    expect(differenceFrom(received, [REGISTERED])).toBe(difference)
  })

  test.each(['https://evil.example/x', 'localhost:3000', '/callback', '', '%', 'http%3A%', 'https://[', '\0'])(
    'of %j, which is another address or none, is not looked for',
    (received) => {
      expect(differenceFrom(received, [REGISTERED])).toBe('')
    },
  )

  test('names the registered address that is nearest, when there are several', () => {
    const registered = ['https://shop.example/callback', REGISTERED]
    expect(differenceFrom('http://localhost:3000/callback/', registered)).toBe(
      ` (differs from ${REGISTERED} by the final slash)`,
    )
  })

  test('is none where nothing is registered', () => {
    expect(differenceFrom(REGISTERED, [])).toBe('')
  })
})

test('addresses lists no more than a line can hold, and escapes what is no plain text', () => {
  const many = Array.from({ length: 20 }, (_, index) => `https://shop.example/${index}`)
  expect(addresses(many)).toMatch(/^https:\/\/shop\.example\/0, .* and 8 more$/)
  expect(addresses(['a b'])).toBe('"a b"')
})
