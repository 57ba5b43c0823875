import { expect, test } from 'vitest'
import { declaredRules } from '../../../src/audit/learn/accepted-rule.ts'
import { type FlowParts, readRun, seeRun } from '../../../src/audit/learn/learned-flow.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { flowShowing, seenOf } from '../../support/imitated-learning.ts'
import { APP, ended, hopTo, NO, runOf, saidOf, showed, visitTo, YES } from '../../support/imitated-pages.ts'

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
const flow = (parts: Partial<FlowParts> = {}) => flowShowing(YES, { access_denied: NO, minor: YOUNG }, parts)
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
  ['redirects for ever', ended('too_many_redirects'), 'unknown'],
])('A run of an app without probes is read by its page: %s', (_what, last, says) => {
  const read = readRun(seenOf(last), flow())
  expect(read.says + (read.like ? `, like ${read.like}` : '')).toBe(says)
  if (typeof last === 'string') expect(read.evidence).toBe(showed(last))
})

test('A refusal is like no kind when pages of one kind share little, as by an experiment', () => {
  const minor = { label: 'minor', seen: [seenOf(YOUNG), seenOf(YOUNG)] }
  const variants = ['403 /callback Sorry, nobody proved an age today.', '403 /callback Leider wurde kein Alter belegt.']
  const denied = { label: 'access_denied', seen: variants.map((page) => seenOf(page)) }
  const { says, like } = readRun(seenOf(YOUNG), flow({ outs: [denied, minor] }))
  expect([says, like, readRun(seenOf(YOUNG), flow()).like]).toEqual(['out', undefined, 'minor'])
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
  ['unknown', 'the page of a no', NO, '500 /me Odd.', expect.stringContaining('then /me shows 500')],
  // The app lets in and forgets at once, or somebody imitates its page.
  ['unknown', 'the page of a yes', YES, OUT, expect.stringContaining('then /me shows 401')],
  ['unknown', 'too many requests', '429 /callback Slow down.', IN, showed('429 /callback Slow down.')],
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
])('A rule of the user goes before probes and pages: %j, after %j, is %s', async (options, last, says) => {
  const peek = (path: string) => (path === '/you' ? '200 /you' : '401 /me No.')
  const learned = { ...flow(), rules: declaredRules(options) }
  expect(readRun(await seeRun(runOf(last), learned, imitatedApp(() => NO, { peek }).driver), learned).says).toBe(says)
})

test('A run is looked at when the app had the time that it takes, by the pages that tell alone', async () => {
  const app = imitatedApp(() => NO, { peek: (_path, { waited }) => (waited < 900 ? OUT : IN) })
  const seen = await seeRun(await app.driver.run({ use: {} }), { ...probed, waitMs: 1000 }, app.driver)
  expect([readRun(seen, probed).says, app.peeked, app.waits]).toEqual(['in', ['/me'], [1000]])
  await seeRun(await app.driver.run({ use: {} }), { ...flow(), waitMs: 1000 }, app.driver)
  expect([app.peeked, app.waits]).toEqual([['/me'], [1000]])
})

test('Pages that tell nothing are asked for again, because a job may be late or news may hide what a page tells', async () => {
  const shown = (...pages: string[]) =>
    imitatedApp(() => NO, { peek: (_path, { waited }) => (waited < 900 ? '200 /me Odd.' : (pages.shift() ?? IN)) })
  const late = shown('200 /me Odd news.', IN)
  const seen = await seeRun(await late.driver.run({ use: {} }), { ...probed, waitMs: 1000 }, late.driver)
  expect([readRun(seen, probed).says, late.waits]).toEqual(['in', [1000, 1000]])
  const never = imitatedApp(() => NO, { peek: () => '500 /me Odd.' })
  await seeRun(await never.driver.run({ use: {} }), probed, never.driver)
  expect([never.peeked, never.waits]).toEqual([Array(4).fill('/me'), [500, 500, 500]])
})

test('The page where a user begins, as a user who has proved nothing sees it, is a refusal', () => {
  const { observation } = seenOf('200 / Prove your age here.').run
  const SAME = '200 /callback Prove your age here.'
  const says = (page: string, parts: Partial<FlowParts> = { first: observation }) =>
    readRun(seenOf(page), flow(parts)).says
  expect([says(SAME), says(HELLO), says(SAME, {})]).toEqual(['out', 'unknown', 'unknown'])
  expect(says(YES, { first: seenOf(YES).run.observation })).toBe('in')
})

test('A cookie that each visitor is given anew does not tell who is in', async () => {
  const hops = [hopTo(`${APP}/me`, { cookies: ['visitor'] })]
  const { driver } = imitatedApp(() => NO, { peek: () => visitTo(IN, { hops }) })
  const seen = await seeRun(runOf(YES), probed, driver)
  expect([...(seen.probes.get('/me')?.features ?? [])]).not.toContain('sets visitor')
})

test('A visit of a test suite is read by what it returned', () => {
  const said = (result: boolean | string) => ({ run: runOf('', { observation: saidOf(result) }), probes: new Map() })
  const learned = flow({ ins: [said(true)], outs: [{ label: 'minor', seen: [said(false)] }] })
  expect(readRun(said(true), learned)).toMatchObject({ says: 'in', evidence: 'visit returned true' })
  expect(readRun(said(false), learned)).toMatchObject({ says: 'out', evidence: 'visit returned false' })
  expect(readRun(said('visit threw Error: no'), learned).says).toBe('unknown')
})
