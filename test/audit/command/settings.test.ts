import { expect, test } from 'vitest'
import { type GivenFlags, modeOf, readFlags, sameCall, settle } from '../../../src/audit/command/settings.ts'
import { ConfigError } from '../../../src/files/config-error.ts'

const PAGE = 'http://localhost:3000/verify'

test('A call of audit without flags leaves everything to the file and to the defaults', () => {
  expect(readFlags(undefined, {})).toEqual({})
  expect(modeOf({})).toBe('run')
})

test('A call of audit gives settings under the names of agekey-audit.yaml, and numbers as numbers', () => {
  const flags: GivenFlags = {
    ...{ only: ['flow:use', 'use/id_token.*'], failOn: 'none', catalogue: '0.1', age: '18', begin: 'Prove your age' },
    known: ['use/id_token.expired: the clock: it is wrong ', 'use/access_denied:soon'],
    ...{ jobs: '2', timeout: '0.5', budget: '60', repeat: '1', slow: true, json: '-', find: '/find?sub={sub}' },
  }
  expect(readFlags(PAGE, flags)).toEqual({
    ...{ app: PAGE, only: flags['only'], fail_on: 'none', catalogue: '0.1', age: 18 },
    known: [
      { row: 'use/id_token.expired', because: 'the clock: it is wrong' },
      { row: 'use/access_denied', because: 'soon' },
    ],
    ...{ jobs: 2, timeout: 0.5, budget: 60, repeat: 1, slow: true, json: '-', audit: { get: '/find?sub={sub}' } },
    use: { begin: { click: 'Prove your age' } },
  })
})

test('Flags go before agekey-audit.yaml: what they do not name stays as the file says', () => {
  const file = {
    ...{ app: 'http://localhost:4000/', age: 16, jobs: 1, start: { run: 'old', ready: 'http://localhost:4000/up' } },
    use: { start: '/begin', accepted: 'text=Old', refused: 'text=No' },
    audit: { post: '/find', form: { q: '{sub}' }, headers: { authorization: 'Bearer {env:A}' } },
  }
  expect(settle({}, file)).toMatchObject(file)
  const given = { accepted: 'text=New', start: 'new', find: '/find?sub={sub}', jobs: '2' }
  expect(settle(readFlags(PAGE, given), file)).toEqual({
    ...{ app: PAGE, age: 16, jobs: 2, start: { run: 'new', ready: 'http://localhost:4000/up' }, known: [] },
    use: { start: undefined, accepted: 'text=New', refused: 'text=No' },
    audit: { get: '/find?sub={sub}', headers: file.audit.headers },
  })
})

const ROW = 'use/id_token.expired'
const LEAVE = 'leave one of them out'
const ABOUT_ROWS = `is about rows, and --readings tries none; ${LEAVE}`
const CHROMIUM = '--headed is for Chromium, and --browser http runs none'
const STARTED = '--headed is for a browser that the audit starts, and --cdp names one that runs'
const AS_KNOWN =
  'is not a row, a colon and a reason, as in "use/id_token.kid_empty: the library takes an empty kid for none"'

test.each<[GivenFlags, string | RegExp]>([
  [{ accepted: 'welcome' }, /^--accepted: "welcome": it has no part name=value; a rule is "get=\/me status=200"/],
  [{ start: ' \n' }, '--start: " \\n" is not a command like "npm start"'],
  [{ browser: 'chrome' }, /^--browser: .*"chrome".*chromium/],
  [{ cdp: 'localhost' }, '--cdp: "localhost" is not an address like http://localhost:9222'],
  [{ browser: 'http', headed: true }, `${CHROMIUM}; ${LEAVE}`],
  [{ headed: true, cdp: 'http://localhost:9222' }, `${STARTED}; ${LEAVE}`],
  [{ url: 'nowhere' }, '--url: "nowhere" is not an address like http://127.0.0.1:2435'],
  [{ only: ['flow:a,flow:b'] }, '--only: "flow:a,flow:b" holds a comma; give the flag once for each pattern'],
  [{ failOn: 'shuld' }, '--fail-on: there is no level "shuld". Did you mean "should"?'],
  [{ known: [ROW] }, `--known: "${ROW}" ${AS_KNOWN}`],
  [{ known: [`${ROW}: `] }, /^--known: "use\/id_token\.expired: " is not a row, a colon and a reason/],
  [{ jobs: '0' }, '--jobs: 0 is not a whole number from 1 to 32'],
  [{ repeat: 'often' }, '--repeat: "often" is not a whole number from 1 to 10'],
  [{ timeout: '-1' }, '--timeout: "-1" is not a number of seconds above 0, at most 600'],
  [{ budget: '1e9' }, '--budget: "1e9" is not a number of seconds above 0, at most 86400'],
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

test('The call of audit that is shown again leaves out rows and reports', () => {
  const flags = { only: ['flow:use'], jobs: '1', junit: 'a.xml', json: '-' }
  expect(sameCall(PAGE, flags, [])).toBe(`npx agekey-sandbox audit ${PAGE}`)
})

test('The call of audit that is shown again keeps what the app and the sandbox need', () => {
  const app = {
    accepted: "text=It's you",
    start: 'PORT={port} npm start',
    url: 'http://localhost:2435',
    begin: 'Go on',
  }
  const flags = { ...app, timeout: '20', slow: true, thisAppIsMine: true, browser: 'http' } as const
  const ofApp = `'${PAGE}?a=b&c' --accepted 'text=It'\\''s you' --begin 'Go on' --start 'PORT={port} npm start' --browser http`
  const others = '--url http://localhost:2435 --this-app-is-mine --timeout 20 --slow --port 2500'
  const again = sameCall(`${PAGE}?a=b&c`, flags, ['--port', '2500'])
  expect(again).toBe(`npx agekey-sandbox audit ${ofApp} ${others}`)
})
