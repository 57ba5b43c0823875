import { expect, test } from 'vitest'
import type { BrowserVisit, Hop } from '../../../src/audit/agent/browser.ts'
import type { AuditedApp } from '../../../src/audit/drive/driver.ts'
import { declaredRules } from '../../../src/audit/learn/accepted-rule.ts'
import { checkAdults, checkControls } from '../../../src/audit/learn/check-learned.ts'
import type { SeenRun } from '../../../src/audit/learn/learned-flow.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { seenOf } from '../../support/imitated-learning.ts'
import {
  APP,
  ended,
  hopTo,
  NO,
  PERSONAS,
  problem,
  requestOf,
  runOf,
  SANDBOX,
  visitTo,
  YES,
} from '../../support/imitated-pages.ts'

const personas = { ...PERSONAS, adult: 'adult-passport', minor: 'child-12' }

const subjectOf = (accepted?: string, agent: AuditedApp['agent'] = 'http') => {
  const strangers = imitatedApp(() => NO, { peek: (_path, { plan }) => (plan ? '200 /me' : '403 /me') })
  const { sandbox, driver } = strangers
  const app = { sandbox, page: APP, agent, readsFragments: false, drive: () => driver }
  return { app, personas, rules: declaredRules({ accepted }), driver, fresh: new Map(), paths: [] }
}

const check = (adults: readonly SeenRun[], agent?: AuditedApp['agent']) => () =>
  checkAdults(adults, subjectOf(undefined, agent))

const ISSUER = `${SANDBOX}/v1/oidc/use`
const DIFFERS = 'your app answers a right token of adult-passport differently each time'
const RESTLESS =
  'your app answers a right token of adult-passport with a page that does not come to rest at /callback: it loads again; let its pages come to rest, or raise --timeout'
const refuses = (shown: string) =>
  `your app answers a right token of adult-passport with ${shown}; run: agekey-sandbox doctor --issuer ${ISSUER}`

test.each([
  [[YES, NO], refuses('403 at /callback ("Sorry.")')],
  [
    [visitTo('200 /signin?error=OAuthCallback Try another account.', { hops: [] })],
    refuses('200 at /signin ("Try another account.")'),
  ],
  [[YES, '400 /callback Sorry.'], refuses('400 at /callback ("Sorry.")')],
  [[YES, ended('dropped')], refuses('a closed connection without an answer at /callback')],
  [[ended('restless', { problem: 'it loads again' }), YES], RESTLESS],
  [[YES, '201 /members Welcome.'], `${DIFFERS}: 200 at /members ("Welcome."), then 201 at /members ("Welcome.")`],
] as const)('An app that answers right tokens by %j can teach an audit nothing', (shown, message) => {
  expect(check(shown.map((last) => seenOf(last)))).toThrow(problem(message))
})

test('An app that refuses a right token by form_post is told about its cookies', () => {
  const run = runOf(NO, { request: requestOf({ response_mode: 'form_post' }) })
  const advice = 'a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does'
  expect(check([{ run, probes: new Map() }])).toThrow(`doctor --issuer ${ISSUER}; ${advice}`)
})

const sawHops = (hops: readonly Hop[]) => seenOf(visitTo('200 /session', { hops }))
const afterFragment = (status: number, changes: Partial<Hop> = {}, callback = `${APP}/callback#id_token=a`) =>
  sawHops([hopTo(APP), hopTo(callback), hopTo(`${APP}/session?a=b`, { method: 'POST', status, ...changes })])

test.each([404, 405, 415])('A path of use.fragment that answers %i is refused', (status) => {
  const advice =
    'name the path that the page of the callback sends the answer to, and its kind of body by as: form or as: json'
  const message = `use.fragment: POST /session answers ${status}; ${advice}`
  expect(check([afterFragment(200), afterFragment(status)])).toThrow(problem(message))
})

test.each([
  ['a path that takes the answer', afterFragment(200)],
  ['a page that is only fetched', afterFragment(404, { method: 'GET' })],
  ['a callback without a fragment', afterFragment(404, {}, `${APP}/callback?id_token=a`)],
  ['a visit of one request', sawHops([hopTo(`${APP}/session`, { method: 'POST', status: 404 })])],
])('The path of use.fragment is not looked at for %s', (_what, seen) => {
  expect(check([seen])).not.toThrow()
  expect(check([afterFragment(404)], 'chromium')).not.toThrow()
})

const MORE = '200 /members Welcome. More.'
type Shown = readonly [first: string | BrowserVisit, second: string | BrowserVisit]
const twice = (shown: string): Shown => [shown, shown]

/** The first of minors and denials comes before the first adult. */
async function controls(shown: Readonly<Partial<Record<'minor' | 'denied' | 'adult', Shown>>>, subject = subjectOf()) {
  const see = (all: Shown) => all.map((last) => seenOf(last))
  const { minor = twice(NO), denied = twice(NO), adult = twice(YES) } = shown
  const seen = { minor: see(minor), access_denied: see(denied), adult: see(adult) }
  return (await checkControls(seen, subject)).letsIn
}

