import { expect, test } from 'vitest'
import {
  type AuditFile,
  type GivenFlags,
  type LearnedSettings,
  planAudit,
  readAuditFile,
  readFlags,
  renderAuditFile,
  sameCall,
  settle,
} from '../../../src/audit/command/plan.ts'
import { auditFileSchema } from '../../../src/audit/command/settings.ts'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS } from '../../../src/sandbox/outcomes/catalogue.ts'
import { folderWith } from '../../support/folder-with.ts'
import { hostileYaml } from '../../support/hostile-yaml.ts'

const PAGE = 'http://localhost:3000/verify'

type Flags = GivenFlags & { page?: string }

const plan = (values: AuditFile['values'], { page, ...flags }: Flags = {}) =>
  planAudit(readFlags(page, flags), {
    file: { values, lineOf: (key) => (key === 'start' ? 2 : 1) },
    environment: { TOKEN: 's3cret' },
  })

/** The plan for port 3000. */
function planned(values: AuditFile['values'], flags?: Flags) {
  const { options, pagesAt } = plan(values, flags)
  return { ...pagesAt(3000), ...options }
}

test('An audit does what agekey-audit.yaml says, and begins where use.start says', () => {
  const file = read(WHOLE) ?? expect.fail()
  expect(planned(file.values)).toEqual({
    page: PAGE,
    // The braces stay: the audit puts a number in their place.
    before: [
      { url: '/login', method: 'POST', form: { email: 'user-{n}@example.test', age: '18' } },
      { url: '/welcome', method: 'GET' },
    ],
    reset: { url: '/test/reset', method: 'POST', json: { all: true } },
    start: { url: '/begin', method: 'POST', form: { a: 'b' } },
    use: { accepted: 'get=/me status=200', refused: 'text=Not yet' },
    create: { start: { url: '/create', method: 'GET', begin: { click: 'Save' } } },
    upgrade: {
      start: {
        url: '/upgrade',
        method: 'POST',
        begin: { request: { url: '/go', method: 'POST', json: { a: 1 } } },
      },
    },
    age: 16,
    ...{ failOn: 'should', catalogue: '0.2', known: [{ ...KNOWN_ROW, until: '2027-01-31' }] },
  })
  expect(file.lineOf('start')).toBe(2)
})

const AT = { baseUrl: 'http://localhost:2435', port: 7 }
const AT_PORT = { page: 'http://localhost:7/verify', ready: 'http://localhost:7/verify' }

test('The command that starts an audited app is filled with base_url and port', () => {
  const run = 'serve --issuer {base_url}/v1/oidc/use --port {port}'
  const app = plan({
    app: 'http://localhost:{port}/verify',
    start: { run, env: { PORT: '{port}', N: 3 } },
  })
  expect(app.start?.place).toBe('agekey-audit.yaml:2: start')
  const filled = 'serve --issuer http://localhost:2435/v1/oidc/use --port 7'
  expect(app.start?.of(AT)).toEqual({ ...AT_PORT, run: filled, env: { PORT: '7', N: '3' } })
  expect(app.pagesAt(7).page).toBe('http://localhost:7/verify')
})

test('The command of --start takes the place of that of agekey-audit.yaml, with the ready and env of the file', () => {
  const start = { run: 'npm start', ready: 'http://localhost:3000/up', env: { A: 'b' } }
  const app = plan({ app: PAGE, start }, { start: 'serve {base_url} {port}' })
  expect(app.start?.place).toBe('--start')
  expect(app.start?.of(AT)).toEqual({ ...start, page: PAGE, run: 'serve http://localhost:2435 7' })
  const alone = plan({}, { page: 'http://localhost:{port}/verify', start: 'serve' })
  expect(alone.start?.of(AT)).toEqual({ ...AT_PORT, run: 'serve', env: {} })
})

test('A finding points at the code that reads the answers of its flow, or at the line of the file that names the app', () => {
  const { sourceOf } = plan({
    app: PAGE,
    use: { source: 'src/verify.ts:12' },
    create: { source: 'src/create.ts' },
  })
  expect(['use', 'upgrade', 'par'].map(sourceOf)).toEqual([
    { file: 'src/verify.ts', line: 12 },
    { file: 'src/verify.ts', line: 12 },
    { file: 'src/create.ts', line: 1 },
  ])
  expect(plan({ app: PAGE }).sourceOf('use')).toEqual({ file: 'agekey-audit.yaml', line: 1 })
})

