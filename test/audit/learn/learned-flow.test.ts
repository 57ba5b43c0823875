import { expect, test } from 'vitest'
import { observe } from '../../../src/audit/drive/observation.ts'
import {
  asksTheApp,
  declaredRules,
  parseAcceptedRule,
} from '../../../src/audit/learn/accepted-rule.ts'
import {
  describeLearnedFlow,
  type FlowParts,
  learnFlow,
} from '../../../src/audit/learn/learned-flow.ts'
import { readRun } from '../../../src/audit/learn/read-run.ts'
import { ruleHolds } from '../../../src/audit/learn/rule-holds.ts'
import { seeRun } from '../../../src/audit/learn/see-run.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { flowShowing, kindsOf, seenOf } from '../../support/imitated-learning.ts'
import {
  APP,
  ended,
  hopTo,
  NO,
  pageOf,
  runOf,
  saidOf,
  showed,
  visitTo,
  YES,
} from '../../support/imitated-pages.ts'

const look = (pages: Readonly<Record<string, string>>) => seenOf(YES, pages).probes

test('A page is a probe when only users who are in see that page', () => {
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
  const onlyFresh = learnFlow({
    rules: {},
    ins,
    outs: [],
    paths: pages,
    fresh: look(shows(false, true)),
  })
  expect(onlyFresh.probes.map(({ path }) => path)).toEqual(['/me', '/start'])
  expect(describeLearnedFlow(flow)).toEqual({
    yes: '200 at /members, says "welcome"; asked again, /me is 200, says "you are in"',
    no: ['403 at /callback ("Sorry.")'],
  })
})

test('A page stays a probe when a job lets in one of two refused users', () => {
  const wine = '200 /wine Pick your bottles.'
  const [isIn, isOut] = [{ '/wine': wine }, { '/wine': '403 /wine Members only.' }]
  const probesOf = (...shown: readonly (typeof isIn)[]) => {
    const outs = [{ label: 'minor', seen: shown.map((one) => seenOf(NO, one)) }]
    return learnFlow({
      rules: {},
      ins: [seenOf(YES, isIn)],
      outs,
      paths: ['/wine'],
      fresh: look(isOut),
    }).probes
  }
  const [probe] = probesOf(isIn, isOut)
  expect(probe?.likeness.compare(observe(visitTo(wine)))).toEqual({ as: 'in' })
  expect(probesOf(isIn, isIn)).toEqual([])
})

