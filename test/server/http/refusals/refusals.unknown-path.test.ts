import { expect, test } from 'vitest'
import { readError } from '../../../support/error-body.ts'
import { tagsOf, textOf } from '../../../support/markup.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

const USE = 'E1 (Use authorization): GET BASE/v1/oidc/use'
const PAR = 'E2 (Create request pushed): POST BASE/v1/oidc/create/par'
const CREATE = 'E3 (Create authorization): GET BASE/v1/oidc/create'
const TOKEN = 'E4 (Code exchanged for a token): POST BASE/v1/oidc/use/token'
const UPGRADE = 'E5 (Age signals added): POST BASE/v1/svc/upgrade'
const OPENID = '.well-known/openid-configuration'
const OAUTH = '.well-known/oauth-authorization-server'
const USE_DISCOVERY = `E6 (Use discovery): GET BASE/v1/oidc/use/${OPENID}`
const CREATE_DISCOVERY = `E6 (Create discovery): GET BASE/v1/oidc/create/${OPENID}`
const JWKS = 'E6 (Key set): GET BASE/.well-known/jwks.json'
const sandbox = await shareSandbox()

const refusal = async (path: string, { request }: Pick<TestSandbox, 'request'> = sandbox) =>
  readError(await request.get(path).set('Accept', 'application/json').expect(404)).error_description

type Row = [path: string, places: readonly string[], wrong?: string]
const at = (path: string, ...places: readonly string[]): Row => [path, places]

test.each<Row>([
  ...['/authorize', '/oauth/authorize', '/oauth2/v1/authorize', '/auth'].map((path) =>
    at(path, USE, CREATE),
  ),
  ...['/v1/oidc/use/authorize', '/oidc/use', '/v1/use', '/v1/oidc/usee'].map((path) =>
    at(path, USE),
  ),
  ...['/v1/oidc/create/authorize', '/v2/oidc/create'].map((path) => at(path, CREATE)),
  ...[
    '/token',
    '/oauth2/token',
    '/v1/oidc/token',
    '/v1/oidc/create/token',
    '/v1/oidc/use/tokn',
  ].map((path) => at(path, TOKEN)),
  ...['/par', '/v1/oidc/par', '/v1/oidc/use/par', '/oauth/pushed-authorization-request'].map(
    (path) => at(path, PAR),
  ),
  ...['/v1/upgrade', '/v1/oidc/upgrade', '/v1/oidc/use/upgrade'].map((path) => at(path, UPGRADE)),
  ...[`/${OPENID}`, `/v1/oidc/${OPENID}`, `/${OAUTH}`].map((path) =>
    at(path, USE_DISCOVERY, CREATE_DISCOVERY),
  ),
  at(`/${OAUTH}/v1/oidc/use`, USE_DISCOVERY),
  at(`/v1/oidc/create/${OAUTH}`, CREATE_DISCOVERY),
  at('/v1/oidc/use/.well-known/jwks.json', JWKS),
  ...['/v1/oidc/use/jwks.json', '/jwks', '/oauth2/v3/certs'].map((path) => at(path, JWKS)),
  ['/v1/oidc/use/', [USE], 'without the slash at the end'],
  ['//v1/oidc/use/token', [TOKEN], 'without doubled slashes'],
  ['/v1//oidc/create', [CREATE], 'without doubled slashes'],
  ['/V1/OIDC/Use', [USE], 'in lowercase'],
])('An unknown path is answered by the right path: %s', async (path, places, wrong = '') => {
  const expected = places.join('; ').replaceAll('BASE', sandbox.baseUrl)
  expect(await refusal(path)).toBe(
    `${path} is not served here. ${expected}${wrong && ` (${wrong})`}.`,
  )
})

test('A path below a tenant, or below the path of the base URL, is answered by where the right one is there', async () => {
  expect(await refusal('/t/qa/token')).toContain(`POST ${sandbox.baseUrl}/t/qa/v1/oidc/use/token.`)
  const own = await startSandbox({ baseUrl: 'https://shop.example/agekey' })
  expect(await refusal('/agekey/token', own)).toContain(
    'POST https://shop.example/agekey/v1/oidc/use/token.',
  )
})

