import { expect, test } from 'vitest'
import { missedMinimums, readMinimums } from '../../../src/cli/coverage/minimums.ts'
import { adultCounters, described } from './sample-coverage.ts'

test('Minimums of coverage name dimensions, each with a percent', () => {
  expect(readMinimums('answers=100, must=79.5')).toEqual([
    { dimension: 'answers', percent: 100 },
    { dimension: 'must', percent: 79.5 },
  ])
  expect(readMinimums(undefined)).toEqual([])
})

test.each([
  ['answer=100', '--min: there is no dimension "answer". Did you mean "answers"?'],
  ['all=100', '--min: there is no dimension "all". Known are answers, filters, boundaries, endings, must, calls.'],
  ['80', '--min: "80" is not a dimension and a percent like answers=100'],
  ['', '--min: "" is not a dimension and a percent like answers=100'],
  ['answers=100,', '--min: "" is not a dimension and a percent like answers=100'],
  ['must=', '--min: must: "" is not a number from 0 to 100'],
  ['must=80%', '--min: must: "80%" is not a number from 0 to 100'],
  ['must=101', '--min: must: "101" is not a number from 0 to 100'],
  ['must=-1', '--min: must: "-1" is not a number from 0 to 100'],
  ['must=1e1', '--min: must: "1e1" is not a number from 0 to 100'],
  ['must=80,must=90', '--min: must is given twice; keep one'],
])('Minimums of coverage that are written as %j are refused in one line', (text, message) => {
  expect(() => readMinimums(text)).toThrow(message)
})

test('A minimum of coverage is missed below its exact percent, and reached there', async () => {
  const coverage = await described(adultCounters())
  const missedBy = (text: string) => missedMinimums(coverage, readMinimums(text)).map(({ dimension }) => dimension)
  expect(coverage.dimensions.answers.percent).toBe(50)
  expect(missedBy('answers=50,endings=25')).toEqual([])
  expect(missedBy('answers=50.1')).toEqual(['answers'])
  // 1 of 4 endings is 25 %; 2 of 6 would be rounded down to 33.
  const answers = { ...coverage.dimensions.answers, covered: 2, total: 6, percent: 33 }
  const third = { ...coverage, dimensions: { ...coverage.dimensions, answers } }
  expect(missedMinimums(third, readMinimums('answers=33.3'))).toEqual([])
})

test('Minimums of coverage are reached where the app has nothing to see, and missed where nothing was delivered at all', async () => {
  expect(missedMinimums(await described(adultCounters()), readMinimums('filters=100'))).toEqual([])
  const nothing = { ...adultCounters(), claims: [], asked: {}, endings: {} }
  const missed = missedMinimums(await described(nothing), readMinimums('filters=1,answers=0'))
  expect(missed).toEqual([{ dimension: 'filters', percent: 1 }])
})
