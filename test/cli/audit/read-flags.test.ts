import { describe, expect, test } from 'vitest'
import { type AuditFlags, readFlags } from '../../../src/cli/audit/read-flags.ts'
import { ConfigError } from '../../../src/files/config-error.ts'

const PAGE = 'http://localhost:3000/verify'

describe('A call of audit', () => {
  test('without flags leaves everything to the file and to the defaults', () => {
    expect(readFlags(undefined, {})).toEqual({
      page: undefined,
      accepted: undefined,
      start: undefined,
      sandboxUrl: undefined,
      only: [],
      skip: [],
      failOn: undefined,
      known: [],
      catalogue: undefined,
      mode: 'run',
      failOnReadings: false,
      limits: { slow: false },
      files: {},
      isOwnApp: false,
      browser: { kind: 'auto', cdpUrl: undefined, isHeaded: false },
    })
  })

  test('gives numbers, patterns and files', () => {
    const flags: AuditFlags = {
      only: ['flow:use', 'use/id_token.*'],
      failOn: 'none',
      known: ['use/id_token.expired: the clock: it is wrong ', 'use/access_denied:soon'],
      catalogue: '0.1',
      jobs: '2',
      timeout: '0.5',
      budget: '60',
      repeat: '1',
      slow: true,
      json: '-',
      junit: 'audit.xml',
    }
    expect(readFlags(PAGE, flags)).toMatchObject({
      only: ['flow:use', 'use/id_token.*'],
      failOn: 'none',
      known: [
        { row: 'use/id_token.expired', because: 'the clock: it is wrong' },
        { row: 'use/access_denied', because: 'soon' },
      ],
      catalogue: '0.1',
      limits: { jobs: 2, timeoutSeconds: 0.5, budgetSeconds: 60, repeat: 1, slow: true },
      files: { json: '-', junit: 'audit.xml' },
    })
  })

  test.each<[string, AuditFlags, string | RegExp]>([
    ['localhost:3000', {}, '"localhost:3000" is not an address like http://localhost:3000/verify'],
    [
      PAGE,
      { accepted: 'welcome' },
      /^--accepted: "welcome": it has no part name=value; a rule is "get=\/me status=200"/,
    ],
    [PAGE, { start: ' \n' }, '--start: " \\n" is no command; give one like "npm start"'],
    [PAGE, { browser: 'chrome' }, /^--browser: .*"chrome".*chromium/],
    [PAGE, { cdp: 'localhost' }, '--cdp: "localhost" is not a URL like http://localhost:9222'],
    [
      PAGE,
      { browser: 'http', headed: true },
      '--headed is for Chromium, and --browser http runs none; leave one of them out',
    ],
    [
      PAGE,
      { headed: true, cdp: 'http://localhost:9222' },
      '--headed is for a browser that the audit starts, and --cdp names one that runs; leave one of them out',
    ],
    [PAGE, { url: 'nowhere' }, '--url: "nowhere" is not a URL like http://127.0.0.1:2435'],
    [
      PAGE,
      { only: ['use/id_token.expird'] },
      '--only: "use/id_token.expird" names no row. Did you mean "use/id_token.expired"?',
    ],
    [PAGE, { skip: ['level:mst'] }, '--skip: "level:mst" names no row. Did you mean "must"?'],
    [
      PAGE,
      { only: ['flow:use,flow:create'] },
      '--only: "flow:use,flow:create" holds a comma; give --only once for each pattern',
    ],
    [PAGE, { failOn: 'shuld' }, '--fail-on: there is no level "shuld". Did you mean "should"?'],
    [
      PAGE,
      { known: ['use/id_token.expired'] },
      '--known: "use/id_token.expired" is not a row, a colon and a reason, as in "use/id_token.kid_empty: the library takes an empty kid for none"',
    ],
    [
      PAGE,
      { known: ['use/id_token.expired: '] },
      /^--known: "use\/id_token\.expired: " is not a row, a colon and a reason/,
    ],
    [
      PAGE,
      { known: ['use/id_token.expird: later'] },
      '--known: there is no row use/id_token.expird. Did you mean use/id_token.expired?',
    ],
    [
      PAGE,
      { known: ['use/id_token.expired: a', 'use/id_token.expired: b'] },
      '--known: use/id_token.expired is given twice; keep one',
    ],
    [PAGE, { catalogue: '9' }, /^--catalogue: "9" is no version of the catalogue; there is 0\.1, /],
    [PAGE, { jobs: '0' }, '--jobs: "0" is not a whole number from 1 to 32'],
    [PAGE, { jobs: '1.5' }, '--jobs: "1.5" is not a whole number from 1 to 32'],
    [PAGE, { repeat: 'often' }, '--repeat: "often" is not a whole number from 1 to 10'],
    [PAGE, { timeout: '-1' }, '--timeout: "-1" is not a number of seconds above 0, at most 600'],
    [PAGE, { budget: '1e9' }, '--budget: "1e9" is not a number of seconds above 0, at most 86400'],
    [
      PAGE,
      { json: '-', sarif: '-' },
      '--json and --sarif both write to standard output; give a file for all but one of them',
    ],
    [PAGE, { markdown: '' }, '--markdown: "" names no file; give one, or - for standard output'],
    [PAGE, { list: true, junit: 'a.xml' }, '--junit: --list runs no row, so that there is nothing to report'],
    [PAGE, { learn: true, json: '-' }, '--json: --learn runs no row, so that there is nothing to report'],
    [PAGE, { list: true, learn: true }, '--list and --learn are two things to do; give one of them'],
    [PAGE, { learn: true, again: true }, '--learn and --again are two things to do; give one of them'],
    [PAGE, { readings: true, again: true }, '--again and --readings are two things to do; give one of them'],
    [
      PAGE,
      { failOnReadings: true },
      '--fail-on-readings counts what --readings finds; give --readings too, or leave it out',
    ],
    [
      PAGE,
      { readings: true, only: ['flow:use'] },
      '--only is about rows, and --readings tries none; leave one of them out',
    ],
    [
      PAGE,
      { readings: true, failOn: 'must' },
      '--fail-on is about rows, and --readings tries none; leave one of them out; --fail-on-readings makes what it finds count',
    ],
    [PAGE, { again: true, only: ['flow:use'] }, '--again and --only both say which rows; give one of them'],
  ])('%s with %j is refused in one line', (page, flags, message) => {
    expect(() => readFlags(page, flags)).toThrow(typeof message === 'string' ? ConfigError.of(message) : message)
  })
})
