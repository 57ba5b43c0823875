import { expect, test } from 'vitest'
import type { Observation } from '../../../src/audit/learn/observation.ts'
import {
  describeFeatures,
  describeYes,
  learnSignature,
  looksLikeYes,
  readObservation,
} from '../../../src/audit/learn/signature.ts'

function page(status: number, path: string, words = '', others: readonly string[] = []): Observation {
  const said = words.split(' ').flatMap((word) => (word === '' ? [] : [`says ${word}`]))
  return { end: 'page', status, features: new Set([`status ${status}`, `at ${path}`, ...said, ...others]), summary: '' }
}

const at = (words: string, others?: readonly string[]) => page(200, '/callback', words, others)

const ended = (end: Observation['end']): Observation => ({ end, status: 0, features: new Set([end]), summary: end })

const twice = (one: Observation) => [one, one]

/** How an app looks that showed the first page twice after a yes, and each of the others twice after a no. */
const learn = (yes: Observation, ...noes: Observation[]) =>
  learnSignature(
    twice(yes),
    noes.map((no) => ({ label: 'a no', observations: twice(no) })),
  )

const noAge = page(403, '/callback', 'no age was proved')
const anotherPage = learn(at('welcome you are 18'), noAge, at('you are not 18 yet'))

test.each([
  ['the page of a yes', page(200, '/callback', 'welcome you are 18'), 'yes'],
  ['that page with words more', page(200, '/callback', 'welcome you are 18 session 4711'), 'yes'],
  ['the page of a minor', page(200, '/callback', 'you are not 18 yet'), 'no'],
  ['an error page with a status from 400 to 499', page(400, '/callback', 'something else'), 'no'],
  ['an error page with a status from 500', page(500, '/callback', 'no age was proved'), 'broke'],
  ['a page that was never seen', page(200, '/elsewhere', 'hello'), 'unknown'],
  ['an empty page', page(200, '/callback'), 'unknown'],
  ['too many requests', page(429, '/callback', 'slow down'), 'unknown'],
  ['a flow that begins again', ended('begins again'), 'no'],
  ['a closed connection', ended('dropped'), 'broke'],
  ['no answer in time', ended('timed out'), 'broke'],
  ['redirects without end', ended('redirects for ever'), 'unknown'],
] as const)('The signature of an app with another page for a yes reads %s', (_what, observation, reading) => {
  expect(readObservation(anotherPage, observation)).toBe(reading)
})

test('An app with another page for a yes is described by what tells the yes', () => {
  expect(describeYes(anotherPage)).toBe('200, says "welcome you are 18"')
})

test('An error page with the status 200 and other words is a no by its title, when a yes has another one', () => {
  const signature = learn(page(200, '/members', 'welcome'), at('access denied', ['titled Error']))
  expect(readObservation(signature, at('signature invalid', ['titled Error']))).toBe('no')
  expect(readObservation(signature, at('signature invalid', ['titled Shop']))).toBe('unknown')
  expect(readObservation(signature, at('welcome', ['titled Error']))).toBe('unknown')
})

test('A page that tells a yes from one kind of no only is no yes', () => {
  const signature = learn(at('welcome back'), at('back'), at('welcome'))
  expect(readObservation(signature, at('welcome'))).toBe('no')
  expect(readObservation(signature, at('welcome back'))).toBe('yes')
})

test('What an app changes from visit to visit does not tell a yes from a no', () => {
  const users = [page(200, '/users/17', 'welcome alice'), page(200, '/users/18', 'welcome bob')]
  const signature = learnSignature(users, [{ label: 'a no', observations: twice(page(200, '/', 'sorry')) }])
  expect(readObservation(signature, page(200, '/users/19', 'welcome carol'))).toBe('yes')
})

test('Nothing that an app shows is a yes when no kind of no can be told from that', () => {
  expect(readObservation(learn(at('done'), at('done')), at('done'))).toBe('unknown')
})

test('A page of other words is unknown, although most of its words stand on every page of the app', () => {
  const layout = 'home products about contact imprint privacy terms delivery payment returns account basket'
  const signature = learn(at(`${layout} welcome you may enter`), at(`${layout} sorry`))
  expect(readObservation(signature, at(`${layout} sorry`))).toBe('no')
  expect(readObservation(signature, at(`${layout} hello grown customer`))).toBe('unknown')
})

test('A page of other words is unknown, although a no says something else each time', () => {
  const signature = learnSignature(twice(at('welcome')), [{ label: 'a no', observations: [at('a1'), at('b2')] }])
  expect(readObservation(signature, at('hello grown customer'))).toBe('unknown')
})

test.each([
  [
    'status 200,at /end,with ok=1,with id=2,says a,says b,says c,says d,says e,says f,says g,sets session,sets proof,titled Shop',
    '200 at /end, ok=1 id=2, says "a b c d e f", sets cookie session, sets cookie proof',
  ],
  ['at /end', 'at /end'],
  ['status 302', '302'],
  ['let in,titled Shop', 'let in, titled Shop'],
])('What tells pages apart is described by status, path, parameters, six words and cookies: %s', (features, told) => {
  expect(describeFeatures(new Set(features.split(',')))).toBe(told)
})

test('A yes is described by all of its features when no kind of no was told from it', () => {
  expect(describeYes(learn(page(200, '/in', 'hello')))).toBe('200 at /in, says "hello"')
  expect(describeYes(learnSignature([], []))).toBe('')
  expect(learnSignature([], []).yesStatus).toBe(0)
})

