import { expect, test } from 'vitest'
import { createCookies } from '../../../src/audit/agent/http-agent.ts'

/** The cookies that a browser sends to `to` after `from` set a cookie. */
function sent(setCookie: string, from: string, to = from): string | undefined {
  const cookies = createCookies()
  cookies.keep([setCookie], new URL(from))
  return cookies.headerFor(new URL(to), 'strict')
}

const SECURE = '__Host-a=1; Secure; Path=/'

test.each<readonly [string, string, string, string, string | undefined]>([
  ['goes to each port of its host', 'a=1', 'http://localhost:3000/', 'http://localhost:4000/', 'a=1'],
  ['of localhost does not go to 127.0.0.1', 'a=1', 'http://localhost/', 'http://127.0.0.1/', undefined],
  ['goes below its path', 'a=1; Path=/auth', 'http://localhost/', 'http://localhost/auth/callback', 'a=1'],
  ['does not leave its path', 'a=1; Path=/auth', 'http://localhost/', 'http://localhost/authors', undefined],
  ['may name a domain that is an address', 'a=1; Domain=127.0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1/', 'a=1'],
  ['with Secure is refused at another machine', 'a=1; Secure', 'http://app.test/', 'http://app.test/', undefined],
  ...['http://localhost/', 'http://127.0.0.1/', 'http://[::1]/', 'http://app.localhost/', 'https://app.test/'].map(
    (url) => [`with Secure is sent at ${url}`, SECURE, url, url, '__Host-a=1'] as const,
  ),
])('A cookie %s', (_what, setCookie, from, to, expected) => {
  expect(sent(setCookie, from, to)).toBe(expected)
})

test.each(['a=; Max-Age=0', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
  'A cookie is deleted by %s, and not named as set',
  (deletion) => {
    const cookies = createCookies()
    const url = new URL('http://localhost/')
    expect(cookies.keep(['a=1', 'b=2; Max-Age=60'], url)).toEqual(['a', 'b'])
    expect(cookies.keep([deletion], url)).toEqual([])
    expect(cookies.headerFor(url, 'strict')).toBe('b=2')
  },
)

test('A cookie that is forgotten is gone, whatever its path', () => {
  const cookies = createCookies()
  cookies.keep(['session=1; Path=/app', 'session=2', 'other=3'], new URL('http://localhost/app/'))
  cookies.forget(['session'])
  expect(cookies.headerFor(new URL('http://localhost/app/'), 'strict')).toBe('other=3')
})

test.each(['', ';', '=; Secure', 'a\u0000b=1', 'Domain=else.test'])(
  'A cookie written as %j breaks nothing',
  (header) => {
    expect(() => sent(header, 'http://localhost/')).not.toThrow()
  },
)
