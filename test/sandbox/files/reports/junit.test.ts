import { expect, test } from 'vitest'
import { type JUnitCase, renderJUnit } from '../../../../src/sandbox/files/reports/junit.ts'

const passed: JUnitCase = { name: 'one', classname: 'A', seconds: 0.25, status: 'passed' }

test('JUnit XML counts the results of each suite', () => {
  const failed: JUnitCase = {
    ...passed,
    name: 'two',
    status: 'failed',
    detail: 'no call came',
    seconds: 1,
  }
  const skipped: JUnitCase = { ...passed, name: 'three', status: 'skipped', seconds: 0 }
  const first = { name: 'A', file: 'a.yaml', cases: [passed, failed, skipped] }
  const second = { name: 'B', cases: [{ ...skipped, classname: 'B', detail: 'not for this app' }] }
  expect(renderJUnit([first, second])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="agekey-sandbox" tests="4" failures="1" errors="0" skipped="2" time="1.250">
  <testsuite name="A" file="a.yaml" tests="3" failures="1" errors="0" skipped="1" time="1.250">
    <testcase name="one" classname="A" time="0.250"/>
    <testcase name="two" classname="A" time="1.000">
      <failure message="no call came">no call came</failure>
    </testcase>
    <testcase name="three" classname="A" time="0.000">
      <skipped/>
    </testcase>
  </testsuite>
  <testsuite name="B" tests="1" failures="0" errors="0" skipped="1" time="0.000">
    <testcase name="three" classname="B" time="0.000">
      <skipped message="not for this app"/>
    </testcase>
  </testsuite>
</testsuites>
`)
})

test('A failure in JUnit XML can be explained in several lines', () => {
  const cases = [{ ...passed, status: 'failed', detail: 'a & b', lines: ['a', '& b'] } as const]
  expect(renderJUnit([{ name: 'A', cases }])).toContain(
    '<failure message="a &amp; b">a\n&amp; b</failure>',
  )
})

test.each([
  ['<a> & "b" \'c\'', '&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos;'],
  [']]>', ']]&gt;'],
  ['a\u0000\u0007\u001b[31mb\u0085c', 'a[31mbc'],
  ['line\r\nbreak\ttab', 'line  break tab'],
  ['half \ud800 pair, \uffff', 'half  pair, '],
  ['whole 🔑 pair', 'whole 🔑 pair'],
])('The text %j cannot break JUnit XML', (text, written) => {
  const failed: JUnitCase = {
    name: text,
    classname: text,
    seconds: 0,
    status: 'failed',
    detail: text,
  }
  const skipped: JUnitCase = { ...failed, status: 'skipped' }
  const xml = renderJUnit([{ name: text, file: text, cases: [failed, skipped] }])
  expect(xml).toContain(`<testsuite name="${written}" file="${written}"`)
  expect(xml).toContain(`<testcase name="${written}" classname="${written}"`)
  expect(xml).toContain(`<failure message="${written}">${written}</failure>`)
  expect(xml).toContain(`<skipped message="${written}"/>`)
})