test.each([
  ['a b c d e f g h i', ['abcdefghij'], true],
  ['a b c d e f g h', ['abcdefghij'], false],
  ['a b c d e f g h i j', ['abcdefghij', 'z'], false],
  ['a b c d e f g h i j', [], false],
  ['a b c', [''], false],
])(
  'A page looks like a yes by nine of ten features, of which each kind of no lacks some: %s of %j',
  (words, noes, is) => {
    const lacking = noes.map((lacks) => ({ lacks: new Set(Array.from(lacks, (word) => `says ${word}`)) }))
    expect(looksLikeYes(lacking, page(200, '/in', words))).toBe(is)
  },
)

const again = { ...ended('begins again'), features: new Set(['begins again', 'sets done']) }

test('An app that begins again after a yes, too, is read by what tells that from a no', () => {
  const signature = learn(again, ended('begins again'))
  expect(readObservation(signature, again)).toBe('yes')
  expect(readObservation(signature, ended('begins again'))).toBe('unknown')
})

test('An endless redirect is unknown, even when a right token leads to an endless redirect too', () => {
  const endless = ended('redirects for ever')
  expect(readObservation(learn(endless, noAge), endless)).toBe('unknown')
})

test('A status from 400 on is a no only of an app whose yes has another one', () => {
  const signature = learn(page(400, '/in', 'welcome home'), page(400, '/in', 'sorry'))
  expect(readObservation(signature, page(403, '/in', 'hello'))).toBe('unknown')
  expect(readObservation(signature, page(400, '/in', 'sorry'))).toBe('no')
  expect(readObservation(signature, page(499, '/in', 'welcome home'))).toBe('yes')
  expect(readObservation(signature, ended('unreachable'))).toBe('broke')
  expect(readObservation(signature, ended('refused by the sandbox'))).toBe('unknown')
})

/** An app of one page, which says in other words after each kind of no that no age was proved. */
const NO_AGE = 'shop no age was proved:'
const DECLINED = `${NO_AGE} you have declined to go on`
const BELOW = `${NO_AGE} thresholds are all below their limit`
const onePage = learn(at('shop welcome in'), at(DECLINED), at(BELOW))

test.each([
  ['the words that two kinds of no have in common', at('no age was proved: bad signature'), 'no'],
  ['three of four of these words', at('no age was shown: bad signature'), 'no'],
  ['two of four of these words', at('no age at all or anything of use'), 'unknown'],
  ['these words at another place', page(200, '/elsewhere', 'no age was proved: bad signature'), 'unknown'],
  ['these words with another status', page(201, '/callback', 'no age was proved: bad signature'), 'unknown'],
  ['these words and one that tells a yes', at('welcome no age was proved: x'), 'unknown'],
] as const)('The page of an app of one page is a no by words of each no: %s', (_what, observation, reading) => {
  expect(readObservation(onePage, observation)).toBe(reading)
})

test.each([
  ['one word in common', 'sorry declined by you', 'sorry child below limit', 'sorry bad token', 'unknown'],
  ['two words in common', 'no age as you have declined', 'no age for thresholds are below', 'no age today', 'no'],
  ['the same words', 'no age was proved', 'no age was proved', 'no age was somehow shown today', 'no'],
])('Two kinds of no with %s are read as such: %s, %s, %s is %s', (_what, one, other, said, reading) => {
  expect(readObservation(learn(at('welcome in'), at(one), at(other)), at(said))).toBe(reading)
})

test.each([
  ['path', page(201, '/b', BELOW)],
  ['status', page(202, '/a', BELOW)],
])('Words that two kinds of no have in common tell nothing when each no has another %s', (_what, other) => {
  const signature = learn(at('welcome'), page(201, '/a', DECLINED), other)
  expect(readObservation(signature, page(201, '/a', NO_AGE))).toBe('unknown')
})

test.each([
  ['its eight words at another path', 'a b c d e f g h', page(200, '/other', 'a b c d e f g h'), 'no'],
  ['nine of its ten words and one of a yes', 'a b c d e f g h i j', at('a b c d e f g h i welcome'), 'no'],
  ['its two words at another path', 'a b', page(200, '/other', 'a b'), 'unknown'],
] as const)('A page is a no by nine of ten features of a no: %s', (_what, no, observation, reading) => {
  expect(readObservation(learn(at('welcome home'), at(no)), observation)).toBe(reading)
})

test('Nothing but what each page of a no has tells that no, and nothing but what none of them has tells a yes', () => {
  const noes = [page(200, '/a', 'sorry not 1'), page(201, '/b', 'sorry not back')]
  const signature = learnSignature(twice(at('welcome back')), [{ label: 'a no', observations: noes }])
  expect(readObservation(signature, page(200, '/callback', 'welcome'))).toBe('yes')
  expect(readObservation(signature, page(200, '/c', 'sorry hello'))).toBe('unknown')
})

test('A no that only leaves something out has no other features', () => {
  const signature = learn(at('shop welcome'), at('shop'))
  expect(readObservation(signature, at('shop'))).toBe('no')
  expect(readObservation(signature, at('shop news'))).toBe('unknown')
})

test.each([
  ['half of the words of a no', 'error code alpha beta', 'no'],
  ['fewer words of a no', 'error gamma alpha beta', 'unknown'],
  ['half of these words beside one of a yes', 'error code welcome', 'unknown'],
])('An error page is a no by half of the words of a no, and by no word of a yes: %s', (_what, words, reading) => {
  expect(readObservation(learn(at('welcome home'), at('error code one two')), at(words))).toBe(reading)
})