const SHOP = 'https://shop.example.com/verify'
const BEYOND =
  'is beyond this machine and its private network, and the audit sends it hundreds of wrong answers'
const FREE =
  '{port} is a free port for an app that the audit starts; give --start, or the port of your app'

const NO_APP =
  /^the address of the app is missing: .*agekey-sandbox audit http:\/\/localhost:3000\/verify, or app in agekey-audit\.yaml$/

test.each<[AuditFile['values'], Flags, string | RegExp]>([
  [{}, {}, NO_APP],
  [{ app: 'http://localhost:{port}/' }, {}, `agekey-audit.yaml:1: app: ${FREE}`],
  [
    { app: SHOP },
    {},
    `agekey-audit.yaml:1: app: ${SHOP} ${BEYOND}; give --this-app-is-mine when it is yours`,
  ],
  [{}, { page: SHOP }, /^https:\/\/shop\.example\.com\/verify is beyond this machine/],
])('An audit of %j with %j is refused', (values, flags, message) => {
  expect(() => plan(values, flags)).toThrow(
    typeof message === 'string' ? ConfigError.of(message) : message,
  )
  if (flags.page === SHOP)
    expect(planned(values, { ...flags, thisAppIsMine: true }).page).toBe(SHOP)
})

const FIND = '/admin/verifications?sub={sub}'
const NOT_SET = 'A needs the variable "NOT_SET" of the environment, which is not set'

test('The question for verifications stands in the file with headers of the environment, and --find goes before it', () => {
  const audit = {
    post: '/find',
    form: { sub: '{sub}', limit: 1 },
    headers: { 'X-Admin': 'Bearer {env:TOKEN}' },
  }
  const headers = { 'x-admin': 'Bearer s3cret' }
  const posted = { url: '/find', method: 'POST', form: { sub: '{sub}', limit: '1' }, headers }
  expect(plan({ app: PAGE, audit }).question).toEqual(posted)
  expect(plan({ app: PAGE, audit }, { find: FIND }).question).toEqual({
    url: FIND,
    method: 'GET',
    headers,
  })
  expect(plan({ app: PAGE }).question).toBeUndefined()
  const wrong = (headers: Record<string, string>) => () =>
    plan({ app: PAGE, audit: { get: FIND, headers } })
  expect(wrong({ A: '{env:NOT_SET}' })).toThrow(`agekey-audit.yaml:1: audit: headers: ${NOT_SET}`)
  expect(wrong({ 'a b': 'x' })).toThrow(
    /^agekey-audit\.yaml:1: audit: headers: a name or a value has characters/,
  )
})

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

