import { expect, test } from 'vitest'
import { asksTheApp, parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'

test.each([
  ['get=/me status=200', { get: '/me', status: 200 }],
  ['text=Welcome, you are 18.', { says: 'Welcome, you are 18.' }],
  ['  get=/me   text=a = b & c ', { get: '/me', says: 'a = b & c' }],
  ['cookie=session', { cookie: 'session' }],
  ['get= /me status=200', { get: '/me', status: 200 }],
  ['json=/me#age.verified=true', { json: { path: '/me', member: 'age.verified=true' } }],
  ['get=/a foo=b', { get: '/a foo=b' }],
  ['text=a\nb status=200', { says: 'a\nb', status: 200 }],
])('The rule for a success %j is read part by part', (text, parts) => {
  expect(parseAcceptedRule(text)).toEqual({ text, ...parts })
})

test.each([
  ['**/members', 'http://localhost:3000/app/members', true],
  ['**/members', 'http://localhost:3000/members?a=1', false],
  ['http://localhost:3000/*', 'http://localhost:3000/a', true],
  ['http://localhost:3000/*', 'http://localhost:3000/a/b', false],
  ['**/a*b', 'http://localhost/aXb', true],
  ['**/a.b', 'http://localhost/aXb', false],
  ['**/a+(b)[c]{d}^$|?', 'http://localhost/a+(b)[c]{d}^$|?', true],
  ['**', 'http://localhost/a\nb', true],
  ['/a', 'http://localhost/a', false],
  ['http://localhost/a', 'http://localhost/a/b', false],
])('The rule url=%s matches the address %s: %s', (glob, address, isMatch) => {
  expect(parseAcceptedRule(`url=${glob}`).url?.test(address)).toBe(isMatch)
})

test.each([
  ['', 'it has no part name=value'],
  ['Welcome', 'it has no part name=value'],
  ['txt=Welcome', 'there is no part "txt". Did you mean "text"?'],
  ['status=200 status=201', 'status stands there twice'],
  ['get= status=200', 'get has no value'],
  ['get=me', 'get=me is no path'],
  ['status=ok', 'status ok is no HTTP status'],
  ['status=600', 'status 600 is no HTTP status'],
  ['status=2000', 'status 2000 is no HTTP status'],
  ['status=1200', 'status 1200 is no HTTP status'],
  ['-get=/me', 'it has no part name=value'],
  ['json=/me', 'json is not /path#member=value'],
  ['json=/me#verified', 'json is not /path#member=value'],
  ['json=me/you#a=b', 'json is not /path#member=value'],
])('The rule for a success %j is refused: %s', (text, reason) => {
  const right =
    '"get=/me status=200", "text=Welcome", "url=**/members", "cookie=session" or "json=/me#age.verified=true"'
  expect(() => parseAcceptedRule(text)).toThrow(new Error(`${JSON.stringify(text)}: ${reason}; a rule is ${right}`))
})

test.each([
  ['get=/me status=200', true],
  ['json=/me#verified=true', true],
  ['text=Welcome', false],
  ['cookie=session', false],
])('The rule for a success %j asks the app itself: %s', (text, asks) => {
  expect(asksTheApp(parseAcceptedRule(text))).toBe(asks)
})
