import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/audit/learn/observation.ts'
import { describeYes, learnSignature, readObservation } from '../../../src/audit/learn/signature.ts'

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
