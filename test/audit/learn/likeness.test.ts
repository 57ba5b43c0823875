import { expect, test } from 'vitest'
import type { BrowserVisit } from '../../../src/audit/agent/browser.ts'
import { observe } from '../../../src/audit/drive/observation.ts'
import { learnLikeness } from '../../../src/audit/learn/likeness.ts'
import { APP, ended, hopTo, visitTo } from '../../support/imitated-pages.ts'

const seen = (shown: string | BrowserVisit) =>
  observe(typeof shown === 'string' ? visitTo(shown, { hops: [] }) : shown)

interface Shown {
  readonly ins: readonly (string | BrowserVisit)[]
  readonly outs: Readonly<Record<string, readonly (string | BrowserVisit)[]>>
  readonly isProbe?: boolean
}

const learn = ({ ins, outs, isProbe = false }: Shown) =>
  learnLikeness(
    ins.map(seen),
    Object.entries(outs).map(([label, all]) => ({ label, seen: all.map(seen) })),
    { isProbe },
  )

function compare(shown: Shown, one: string | BrowserVisit): string {
  const alike = learn(shown)?.compare(seen(one))
  return alike?.as === 'out' && alike.label ? `out, ${alike.label}` : `${alike?.as}`
}

const twice = (said: string | BrowserVisit) => [said, said]
const [MINOR, DENIED] = [
  '200 / Wine shop: you are below the age',
  '200 / Wine shop: you have declined',
]
const WINE_SHOP = {
  ins: twice('200 / In wine shop you are'),
  outs: { minor: twice(MINOR), denied: twice(DENIED) },
}

test.each([
  ['the page of a yes', '200 / In wine shop you are', 'in'],
  ['all its words in a longer message', '200 / Wine shop: you are in need of a token', 'unknown'],
  [
    'all its words in an error',
    '200 / Wine shop: you are in error, no key in the JSON Web Key Set',
    'unknown',
  ],
  ['the page of a minor', MINOR, 'out, minor'],
  ['the page of a denial', DENIED, 'out, denied'],
  ['what both refusals have', '200 / Wine shop: you', 'out'],
  ['another sentence, which is an error', '200 / Wine shop: your token has expired', 'out'],
  ['another sentence in French', '200 / Wine shop: jeton refusé', 'out'],
  ['another sentence, which is none', '200 / Wine shop: hello grown customer', 'unknown'],
  ['an error at another path', '200 /oops Wine shop: your token has expired', 'unknown'],
  ['a yes at another path', '200 /in In wine shop you are', 'unknown'],
  ['a yes with another status', '201 / In wine shop you are', 'unknown'],
  ['a yes without the word that tells', '200 / Wine shop you are', 'out'],
  ['a status of 403', '403 / Wine shop', 'out'],
  ['too many requests', '429 / Slow down', 'unknown'],
  ['a crash', '500 / Wine shop', 'unknown'],
  ['the beginning of the flow', ended('stopped'), 'out'],
  ['a closed connection', ended('dropped'), 'unknown'],
])(
  'The page of an app of one page that shows %s is read by what else it shows',
  (_what, one, as) => {
    expect(compare(WINE_SHOP, one)).toBe(as)
  },
)

const YES = '200 / You are in the shop and we could prove that you are 18'
const SAME = {
  ins: twice(YES),
  outs: { minor: twice('200 / You are in the shop, but we could not prove that you are 18') },
}
const ORDER = {
  ins: twice('200 / is confirmed, not'),
  outs: { denied: twice('200 / not confirmed, is') },
}
const UPGRADED = {
  ins: twice('200 / Upgraded, again'),
  outs: { code: ['200 / Problem: grant is over'], upgrade: ['200 / Problem: 401'] },
}

test.each([
  ['its own page without marks', SAME, YES, 'in'],
  ['its own page without marks and a number', SAME, `${YES} 17`, 'in'],
  ['its words in another order', ORDER, '200 / not confirmed, is', 'unknown'],
  ['one word more', SAME, `${YES}: mismatch`, 'unknown'],
  [
    'the message of a parser of JSON',
    UPGRADED,
    '200 / Problem: Unterminated string in JSON at position 55',
    'out',
  ],
])(
  'A page that is always the same to users who are in is told from what shows %s',
  (_what, shown, one, as) => {
    expect(compare(shown, one)).toBe(as)
  },
)

const LAYOUT =
  'home products about contact imprint privacy terms delivery payment returns account basket'

test.each([
  ['all pages', `200 / ${LAYOUT} welcome grown`, 'in'],
  ['all pages, but for one word', `200 / ${LAYOUT.slice(5)} welcome grown`, 'in'],
  ['all pages, but for three words', `200 / ${LAYOUT.slice(28)} welcome grown`, 'unknown'],
  ['half of what tells a yes', `200 / ${LAYOUT} welcome`, 'unknown'],
  ['what tells a yes, and what tells a no', `200 / ${LAYOUT} welcome grown sorry`, 'unknown'],
])(
  'Words that stand on all pages of an app weigh less than those that tell: %s',
  (_what, one, as) => {
    const outs = { denied: twice(`200 / ${LAYOUT} sorry`) }
    expect(compare({ ins: twice(`200 / ${LAYOUT} welcome grown`), outs }, one)).toBe(as)
  },
)

