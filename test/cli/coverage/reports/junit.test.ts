import { expect, test } from 'vitest'
import { renderCoverageJUnit } from '../../../../src/cli/coverage/reports/junit.ts'
import { adultCounters, described } from '../sample-coverage.ts'

const CASE = '<testcase name="age_thresholds 18: false of {&quot;age_thresholds&quot;:[18,21]}" classname="answers"'
const suite = (name: string, failures: number, skipped: number) =>
  `<testsuite name="${name}" tests="4" failures="${failures}" errors="0" skipped="${skipped}"`
const gap = (element: string) => `${CASE} time="0.000">\n      <${element} message="run a Use flow as `

test('A gap of coverage is skipped in JUnit with what closes it, and what was seen passes', async () => {
  const xml = renderCoverageJUnit(await described(adultCounters()), [])
  expect(xml).toContain(suite('answers', 0, 2))
  expect(xml.split(gap('skipped'))[1]).toMatch(/^\S+: it answers 18: false/)
  expect(xml).toContain('<testcase name="verified" classname="endings" time="0.000"/>')
})

test('A gap of coverage fails in JUnit where its dimension is below the minimum', async () => {
  const xml = renderCoverageJUnit(await described(adultCounters()), [{ dimension: 'answers', percent: 100 }])
  for (const part of [suite('answers', 2, 0), suite('endings', 0, 3), gap('failure')]) expect(xml).toContain(part)
})
