import { expect, test } from 'vitest'
import { type AuditFlags, readFlags } from '../../../src/cli/audit/read-flags.ts'
import { sameCall } from '../../../src/cli/audit/same-call.ts'
import { ConfigError } from '../../../src/files/config-error.ts'

const PAGE = 'http://localhost:3000/verify'

test('A call of audit without flags leaves everything to the file and to the defaults', () => {
  expect(readFlags(undefined, {})).toEqual({
    ...{ page: undefined, accepted: undefined, start: undefined, sandboxUrl: undefined },
    ...{ only: [], skip: [], failOn: undefined, known: [], catalogue: undefined, mode: 'run', failOnReadings: false },
    ...{ limits: { slow: false }, files: {}, isOwnApp: false },
    browser: { kind: 'auto', cdpUrl: undefined, isHeaded: false },
  })
})

test('A call of audit gives numbers, patterns and files', () => {
  const given = { only: ['flow:use', 'use/id_token.*'], failOn: 'none', catalogue: '0.1' }
  const flags: AuditFlags = {
    ...given,
    known: ['use/id_token.expired: the clock: it is wrong ', 'use/access_denied:soon'],
    ...{ jobs: '2', timeout: '0.5', budget: '60', repeat: '1', slow: true, json: '-', junit: 'audit.xml' },
  }
  expect(readFlags(PAGE, flags)).toMatchObject({
    ...given,
    known: [
      { row: 'use/id_token.expired', because: 'the clock: it is wrong' },
      { row: 'use/access_denied', because: 'soon' },
    ],
    limits: { jobs: 2, timeoutSeconds: 0.5, budgetSeconds: 60, repeat: 1, slow: true },
    files: { json: '-', junit: 'audit.xml' },
  })
})

const ROW = 'use/id_token.expired'
const LEAVE = 'leave one of them out'
const ABOUT_ROWS = `is about rows, and --readings tries none; ${LEAVE}`
const TWICE = '--json and --sarif both write to standard output; give a file for all but one of them'
const CHROMIUM = '--headed is for Chromium, and --browser http runs none'
const STARTED = '--headed is for a browser that the audit starts, and --cdp names one that runs'
const AS_KNOWN =
  'is not a row, a colon and a reason, as in "use/id_token.kid_empty: the library takes an empty kid for none"'

test.each<[AuditFlags, string | RegExp]>([
  [{ accepted: 'welcome' }, /^--accepted: "welcome": it has no part name=value; a rule is "get=\/me status=200"/],
  [{ start: ' \n' }, '--start: " \\n" is no command; give one like "npm start"'],
  [{ browser: 'chrome' }, /^--browser: .*"chrome".*chromium/],
  [{ cdp: 'localhost' }, '--cdp: "localhost" is not a URL like http://localhost:9222'],
  [{ browser: 'http', headed: true }, `${CHROMIUM}; ${LEAVE}`],
  [{ headed: true, cdp: 'http://localhost:9222' }, `${STARTED}; ${LEAVE}`],
  [{ url: 'nowhere' }, '--url: "nowhere" is not a URL like http://127.0.0.1:2435'],
  [{ only: ['use/id_token.expird'] }, `--only: "use/id_token.expird" names no row. Did you mean "${ROW}"?`],
  [{ skip: ['level:mst'] }, '--skip: "level:mst" names no row. Did you mean "must"?'],
  [{ only: ['flow:a,flow:b'] }, '--only: "flow:a,flow:b" holds a comma; give --only once for each pattern'],
  [{ failOn: 'shuld' }, '--fail-on: there is no level "shuld". Did you mean "should"?'],
  [{ known: [ROW] }, `--known: "${ROW}" ${AS_KNOWN}`],
  [{ known: [`${ROW}: `] }, /^--known: "use\/id_token\.expired: " is not a row, a colon and a reason/],
  [{ known: ['use/id_token.expird: later'] }, `--known: there is no row use/id_token.expird. Did you mean ${ROW}?`],
  [{ known: [`${ROW}: a`, `${ROW}: b`] }, `--known: ${ROW} is given twice; keep one`],
  [{ catalogue: '9' }, /^--catalogue: "9" is no version of the catalogue; there is 0\.1, /],
  [{ jobs: '0' }, '--jobs: "0" is not a whole number from 1 to 32'],
  [{ repeat: 'often' }, '--repeat: "often" is not a whole number from 1 to 10'],
  [{ timeout: '-1' }, '--timeout: "-1" is not a number of seconds above 0, at most 600'],
  [{ budget: '1e9' }, '--budget: "1e9" is not a number of seconds above 0, at most 86400'],
  [{ json: '-', sarif: '-' }, TWICE],
  [{ markdown: '' }, '--markdown: "" names no file; give one, or - for standard output'],
  [{ list: true, junit: 'a.xml' }, '--junit: --list runs no row, so that there is nothing to report'],
  [{ learn: true, json: '-' }, '--json: --learn runs no row, so that there is nothing to report'],
  [{ list: true, learn: true }, '--list and --learn are two things to do; give one of them'],
  [{ learn: true, again: true }, '--learn and --again are two things to do; give one of them'],
  [{ readings: true, again: true }, '--again and --readings are two things to do; give one of them'],
  [{ failOnReadings: true }, /^--fail-on-readings counts what --readings finds; give --readings too, or leave it out$/],
  [{ readings: true, only: ['flow:use'] }, `--only ${ABOUT_ROWS}`],
  [{ readings: true, failOn: 'must' }, `--fail-on ${ABOUT_ROWS}; --fail-on-readings makes what it finds count`],
  [{ again: true, only: ['flow:use'] }, '--again and --only both say which rows; give one of them'],
])('A call of audit with %j is refused in one line', (flags, message) => {
  expect(() => readFlags(PAGE, flags)).toThrow(typeof message === 'string' ? ConfigError.of(message) : message)
})

test('A call of audit with an address that is none is refused in one line', () => {
  const message = '"localhost:3000" is not an address like http://localhost:3000/verify'
  expect(() => readFlags('localhost:3000', {})).toThrow(ConfigError.of(message))
})

test('The call of audit that is shown again leaves out rows and reports, and repeats no secret', () => {
  const flags = { only: ['flow:use'], jobs: '1', junit: 'a.xml', json: '-' }
  expect(sameCall(readFlags(PAGE, flags), {})).toBe(`npx agekey-sandbox audit ${PAGE}`)
  const secret = sameCall(readFlags(undefined, {}), { 'control-token': 'not-a-real-token' })
  expect(secret).toBe('npx agekey-sandbox audit --control-token TOKEN')
})

test('The call of audit that is shown again keeps what the app and the sandbox need', () => {
  const page = `${PAGE}?a=b&c`
  const app = { accepted: "text=It's you", start: 'PORT={port} npm start', url: 'http://localhost:2435' }
  const request = readFlags(page, { ...app, timeout: '20', slow: true, thisAppIsMine: true })
  const settings = { port: '2500', https: 'true', personas: ['a.yaml', 'b c.yaml'] }
  const ofApp = `'${page}' --accepted 'text=It'\\''s you' --start 'PORT={port} npm start' --url http://localhost:2435`
  const others = "--this-app-is-mine --timeout 20 --slow --port 2500 --https --personas a.yaml 'b c.yaml'"
  expect(sameCall(request, settings)).toBe(`npx agekey-sandbox audit ${ofApp} ${others}`)
})
