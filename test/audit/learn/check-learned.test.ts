import { expect, test } from 'vitest'
import type { Hop, Visit } from '../../../src/audit/agent/browser.ts'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import {
  checkFragmentPath,
  checkGoodAnswers,
  findLetIn,
  type SeenRun,
  type Subject,
} from '../../../src/audit/learn/check-learned.ts'
import {
  APP,
  ended,
  hopTo,
  imitatedApp,
  NO,
  problem,
  requestOf,
  runOf,
  SANDBOX,
  visitTo,
  YES,
} from '../../support/imitated-app.ts'

const refuse = () => NO
const NAMES = { adult: 'adult-passport', minor: 'child-12' }
const saw = (last: string | Visit, accepted?: boolean): SeenRun => ({ run: runOf(last), accepted })
type Shown = readonly [first: string | Visit, second: string | Visit]
const see = ([first, second]: Shown, [one, other]: readonly boolean[] = []) =>
  [saw(first, one), saw(second, other)] as const

const ISSUER = `${SANDBOX}/v1/oidc/use`
const DROPPED = 'a closed connection without an answer at /callback'
const refuses = (shown: string) =>
  `your app answers a right token of adult-passport with ${shown}; run: agekey-sandbox doctor --issuer ${ISSUER}`

test.each([
  [[YES, NO], refuses('403 at /callback ("Sorry.")')],
  [[YES, '400 /callback Sorry.'], refuses('400 at /callback ("Sorry.")')],
  [[YES, ended('dropped')], refuses(DROPPED)],
  [
    [ended('restless', { problem: 'it loads again' }), YES],
    'after a right token of adult-passport your app shows a page that does not come to rest at /callback: it loads again; let its pages come to rest, or raise --timeout',
  ],
  [
    [YES, '201 /members Welcome.'],
    'your app answers a right token of adult-passport differently each time: 200 at /members ("Welcome."), then 201 at /members ("Welcome.")',
  ],
] as const)('An app that answers right tokens by %j can teach an audit nothing', (shown, message) => {
  expect(() => checkGoodAnswers(see(shown), NAMES.adult)).toThrow(problem(message))
})

test('An app that refuses a right token by form_post is told about its cookies', () => {
  const seen = { run: runOf(NO, { request: requestOf({ response_mode: 'form_post' }) }), accepted: undefined }
  expect(() => checkGoodAnswers([seen, seen], 'a')).toThrow(
    `doctor --issuer ${ISSUER}; a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does`,
  )
  const without = { run: runOf(NO, { request: undefined }), accepted: undefined }
  expect(() => checkGoodAnswers([without, without], 'a')).toThrow(/doctor --issuer $/)
})

test('An audit can learn from an app that answers right tokens alike', () => {
  expect(() => checkGoodAnswers(see([YES, '200 /members Hello.']), 'a')).not.toThrow()
})

const sawHops = (hops: readonly Hop[]) => saw(visitTo('', { hops }))
const afterFragment = (status: number, changes: Partial<Hop> = {}, callback = `${APP}/callback#id_token=a`) =>
  sawHops([hopTo(APP), hopTo(callback), hopTo(`${APP}/session?a=b`, { method: 'POST', status, ...changes })])

const NAME_PATH = '; name the path of your app that the page of the callback sends the answer to'

test.each([
  [404, `use.fragment: POST /session answers 404${NAME_PATH}`],
  [405, `use.fragment: POST /session answers 405${NAME_PATH}`],
  [415, 'use.fragment: POST /session answers 415: it takes another kind of body; give as: form or as: json'],
])('A path of use.fragment that answers %i is refused', (status, message) => {
  expect(() => checkFragmentPath([afterFragment(200), afterFragment(status)])).toThrow(problem(message))
})

test.each([
  ['a path that takes the answer', afterFragment(200)],
  ['a page that is only fetched', afterFragment(404, { method: 'GET' })],
  ['a callback without a fragment', afterFragment(404, {}, `${APP}/callback?id_token=a`)],
  ['a visit of one request', sawHops([hopTo(`${APP}/session`, { method: 'POST', status: 404 })])],
  ['a visit without a request', sawHops([])],
])('The path of use.fragment is not looked at for %s', (_what, seen) => {
  expect(() => checkFragmentPath([seen])).not.toThrow()
})

const twice = (shown: string): Shown => [shown, shown]
const BOTH_IN = twice(YES)

interface Seen {
  readonly minors?: Shown
  readonly denied?: Shown
  readonly adults?: Shown
}

/** What is found of an app by its pages: of a minor and of a denial the first comes before the first adult. */
function letInBy({ minors = twice(NO), denied = twice(NO), adults = BOTH_IN }: Seen) {
  const subject = subjectOf(imitatedApp(refuse))
  return findLetIn({ adults: see(adults), minors: see(minors), denied: see(denied) }, { names: NAMES, subject })
}

