import { expect, test } from 'vitest'
import { renderJUnit } from '../../../src/cli/reports/junit.ts'
import { suiteOf } from '../../../src/cli/run/junit.ts'
import type { StepResult } from '../../../src/cli/run/run-scenario.ts'

const step = (changes: Partial<StepResult> = {}): StepResult => ({
  index: 0,
  kind: 'await',
  summary: 'par',
  status: 'passed',
  seconds: 0.25,
  ...changes,
})

test('a scenario is a testsuite, a step is a testcase, and what was not reached is skipped', () => {
  const steps = [
    step(),
    step({ index: 1, summary: 'token', status: 'failed', detail: 'no token call came within 1 second', seconds: 1 }),
    step({ index: 2, kind: 'clock', summary: 'advance 91', status: 'skipped', seconds: 0 }),
  ]
  expect(renderJUnit([suiteOf({ name: 'A', file: 'a.yaml', steps })])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="agekey-sandbox" tests="3" failures="1" errors="0" skipped="1" time="1.250">
  <testsuite name="A" file="a.yaml" tests="3" failures="1" errors="0" skipped="1" time="1.250">
    <testcase name="1 await par" classname="A" time="0.250"/>
    <testcase name="2 await token" classname="A" time="1.000">
      <failure message="no token call came within 1 second">no token call came within 1 second</failure>
    </testcase>
    <testcase name="3 clock advance 91" classname="A" time="0.000">
      <skipped/>
    </testcase>
  </testsuite>
</testsuites>
`)
})
