import { expect, test } from 'vitest'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import { asksTheApp, holds } from '../../../src/audit/learn/learned-flow.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { APP, ended, hopTo, pageOf, runOf, visitTo } from '../../support/imitated-pages.ts'

test.each([
  ['get=/me status=200', { get: '/me', status: '200' }, true],
  ['text=Welcome, you are 18.', { text: 'Welcome, you are 18.' }, false],
  ['  get=/me   text=a = b & c ', { get: '/me', text: 'a = b & c' }, true],
  ['cookie=session', { cookie: 'session' }, false],
  ['get= /me foo=b', { get: '/me foo=b' }, true],
  ['json=/me#age.verified=true', { json: '/me#age.verified=true' }, true],
  ['text=a\nb status=200', { text: 'a\nb', status: '200' }, false],
])('The rule for a success %j is read part by part, and asks the app itself or not', (text, parts, asks) => {
  expect(parseAcceptedRule(text)).toEqual({ text, parts })
  expect(asksTheApp(parseAcceptedRule(text))).toBe(asks)
})

const QUIET = () => '200 /'

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
])('The rule url=%s matches the address %s: %s', async (glob, address, isMatch) => {
  const run = runOf(ended('elsewhere', { url: address }))
  expect(await holds(parseAcceptedRule(`url=${glob}`), run, imitatedApp(QUIET).driver)).toBe(isMatch)
})

test.each([
  ['', 'it has no part name=value'],
  ['Welcome', 'it has no part name=value'],
  ['txt=Welcome', 'there is no part "txt". Did you mean "text"?'],
  ['status=200 status=201', 'status stands there twice'],
  ['get= status=200', 'get has no value'],
  ['get=me', 'get=me is no path'],
  ['status=ok', 'status=ok is no HTTP status'],
  ['status=2000', 'status=2000 is no HTTP status'],
  ['-get=/me', 'it has no part name=value'],
  ['json=/me#verified', 'json=/me#verified is not /path#member=value'],
  ['json=me/you#a=b', 'json=me/you#a=b is not /path#member=value'],
])('The rule for a success %j is refused: %s', (text, reason) => {
  const right =
    '"get=/me status=200", "text=Welcome", "url=**/members", "cookie=session" or "json=/me#age.verified=true"'
  expect(() => parseAcceptedRule(text)).toThrow(new Error(`${JSON.stringify(text)}: ${reason}; a rule is ${right}`))
})

const LOGGED_IN = visitTo('', {
  hops: [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session'] }), hopTo(`${APP}/members`)],
  page: pageOf('200 /members <title>Club</title>Welcome, member.'),
})

const HELD = `text=Welcome; text=Club; status=200; url=**/members; cookie=session; get=/me; get=/me url=**/me
  get=/me status=200 text=Alice; json=/api#age.verified=True`
const NOT_HELD = `text=welcome; status=201; status=200 text=Sorry; url=**/callback; cookie=other; get=/me status=403
  get=/me text=Welcome; get=/nothing; json=/api#age.verified=false; json=/nothing#a=b; text=Welcome json=/api#age=false`

test.each(
  [HELD, NOT_HELD].flatMap((rules, index) => rules.split(/[;\n] +/).map((rule) => [rule, index === 0] as const)),
)('The rule %j holds after a run: %s', async (rule, isHeld) => {
  const json = pageOf('200 /api {"age":{"verified":true}}', 'application/json')
  const peek = (path: string) => {
    if (path === '/nothing') return ended('dropped')
    return path === '/me' ? '200 /me Alice' : ended('page', { page: json })
  }
  const { driver } = imitatedApp(QUIET, { peek })
  expect(await holds(parseAcceptedRule(rule), runOf(LOGGED_IN), driver)).toBe(isHeld)
})

test('A rule about a page holds after no run that ended without one, and in no browser that has opened none', async () => {
  const { driver } = imitatedApp(QUIET)
  const fresh = { browser: await driver.newBrowser() }
  const gone = runOf(ended('elsewhere', { url: 'https://front.example/gone' }))
  const held = ['url=**', 'cookie=session', 'text=a', 'status=200'].map(async (text) => {
    const rule = parseAcceptedRule(text)
    return [await holds(rule, gone, driver), await holds(rule, fresh, driver)]
  })
  expect(await Promise.all(held)).toEqual([[true, false], ...Array(3).fill([false, false])])
})
