import { expect, test } from 'vitest'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import {
  checkFragmentPath,
  checkGoodAnswers,
  findLetIn,
  type SeenRun,
  type Subject,
} from '../../../src/audit/learn/check-learned.ts'
import { APP, ended, hopTo, imitatedApp, requestOf, runOf, SANDBOX, visitTo } from '../../support/imitated-app.ts'

const YES = '200 /members Welcome.'
const NO = '403 /callback Sorry.'
const NAMES = { adult: 'adult-passport', minor: 'child-12' }
const saw = (last: Parameters<typeof runOf>[0], accepted?: boolean): SeenRun => ({ run: runOf(last), accepted })
const problem = (message: string) => expect.objectContaining({ name: 'AuditProblem', message })

const ISSUER = `${SANDBOX}/v1/oidc/use`

test.each([
  [
    [YES, NO],
    `your app answers a right token of adult-passport with 403 at /callback ("Sorry."); run: agekey-sandbox doctor --issuer ${ISSUER}`,
  ],
  [
    [YES, '400 /callback Sorry.'],
    `your app answers a right token of adult-passport with 400 at /callback ("Sorry."); run: agekey-sandbox doctor --issuer ${ISSUER}`,
  ],
  [
    [ended('dropped')],
    `your app answers a right token of adult-passport with a closed connection without an answer at /callback; run: agekey-sandbox doctor --issuer ${ISSUER}`,
  ],
  [
    [ended('restless', { problem: 'it loads again' })],
    'after a right token of adult-passport your app shows a page that does not come to rest at /callback: it loads again; let its pages come to rest, or raise --timeout',
  ],
  [
    [YES, '201 /members Welcome.'],
    'your app answers a right token of adult-passport differently each time: 200 at /members ("Welcome."), then 201 at /members ("Welcome.")',
  ],
] as const)('An app that answers right tokens by %j can teach nothing', (shown, message) => {
  expect(() =>
    checkGoodAnswers(
      shown.map((one) => saw(one)),
      NAMES.adult,
    ),
  ).toThrow(problem(message))
})

test('An app that refuses a right token by form_post is told about its cookies', () => {
  const run = runOf(NO, { request: requestOf({ response_mode: 'form_post' }) })
  expect(() => checkGoodAnswers([{ run, accepted: undefined }], 'a')).toThrow(
    `doctor --issuer ${ISSUER}; a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does`,
  )
  const without = { run: runOf(NO, { request: undefined }), accepted: undefined }
  expect(() => checkGoodAnswers([without], 'a')).toThrow(/doctor --issuer $/)
})

test('An app that answers right tokens alike may teach', () => {
  expect(() => checkGoodAnswers([saw(YES), saw('200 /members Hello.')], 'a')).not.toThrow()
})

const afterFragment = (
  status: number,
  changes: Parameters<typeof hopTo>[1] = {},
  callback = `${APP}/callback#id_token=a`,
) => saw(visitTo('', { hops: [hopTo(callback), hopTo(`${APP}/session?a=b`, { method: 'POST', status, ...changes })] }))

test.each([
  [
    404,
    'use.fragment: POST /session answers 404; name the path of your app that the page of the callback sends the answer to',
  ],
  [
    405,
    'use.fragment: POST /session answers 405; name the path of your app that the page of the callback sends the answer to',
  ],
  [415, 'use.fragment: POST /session answers 415: it takes another kind of body; give as: form or as: json'],
])('A path of use.fragment that answers %i is refused', (status, message) => {
  expect(() => checkFragmentPath([afterFragment(200), afterFragment(status)])).toThrow(problem(message))
})

test.each([
  ['a path that takes the answer', afterFragment(200)],
  ['a page that is only fetched', afterFragment(404, { method: 'GET' })],
  ['a callback without a fragment', afterFragment(404, {}, `${APP}/callback?id_token=a`)],
  ['a visit of one request', saw(visitTo('', { hops: [hopTo(`${APP}/session`, { method: 'POST', status: 404 })] }))],
])('The path of use.fragment is not looked at for %s', (_what, seen) => {
  expect(() => checkFragmentPath([seen])).not.toThrow()
})

type Shown = readonly [first: string, second: string]
interface Seen {
  readonly minors?: Shown
  readonly denied?: Shown
  readonly adults?: Shown
}