test('Flags go before agekey-audit.yaml: what they do not name stays as the file says', () => {
  const file = {
    ...{
      app: 'http://localhost:4000/',
      age: 16,
      jobs: 1,
      start: { run: 'old', ready: 'http://localhost:4000/up' },
    },
    use: { start: '/begin', accepted: 'text=Old', refused: 'text=No' },
    audit: { post: '/find', form: { q: '{sub}' }, headers: { authorization: 'Bearer {env:A}' } },
    known: [ROW, 'use/access_denied'].map((row) => ({ row, because: 'old' })),
  }
  expect(settle({}, file)).toMatchObject(file)
  const given = {
    accepted: 'text=New',
    start: 'new',
    find: '/find?sub={sub}',
    jobs: '2',
    known: [`${ROW}: new`],
  }
  expect(settle(readFlags(PAGE, given), file)).toEqual({
    ...{ app: PAGE, age: 16, jobs: 2, start: { run: 'new', ready: 'http://localhost:4000/up' } },
    known: [{ row: ROW, because: 'new' }, file.known[1]],
    use: { start: undefined, accepted: 'text=New', refused: 'text=No' },
    audit: { get: '/find?sub={sub}', headers: file.audit.headers },
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

test('The call of audit that is shown again keeps what the app and the sandbox need, without rows and reports', () => {
  const app = { accepted: "text=It's you", start: 'PORT={port} npm start', begin: 'Go on' }
  const rows = { only: ['flow:use'], jobs: '1', junit: 'a.xml', json: '-' }
  const flags = {
    ...app,
    ...rows,
    url: 'http://a.example',
    timeout: '20',
    slow: true,
    browser: 'http',
  } as const
  const ofApp = `'${PAGE}?a=b&c' --accepted 'text=It'\\''s you' --begin 'Go on' --start 'PORT={port} npm start'`
  const again = sameCall(`${PAGE}?a=b&c`, flags, ['--port', '2500'])
  const others = '--browser http --url http://a.example --timeout 20 --slow --port 2500'
  expect(again).toBe(`npx agekey-sandbox audit ${ofApp} ${others}`)
})

const read = (text: string) => readAuditFile(folderWith({ 'agekey-audit.yaml': text }))

const WHOLE = `app: http://localhost:{port}/verify
start:
  run: npm start
  ready: http://localhost:{port}/
  env: { AGE_BASE_URL: '{base_url}', PORT: '{port}', DEBUG: true }
before:
  - post: /login
    form: { email: 'user-{n}@example.test', age: 18 }
  - get: /welcome
reset: { post: /test/reset, json: { all: true } }
use:
  accepted: get=/me status=200
  refused: text=Not yet
  source: src/verify.ts:12
  start: { post: /begin, form: { a: b } }
create: { start: /create, begin: { click: Save } }
upgrade: { start: { post: /upgrade }, begin: { post: /go, json: { a: 1 } } }
catalogue: 0.2
fail_on: should
known:
  - row: use/id_token.kid_empty
    because: the library takes an empty kid for none
    until: 2027-01-31
age: 16
`
const KNOWN_ROW = {
  row: 'use/id_token.kid_empty',
  because: 'the library takes an empty kid for none',
}

test('agekey-audit.yaml may be missing, or have every line commented out', () => {
  expect(read('# app: http://localhost:3000/\n')?.values).toEqual({})
  expect(readAuditFile(folderWith())).toBeUndefined()
})

test.each([
  '{ get: /admin/verifications?sub={sub} }',
  '{get: /admin/verifications?sub={sub}}',
  "{ get: '/admin/verifications?sub={sub}' }",
  '\n  get: /admin/verifications?sub={sub} # the question',
])('agekey-audit.yaml may have the question of a drill with quotes and without: %j', (audit) => {
  const question = { get: '/admin/verifications?sub={sub}' }
  expect(read(`audit: ${audit}\nfail_on: must`)?.values).toEqual({
    audit: question,
    fail_on: 'must',
  })
})

const KID_EMPTY = 'use/id_token.kid_empty'
const NO_ROW = 'there is no row'
const AS_IN =
  'A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'
const WAY = 'give get or post, with a path of the app, or in begin click; found'
const BODY = 'form or json goes with post, one of them; found'
const NO_SUB =
  'names no {sub}, which stands for the sub that is asked for, as in /admin/verifications?sub={sub}'
const TWICE = `known:\n  - { row: ${KID_EMPTY}, because: a }`

test.each([
  [
    1,
    'app: localhost:3000',
    '1: app: "localhost:3000" is not an address like http://localhost:3000/verify',
  ],
  [24, 'age: 0', '24: age: 0 is not an age in years like 18'],
  [1, 'audit: { get: /admin }', `1: audit: ${NO_SUB}`],
  [1, 'audit: { get: "/{sub}", headers: { a: "" } }', /1: audit\.headers\.a: /],
  [1, 'audit: { gte: "/{sub}" }', '1: audit.gte: unknown key. Did you mean "get"?'],
  [
    7,
    '  - post: http://x.example/a',
    '7: before[0].post: "http://x.example/a" is not a path like /verify',
  ],
  [7, '  -', `8: before[0]: ${WAY} none, and one is needed`],
  [9, '  - { get: /a, post: /b }', `9: before[1]: ${WAY} get and post, and one is needed`],
  [10, 'reset: { post: /a, form: {}, json: {} }', `10: reset: ${BODY} post and form and json`],
  [12, '  acepted: text=Yes', '12: use.acepted: unknown key. Did you mean "accepted"?'],
  [
    12,
    '  accepted: a',
    /12: use\.accepted: "a": it has no part name=value; a rule is "get=\/me status=200"/,
  ],
  [
    12,
    '  begin: { click: Go, post: /a }',
    `12: use.begin: ${WAY} click and post, and one is needed`,
  ],
  [12, '  fragment: { post: /callback, as: xml }', /12: use\.fragment\.as: /],
  [
    14,
    '  source: http://a/b',
    '14: use.source: "http://a/b" is not a file of the project like src/verify.ts:12',
  ],
  [16, 'create: { start: create }', '16: create.start: "create" is not a path like /verify'],
  [
    16,
    'create: { begin: { click: Go } }',
    /16: create\.begin: is done on the page of start; add start/,
  ],
  [16, 'create: { fragment: { post: /callback } }', /16: create\.fragment: unknown key/],
  [
    18,
    'catalogue: 9',
    `18: catalogue: "9" is no version of the catalogue; there is ${CATALOGUE_VERSIONS.join(', ')}`,
  ],
  [20, TWICE, `22: known[1].row: ${KID_EMPTY} is listed twice; keep one entry`],
  [
    21,
    '  - row: use/kid_empty',
    `21: known[0].row: ${NO_ROW} use/kid_empty. Did you mean ${KID_EMPTY}?`,
  ],
  [21, '  - row: qqqqq', `21: known[0].row: ${NO_ROW} qqqqq. ${AS_IN}`],
  [22, '', /21: known\[0\]\.because: is missing; expected a text/],
  [23, '    until: 2027-02-30', '23: known[0].until: "2027-02-30" is not a date like 2027-01-31'],
])('agekey-audit.yaml with line %i as %j is refused with the line: %s', (line, text, message) => {
  const lines = WHOLE.split('\n').with(line - 1, text)
  const exact = (expected: string) =>
    expect.objectContaining({ message: `agekey-audit.yaml:${expected}` })
  expect(() => read(lines.join('\n'))).toThrow(
    typeof message === 'string' ? exact(message) : message,
  )
})

const app = 'http://localhost:3000/verify'
const written = (learned: Partial<LearnedSettings>) =>
  renderAuditFile({ app, learned: {}, given: {}, ...learned })

/** Examples are commented out with `# ` before keys, which a colon follows. */
const uncommented = (text: string) =>
  text.replace(/^# (?!yes|no)( *(?:- )?\w+:(?: .*)?)$/gm, '$1').replace(/^yaml-language.*/, '')

test('The agekey-audit.yaml of --learn holds page and catalogue, and with the examples each setting that there is', () => {
  expect(read(written({}))?.values).toEqual({ app, catalogue: CATALOGUE_VERSION, fail_on: 'must' })
  expect(Object.keys(read(uncommented(written({})))?.values ?? {}).sort()).toEqual(
    Object.keys(auditFileSchema.shape).sort(),
  )
})

test('The agekey-audit.yaml of --learn holds what was given, with the rest as examples, and in comments what was learned', () => {
  const start = { run: 'PORT={port} npm start\n' }
  const given = {
    use: { accepted: 'text="Welcome: #1"' },
    start,
    age: 18,
    browser: 'http' as const,
    jobs: 2,
  }
  const use = { yes: '200 at /callback, says "a\nb"', no: ['403 at /callback', 'begins again'] }
  const text = written({ given, learned: { use } })
  expect(read(text)?.values).toMatchObject(given)
  expect(read(uncommented(text))?.values.start).toMatchObject({ ...start, ready: '/listening on/' })
  const comments =
    '# yes: 200 at /callback, says "a b"\n# no: 403 at /callback\n# no: begins again\nuse:\n  accepted: '
  expect(text).toContain(comments)
})

test.each([
  [
    'UTF-16',
    Buffer.from('\uFEFFapp: x\n', 'utf16le'),
    /agekey-audit\.yaml: is UTF-16 \(PowerShell's > writes that\); /,
  ],
  [
    'Latin-1',
    Buffer.from('# \xFC\n', 'latin1'),
    /agekey-audit\.yaml:1: the byte 0xFC \(ü in Latin-1\) is not UTF-8; /,
  ],
  [
    'many levels',
    Buffer.from('['.repeat(30_000)),
    /^agekey-audit\.yaml:1: level 65 of lists and mappings begins/,
  ],
])('An agekey-audit.yaml of %s is refused', (_, bytes, message) => {
  expect(() => readAuditFile(folderWith({ 'agekey-audit.yaml': bytes }))).toThrow(message)
})

test('Hostile texts in agekey-audit.yaml are refused unless they say nothing', () => {
  for (const [name, text] of hostileYaml(801)) {
    const saysNothing = /^[\s#]*$/.test(text)
    if (saysNothing) expect(read(text)?.values, name).toEqual({})
    else expect(() => read(text), name).toThrow(/^agekey-audit\.yaml/)
  }
})

test('Many blanks in agekey-audit.yaml are passed once', () => {
  const start = process.cpuUsage()
  expect(() => read(`app:${' '.repeat(100_000)}x`)).toThrow(/^agekey-audit\.yaml/)
  // To look back from each blank takes half a minute.
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(4_000)
})
