import { expect, test } from 'vitest'
import { renderCoverageJUnit } from '../../../../src/cli/coverage/reports/junit.ts'
import { adultCounters, described } from '../sample-coverage.ts'

const CASE = 'name="age_thresholds 18: false of {&quot;age_thresholds&quot;:[18,21]}" classname="answers"'

test('A gap of coverage is skipped in JUnit with what closes it, and what was seen passes', async () => {
  const xml = renderCoverageJUnit(await described(adultCounters()), [])
  expect(xml).toMatch(/<testsuite name="answers" tests="4" failures="0" errors="0" skipped="2"/)
  expect(xml).toMatch(
    new RegExp(
      `<testcase ${literal(CASE)} time="0.000">\\n *<skipped message="run a Use flow as \\S+: it answers 18: false`,
    ),
  )
  expect(xml).toContain('<testcase name="verified" classname="endings" time="0.000"/>')
})

test('A gap of coverage fails in JUnit where its dimension is below the minimum', async () => {
  const xml = renderCoverageJUnit(await described(adultCounters()), [{ dimension: 'answers', percent: 100 }])
  expect(xml).toMatch(/<testsuite name="answers" tests="4" failures="2" errors="0" skipped="0"/)
  expect(xml).toMatch(/<testsuite name="endings" tests="4" failures="0" errors="0" skipped="3"/)
  expect(xml).toMatch(new RegExp(`<testcase ${literal(CASE)} time="0.000">\\n *<failure message="run a Use flow as `))
})

const literal = (text: string) => text.replaceAll(/[{}[\]().*+?^$|\\]/g, '\\$&')
