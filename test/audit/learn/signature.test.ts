import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/audit/learn/observation.ts'
import {
  describeFeatures,
  describeYes,
  learnSignature,
  looksLikeYes,
  readObservation,
} from '../../../src/audit/learn/signature.ts'

/** A page that says some words. */
const page = (status: number, path: string, words = '', others: readonly string[] = []): Observation => ({
  end: 'page',
  status,
  features: new Set([
    `status ${status}`,
    `at ${path}`,
    ...words.split(' ').flatMap((word) => (word === '' ? [] : [`says ${word}`])),
    ...others,
  ]),
  summary: '',
})

const ended = (end: Observation['end']): Observation => ({ end, status: 0, features: new Set([end]), summary: end })

const twice = (one: Observation) => [one, one]

describe('An app that shows another page for a yes', () => {
  const signature = learnSignature(twice(page(200, '/callback', 'welcome you are 18')), [
    { label: 'after access_denied', observations: twice(page(403, '/callback', 'no age was proved')) },
    { label: 'after child-12', observations: twice(page(200, '/callback', 'you are not 18 yet')) },
  ])

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
  ] as const)('reads %s', (_what, observation, reading) => {
    expect(readObservation(signature, observation)).toBe(reading)
  })

  test('is described by what tells the yes', () => {
    expect(describeYes(signature)).toBe('200, says "welcome you are 18"')
  })
})

test('an error page with the status 200 and other words is a no by its title, when a yes has another one', () => {
  const signature = learnSignature(twice(page(200, '/members', 'welcome')), [
    { label: 'after access_denied', observations: twice(page(200, '/callback', 'access denied', ['titled Error'])) },
  ])
  const other = page(200, '/callback', 'signature invalid', ['titled Error'])
  expect(readObservation(signature, other)).toBe('no')
  expect(readObservation(signature, page(200, '/callback', 'signature invalid', ['titled Shop']))).toBe('unknown')
  expect(readObservation(signature, page(200, '/callback', 'welcome', ['titled Error']))).toBe('unknown')
})

test('a page that tells a yes from one kind of no only is no yes', () => {
  const signature = learnSignature(twice(page(200, '/callback', 'welcome back')), [
    { label: 'after access_denied', observations: twice(page(200, '/callback', 'back')) },
    { label: 'after child-12', observations: twice(page(200, '/callback', 'welcome')) },
  ])
  expect(readObservation(signature, page(200, '/callback', 'welcome'))).toBe('no')
  expect(readObservation(signature, page(200, '/callback', 'welcome back'))).toBe('yes')
})

test('what changes from visit to visit tells nothing', () => {
  const signature = learnSignature(
    [page(200, '/users/17', 'welcome alice'), page(200, '/users/18', 'welcome bob')],
    [{ label: 'after access_denied', observations: twice(page(200, '/', 'sorry')) }],
  )
  expect(readObservation(signature, page(200, '/users/19', 'welcome carol'))).toBe('yes')
})

test('nothing is a yes when no kind of no can be told from it', () => {
  const same = twice(page(200, '/callback', 'done'))
  const signature = learnSignature(same, [{ label: 'after access_denied', observations: same }])
  expect(readObservation(signature, page(200, '/callback', 'done'))).toBe('unknown')
})

describe('A page that is neither the yes nor the no that was seen is unknown', () => {
  test('although most of its words stand on every page of the app', () => {
    const layout = 'home products about contact imprint privacy terms delivery payment returns account basket'
    const signature = learnSignature(twice(page(200, '/callback', `${layout} welcome you may enter`)), [
      { label: 'after access_denied', observations: twice(page(200, '/callback', `${layout} sorry`)) },
    ])
    expect(readObservation(signature, page(200, '/callback', `${layout} sorry`))).toBe('no')
    expect(readObservation(signature, page(200, '/callback', `${layout} hello grown customer`))).toBe('unknown')
  })

  test('although a no says something else each time', () => {
    const signature = learnSignature(twice(page(200, '/callback', 'welcome')), [
      { label: 'after access_denied', observations: [page(200, '/callback', 'a1'), page(200, '/callback', 'b2')] },
    ])
    expect(readObservation(signature, page(200, '/callback', 'hello grown customer'))).toBe('unknown')
  })
})

test('What tells pages apart is described by status, path, parameters, six words and cookies', () => {
  const words = 'a b c d e f g'.split(' ').map((word) => `says ${word}`)
  const features = [
    'status 200',
    'at /end',
    'with ok=1',
    'with id=2',
    ...words,
    'sets session',
    'sets proof',
    'titled Shop',
  ]
  expect(describeFeatures(new Set(features))).toBe(
    '200 at /end, ok=1 id=2, says "a b c d e f", sets cookie session, sets cookie proof',
  )
  expect(describeFeatures(new Set(['at /end']))).toBe('at /end')
  expect(describeFeatures(new Set(['status 302']))).toBe('302')
  expect(describeFeatures(new Set(['let in', 'titled Shop']))).toBe('let in, titled Shop')
})

