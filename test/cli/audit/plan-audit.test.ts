import { describe, expect, test } from 'vitest'
import type { AuditFile } from '../../../src/cli/audit/file/read-audit-file.ts'
import { needsPort, planAudit, portOf } from '../../../src/cli/audit/plan-audit.ts'
import { type AuditFlags, readFlags } from '../../../src/cli/audit/read-flags.ts'
import { ConfigError } from '../../../src/files/config-error.ts'

const PAGE = 'http://localhost:3000/verify'

const plan = (values: AuditFile['values'], { page, ...flags }: AuditFlags & { page?: string } = {}) =>
  planAudit(readFlags(page, flags), { values, lineOf: (key) => (key === 'start' ? 2 : 1) })

describe('What is to be done', () => {
  test('is what the file says', () => {
    const { pages, options } = plan({
      app: PAGE,
      before: [{ post: '/login/{n}', form: { age: 18, adult: true } }],
      reset: { post: '/reset', json: { all: true } },
      use: { accepted: 'text=Welcome', refused: 'text=No' },
      create: { start: '/create' },
      upgrade: { start: { post: '/upgrade' } },
      fail_on: 'may',
      catalogue: '0.1',
      known: [{ row: 'use/id_token.kid_empty', because: 'it is old' }],
    }).of({ port: 3000 })
    expect({ ...pages, ...options }).toEqual({
      page: PAGE,
      // The braces stay: the audit puts a number in their place.
      before: [{ url: '/login/{n}', method: 'POST', form: { age: '18', adult: 'true' } }],
      reset: { url: '/reset', method: 'POST', json: { all: true } },
      use: { start: undefined, accepted: 'text=Welcome', refused: 'text=No' },
      create: { start: { url: '/create', method: 'GET' } },
      upgrade: { start: { url: '/upgrade', method: 'POST' } },
      only: undefined,
      skip: [],
      failOn: 'may',
      catalogue: '0.1',
      known: [{ row: 'use/id_token.kid_empty', because: 'it is old' }],
      slow: false,
    })
  })

  test('is what the flags say, where they say something', () => {
    const values = {
      app: PAGE,
      use: { start: '/begin', accepted: 'text=Old' },
      fail_on: 'may',
      catalogue: '0.1',
    } as const
    const page = 'http://localhost:4000/'
    const flags = { page, accepted: 'text=New', failOn: 'none', catalogue: '0.2', only: ['flow:use'], jobs: '1' }
    const { pages, options } = plan(values, flags).of({ port: 4000 })
    expect({ ...pages, ...options }).toMatchObject({
      page,
      use: { start: undefined, accepted: 'text=New' },
      failOn: 'none',
      catalogue: '0.2',
      only: ['flow:use'],
      jobs: 1,
    })
  })

  test('begins where use.start says, when no page is given', () => {
    const { options } = plan({ app: PAGE, use: { start: { post: '/begin', form: { a: 'b' } } } }).of({ port: 3000 })
    expect(options.use?.start).toEqual({
      url: '/begin',
      method: 'POST',
      form: { a: 'b' },
    })
  })

  test('fills base_url and port in the start of the app', () => {
    const app = 'http://localhost:{port}/verify'
    const run = 'serve --issuer {base_url}/v1/oidc/use --port {port}'
    const planned = plan({ app, start: { run, env: { PORT: '{port}', N: 3 } } })
    expect(needsPort(planned)).toBe(true)
    expect(planned.start?.place).toBe('agekey-audit.yaml:2: start')
    expect(planned.start?.of({ baseUrl: 'http://localhost:2435', port: 7 })).toEqual({
      run: 'serve --issuer http://localhost:2435/v1/oidc/use --port 7',
      page: 'http://localhost:7/verify',
      ready: 'http://localhost:7/verify',
      env: { PORT: '7', N: '3' },
    })
    expect(planned.of({ port: 7 }).pages.page).toBe('http://localhost:7/verify')
  })

  test('takes the command of --start in the place of that of the file, with the ready and env of the file', () => {
    const start = { run: 'npm start', ready: 'http://localhost:3000/up', env: { A: 'b' } }
    const planned = plan({ app: PAGE, start }, { start: 'serve {base_url} {port}' })
    expect(planned.start?.place).toBe('--start')
    expect(planned.start?.of({ baseUrl: 'http://localhost:2435', port: 7 })).toEqual({
      ...start,
      page: PAGE,
      run: 'serve http://localhost:2435 7',
    })
    const alone = plan({}, { page: 'http://localhost:{port}/verify', start: 'serve' })
    expect(alone.start?.of({ baseUrl: 'http://localhost:2435', port: 7 })).toEqual({
      run: 'serve',
      page: 'http://localhost:7/verify',
      ready: 'http://localhost:7/verify',
      env: {},
    })
  })

  test('knows the findings of --known beside those of the file, and counts the reason of the flag', () => {
    const inFile = [
      { row: 'use/id_token.expired', because: 'old', until: '2027-01-31' },
      { row: 'use/access_denied', because: 'kept' },
    ]
    const { options } = plan({ app: PAGE, known: inFile }, { known: ['use/id_token.expired: new'] }).of({ port: 3000 })
    expect(options.known).toEqual([
      { row: 'use/id_token.expired', because: 'new' },
      { row: 'use/access_denied', because: 'kept' },
    ])
  })

  test.each([
    [PAGE, 3000],
    ['http://localhost/', 80],
    ['https://localhost/', 443],
  ])('takes the port of %s for {port} when app has no such place', (page, port) => {
    expect(portOf(page)).toBe(port)
  })

  test.each([
    [
      'without a page',
      {},
      {},
      /^the address of the app is missing: .*agekey-sandbox audit http:\/\/localhost:3000\/verify, or app in agekey-audit\.yaml$/,
    ],
    [
      'with a free port for an app that nothing starts',
      { app: 'http://localhost:{port}/' },
      {},
      'agekey-audit.yaml:1: app: {port} is a free port for an app that the audit starts; give --start, or the port of your app',
    ],
    [
      'with an app beyond this machine',
      { app: 'https://shop.example.com/verify' },
      {},
      'agekey-audit.yaml:1: app: https://shop.example.com/verify is beyond this machine and its private network, and the audit sends it hundreds of wrong answers; give --this-app-is-mine when it is yours',
    ],
    [
      'with a page beyond this machine',
      {},
      { page: 'https://shop.example.com/' },
      /^https:\/\/shop\.example\.com\/ is beyond this machine/,
    ],
  ])('is refused %s', (_, values, flags, message) => {
    expect(() => plan(values, flags)).toThrow(typeof message === 'string' ? ConfigError.of(message) : message)
  })

  test('may be beyond this machine when the flag says that the app is the own one', () => {
    const page = 'https://shop.example.com/verify'
    expect(plan({}, { page, thisAppIsMine: true }).of({ port: 443 }).pages.page).toBe(page)
  })
})