test('Three probes at most are asked after each run', () => {
  const paths = ['/a', '/b', '/c', '/d']
  const all = (said: string) =>
    Object.fromEntries(paths.map((path) => [path, `200 ${path} ${said}`]))
  const fresh = look(all('Out'))
  const { probes } = learnFlow({
    rules: {},
    ins: [seenOf(YES, all('In'))],
    outs: kindsOf({ no: NO }),
    fresh,
    paths,
  })
  expect(probes.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
})

test('An app whose pages differ is learned further from each user who is in', () => {
  const a = seenOf('200 /in Welcome. Variant one.')
  const b = seenOf('200 /in Welcome. Layout two of this page.')
  const flow = flowShowing('', {}, { ins: [a, a], outs: kindsOf({ access_denied: NO }) })
  expect(readRun(a, flow).says).toBe('in')
  expect(readRun(b, flow).says).toBe('unknown')
  const further = learnFlow({ ...flow, ins: [...flow.ins, b] })
  expect([a, b, seenOf(NO)].map((one) => readRun(one, further).says)).toEqual(['in', 'in', 'out'])
})

test('A flow whose yes looks like its no tells nothing without a rule', () => {
  const alike = flowShowing(YES, { access_denied: YES })
  const shown = '200 at /members ("Welcome.")'
  expect(alike.tells).toBe(false)
  expect(alike.page).toBeUndefined()
  expect(describeLearnedFlow(alike)).toEqual({ yes: shown, no: [shown] })
  expect(
    flowShowing(YES, { no: YES }, { rules: { accepted: parseAcceptedRule('cookie=a') } }).tells,
  ).toBe(true)
  expect(flowShowing(YES).tells).toBe(true)
  const ins = [seenOf(YES, { '/me': '200 /me' })]
  expect(
    flowShowing(YES, { no: YES }, { ins, fresh: look({ '/me': '401 /me' }), paths: ['/me'] }).tells,
  ).toBe(true)
})

test.each([
  ['get=/me status=200', { get: '/me', status: '200' }, true],
  ['text=Welcome, you are 18.', { text: 'Welcome, you are 18.' }, false],
  ['  get=/me   text=a = b & c ', { get: '/me', text: 'a = b & c' }, true],
  ['cookie=session', { cookie: 'session' }, false],
  ['get= /me foo=b', { get: '/me foo=b' }, true],
  ['json=/me#age.verified=true', { json: '/me#age.verified=true' }, true],
  ['text=a\nb status=200', { text: 'a\nb', status: '200' }, false],
])('The rule for a success %j is read part by part', (text, parts, asks) => {
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
  expect(await ruleHolds(parseAcceptedRule(`url=${glob}`), run, imitatedApp(QUIET).driver)).toBe(
    isMatch,
  )
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
  expect(() => parseAcceptedRule(text)).toThrow(
    new Error(`${JSON.stringify(text)}: ${reason}; a rule is ${right}`),
  )
})

const LOGGED_IN = visitTo('', {
  hops: [
    hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session'] }),
    hopTo(`${APP}/members`),
  ],
  page: pageOf('200 /members <title>Club</title>Welcome, member.'),
})

const HELD = `text=Welcome; text=Club; status=200; url=**/members; cookie=session; get=/me; get=/me url=**/me
  get=/me status=200 text=Alice; json=/api#age.verified=True`
const NOT_HELD = `text=welcome; status=201; status=200 text=Sorry; url=**/callback; cookie=other; get=/me status=403
  get=/me text=Welcome; get=/nothing; json=/api#age.verified=false; json=/nothing#a=b; text=Welcome json=/api#age=false`

test.each(
  [HELD, NOT_HELD].flatMap((rules, index) =>
    rules.split(/[;\n] +/).map((rule) => [rule, index === 0] as const),
  ),
)('The rule %j holds after a run: %s', async (rule, isHeld) => {
  const json = pageOf('200 /api {"age":{"verified":true}}', 'application/json')
  const peek = (path: string) => {
    if (path === '/nothing') return ended('dropped')
    return path === '/me' ? '200 /me Alice' : ended('page', { page: json })
  }
  const { driver } = imitatedApp(QUIET, { peek })
  expect(await ruleHolds(parseAcceptedRule(rule), runOf(LOGGED_IN), driver)).toBe(isHeld)
})

test('A rule about a page needs a run that ended with a page', async () => {
  const { driver } = imitatedApp(QUIET)
  const fresh = { browser: await driver.newBrowser() }
  const gone = runOf(ended('elsewhere', { url: 'https://front.example/gone' }))
  const held = ['url=**', 'cookie=session', 'text=a', 'status=200'].map(async (text) => {
    const rule = parseAcceptedRule(text)
    return [await ruleHolds(rule, gone, driver), await ruleHolds(rule, fresh, driver)]
  })
  expect(await Promise.all(held)).toEqual([[true, false], ...Array(3).fill([false, false])])
})

const YOUNG = '403 /callback Too young.'
const HELLO = '200 /other Hello.'
const DROPPED = ended('dropped')
const [IN, OUT] = ['200 /me You are in.', '401 /me No.']
const me = (said: string) => ({ '/me': said })
const PROBED: Partial<FlowParts> = {
  ins: [seenOf(YES, me(IN)), seenOf(YES, me(IN))],
  outs: [{ label: 'minor', seen: [seenOf(YOUNG, me(OUT)), seenOf(YOUNG, me(OUT))] }],
  fresh: seenOf(NO, me(OUT)).probes,
  paths: ['/me'],
}
const flow = (parts: Partial<FlowParts> = {}) =>
  flowShowing(YES, { access_denied: NO, minor: YOUNG }, parts)
const probed = flow(PROBED)
const OOPS = '500 /callback Oops.'

test.each([
  ['the page of a yes', YES, 'in'],
  ['the page of a denial', NO, 'out, like access_denied'],
  ['the page of a minor', YOUNG, 'out, like minor'],
  ['a page never seen', HELLO, 'unknown'],
  ['too many requests', '429 /callback Slow down.', 'unknown'],
  ['an error', OOPS, 'broke'],
  ['a method that it does not take', '501 /callback Unsupported.', 'out'],
  ['no answer in time', ended('timed_out'), 'broke'],
  ['a closed connection', ended('dropped'), 'broke'],
  ['an app that ended', ended('unreachable'), 'broke'],
  ['redirects without end', ended('too_many_redirects'), 'unknown'],
])('A run of an app without probes is read by its page: %s', (_what, last, says) => {
  const read = readRun(seenOf(last), flow())
  expect(read.says + (read.like ? `, like ${read.like}` : '')).toBe(says)
  if (typeof last === 'string') expect(read.evidence).toBe(showed(last))
})

test('A refusal is like no kind when pages of one kind share little, as by an experiment', () => {
  const minor = { label: 'minor', seen: [seenOf(YOUNG), seenOf(YOUNG)] }
  const variants = [
    '403 /callback Sorry, nobody proved an age today.',
    '403 /callback Leider wurde kein Alter belegt.',
  ]
  const denied = { label: 'access_denied', seen: variants.map((page) => seenOf(page)) }
  const { says, like } = readRun(seenOf(YOUNG), flow({ outs: [denied, minor] }))
  expect(says).toBe('out')
  expect(like).toBeUndefined()
  expect(readRun(seenOf(YOUNG), flow()).like).toBe('minor')
})

const AS_IN = 'then /me shows 200 at /me ("You are in."), as to a user who is let in'
const AS_OUT = 'then /me shows 401 at /me ("No."), as to a user who is not'

test.each([
  ['in', 'the page of a no', NO, IN, `${showed(NO)}; ${AS_IN}`],
  ['in', 'an error', OOPS, IN, `${showed(OOPS)}; ${AS_IN}`],
  ['in', 'a closed connection', DROPPED, IN, expect.stringContaining(AS_IN)],
  ['out', 'a page never seen', HELLO, OUT, `${showed(HELLO)}; ${AS_OUT}`],
  ['broke', 'an error', OOPS, OUT, `${showed(OOPS)}; ${AS_OUT}`],
  ['broke', 'an error', OOPS, '200 /me Odd.', expect.stringContaining('then /me shows 200 at /me')],
  [
    'unknown',
    'the page of a no',
    NO,
    '500 /me Odd.',
    expect.stringContaining('then /me shows 500'),
  ],
  // The app admits the user without a session, or another page looks like its page of success.
  ['unknown', 'the page of a yes', YES, OUT, expect.stringContaining('then /me shows 401')],
  [
    'unknown',
    'too many requests',
    '429 /callback Slow down.',
    IN,
    showed('429 /callback Slow down.'),
  ],
])(
  'A page that is asked for again goes before the page of the answer: %s after %s',
  (says, _what, last, then, text) => {
    expect(readRun(seenOf(last, me(then)), probed)).toMatchObject({ says, evidence: text })
  },
)

test('A run that is out by a probe is like a minor when its page is', () => {
  expect(readRun(seenOf(YOUNG, me(OUT)), probed)).toMatchObject({ says: 'out', like: 'minor' })
  expect(readRun(seenOf(YOUNG, me(IN)), probed)).not.toHaveProperty('like')
  expect(readRun(seenOf(NO, {}), probed).says).toBe('unknown')
})

const session = (said: string) =>
  visitTo(said, { hops: [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session'] })] })

test('A cookie that only users who are in were given goes before the page', () => {
  const withCookie = { ins: [seenOf(session(YES)), seenOf(session(YES))] }
  const evidence = `${showed(OOPS)}; it set the cookie session, as for a user who is let in`
  expect(readRun(seenOf(session(OOPS)), flow(withCookie))).toEqual({ says: 'in', evidence })
  expect(readRun(seenOf(session(YES)), flow(withCookie)).evidence).toBe(showed(YES))
  expect(readRun(seenOf(session(HELLO)), flow()).says).toBe('unknown')
})

test('The page of a yes that an invented answer gets too proves nothing', () => {
  const refuted = flow({ isRefuted: true })
  const evidence = `${showed(YES)}, as after an invented answer`
  expect(readRun(seenOf(YES), refuted)).toMatchObject({ says: 'unknown', evidence })
  expect(readRun(seenOf(NO), refuted).says).toBe('out')
})

const asked = { accepted: 'get=/me status=200' }

test.each([
  [{ accepted: 'text=Hello' }, HELLO, 'in'],
  [{ accepted: 'text=Hello', refused: 'text=Hello' }, HELLO, 'in'],
  [{ refused: 'text=Hello' }, HELLO, 'out'],
  [{ refused: 'text=Oops' }, OOPS, 'broke'],
  [{ refused: 'text=Hello' }, YES, 'in'],
  [{ accepted: 'text=Yes', refused: 'text=Hello' }, HELLO, 'out'],
  [{ accepted: 'text=Yes' }, YES, 'out'],
  [{ accepted: 'text=Yes' }, OOPS, 'broke'],
  [{ accepted: 'text=Yes' }, ended('too_many_redirects'), 'unknown'],
  [asked, ended('too_many_redirects'), 'out'],
  [asked, YES, 'out'],
  [asked, '429 /callback Slow down.', 'unknown'],
  [{ accepted: 'get=/you status=200' }, NO, 'in'],
])(
  'A rule of the user goes before all that was learned: %j after %j is %s',
  async (options, last, says) => {
    const peek = (path: string) => (path === '/you' ? '200 /you' : '401 /me No.')
    const learned = { ...flow(), rules: declaredRules(options) }
    expect(
      readRun(await seeRun(runOf(last), learned, imitatedApp(() => NO, { peek }).driver), learned)
        .says,
    ).toBe(says)
  },
)

test('A run is looked at when the app had the time that it takes, by the pages that tell alone', async () => {
  const app = imitatedApp(() => NO, { peek: (_path, { waited }) => (waited < 900 ? OUT : IN) })
  const seen = await seeRun(
    await app.driver.run({ use: {} }),
    { ...probed, waitMs: 1000 },
    app.driver,
  )
  expect(readRun(seen, probed).says).toBe('in')
  expect(app.peeked).toEqual(['/me'])
  expect(app.waits).toEqual([1000])
  await seeRun(await app.driver.run({ use: {} }), { ...flow(), waitMs: 1000 }, app.driver)
  expect(app.peeked).toEqual(['/me'])
  expect(app.waits).toEqual([1000])
})

test('Pages that tell nothing are asked for again, because a job may be late or news may hide what a page tells', async () => {
  const shown = (...pages: string[]) =>
    imitatedApp(() => NO, {
      peek: (_path, { waited }) => (waited < 900 ? '200 /me Odd.' : (pages.shift() ?? IN)),
    })
  const late = shown('200 /me Odd news.', IN)
  const seen = await seeRun(
    await late.driver.run({ use: {} }),
    { ...probed, waitMs: 1000 },
    late.driver,
  )
  expect(readRun(seen, probed).says).toBe('in')
  expect(late.waits).toEqual([1000, 1000])
  const never = imitatedApp(() => NO, { peek: () => '500 /me Odd.' })
  await seeRun(await never.driver.run({ use: {} }), probed, never.driver)
  expect(never.peeked).toEqual(Array(4).fill('/me'))
  expect(never.waits).toEqual([500, 500, 500])
})

test('The page where a user begins, as a user who has proved nothing sees it, is a refusal', () => {
  const { observation } = seenOf('200 / Prove your age here.').run
  const SAME = '200 /callback Prove your age here.'
  const says = (page: string, parts: Partial<FlowParts> = { first: observation }) =>
    readRun(seenOf(page), flow(parts)).says
  expect(says(SAME)).toBe('out')
  expect(says(HELLO)).toBe('unknown')
  expect(says(SAME, {})).toBe('unknown')
  expect(says(YES, { first: seenOf(YES).run.observation })).toBe('in')
})

test('A cookie that changes with each visit does not show that a user is signed in', async () => {
  const hops = [hopTo(`${APP}/me`, { cookies: ['visitor'] })]
  const { driver } = imitatedApp(() => NO, { peek: () => visitTo(IN, { hops }) })
  const seen = await seeRun(runOf(YES), probed, driver)
  expect([...(seen.probes.get('/me')?.features ?? [])]).not.toContain('sets visitor')
})

test('A visit of a test suite is read by what it returned', () => {
  const said = (result: boolean | string) => ({
    run: runOf('', { observation: saidOf(result) }),
    probes: new Map(),
  })
  const learned = flow({ ins: [said(true)], outs: [{ label: 'minor', seen: [said(false)] }] })
  expect(readRun(said(true), learned)).toMatchObject({
    says: 'in',
    evidence: 'visit returned true',
  })
  expect(readRun(said(false), learned)).toMatchObject({
    says: 'out',
    evidence: 'visit returned false',
  })
  expect(readRun(said('visit threw Error: no'), learned).says).toBe('unknown')
})
