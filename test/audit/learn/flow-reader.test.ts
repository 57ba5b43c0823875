import { expect, test } from 'vitest'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import { declaredRules, holds, readRun } from '../../../src/audit/learn/flow-reader.ts'
import {
  APP,
  ended,
  hopTo,
  imitatedApp,
  NO,
  pageOf,
  runOf,
  signatureOf,
  visitTo,
  YES,
} from '../../support/imitated-app.ts'

const signature = signatureOf(YES, NO)

test('The rules of a flow are read when they are given', () => {
  expect(declaredRules()).toEqual({ accepted: undefined, refused: undefined })
  expect(declaredRules({ accepted: 'text=a', refused: 'status=403' })).toEqual({
    accepted: parseAcceptedRule('text=a'),
    refused: parseAcceptedRule('status=403'),
  })
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
  const { driver } = imitatedApp(QUIET, ({ url }) => {
    if (url === '/nothing') return ended('dropped')
    return url === '/me' ? '200 /me Alice' : { end: 'page', hops: [], page: json }
  })
  expect(await holds(parseAcceptedRule(rule), runOf(LOGGED_IN), driver)).toBe(isHeld)
})

test.each([
  ['text=Welcome', false],
  ['status=200', false],
  ['url=**/gone', true],
])('The rule %j holds after a run that ended at the address of no page: %s', async (rule, isHeld) => {
  const { driver } = imitatedApp(QUIET)
  const run = runOf(ended('elsewhere', { url: 'https://front.example/gone' }))
  expect(await holds(parseAcceptedRule(rule), run, driver)).toBe(isHeld)
})

test('A rule about a page holds in no browser that has opened none', async () => {
  const { driver } = imitatedApp(QUIET)
  const fresh = { browser: await driver.newBrowser() }
  const held = ['url=**', 'cookie=session', 'text=a'].map((rule) => holds(parseAcceptedRule(rule), fresh, driver))
  expect(await Promise.all(held)).toEqual([false, false, false])
})

const asked = { accepted: 'get=/me status=200' }

test.each([
  [{}, YES, 'yes'],
  [{}, NO, 'no'],
  [{}, '200 /other Hello.', 'unknown'],
  [{ accepted: 'text=Hello' }, '200 /other Hello.', 'yes'],
  [{ accepted: 'text=Hello', refused: 'text=Hello' }, '200 /other Hello.', 'yes'],
  [{ refused: 'text=Hello' }, '200 /other Hello.', 'no'],
  [{ accepted: 'text=Yes', refused: 'text=Hello' }, '200 /other Hello.', 'no'],
  // The rule was given because the page tells nothing: what looks like a yes is none.
  [{ accepted: 'text=Yes' }, YES, 'unknown'],
  [{ accepted: 'text=Yes' }, NO, 'no'],
  [{ accepted: 'text=Yes' }, '500 /callback Sorry.', 'broke'],
  [asked, YES, 'no'],
  [asked, '429 /callback Slow down.', 'unknown'],
  [{ accepted: 'get=/you status=200' }, YES, 'yes'],
])('A run by the rules %j that ends at %j is a %s', async (options, said, reading) => {
  const { driver } = imitatedApp(QUIET, ({ url }) => (url === '/you' ? '200 /you' : '403 /me'))
  expect(await readRun(runOf(said), { signature, rules: declaredRules(options), driver })).toBe(reading)
})

test('A rule that asks the app says nothing of a run that ended at no page', async () => {
  const { driver } = imitatedApp(QUIET, () => '403 /me')
  const run = runOf(ended('too_many_redirects'))
  expect(await readRun(run, { signature, rules: declaredRules(asked), driver })).toBe('unknown')
})