test('A yes is described by all of its features when no kind of no was told from it', () => {
  expect(describeYes(learnSignature(twice(page(200, '/in', 'hello')), []))).toBe('200 at /in, says "hello"')
  expect(describeYes(learnSignature([], []))).toBe('')
  expect(learnSignature([], []).yesStatus).toBe(0)
})

test('A page looks like a yes by nine of ten features, of which one kind of no lacks each', () => {
  const lacks = new Set('abcdefghij'.split('').map((word) => `says ${word}`))
  const with_ = (words: string) => page(200, '/in', words.split('').join(' '))
  expect(looksLikeYes([{ lacks }], with_('abcdefghi'))).toBe(true)
  expect(looksLikeYes([{ lacks }], with_('abcdefgh'))).toBe(false)
  expect(looksLikeYes([{ lacks }, { lacks: new Set(['says z']) }], with_('abcdefghij'))).toBe(false)
  expect(looksLikeYes([], with_('abcdefghij'))).toBe(false)
  expect(looksLikeYes([{ lacks: new Set() }], with_('abc'))).toBe(false)
})

const again = { ...ended('begins again'), features: new Set(['begins again', 'sets done']) }

test('An app that begins again after a yes, too, is read by what tells that from a no', () => {
  const signature = learnSignature(twice(again), [
    { label: 'after access_denied', observations: twice(ended('begins again')) },
  ])
  expect(readObservation(signature, again)).toBe('yes')
  expect(readObservation(signature, ended('begins again'))).toBe('unknown')
})

test('A status from 400 on is a no only of an app whose yes has another one', () => {
  const signature = learnSignature(twice(page(404, '/in', 'welcome home')), [
    { label: 'after access_denied', observations: twice(page(404, '/in', 'sorry')) },
  ])
  expect(readObservation(signature, page(403, '/in', 'hello'))).toBe('unknown')
  expect(readObservation(signature, page(404, '/in', 'sorry'))).toBe('no')
  expect(readObservation(signature, page(499, '/in', 'welcome home'))).toBe('yes')
  expect(readObservation(signature, ended('unreachable'))).toBe('broke')
  expect(readObservation(signature, ended('refused by the sandbox'))).toBe('unknown')
})

/** An app of one page, which says in other words after each kind of no that no age was proved. */
const onePage = learnSignature(twice(page(200, '/callback', 'welcome in')), [
  { label: 'after access_denied', observations: twice(page(200, '/callback', 'no age was proved: declined by user')) },
  { label: 'after child-12', observations: twice(page(200, '/callback', 'no age was proved: below limit')) },
])

test.each([
  ['the words that two kinds of no have in common', page(200, '/callback', 'no age was proved: bad signature'), 'no'],
  ['three of four of these words', page(200, '/callback', 'no age was shown: bad signature'), 'no'],
  ['two of four of these words', page(200, '/callback', 'no age at all or anything of use'), 'unknown'],
  ['these words at another place', page(200, '/elsewhere', 'no age was proved: bad signature'), 'unknown'],
  ['these words with another status', page(201, '/callback', 'no age was proved: bad signature'), 'unknown'],
  ['these words and one that tells a yes', page(200, '/callback', 'welcome no age was proved: x'), 'unknown'],
] as const)('A page of an app of one page that says %s', (_what, observation, reading) => {
  expect(readObservation(onePage, observation)).toBe(reading)
})

test.each([
  ['one word in common', 'sorry declined by you', 'sorry child below limit', 'sorry bad token'],
  ['the same words', 'no age was proved', 'no age was proved', 'no age was somehow shown today'],
])('Two kinds of no with %s say nothing of another page', (_what, one, other, said) => {
  const signature = learnSignature(twice(page(200, '/callback', 'welcome in')), [
    { label: 'one', observations: twice(page(200, '/callback', one)) },
    { label: 'other', observations: twice(page(200, '/callback', other)) },
  ])
  expect(readObservation(signature, page(200, '/callback', said))).toBe(said.startsWith('no age') ? 'no' : 'unknown')
})

test('A no that only leaves something out has no other features', () => {
  const signature = learnSignature(twice(page(200, '/callback', 'shop welcome')), [
    { label: 'after access_denied', observations: twice(page(200, '/callback', 'shop')) },
  ])
  expect(readObservation(signature, page(200, '/callback', 'shop'))).toBe('no')
  expect(readObservation(signature, page(200, '/callback', 'shop news'))).toBe('unknown')
})

test.each([
  ['half of the words of a no', 'error code alpha beta', 'no'],
  ['fewer words of a no', 'error gamma alpha beta', 'unknown'],
  ['half of these words beside one of a yes', 'error code welcome', 'unknown'],
])('An error page that says %s', (_what, words, reading) => {
  const signature = learnSignature(twice(page(200, '/callback', 'welcome home')), [
    { label: 'after access_denied', observations: twice(page(200, '/callback', 'error code one two')) },
  ])
  expect(readObservation(signature, page(200, '/callback', words))).toBe(reading)
})
