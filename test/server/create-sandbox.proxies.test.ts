import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

type Options = NonNullable<Parameters<typeof startSandbox>[0]>
type Headers = Readonly<Record<string, string>>

const BY_LOOPBACK: Options = { trustProxy: ['loopback'] }
const TOKEN = 'not-a-real-token'
const WITH_TOKEN = { Authorization: `Bearer ${TOKEN}` }

/** Where discovery says that the key set is. */
async function keySetFor(options: Options, headers: Headers): Promise<string> {
  const { request, url, baseUrl } = await startSandbox({ trustHost: true, ...options })
  const call = request.get('/v1/oidc/use/.well-known/openid-configuration')
  const { body } = await call.set({ Host: new URL(url).host, ...headers })
  return body.jwks_uri.replace(url, 'OWN').replace(baseUrl, 'BASE')
}

test.each([
  [['loopback'], 'https://app.internal:9000'],
  [['127.0.0.1'], 'https://app.internal:9000'],
  [['10.0.0.0/8', '127.0.0.0/8'], 'https://app.internal:9000'],
  [['10.0.0.0/8'], 'OWN'],
  [[], 'OWN'],
])('To forwarded headers, trusting the proxies %j, discovery answers for %s', async (trustProxy, expected) => {
  const forwarded = { 'X-Forwarded-Host': 'app.internal:9000', 'X-Forwarded-Proto': 'https' }
  const caller = { 'X-Forwarded-For': '203.0.113.9' }
  expect(await keySetFor({ trustProxy }, { ...forwarded, ...caller })).toBe(`${expected}/.well-known/jwks.json`)
})

test.each([
  ['of a list the first', 'a.example, b.example', 'https, http', 'https://a.example'],
  ['of a protocol that is none http', 'a.example', 'javascript', 'http://a.example'],
  ['of a host that is none nothing', 'a.example/x', 'https', 'BASE'],
])('Of what a trusted proxy forwards counts %s', async (_what, host, protocol, expected) => {
  const headers = { Host: 'x', 'X-Forwarded-Host': host, 'X-Forwarded-Proto': protocol }
  expect(await keySetFor(BY_LOOPBACK, headers)).toBe(`${expected}/.well-known/jwks.json`)
})

const FAR = { ...BY_LOOPBACK, baseUrl: 'https://age.example' }
const STRANGER = { 'X-Forwarded-For': '203.0.113.9' }
const MACHINE = { 'X-Forwarded-For': '127.0.0.1' }
const BY_NAME = { Host: 'agekey-sandbox:2435' }
const named = (host: string, others: Headers = {}) => ({ 'X-Forwarded-Host': host, ...others })
const AT_INTERNAL = { ...BY_LOOPBACK, internalUrl: 'http://age.internal' }

/** A sentence, the status of a control call, the options of the sandbox, and the headers of the call. */
const CONTROL: readonly (readonly [string, number, Options, Headers])[] = [
  ['the name of the internal URL is taken', 200, { internalUrl: 'http://agekey-sandbox:2435' }, BY_NAME],
  ['trust_host is no invitation', 403, { trustHost: true }, BY_NAME],
  ['a control token opens by any name', 200, { controlToken: TOKEN }, { ...BY_NAME, ...WITH_TOKEN }],
  ['a forwarded name opens nothing', 403, {}, named('localhost', { Host: 'evil.example' })],
  ['a forwarded name of a trusted proxy is judged', 403, BY_LOOPBACK, named('evil.example')],
  ['a trusted proxy may forward the name of the internal URL', 200, AT_INTERNAL, named('age.internal', { Host: 'x' })],
  ['with a base URL elsewhere a trusted proxy opens nothing', 403, FAR, named('age.example', MACHINE)],
  ['a trusted proxy that passes on a stranger opens nothing', 403, BY_LOOPBACK, named('localhost', STRANGER)],
  [
    'a trusted proxy that names its caller by another header opens nothing',
    403,
    BY_LOOPBACK,
    named('localhost', { 'X-Real-IP': '127.0.0.1' }),
  ],
]

test.each(CONTROL)('At the control API %s: %i', async (_sentence, status, options, headers) => {
  const { request } = await startSandbox(options)
  expect((await request.get('/_sandbox/flows').set(headers)).status).toBe(status)
})

test.each([
  ['loopback', 204],
  ['10.0.0.0/8', 403],
])('Trusting the proxy %s, a form of the forwarded origin is answered with %i', async (proxy, status) => {
  const { request } = await startSandbox({ internalUrl: 'http://app.internal', trustProxy: [proxy] })
  const forwarded = { 'X-Forwarded-Host': 'app.internal', 'X-Forwarded-Proto': 'https', Origin: 'https://app.internal' }
  expect((await request.post('/_sandbox/reset').set(forwarded).send({})).status).toBe(status)
})

test.each([
  ['loopback', 'https', true],
  ['loopback', 'http', false],
  ['10.0.0.0/8', 'https', false],
])('Trusting the proxy %s, a cookie given by forwarded %s is Secure: %j', async (proxy, protocol, isSecure) => {
  const { request } = await startSandbox({ controlToken: TOKEN, trustProxy: [proxy] })
  const act = request.post('/_sandbox/act-as/teen-16').set({ 'X-Forwarded-Proto': protocol, ...WITH_TOKEN })
  const [cookie = ''] = (await act.send({})).get('Set-Cookie') ?? []
  expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16/)
  expect(/; Secure(?:;|$)/.test(cookie)).toBe(isSecure)
})