/** A page most of whose words stand on each page of the app. */
const shop = (words: string) => `200 /shop Home Products About Contact Imprint Privacy Terms Delivery Payment ${words}`

test.each([
  ['nobody', {}, []],
  ['nobody, as one word tells', { adult: twice(shop('Welcome')), minor: twice(shop('Sorry')) }, []],
  ['nobody, as each yes is the same page', { minor: twice(MORE) }, []],
  ['a minor', { minor: twice(YES) }, ['minor']],
  ['a user who declined', { denied: twice(YES) }, ['access_denied']],
])('An audit learns that an app lets in, beside adults, %s', async (_who, shown, kinds) => {
  expect(await controls(shown)).toEqual(kinds)
})

const ALIKE = 'yes and no look alike: '
const GIVE = '; give --accepted "get=/a-page-for-members status=200"'
const REMEMBERS = 'your app remembers the user; use {n} in before:, or give reset:'
const VARIED = ['200 /members Welcome. One.', '200 /members Welcome. Two.'] as const
const NEIN = '200 /members Nein.'
const LANGUAGES = ['200 /members Hallo.', '200 /members Bonjour.'] as const
const WELCOME = '200 at /members ("Welcome.")'
const LATER = [NO, YES] as const
const nothingBeside = (other: string, shown = WELCOME) =>
  `${ALIKE}after adult-passport your app shows nothing that it does not show after ${other}: ${shown}${GIVE}`
const HALLO = nothingBeside('access_denied', '200 at /members ("Hallo.")')

test.each([
  ['everybody', { minor: twice(YES), denied: twice(YES) }, nothingBeside('access_denied')],
  ['a minor after an adult', { minor: LATER }, `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  ['a denial after an adult', { denied: LATER }, `access_denied is let in after adult-passport was: ${REMEMBERS}`],
  ['a minor, who is shown more', { adult: VARIED, minor: twice(MORE) }, nothingBeside('child-12')],
  ['a denial, after which more is shown', { adult: VARIED, denied: twice(MORE) }, nothingBeside('access_denied')],
  ['adults by pages of other words', { adult: LANGUAGES, minor: twice(NEIN), denied: twice(NEIN) }, HALLO],
])('An app that lets in %s can teach an audit nothing', async (_who, shown, message) => {
  await expect(controls(shown)).rejects.toThrow(problem(message))
})

test('Whom an app lets in is known by a page that is asked for again, whatever the page of the answer says', async () => {
  const [isIn, isOut] = [{ '/me': '200 /me You are in.' }, { '/me': '401 /me No.' }]
  const pair = (first: object, second = first) => [seenOf(YES, { ...first }), seenOf(YES, { ...second })]
  const subject = { ...subjectOf(), paths: ['/me'], fresh: seenOf(YES, isOut).probes }
  const among = async (minor: readonly SeenRun[]) =>
    (await checkControls({ adult: pair(isIn), access_denied: pair(isOut), minor }, subject)).letsIn
  expect([await among(pair(isOut)), await among(pair(isIn))]).toEqual([[], ['minor']])
  await expect(among(pair(isOut, isIn))).rejects.toThrow(`child-12 is let in after adult-passport was: ${REMEMBERS}`)
})

type Held = Partial<Record<'adult' | 'minor' | 'denied', readonly [first: boolean, second: boolean]>>

async function byRule({ adult = [true, true], minor = [false, false], denied = [false, false] }: Held, rule: string) {
  const subject = subjectOf(rule)
  const see = (held: readonly boolean[]) => held.map((accepted) => ({ ...seenOf(YES), accepted }))
  checkAdults(see(adult), subject)
  const seen = { adult: see(adult), minor: see(minor), access_denied: see(denied) }
  return (await checkControls(seen, subject)).letsIn
}

test.each<[Held, string, readonly string[]]>([
  [{}, 'text=Welcome', []],
  [{ minor: [true, true] }, 'text=Welcome', ['minor']],
  // The page is for members: it does not open in a browser that has proved nothing.
  [{ denied: [true, true] }, 'get=/me status=200', ['access_denied']],
])('Whom an app lets in is known by a rule of the user: %j by %j', async (held, rule, kinds) => {
  expect(await byRule(held, rule)).toEqual(kinds)
})

const [TEXT, GET] = ['text=Welcome', 'get=/me status=403']
const HOLDS_AFTER_BOTH = `holds after adult-passport and after access_denied${GIVE}`
const NOT_HELD = `--accepted "${TEXT}" does not hold after adult-passport: your app shows ${WELCOME}`

test.each<[Held, string, string]>([
  [{ adult: [true, false] }, TEXT, NOT_HELD],
  [{ minor: [false, true] }, TEXT, `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  [{ denied: [true, true] }, TEXT, `${ALIKE}--accepted "${TEXT}" ${HOLDS_AFTER_BOTH}`],
  [{ denied: [true, true] }, GET, `${ALIKE}--accepted "${GET}" ${HOLDS_AFTER_BOTH}`],
])('A rule of the user that holds as %j cannot be used: %s', async (held, rule, message) => {
  await expect(byRule(held, rule)).rejects.toThrow(problem(message))
})
