import { expect, test } from 'vitest'
import { planAudit, settle } from '../../../src/audit/command/plan.ts'
import { type AuditFile, readAuditFile } from '../../../src/audit/command/settings/audit-file.ts'
import type { GivenFlags } from '../../../src/audit/command/settings/flags.ts'
import { readFlags } from '../../../src/audit/command/settings/read-flags.ts'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { folderWith } from '../../support/folder-with.ts'
import { WHOLE } from './settings/whole-file.ts'

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

test('An audit is planned as agekey-audit.yaml says', () => {
  const file = readAuditFile(folderWith({ 'agekey-audit.yaml': WHOLE })) ?? expect.fail()
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
    failOn: 'should',
    catalogue: '0.2',
    known: [
      {
        row: 'use/id_token.kid_empty',
        because: 'the library takes an empty kid for none',
        until: '2027-01-31',
      },
    ],
  })
  expect(file.lineOf('start')).toBe(2)
})

const AT = { baseUrl: 'http://localhost:2435', port: 7 }
const AT_PORT = { page: 'http://localhost:7/verify', ready: 'http://localhost:7/verify' }

test('The command that starts an audited app is filled with base_url', () => {
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

test('The command of --start replaces that of agekey-audit.yaml', () => {
  const start = { run: 'npm start', ready: 'http://localhost:3000/up', env: { A: 'b' } }
  const app = plan({ app: PAGE, start }, { start: 'serve {base_url} {port}' })
  expect(app.start?.place).toBe('--start')
  expect(app.start?.of(AT)).toEqual({ ...start, page: PAGE, run: 'serve http://localhost:2435 7' })
})

test('--start needs no agekey-audit.yaml', () => {
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

test('The question for verifications is that of --find before that of the file', () => {
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
})

test('A header of the question is refused when its variable is not set', () => {
  const wrong = (headers: Record<string, string>) => () =>
    plan({ app: PAGE, audit: { get: FIND, headers } })
  expect(wrong({ A: '{env:NOT_SET}' })).toThrow(`agekey-audit.yaml:1: audit: headers: ${NOT_SET}`)
  expect(wrong({ 'a b': 'x' })).toThrow(
    /^agekey-audit\.yaml:1: audit: headers: a name or a value has characters/,
  )
})

const ROW = 'use/id_token.expired'

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
