import { expect, test } from 'vitest'
import { renderTerminal } from '../../../../src/cli/audit/reports/terminal.ts'
import { MIXED, READINGS_FOUND, readingsAudit } from './sample-report.ts'

const plain = (_style: string, text: string) => text

test('the terminal says what an app depends on, by what it fails, which section is silent and what was not shown', () => {
  expect(renderTerminal(readingsAudit(), { console: 'http://localhost:2435/_sandbox/console', colour: plain })).toEqual(
    [
      'depends on par_status=201: it fails under par_status=200',
      '  A pushed request is answered with 200. In create/created as newcomer your app showed 400 at /callback.',
      '  The specification leaves it open: E2. Create PAR: Success response. (no status).',
      '  http://localhost:2435/_sandbox/console/flows/f3',
      '',
      'fails under typ=absent with azp=present',
      '  The app works under each of them alone. Your app showed 500 at /callback.',
      '  http://localhost:2435/_sandbox/console/flows/f9',
      '',
      'undetermined 1 used once',
      '  code_use=repeated',
      '',
      'not for this app 1 no upgrade',
      '  c_hash=absent',
      '',
      'undetermined 2 timed_out (combinations of variants that work alone)',
      '',
      'readings: works under 1 of 2; depends on par_status=201; fails under typ=absent with azp=present; 3 undetermined; 4.2 seconds',
    ],
  )
})

test('the terminal shows readings of an earlier run behind the rows of an audit', () => {
  const lines = renderTerminal({ ...MIXED, readings: READINGS_FOUND }, { colour: plain })
  expect(lines.findIndex((line) => line.startsWith('failed:'))).toBeLessThan(
    lines.findIndex((line) => line.startsWith('readings: works under 1 of 2')),
  )
})
