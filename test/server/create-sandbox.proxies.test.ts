import { describe, expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { discoveryBy, rawCall } from './raw-call.ts'

const FORWARDED = {
  'X-Forwarded-Host': 'app.internal:9000',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-For': '203.0.113.9',
}

describe('headers that a proxy forwards', () => {
  test.each([
    [['loopback'], 'https://app.internal:9000'],
    [['127.0.0.1'], 'https://app.internal:9000'],
    [['10.0.0.0/8', '127.0.0.0/8'], 'https://app.internal:9000'],
    [['10.0.0.0/8'], undefined],
    [undefined, undefined],
  ])('trusting %j, discovery is answered for %s', async (trustProxy, expected) => {
    const sandbox = await startSandbox({ trustHost: true, ...(trustProxy ? { trustProxy } : {}) })
    const { host } = new URL(sandbox.url)
    const { jwks_uri: jwksUri } = await discoveryBy(sandbox.url, host, { headers: FORWARDED })
    expect(jwksUri).toBe(`${expected ?? sandbox.url}/.well-known/jwks.json`)
  })

  test('of a list of protocols and hosts the first counts, and nonsense is http and no host', async () => {
    const sandbox = await startSandbox({ trustHost: true, trustProxy: ['loopback'] })
    const by = async (host: string, protocol: string) => {
      const headers = { 'X-Forwarded-Host': host, 'X-Forwarded-Proto': protocol }
      return (await discoveryBy(sandbox.url, 'x', { headers }))['jwks_uri']
    }
    expect(await by('a.example, b.example', 'https, http')).toBe('https://a.example/.well-known/jwks.json')
    expect(await by('a.example', 'javascript')).toBe('http://a.example/.well-known/jwks.json')
    expect(await by('a.example/x', 'https')).toBe(`${sandbox.baseUrl}/.well-known/jwks.json`)
  })
})

describe('the control API', () => {
  const internalUrl = 'http://agekey-sandbox:2435'
  const flows = async (
    options: Parameters<typeof startSandbox>[0],
    headers: Readonly<Record<string, string>>,
  ): Promise<number> => {
    const { url } = await startSandbox(options)
    return (await rawCall(`${url}/_sandbox/flows`, { headers })).status
  }

  test.each<[string, Parameters<typeof startSandbox>[0], Record<string, string>, number]>([
    ['an unknown name is refused', {}, { Host: 'agekey-sandbox:2435' }, 403],
    ['that of the internal URL is taken', { internalUrl }, { Host: 'agekey-sandbox:2435' }, 200],
    ['trust_host is no invitation', { trustHost: true }, { Host: 'agekey-sandbox:2435' }, 403],
    [
      'a control token opens by any name',
      { controlToken: 'not-a-real-token' },
      { Host: 'agekey-sandbox:2435', Authorization: 'Bearer not-a-real-token' },
      200,
    ],
    ['a forwarded name of a stranger is a sign of a proxy', {}, { 'X-Forwarded-Host': 'localhost' }, 403],
    [
      'a forwarded name of a stranger opens nothing',
      {},
      { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' },
      403,
    ],
    [
      'a forwarded name of a trusted proxy is judged',
      { trustProxy: ['loopback'] },
      { 'X-Forwarded-Host': 'evil.example' },
      403,
    ],
    [
      'behind a trusted proxy the name of the internal URL is taken',
      { trustProxy: ['loopback'], internalUrl: 'http://age.internal' },
      { Host: 'upstream', 'X-Forwarded-Host': 'age.internal' },
      200,
    ],
    [
      'with a base URL beyond this machine a trusted proxy opens nothing',
      { trustProxy: ['loopback'], baseUrl: 'https://age.example' },
      { 'X-Forwarded-Host': 'age.example', 'X-Forwarded-For': '127.0.0.1' },
      403,
    ],
    [
      'a trusted proxy that passes on a stranger has no entry of its own',
      { trustProxy: ['loopback'] },
      { 'X-Forwarded-Host': 'localhost', 'X-Forwarded-For': '203.0.113.9' },
      403,
    ],
    [
      'a trusted proxy that names its caller by another header leaves it unknown',
      { trustProxy: ['loopback'] },
      { 'X-Forwarded-Host': 'localhost', 'X-Real-IP': '127.0.0.1' },
      403,
    ],
    [
      'a stranger behind a trusted proxy shows the token',
      { trustProxy: ['loopback'], baseUrl: 'https://age.example', controlToken: 'not-a-real-token' },
      { 'X-Forwarded-For': '203.0.113.9', Authorization: 'Bearer not-a-real-token' },
      200,
    ],
    [
      'a stranger behind a trusted proxy is asked for the token',
      { trustProxy: ['loopback'], controlToken: 'not-a-real-token' },
      { 'X-Forwarded-For': '203.0.113.9' },
      401,
    ],
    [
      'a caller of this machine behind a trusted proxy may',
      { trustProxy: ['loopback'] },
      { 'X-Forwarded-For': '::1' },
      200,
    ],
    ['a proxy that is not trusted cannot vouch for its caller', {}, { 'X-Forwarded-For': '127.0.0.1' }, 403],
  ])('%s', async (_sentence, options, headers, status) => {
    expect(await flows(options, headers)).toBe(status)
  })

  test.each([
    [['loopback'], 204],
    [undefined, 403],
  ])('trusting %j, a form of the forwarded origin is answered with %i', async (trustProxy, status) => {
    const { url } = await startSandbox({ internalUrl: 'http://app.internal', ...(trustProxy ? { trustProxy } : {}) })
    const headers = {
      'X-Forwarded-Host': 'app.internal',
      'X-Forwarded-Proto': 'https',
      Origin: 'https://app.internal',
      'Content-Type': 'application/json',
    }
    expect((await rawCall(`${url}/_sandbox/reset`, { method: 'POST', headers })).status).toBe(status)
  })
})

test.each([
  [['loopback'], 'https', true],
  [['loopback'], 'http', false],
  [undefined, 'https', false],
])('trusting %j, a cookie given by forwarded %s is Secure: %j', async (trustProxy, protocol, isSecure) => {
  const { url } = await startSandbox({ controlToken: 'right', ...(trustProxy ? { trustProxy } : {}) })
  const headers = {
    'X-Forwarded-Proto': protocol,
    'Content-Type': 'application/json',
    Authorization: 'Bearer right',
  }
  const answer = await rawCall(`${url}/_sandbox/act-as/teen-16`, { method: 'POST', headers })
  expect(answer.headers['set-cookie']).toMatch(/^agekey_sandbox_persona=teen-16/)
  expect(/; Secure(?:;|$)/.test(answer.headers['set-cookie'] ?? '')).toBe(isSecure)
})
