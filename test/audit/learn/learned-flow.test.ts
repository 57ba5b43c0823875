import { expect, test } from 'vitest'
import { observe } from '../../../src/audit/drive/observation.ts'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import { asksTheApp, describeLearnedFlow, holds, learnFlow, readRun } from '../../../src/audit/learn/learned-flow.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { flowShowing, kindsOf, seenOf } from '../../support/imitated-learning.ts'
import { APP, ended, hopTo, NO, pageOf, runOf, visitTo, YES } from '../../support/imitated-pages.ts'

const look = (pages: Readonly<Record<string, string>>) => seenOf(YES, pages).probes

test('A page is a probe when it shows something else to users who are in, to those who are out, and to strangers', () => {
  const pages = ['/me', '/start', '/news', '/lost']
  const shows = (isIn: boolean, isFresh = false) => ({
    '/me': isIn ? '200 /me You are in.' : '401 /me No.',
    // The page greets refused users too.
    '/start': isFresh ? '200 /start Begin.' : '200 /start Hello.',
    '/news': '200 /news News.',
  })
  const ins = [seenOf(YES, shows(true)), seenOf(YES, shows(true))]
  const seen = [seenOf(NO, shows(false)), seenOf(NO, shows(false))]
  const outs = [{ label: 'access_denied', seen }]
  const flow = learnFlow({ rules: {}, ins, outs, paths: pages, fresh: look(shows(false, true)) })
  expect(flow.probes.map(({ path }) => path)).toEqual(['/me'])
  const onlyFresh = learnFlow({ rules: {}, ins, outs: [], paths: pages, fresh: look(shows(false, true)) })
  expect(onlyFresh.probes.map(({ path }) => path)).toEqual(['/me', '/start'])
  expect(describeLearnedFlow(flow)).toEqual({
    yes: '200 at /members, says "welcome"; asked again, /me is 200, says "you are in"',
    no: ['403 at /callback ("Sorry.")'],
  })
})

test('A page stays a probe when a job lets in one of two users who were refused, and not when both are shown the page of a yes', () => {
  const wine = '200 /wine Pick your bottles.'
  const [isIn, isOut] = [{ '/wine': wine }, { '/wine': '403 /wine Members only.' }]
  const probesOf = (...shown: readonly (typeof isIn)[]) => {
    const outs = [{ label: 'minor', seen: shown.map((one) => seenOf(NO, one)) }]
    return learnFlow({ rules: {}, ins: [seenOf(YES, isIn)], outs, paths: ['/wine'], fresh: look(isOut) }).probes
  }
  const [probe] = probesOf(isIn, isOut)
  expect(probe?.likeness.compare(observe(visitTo(wine)))).toEqual({ as: 'in' })
  expect(probesOf(isIn, isIn)).toEqual([])
})

test('Three probes at most are asked after each run', () => {
  const paths = ['/a', '/b', '/c', '/d']
  const all = (said: string) => Object.fromEntries(paths.map((path) => [path, `200 ${path} ${said}`]))
  const fresh = look(all('Out'))
  const { probes } = learnFlow({ rules: {}, ins: [seenOf(YES, all('In'))], outs: kindsOf({ no: NO }), fresh, paths })
  expect(probes.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
})

test('An app whose pages differ is learned further from each user who is in', () => {
  const a = seenOf('200 /in Welcome. Variant one.')
  const b = seenOf('200 /in Welcome. Layout two of this page.')
  const flow = flowShowing('', {}, { ins: [a, a], outs: kindsOf({ access_denied: NO }) })
  expect([readRun(a, flow).says, readRun(b, flow).says]).toEqual(['in', 'unknown'])
  const further = learnFlow({ ...flow, ins: [...flow.ins, b] })
  expect([a, b, seenOf(NO)].map((one) => readRun(one, further).says)).toEqual(['in', 'in', 'out'])
})

test('A flow whose yes and no look alike tells nothing without a rule, and is described by what was seen', () => {
  const alike = flowShowing(YES, { access_denied: YES })
  const shown = '200 at /members ("Welcome.")'
  expect([alike.tells, alike.page, describeLearnedFlow(alike)]).toEqual([false, undefined, { yes: shown, no: [shown] }])
  expect(flowShowing(YES, { no: YES }, { rules: { accepted: parseAcceptedRule('cookie=a') } }).tells).toBe(true)
  expect(flowShowing(YES).tells).toBe(true)
  const ins = [seenOf(YES, { '/me': '200 /me' })]
  expect(flowShowing(YES, { no: YES }, { ins, fresh: look({ '/me': '401 /me' }), paths: ['/me'] }).tells).toBe(true)
})

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
