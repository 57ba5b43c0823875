import { expect, test } from 'vitest'
import { suiteOf } from '../../../src/cli/run/junit.ts'

test('In JUnit a scenario is a testsuite and a step a testcase, with what became of the step', () => {
  const step = { kind: 'await', status: 'passed', seconds: 0.25 } as const
  const late = { status: 'failed', detail: 'no token call came within 1 second', seconds: 1 } as const
  const steps = [
    { ...step, index: 0, summary: 'par' },
    { ...step, index: 1, summary: 'token', ...late },
  ]
  expect(suiteOf({ name: 'A', file: 'a.yaml', steps })).toEqual({
    name: 'A',
    file: 'a.yaml',
    cases: [
      { name: '1 await par', classname: 'A', status: 'passed', seconds: 0.25 },
      { name: '2 await token', classname: 'A', ...late },
    ],
  })
})