const subjectOf = ({ sandbox, driver }: ReturnType<typeof imitatedApp>, accepted?: string): Subject => ({
  sandbox,
  driver,
  agent: 'http',
  page: APP,
  readsFragments: false,
  rules: accepted === undefined ? {} : { accepted: parseAcceptedRule(accepted) },
})

/** A page most of whose words stand on each page of the app. */
const shop = (words: string) => `200 /shop Home Products About Contact Imprint Privacy Terms Delivery Payment ${words}`
const long = (words: string) => `200 /in ${Array.from({ length: 100 }, (_, index) => index).join(' ')} ${words}`

test.each<[string, Seen, readonly string[]]>([
  ['nobody', {}, []],
  ['nobody, as one word tells', { adults: twice(shop('Welcome')), minors: twice(shop('Sorry')) }, []],
  [
    'a minor, whose first page lacks one word',
    { adults: twice(shop('News')), minors: [shop(''), shop('News')] },
    ['minor'],
  ],
  ['a minor', { minors: BOTH_IN }, ['minor']],
  ['a user who declined', { denied: BOTH_IN }, ['access_denied']],
])('An audit learns that an app lets in, beside adults, %s', async (_who, seen, kinds) => {
  expect(await letInBy(seen)).toEqual(kinds)
})

const ALIKE = 'yes and no look alike: '
const GIVE = '; give --accepted "get=/a-page-for-members status=200"'
const REMEMBERS = 'your app remembers the user; use {n} in before:, or give reset:'
const MORE = '200 /members Welcome. More.'
const WELCOME = '200 at /members ("Welcome.")'
const showsMoreAfter = (other: string) =>
  `${ALIKE}after adult-passport your app shows nothing that it does not show after ${other}: ${WELCOME}${GIVE}`
const SAME = `${ALIKE}${WELCOME} after adult-passport and after access_denied${GIVE}`

test.each<[string, Seen, string]>([
  ['everybody', { minors: BOTH_IN, denied: BOTH_IN }, SAME],
  ['a minor after an adult', { minors: [NO, YES] }, `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  [
    'a minor after an adult, on a long page',
    { adults: twice(long('a b c d e f g h i j')), minors: [long(''), long('a b c d e f g h i')] },
    `child-12 is let in after adult-passport was: ${REMEMBERS}`,
  ],
  ['a denial after an adult', { denied: [NO, YES] }, `access_denied is let in after adult-passport was: ${REMEMBERS}`],
  ['a minor, who is shown more than an adult', { minors: twice(MORE) }, showsMoreAfter('child-12')],
  ['a denial, after which more is shown', { denied: twice(MORE) }, showsMoreAfter('access_denied')],
])('An app that lets in %s can teach an audit nothing', async (_who, seen, message) => {
  await expect(letInBy(seen)).rejects.toThrow(problem(message))
})

type Held = Partial<Record<'adults' | 'minors' | 'denied', readonly [first: boolean, second: boolean]>>

function letInByRule(held: Held, accepted: string) {
  const { adults = [true, true], minors = [false, false], denied = [false, false] } = held
  const app = imitatedApp(refuse, (_request, browser) => (app.fresh.includes(browser) ? '403 /me' : '200 /me'))
  const runs = { adults: see(BOTH_IN, adults), minors: see(BOTH_IN, minors), denied: see(BOTH_IN, denied) }
  return findLetIn(runs, { names: NAMES, subject: subjectOf(app, accepted) })
}

test.each<[Held, string, readonly string[]]>([
  [{}, 'text=Welcome', []],
  [{ minors: [true, true] }, 'text=Welcome', ['minor']],
  // The page is for members: it does not open in a browser that has proved nothing.
  [{ denied: [true, true] }, 'get=/me status=200', ['access_denied']],
])(
  'Whom an app lets in is known by a rule of the user, whatever its pages say: %j by %j',
  async (held, rule, kinds) => {
    expect(await letInByRule(held, rule)).toEqual(kinds)
  },
)

const [TEXT, GET] = ['text=Welcome', 'get=/me status=403']
const HOLDS_AFTER_BOTH =
  'holds after adult-passport and after access_denied; give one that holds for members only, such as "get=/a-page-for-members status=200"'

test.each<[Held, string, string]>([
  [
    { adults: [true, false] },
    TEXT,
    `--accepted "${TEXT}" does not hold after adult-passport: your app shows ${WELCOME}`,
  ],
  [{ minors: [false, true] }, TEXT, `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  [{ denied: [true, true] }, TEXT, `${ALIKE}--accepted "${TEXT}" ${HOLDS_AFTER_BOTH}`],
  [{ denied: [true, true] }, GET, `${ALIKE}--accepted "${GET}" ${HOLDS_AFTER_BOTH}`],
])('A rule of the user that holds as %j cannot be used: %s', async (held, rule, message) => {
  await expect(letInByRule(held, rule)).rejects.toThrow(problem(message))
})