test.each([
  ['200 /users/19 Welcome Carol', 'in'],
  ['200 /users/19 Welcome Carol again', 'in'],
  ['200 /users/19 Welcome Carol once again now, please', 'unknown'],
  ['200 /users/17 Welcome error', 'unknown'],
  ['200 /users/17 Welcome', 'in'],
])('A yes may differ twice as much as the known ones differ: %s is %s', (one, as) => {
  const ins = ['200 /users/17 Welcome Alice', '200 /users/18 Welcome Bob']
  expect(compare({ ins, outs: { denied: twice('200 / Sorry') } }, one)).toBe(as)
})

const VARIED = {
  ins: twice('200 / welcome'),
  outs: { denied: ['200 / declined a', '200 / declined b'] },
}
const ALIKE = {
  ins: twice('200 / welcome'),
  outs: { denied: twice('200 / sorry'), minor: twice('200 / sorry') },
}
const FAILING = { ins: twice('404 / welcome'), outs: { denied: twice('404 / declined') } }

test.each([
  [
    'twice as far from the known ones as these from each other is of their kind',
    VARIED,
    ' c d',
    'out, denied',
  ],
  ['farther from them is of none', VARIED, ' c d e f', 'out'],
])('A refusal that is %s', (_what, shown, words, as) => {
  expect(compare(shown, `200 / declined${words}`)).toBe(as)
})

test.each([
  ['without the word of the known refusals', VARIED, '200 / a b', 'unknown'],
  ['like two kinds of refusals', ALIKE, '200 / sorry', 'out'],
  ['with the status of an error, as a yes has', FAILING, '403 / hello', 'unknown'],
])('A page that is %s is of no kind', (_what, shown, one, as) => {
  expect(compare(shown, one)).toBe(as)
})

test.each([
  ['no yes', { ins: [], outs: { denied: twice('200 / sorry') } }],
  ['no refusal', { ins: twice('200 / welcome'), outs: {} }],
  ['the same page', { ins: twice('200 / a'), outs: { denied: twice('200 / a') } }],
  [
    'a yes with a word each time another',
    { ins: ['200 / a x', '200 / a y'], outs: { denied: twice('200 / a') } },
  ],
])('Of %s nothing can be learned that tells', (_what, shown) => {
  expect(learn(shown)).toBe(undefined)
})

const START = {
  isProbe: true,
  ins: twice('200 / Shop. My orders'),
  outs: { denied: twice('200 / Shop. Sign in'), '': ['200 / Shop. Sign in'] },
}
const MEMBERS = {
  isProbe: true,
  ins: twice('200 /members Members'),
  outs: { denied: twice('200 /login Sign in') },
}
const AGAIN = ended('stopped', { hops: [] })

test.each([
  ['a start page', START, '200 / Shop. My orders', 'in'],
  [
    'the start page of a stranger, with an error message',
    START,
    '200 / Shop. Sign in. Your token has expired',
    'out',
  ],
  [
    'the start page of a signed-in user, with an error message',
    START,
    '200 / Shop. My orders. Your token expired',
    'in',
  ],
  ['a page that refuses', MEMBERS, '401 /members No', 'out'],
  ['a page that redirects to an error', MEMBERS, '200 /denied No entry', 'out'],
  ['a page that redirects to one like itself', MEMBERS, '200 /denied Members alone', 'unknown'],
  ['a page that begins the flow again', MEMBERS, AGAIN, 'out'],
  ['a page that limits', MEMBERS, '429 /members Slow down', 'unknown'],
  ['a page that crashes', MEMBERS, '500 /members Oops', 'unknown'],
  ['a page that crashes elsewhere', MEMBERS, '500 /oops Oops', 'unknown'],
])(
  'A page that is asked for again tells who is out by its place, whatever it says: %s',
  (_what, shown, one, as) => {
    expect(compare(shown, one).replace(', denied', '')).toBe(as)
  },
)

test('A title that users who are out are shown too may be one of several, a title of those who are in alone is a mark', () => {
  const [old, young] = ['<title>Shop, since 1920</title>', '<title>The new shop</title>']
  const outs = { denied: [`200 / ${old} Sign in`, `200 / ${young} Sign in`] }
  const page = `200 / ${young} My orders`
  expect(compare({ isProbe: true, ins: twice(`200 / ${old} My orders`), outs }, page)).toBe('in')
  const others = { denied: twice(`200 / ${young} Sign in`) }
  expect(compare({ isProbe: true, ins: twice(`200 / ${old} My orders`), outs: others }, page)).toBe(
    'unknown',
  )
})

test('A page that shows a button only to those who are out tells who is in when it is asked for again', () => {
  const shown = {
    isProbe: true,
    ins: twice('200 / Shop'),
    outs: { denied: twice('200 / Shop. Sign in') },
  }
  const pages = ['200 / Shop', '200 / Shop. Sign in', '200 / Shop. News']
  expect(pages.map((one) => compare(shown, one))).toEqual(['in', 'out, denied', 'unknown'])
  // The page is the same for two kinds of users.
  const outs = { ...shown.outs, minor: twice('200 / Shop') }
  expect(learn({ ...shown, outs })).toBe(undefined)
})

test('What only users who are in have is told, with the cookies among it', () => {
  const hops = [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session', 'seen'] })]
  const refused = [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['seen'] })]
  const ins = twice(visitTo('200 /callback Hello', { hops }))
  const denied = [visitTo('200 /callback Bye', { hops: refused })]
  const { marks, cookies } = learn({ ins, outs: { denied } }) ?? expect.fail()
  expect(marks).toEqual(['sets session', 'says hello'])
  expect(cookies).toEqual(['session'])
})
