import { expect, test } from 'vitest'
import { type AuditFile, type GivenFlags, planAudit, readFlags } from '../../../src/audit/command/plan.ts'
import { ConfigError } from '../../../src/files/config-error.ts'

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
  const values: AuditFile['values'] = {
    app: PAGE,
    before: [{ post: '/login/{n}', form: { age: 18, adult: true } }],
    reset: { post: '/reset', json: { all: true } },
    use: { start: { post: '/begin', form: { a: 'b' } }, accepted: 'text=Welcome', refused: 'text=No' },
    create: { start: '/create', begin: { click: 'Save' } },
    upgrade: { start: { post: '/upgrade' }, begin: { post: '/go', json: { a: 1 } } },
    age: 16,
    fail_on: 'may',
    catalogue: '0.1',
    known: [{ row: 'use/id_token.kid_empty', because: 'it is old' }],
  }
  expect(planned(values)).toEqual({
    page: PAGE,
    // The braces stay: the audit puts a number in their place.
    before: [{ url: '/login/{n}', method: 'POST', form: { age: '18', adult: 'true' } }],
    reset: { url: '/reset', method: 'POST', json: { all: true } },
    start: { url: '/begin', method: 'POST', form: { a: 'b' } },
    use: { accepted: 'text=Welcome', refused: 'text=No' },
    create: { start: { url: '/create', method: 'GET', begin: { click: 'Save' } } },
    upgrade: {
      start: { url: '/upgrade', method: 'POST', begin: { request: { url: '/go', method: 'POST', json: { a: 1 } } } },
    },
    age: 16,
    ...{ failOn: 'may', catalogue: '0.1', known: values.known },
  })
})

const AT = { baseUrl: 'http://localhost:2435', port: 7 }
const AT_PORT = { page: 'http://localhost:7/verify', ready: 'http://localhost:7/verify' }

test('The command that starts an audited app is filled with base_url and port', () => {
  const run = 'serve --issuer {base_url}/v1/oidc/use --port {port}'
  const app = plan({ app: 'http://localhost:{port}/verify', start: { run, env: { PORT: '{port}', N: 3 } } })
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
  if (flags.page === SHOP) expect(planned(values, { ...flags, thisAppIsMine: true }).page).toBe(SHOP)
})

const FIND = '/admin/verifications?sub={sub}'
const NOT_SET = 'A needs the variable "NOT_SET" of the environment, which is not set'

test('The question for verifications stands in the file with headers of the environment, and --find goes before it', () => {
  const audit = { post: '/find', form: { sub: '{sub}', limit: 1 }, headers: { 'X-Admin': 'Bearer {env:TOKEN}' } }
  const headers = { 'x-admin': 'Bearer s3cret' }
  const posted = { url: '/find', method: 'POST', form: { sub: '{sub}', limit: '1' }, headers }
  expect(plan({ app: PAGE, audit }).question).toEqual(posted)
  expect(plan({ app: PAGE, audit }, { find: FIND }).question).toEqual({ url: FIND, method: 'GET', headers })
  expect(plan({ app: PAGE }).question).toBeUndefined()
  const wrong = (headers: Record<string, string>) => () => plan({ app: PAGE, audit: { get: FIND, headers } })
  expect(wrong({ A: '{env:NOT_SET}' })).toThrow(`agekey-audit.yaml:1: audit: headers: ${NOT_SET}`)
  expect(wrong({ 'a b': 'x' })).toThrow(/^agekey-audit\.yaml:1: audit: headers: a name or a value has characters/)
})