test.each([
  ['spec', '/v1/agekey/upgrade', '/v1/svc/upgrade', 'agekey'],
  ['agekey', '/v1/svc/upgrade', '/v1/agekey/upgrade', 'spec'],
] as const)(
  'In profile %s the path %s is answered by the flag that serves it',
  async (profile, path, right, other) => {
    const own = await startSandbox({ profile })
    const flag = `This sandbox runs with profile ${profile}: start it with --profile ${other} to serve ${path}.`
    const place = `${path} is not served here. E5 (Age signals added): POST ${own.baseUrl}${right}. `
    expect(await refusal(path, own)).toBe(place + flag)
  },
)

test.each([
  ['/userinfo', 'There is no userinfo endpoint'],
  ['/oauth2/introspect', 'There is no introspection'],
  ['/v1/oidc/use/revoke', 'There is no revocation'],
  ['/logout', 'There is no session to end'],
  ['/callback', 'is a page of your app'],
])('A path that is not served names why %s does not exist', async (path, reason) => {
  expect(await refusal(path)).toContain(reason)
})

test.each([
  ['/personas', 'GET, PUT BASE/_sandbox/personas'],
  ['/_sandbox/persona/teen-16', 'GET, PUT, DELETE BASE/_sandbox/personas/NAME'],
  ['/_sandbox/doc/library/tests', 'GET BASE/_sandbox/docs/FOLDER/FILE'],
  ['/_sandbox/clock/', 'GET, POST BASE/_sandbox/clock'],
  ['/_sandbox/console/flow', 'GET BASE/_sandbox/console/flows'],
  ['/sandbox/health', 'GET BASE/_sandbox/health'],
  ['/outcomes', 'GET BASE/_sandbox/console/outcomes'],
])(
  'A path that is not served names the page or call of the sandbox that %s is meant to be',
  async (path, right) => {
    expect(await refusal(path)).toBe(
      `${path} is not served here. ${right.replace('BASE', sandbox.baseUrl)}.`,
    )
  },
)

test('A refusal names not much of a long path', async () => {
  expect((await refusal(`/${'x/'.repeat(2000)}`)).length).toBeLessThan(1000)
})

test('A path that resembles none is refused with every endpoint', async () => {
  const text = await refusal('/wp-login.php')
  expect(text).toContain(
    `Served below ${sandbox.baseUrl}: GET /v1/oidc/use, POST /v1/oidc/create/par, `,
  )
  expect(text).toContain('the sandbox itself: / (pages), /_sandbox/openapi.json (calls)')
})

test('A browser at an unknown page of the console reads which pages there are, below the menu', async () => {
  const { text } = await sandbox.request
    .get('/t/qa/_sandbox/console/nix')
    .set('Accept', 'text/html')
    .expect(404)
  const pages = `Below ${sandbox.baseUrl}/t/qa/_sandbox/console/ there are flows, personas, audit, `
  expect(textOf(text)).toContain(pages)
  expect(tagsOf(text).map(({ attributes }) => attributes['href'])).toContain(
    '/t/qa/_sandbox/console/force',
  )
  const { error_description: json } = readError(
    await sandbox.request.get('/_sandbox/console/nix').expect(404),
  )
  expect(json).not.toContain('/v1/oidc/use')
})

test('A browser that opens the address of a form of a hosted page gets an error page', async () => {
  const answer = await sandbox.request
    .get('/v1/oidc/use/choice')
    .set('Accept', 'text/html')
    .expect(405)
  expect(textOf(answer.text)).toMatch(/405 invalid_request.*is sent by the form of a hosted page/)
})

test.each([
  ['get', '/v1/oidc/use/token', 'POST', 'your server'],
  ['post', '/v1/oidc/use', 'GET', 'opened by the browser, by GET alone'],
  ['post', '/.well-known/jwks.json', 'GET', 'document'],
  ['get', '/_sandbox/reset', 'POST', 'changes'],
  ['get', '/v1/oidc/use/choice', 'POST', 'form'],
] as const)(
  '%s %s is answered by the method of that endpoint',
  async (method, path, allowed, why) => {
    const answer = await sandbox.request[method](path).set('Accept', 'application/json').expect(405)
    expect(answer.headers['allow']).toContain(allowed)
    const { error_description: text } = readError(answer)
    for (const part of [`${method.toUpperCase()} ${path}`, allowed, why])
      expect(text).toContain(part)
  },
)

test('A path that cannot be decoded is refused with the remedy', async () => {
  const answer = await sandbox.request.get('/t/100%/_sandbox/clock').expect(400)
  expect(readError(answer).error_description).toBe(
    "the request cannot be read: Failed to decode param '100%'; encode it as UTF-8, and a % itself as %25",
  )
})
