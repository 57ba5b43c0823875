import { expect, test } from 'vitest'
import type { AuditFile } from '../../../src/cli/audit/file/read-audit-file.ts'
import { needsPort, planAudit, portOf } from '../../../src/cli/audit/plan-audit.ts'
import { type AuditFlags, readFlags } from '../../../src/cli/audit/read-flags.ts'
import { ConfigError } from '../../../src/files/config-error.ts'

const PAGE = 'http://localhost:3000/verify'

type Flags = AuditFlags & { page?: string }

const plan = (values: AuditFile['values'], { page, ...flags }: Flags = {}) =>
  planAudit(readFlags(page, flags), { values, lineOf: (key) => (key === 'start' ? 2 : 1) })

/** What is to be done at port 3000. */
function planned(values: AuditFile['values'], flags?: Flags) {
  const { pages, options } = plan(values, flags).of({ port: 3000 })
  return { ...pages, ...options }
}

test('An audit does what agekey-audit.yaml says, and begins where use.start says', () => {
  const values: AuditFile['values'] = {
    app: PAGE,
    before: [{ post: '/login/{n}', form: { age: 18, adult: true } }],
    reset: { post: '/reset', json: { all: true } },
    use: { start: { post: '/begin', form: { a: 'b' } }, accepted: 'text=Welcome', refused: 'text=No' },
    create: { start: '/create' },
    upgrade: { start: { post: '/upgrade' } },
    fail_on: 'may',
    catalogue: '0.1',
    known: [{ row: 'use/id_token.kid_empty', because: 'it is old' }],
  }
  expect(planned(values)).toEqual({
    page: PAGE,
    // The braces stay: the audit puts a number in their place.
    before: [{ url: '/login/{n}', method: 'POST', form: { age: '18', adult: 'true' } }],
    reset: { url: '/reset', method: 'POST', json: { all: true } },
    use: { start: { url: '/begin', method: 'POST', form: { a: 'b' } }, accepted: 'text=Welcome', refused: 'text=No' },
    create: { start: { url: '/create', method: 'GET' } },
    upgrade: { start: { url: '/upgrade', method: 'POST' } },
    ...{ only: undefined, skip: [], slow: false },
    ...{ failOn: 'may', catalogue: '0.1', known: values.known },
  })
})

test('An audit does what its flags say, where they say something', () => {
  const use = { start: '/begin', accepted: 'text=Old' }
  const page = 'http://localhost:4000/'
  const given = { failOn: 'none', catalogue: '0.2', only: ['flow:use'] }
  const flags = { ...given, page, accepted: 'text=New', jobs: '1' }
  const expected = { ...given, page, jobs: 1, use: { start: undefined, accepted: 'text=New' } }
  expect(planned({ app: PAGE, use, fail_on: 'may', catalogue: '0.1' }, flags)).toMatchObject(expected)
})

const AT = { baseUrl: 'http://localhost:2435', port: 7 }
const AT_PORT = { page: 'http://localhost:7/verify', ready: 'http://localhost:7/verify' }

test('The command that starts an audited app is filled with base_url and port', () => {
  const run = 'serve --issuer {base_url}/v1/oidc/use --port {port}'
  const app = plan({ app: 'http://localhost:{port}/verify', start: { run, env: { PORT: '{port}', N: 3 } } })
  expect(needsPort(app)).toBe(true)
  expect(app.start?.place).toBe('agekey-audit.yaml:2: start')
  const filled = 'serve --issuer http://localhost:2435/v1/oidc/use --port 7'
  expect(app.start?.of(AT)).toEqual({ ...AT_PORT, run: filled, env: { PORT: '7', N: '3' } })
  expect(app.of({ port: 7 }).pages.page).toBe('http://localhost:7/verify')
})

test('The command of --start takes the place of that of agekey-audit.yaml, with the ready and env of the file', () => {
  const start = { run: 'npm start', ready: 'http://localhost:3000/up', env: { A: 'b' } }
  const app = plan({ app: PAGE, start }, { start: 'serve {base_url} {port}' })
  expect(app.start?.place).toBe('--start')
  expect(app.start?.of(AT)).toEqual({ ...start, page: PAGE, run: 'serve http://localhost:2435 7' })
  const alone = plan({}, { page: 'http://localhost:{port}/verify', start: 'serve' })
  expect(alone.start?.of(AT)).toEqual({ ...AT_PORT, run: 'serve', env: {} })
})

test('An audit knows the findings of --known beside those of agekey-audit.yaml, and counts the reason of the flag', () => {
  const old = { row: 'use/id_token.expired', because: 'old', until: '2027-01-31' }
  const kept = { row: 'use/access_denied', because: 'kept' }
  const { known } = planned({ app: PAGE, known: [old, kept] }, { known: [`${old.row}: new`] })
  expect(known).toEqual([{ row: old.row, because: 'new' }, kept])
})

test.each([
  [PAGE, 3000],
  ['http://localhost/', 80],
  ['https://localhost/', 443],
])('The port of %s is that of {port} when app has no such place: %i', (page, port) => {
  expect(portOf(page)).toBe(port)
})

const SHOP = 'https://shop.example.com/verify'
const BEYOND = 'is beyond this machine and its private network, and the audit sends it hundreds of wrong answers'
const FREE = '{port} is a free port for an app that the audit starts; give --start, or the port of your app'

const NO_APP =
  /^the address of the app is missing: .*agekey-sandbox audit http:\/\/localhost:3000\/verify, or app in agekey-audit\.yaml$/

test.each<[AuditFile['values'], Flags, string | RegExp]>([
  [{}, {}, NO_APP],
  [{ app: 'http://localhost:{port}/' }, {}, `agekey-audit.yaml:1: app: ${FREE}`],
  [{ app: SHOP }, {}, `agekey-audit.yaml:1: app: ${SHOP} ${BEYOND}; give --this-app-is-mine when it is yours`],
  [{}, { page: SHOP }, /^https:\/\/shop\.example\.com\/verify is beyond this machine/],
])('An audit of %j with %j is refused', (values, flags, message) => {
  expect(() => plan(values, flags)).toThrow(typeof message === 'string' ? ConfigError.of(message) : message)
})

test('An audit may be of an app beyond this machine when the flag says that the app is the own one', () => {
  expect(planned({}, { page: SHOP, thisAppIsMine: true }).page).toBe(SHOP)
})
