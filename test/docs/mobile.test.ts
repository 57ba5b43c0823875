import { get } from 'node:http'
import { expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { fencedBlocks } from '../support/markdown.ts'
import { startSandbox } from '../support/sandbox.ts'
import { readPage } from './page.ts'

const page = readPage('mobile.md')
const [, schemeProblem = ''] = /the start ends with `([^`]+)`/.exec(page) ?? []
const client = { clientId: 'web-shop', clientSecret: 'not-a-real-secret' }

test('the config file of mobile.md has three addresses that can be registered', async () => {
  const [config] = fencedBlocks(page).filter(({ language }) => language === 'yaml')
  const redirectUris = config?.code.match(/https?:\/\/\S+/g) ?? []
  const sandbox = await startSandbox({ clients: [{ ...client, redirectUris }] })
  expect(redirectUris).toHaveLength(3)
  for (const redirectUri of redirectUris) {
    const { location } = await requestAge(sandbox.url, { client_id: 'web-shop', redirect_uri: redirectUri })
    expect(location).toContain(redirectUri)
  }
})

test('every command of mobile.md that starts a sandbox has flags that exist', async () => {
  const commands = [...page.matchAll(/agekey-sandbox (--.*)$/gm)].map(([, flags = '']) => flags)
  expect(commands.length).toBe(3)
  for (const command of commands) {
    const flags = Object.fromEntries(
      [...command.matchAll(/--([\w-]+) (\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    )
    await expect(loadSettings({ flags })).resolves.toBeDefined()
  }
})

test('behind 10.0.2.2 the issuer is that of the device, and a server that asks by localhost gets addresses of its own', async () => {
  const sandbox = await startSandbox({ baseUrl: 'http://10.0.2.2:2435', internalUrl: 'http://localhost:2435' })
  const bySelf = await discoveryAs(sandbox.url, 'localhost:2435')
  expect(bySelf).toMatchObject({ issuer: 'http://10.0.2.2:2435/v1/oidc/use' })
  expect(bySelf.token_endpoint).toMatch(/^http:\/\/localhost:2435\//)
  expect((await discoveryAs(sandbox.url, '10.0.2.2:2435')).token_endpoint).toMatch(/^http:\/\/10\.0\.2\.2:2435\//)
})

test('a custom scheme is refused as mobile.md says: in the options, by the control API and in a request', async () => {
  const redirectUris = ['myapp://callback']
  await expect(startSandbox({ clients: [{ ...client, redirectUris }] })).rejects.toThrow(schemeProblem)
  const sandbox = await startSandbox()
  await expect(sandbox.configure({ clients: [{ ...client, redirectUris }] })).rejects.toThrow(schemeProblem)
  const asked = { client_id: 'ak_test_sandbox', redirect_uri: 'myapp://callback' }
  const { status, location, text } = await requestAge(sandbox.url, asked)
  expect([status, location]).toEqual([400, undefined])
  expect(text).toContain('USE-02')
})

test.each([
  [
    'an Android web view',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/120.0 Mobile',
    ['Custom Tabs'],
  ],
  [
    'an iOS web view',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
    ['ASWebAuthenticationSession', 'SFSafariViewController'],
  ],
])('in %s the page names what works, as mobile.md does', async (_where, userAgent, alternatives) => {
  const sandbox = await startSandbox()
  const asked = { client_id: 'ak_test_sandbox', redirect_uri: 'http://localhost:3000/callback' }
  const { text } = await requestAge(sandbox.url, asked, { userAgent, isDecided: false })
  for (const alternative of alternatives) {
    expect(page).toContain(alternative)
    expect(text).toContain(alternative)
  }
})

async function requestAge(
  url: string,
  asked: Record<string, string>,
  { userAgent = 'curl/8', isDecided = true }: { userAgent?: string; isDecided?: boolean } = {},
) {
  const request = {
    response_type: 'id_token',
    scope: 'openid',
    state: 's',
    nonce: 'n',
    claims: '{"age_thresholds":[18]}',
  }
  const decided = isDecided ? { sandbox_persona: 'adult-passport' } : {}
  const response = await fetch(`${url}/v1/oidc/use?${new URLSearchParams({ ...request, ...asked, ...decided })}`, {
    redirect: 'manual',
    headers: { 'User-Agent': userAgent, Accept: 'text/html' },
  })
  return {
    status: response.status,
    location: response.headers.get('location') ?? undefined,
    text: await response.text(),
  }
}

/** Discovery as a caller reads it that knows the sandbox by another host. `fetch` sends no `Host` of its own. */
const discoveryAs = (url: string, host: string) =>
  new Promise<{ issuer: string; token_endpoint: string }>((resolve, reject) => {
    get(`${url}/v1/oidc/use/.well-known/openid-configuration`, { headers: { Host: host } }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve(JSON.parse(Buffer.concat(chunks).toString()))
    }).on('error', reject)
  })
