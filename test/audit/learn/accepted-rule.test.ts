import { expect, test } from 'vitest'
import { asksTheApp, declaredRules, holds, parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import { APP, ended, hopTo, imitatedApp, pageOf, runOf, visitTo } from '../../support/imitated-app.ts'

test.each([
  ['get=/me status=200', { get: '/me', status: 200 }, true],
  ['text=Welcome, you are 18.', { says: 'Welcome, you are 18.' }, false],
  ['  get=/me   text=a = b & c ', { get: '/me', says: 'a = b & c' }, true],
  ['cookie=session', { cookie: 'session' }, false],
  ['get= /me foo=b', { get: '/me foo=b' }, true],
  ['json=/me#age.verified=true', { json: { path: '/me', member: 'age.verified=true' } }, true],
  ['text=a\nb status=200', { says: 'a\nb', status: 200 }, false],
])('The rule for a success %j is read part by part, and asks the app itself or not', (text, parts, asks) => {
  expect(parseAcceptedRule(text)).toEqual({ text, ...parts })
  expect(asksTheApp(parseAcceptedRule(text))).toBe(asks)
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
  ['-get=/me', 'it has no part name=value'],
  ['json=/me', 'json is not /path#member=value'],
  ['json=/me#verified', 'json is not /path#member=value'],
  ['json=me/you#a=b', 'json is not /path#member=value'],
])('The rule for a success %j is refused: %s', (text, reason) => {
  const right =
    '"get=/me status=200", "text=Welcome", "url=**/members", "cookie=session" or "json=/me#age.verified=true"'
  expect(() => parseAcceptedRule(text)).toThrow(new Error(`${JSON.stringify(text)}: ${reason}; a rule is ${right}`))
})

test('The rules of a flow are read when they are given', () => {
  expect(declaredRules()).toEqual({ accepted: undefined, refused: undefined })
  const [accepted, refused] = ['text=a', 'status=403']
  const rules = { accepted: parseAcceptedRule(accepted), refused: parseAcceptedRule(refused) }
  expect(declaredRules({ accepted, refused })).toEqual(rules)
})

const QUIET = () => '200 /'
const LOGGED_IN = visitTo('', {
  hops: [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session'] }), hopTo(`${APP}/members`)],
  page: pageOf('200 /members <title>Club</title>Welcome, member.'),
})

test.each([
  ['text=Welcome', true],
  ['text=Club', true],
  ['text=welcome', false],
  ['status=200', true],
  ['status=201', false],
  ['status=200 text=Sorry', false],
  ['url=**/members', true],
  ['url=**/callback', false],
  ['cookie=session', true],
  ['cookie=other', false],
  ['get=/me', true],
  ['get=/me status=200 text=Alice', true],
  ['get=/me status=403', false],
  ['get=/me text=Welcome', false],
  ['get=/me url=**/me', true],
  ['get=/nothing', false],
  ['json=/api#age.verified=True', true],
  ['json=/api#age.verified=false', false],
  ['json=/nothing#a=b', false],
  ['text=Welcome json=/api#age.verified=false', false],
])('The rule %j holds after a run: %s', async (rule, isHeld) => {
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
