import { expect, test } from 'vitest'
import {
  cookiesSet,
  describeFeatures,
  observe,
  sentenceOf,
} from '../../../src/audit/drive/observation.ts'
import {
  APP,
  ended,
  hopTo,
  pageOf,
  SANDBOX,
  saidOf,
  visitTo,
} from '../../support/imitated-pages.ts'

const CALLBACK = hopTo(`${APP}/callback?state=s1`, { isCallback: true })
const seen = (visit: Parameters<typeof observe>[0]) => {
  const { end, status, features, summary } = observe(visit)
  return { end, status, features: [...features], summary }
}

const SEES = 'see http://localhost:3000/t/audit-x1-2/a and localhost:3000'

test.each([
  [
    'has status, path, title, cookies and words',
    visitTo('200 /callback', {
      hops: [
        hopTo(`${APP}/`, { cookies: ['before'] }),
        hopTo(SANDBOX),
        { ...CALLBACK, cookies: ['session'] },
      ],
      page: pageOf('200 /callback?state=s1 <title>Shop</title><p>Welcome. You are 18.'),
    }),
    'status 200,at /callback,titled Shop,sets session,says shop,says welcome,says you,says are',
    '200 at /callback ("Welcome.")',
  ],
  [
    'after another redirect has the parameters of its address',
    visitTo('', { hops: [CALLBACK, hopTo(`${APP}/end`)], page: pageOf('200 /end?ok=1&ok=2') }),
    'status 200,at /end,with ok=1,with ok=2',
    '200 at /end',
  ],
  [
    'is without host, port and tenant, which differ from copy to copy',
    visitTo('', { page: pageOf(`200 /callback ${SEES}`) }),
    'status 200,at /callback,says see,says http://localhost/a,says and,says localhost',
    `200 at /callback ("${SEES}")`,
  ],
])('The observation of a page %s', (_what, visit, features, summary) => {
  expect(seen(visit)).toEqual({ end: 'page', status: 200, features: features.split(','), summary })
})

const WELCOME = 'https://shop.example/welcome'

test.each([
  [`${WELCOME}?user=1`, [`at ${WELCOME}`, 'with user=1'], WELCOME],
  ['app:welcome', ['at nullwelcome'], 'nullwelcome'],
  ['no address', ['at no address'], 'no address'],
  [undefined, ['at '], ''],
])(
  'A redirect to %s, which is of another server, is observed by its address',
  (url, features, address) => {
    const visit = ended('elsewhere', { url, hops: [{ ...CALLBACK, cookies: ['session'] }] })
    const all = { features: [...features, 'sets session'], summary: `a redirect to ${address}` }
    expect(seen(visit)).toEqual({ end: 'page', status: 302, ...all })
  },
)

const at = { url: `${APP}/late?a=b` }

test.each([
  ['stopped', {}, 'the beginning of the flow again'],
  ['timed_out', {}, 'no answer in time at /callback'],
  ['timed_out', { ...at, page: pageOf('200 /late') }, 'no answer in time at /late'],
  ['timed_out', { hops: [hopTo(APP), CALLBACK, hopTo(`${APP}/c`)] }, 'no answer in time at /c'],
  ['timed_out', { hops: [] }, 'no answer in time'],
  ['timed_out', { url: 'no address' }, 'no answer in time'],
  ['dropped', at, 'a closed connection without an answer at /late'],
  [
    'restless',
    { ...at, problem: 'it loads' },
    'a page that does not come to rest at /late: it loads',
  ],
  ['too_many_redirects', at, 'more than 20 redirects at /late'],
  ['sandbox_page', { ...at, problem: 'why' }, 'an error page of the sandbox at /late: why'],
  ['sandbox_page', at, 'an error page of the sandbox at /late'],
  ['unreachable', { ...at, problem: 'why' }, 'nothing at /late: why'],
  ['page', {}, 'nothing at /callback'],
  ['unreachable', at, 'nothing at /late'],
  ['framed', { ...at, problem: 'a popup opened' }, 'nothing at /late: a popup opened'],
] as const)('A visit that ended as %s with %j is observed as: %s', (end, changes, summary) => {
  expect(seen(ended(end, changes))).toEqual({ end, status: 0, features: [end], summary })
})

test('Numbers on a page are no sign, unless it shows nothing else', () => {
  const words = (said: string) => {
    const { features, text } = observe(visitTo(`200 /callback ${said}`))
    return [[...features].slice(2).join(), text]
  }
  const some = words('It is 12:03:44 on 2026-01-02, visit 17 of localhost:3000 (3%).')
  expect(some).toEqual([
    'says it,says is,says on,says visit,says of,says localhost',
    'It is on visit of localhost ( ) ',
  ])
  expect(words('18 1')).toEqual(['says 18,says 1', ' '])
})

test('Cookies that an answer set are those from the last callback on, each once', () => {
  const hops = [
    { ...CALLBACK, cookies: ['early'] },
    hopTo(`${SANDBOX}/v1/oidc/create`, { cookies: ['sandbox'] }),
    { ...CALLBACK, cookies: ['a', 'b'] },
    hopTo(`${APP}/end`, { cookies: ['a', 'c'] }),
  ]
  expect(cookiesSet(visitTo('200 /end', { hops }))).toEqual(['a', 'b', 'c'])
  expect(cookiesSet(visitTo('200 /end', { hops: [hopTo(`${APP}/`, { cookies: ['x'] })] }))).toEqual(
    ['x'],
  )
})

test('What an audit saw of an app is told as a sentence', () => {
  expect(sentenceOf(observe(visitTo('403 /callback Sorry.')))).toBe(
    'your app showed 403 at /callback ("Sorry.")',
  )
  expect(sentenceOf(saidOf(false))).toBe('visit returned false')
})

test.each([
  [
    'status 200,at /end,with ok=1,sets session,sets proof',
    '200 at /end, ok=1, sets cookie session, sets cookie proof',
  ],
  ['says a,says b,says c,says d,says e,says f,says g,titled Shop', 'says "a b c d e f"'],
  ['at /end', 'at /end'],
  ['status 302', '302'],
  ['let in,titled Shop', 'let in, titled Shop'],
])('The difference of two pages is described in words: %s', (features, told) => {
  expect(describeFeatures(features.split(','))).toBe(told)
})