/** What is found of an app by its pages: of a minor and of a denial the first comes before the first adult. */
function letInBy({ minors = [NO, NO], denied = [NO, NO], adults = [YES, YES] }: Seen) {
  const see = (shown: Shown) => shown.map((one) => saw(one))
  const subject = subjectOf(imitatedApp(() => NO))
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

test.each<[string, Seen, readonly string[]]>([
  ['nobody', {}, []],
  ['a minor', { minors: [YES, YES] }, ['minor']],
  ['a user who declined', { denied: [YES, YES] }, ['access_denied']],
])('An app lets in, beside adults, %s', async (_who, seen, kinds) => {
  expect(await letInBy(seen)).toEqual(kinds)
})

const ALIKE = 'yes and no look alike: '
const GIVE = '; give --accepted "get=/a-page-for-members status=200"'
const REMEMBERS = 'your app remembers the user; use {n} in before:, or give reset:'
const MORE = '200 /members Welcome. More.'

test.each<[string, Seen, string]>([
  [
    'everybody',
    { minors: [YES, YES], denied: [YES, YES] },
    `${ALIKE}200 at /members ("Welcome.") after adult-passport and after access_denied${GIVE}`,
  ],
  ['a minor after an adult', { minors: [NO, YES] }, `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  ['a denial after an adult', { denied: [NO, YES] }, `access_denied is let in after adult-passport was: ${REMEMBERS}`],
  [
    'a minor, who is shown more than an adult',
    { minors: [MORE, MORE] },
    `${ALIKE}after adult-passport your app shows nothing that it does not show after child-12: 200 at /members ("Welcome.")${GIVE}`,
  ],
  [
    'a denial, after which more is shown than after an adult',
    { denied: [MORE, MORE] },
    `${ALIKE}after adult-passport your app shows nothing that it does not show after access_denied: 200 at /members ("Welcome.")${GIVE}`,
  ],
])('An app that lets in %s can teach nothing', async (_who, seen, message) => {
  await expect(letInBy(seen)).rejects.toThrow(problem(message))
})

test('Each kind of no is seen twice', async () => {
  const subject = subjectOf(imitatedApp(() => NO))
  const found = findLetIn({ adults: [saw(YES)], minors: [saw(NO)], denied: [saw(NO)] }, { names: NAMES, subject })
  await expect(found).rejects.toThrow('each kind of no is seen twice')
})

type Held = readonly [first: boolean, second: boolean]

const letInByRule = (
  held: Partial<Record<'adults' | 'minors' | 'denied', Held>>,
  accepted = 'text=Welcome',
  page = '403 /me',
) => {
  const see = (of: Held) => of.map((one) => saw(YES, one))
  const app = imitatedApp(
    () => NO,
    () => page,
  )
  const { adults = [true, true], minors = [false, false], denied = [false, false] } = held
  const runs = { adults: see(adults), minors: see(minors), denied: see(denied) }
  return findLetIn(runs, { names: NAMES, subject: subjectOf(app, accepted) })
}

test.each([
  [{}, 'text=Welcome', []],
  [{ minors: [true, true] as const }, 'text=Welcome', ['minor']],
  // The page is for members: it does not open in a browser that has proved nothing.
  [{ denied: [true, true] as const }, 'get=/me status=200', ['access_denied']],
])(
  'Whom an app lets in is known by a rule of the user, whatever its pages say: %j by %j',
  async (held, rule, kinds) => {
    expect(await letInByRule(held, rule)).toEqual(kinds)
  },
)

const HOLDS_AFTER_BOTH =
  'holds after adult-passport and after access_denied; give one that holds for members only, such as "get=/a-page-for-members status=200"'

test.each([
  [
    { adults: [true, false] as const },
    'text=Welcome',
    '--accepted "text=Welcome" does not hold after adult-passport: your app shows 200 at /members ("Welcome.")',
  ],
  [{ minors: [false, true] as const }, 'text=Welcome', `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  [{ denied: [true, true] as const }, 'text=Welcome', `${ALIKE}--accepted "text=Welcome" ${HOLDS_AFTER_BOTH}`],
  [
    { denied: [true, true] as const },
    'get=/me status=403',
    `${ALIKE}--accepted "get=/me status=403" ${HOLDS_AFTER_BOTH}`,
  ],
])('A rule of the user that holds as %j cannot be used: %s', async (held, rule, message) => {
  await expect(letInByRule(held, rule)).rejects.toThrow(problem(message))
})
