import { expect, test } from 'vitest'
import type { GivenFlags } from '../../../../src/audit/command/settings/flags.ts'
import { readFlags } from '../../../../src/audit/command/settings/read-flags.ts'
import { ConfigError } from '../../../../src/sandbox/files/config-error.ts'

const PAGE = 'http://localhost:3000/verify'

type Flags = GivenFlags & { page?: string }

const ROW = 'use/id_token.expired'

test('A call of audit gives settings under the names of agekey-audit.yaml, and numbers as numbers', () => {
  const flags: GivenFlags = {
    ...{
      only: ['flow:use', 'use/id_token.*'],
      failOn: 'none',
      catalogue: '0.1',
      age: '18',
      begin: 'Prove your age',
    },
    known: ['use/id_token.expired: the clock: it is wrong ', 'use/access_denied:soon'],
    ...{
      jobs: '2',
      timeout: '0.5',
      budget: '60',
      repeat: '1',
      slow: true,
      json: '-',
      find: '/find?sub={sub}',
    },
  }
  expect(readFlags(PAGE, flags)).toEqual({
    ...{ app: PAGE, only: flags['only'], fail_on: 'none', catalogue: '0.1', age: 18 },
    known: [
      { row: 'use/id_token.expired', because: 'the clock: it is wrong' },
      { row: 'use/access_denied', because: 'soon' },
    ],
    ...{
      jobs: 2,
      timeout: 0.5,
      budget: 60,
      repeat: 1,
      slow: true,
      json: '-',
      audit: { get: '/find?sub={sub}' },
    },
    use: { begin: { click: 'Prove your age' } },
  })
})

const AS_KNOWN =
  'not a row, a colon and a reason, as in "use/id_token.kid_empty: the library takes an empty kid for none"'
const NO_REPORT = '--list runs no row, so that there is nothing to report'
const BROWSER = '--cdp names a browser that runs already'
const ABOUT_ROWS = '--readings tries no row'

test.each<[Flags, string | RegExp]>([
  [
    { page: 'localhost:3000' },
    '"localhost:3000" is not an address like http://localhost:3000/verify',
  ],
  [
    { accepted: 'welcome' },
    /^--accepted: "welcome": it has no part name=value; a rule is "get=\/me status=200"/,
  ],
  [{ start: ' \n' }, '--start: " \\n" is not a command like "npm start"'],
  [
    { browser: 'chrome' },
    '--browser: unknown browser "chrome"; expected one of auto, http, chromium',
  ],
  [{ cdp: 'localhost' }, '--cdp: "localhost" is not an address like http://localhost:9222'],
  [
    { only: ['flow:a,flow:b'] },
    '--only: "flow:a,flow:b" holds a comma; give the flag once for each pattern',
  ],
  [{ failOn: 'shuld' }, '--fail-on: unknown fail_on "shuld". Did you mean "should"?'],
  [{ known: [ROW] }, `--known: "${ROW}" is ${AS_KNOWN}`],
  [{ jobs: '0' }, '--jobs: 0 is not a whole number from 1 to 32'],
  [{ repeat: 'often' }, '--repeat: "often" is not a whole number from 1 to 10'],
  [{ budget: '1e9' }, '--budget: "1e9" is not a number of seconds above 0, at most 86400'],
  [
    { failOnReadings: true },
    /^--fail-on-readings counts what --readings finds; give --readings too, or leave it out$/,
  ],
  [
    { browser: 'http', headed: true },
    apart('--browser and --headed', '--browser http runs no Chromium'),
  ],
  [{ headed: true, cdp: 'http://localhost:9222' }, apart('--headed and --cdp', BROWSER)],
  [{ list: true, junit: 'a.xml' }, apart('--list and --junit', NO_REPORT)],
  [{ learn: true, json: '-' }, apart('--learn and --json', NO_REPORT.replace('list', 'learn'))],
  [{ list: true, learn: true }, apart('--list and --learn', 'they are two things to do')],
  [{ learn: true, again: true }, apart('--learn and --again', 'they are two things to do')],
  [{ readings: true, again: true }, apart('--again and --readings', 'both say what is looked at')],
  [{ again: true, only: ['flow:use'] }, apart('--again and --only', 'both say what is looked at')],
  [{ readings: true, find: '/{sub}' }, apart('--readings and --find', ABOUT_ROWS)],
  [
    { readings: true, failOn: 'must' },
    apart(
      '--readings and --fail-on',
      `${ABOUT_ROWS}; --fail-on-readings makes what it finds count`,
    ),
  ],
  [
    { only: ['use/id_token.expird'] },
    `--only: "use/id_token.expird" names no row. Did you mean "${ROW}"?`,
  ],
  [{ skip: ['level:mst'] }, '--skip: "level:mst" names no row. Did you mean "must"?'],
  [
    { known: ['use/id_token.expird: later'] },
    `--known: there is no row use/id_token.expird. Did you mean ${ROW}?`,
  ],
])('A call of audit with %j is refused in one line', ({ page = PAGE, ...flags }, message) => {
  expect(() => readFlags(page, flags)).toThrow(
    typeof message === 'string' ? ConfigError.of(message) : message,
  )
})

function apart(flags: string, why: string): string {
  return `${flags} do not go together: ${why}; leave one of them out`
}

test('A browser that is named beside --headed may be Chromium, and --list may write JSON', () => {
  expect(readFlags(PAGE, { browser: 'chromium', headed: true })).toMatchObject({ headed: true })
  expect(readFlags(PAGE, { list: true, json: '-' })).toMatchObject({ json: '-' })
})
