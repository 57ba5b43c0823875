import { expect, test } from 'vitest'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('mobile.md')
const [, schemeProblem = ''] = /the start ends with `([^`]+)`/.exec(page) ?? []
const DECIDED = { sandbox_persona: 'adult-passport' }
const client = { clientId: 'web-shop', clientSecret: 'not-a-real-secret' }

test('The config file of mobile.md has three addresses that can be registered', async () => {
  const redirectUris = codeBlocks(page, 'yaml')[0]?.match(/https?:\/\/\S+/g) ?? []
  const sandbox = await startSandbox({ clients: [{ ...client, redirectUris }] })
  expect(redirectUris).toHaveLength(3)
  for (const redirectUri of redirectUris) {
    const asked = useRequest({ ...DECIDED, client_id: 'web-shop', redirect_uri: redirectUri })
    const { headers } = await sandbox.request.get('/v1/oidc/use').query(asked)
    expect(headers['location']).toContain(redirectUri)
  }
})

test('A custom scheme is refused as mobile.md says: in the options, by the control API and in a request', async () => {
  expect(schemeProblem).not.toBe('')
  const redirectUris = ['myapp://callback']
  await expect(startSandbox({ clients: [{ ...client, redirectUris }] })).rejects.toThrow(schemeProblem)
  const sandbox = await startSandbox()
  await expect(sandbox.configure({ clients: [{ ...client, redirectUris }] })).rejects.toThrow(schemeProblem)
  const asked = useRequest({ ...DECIDED, redirect_uri: 'myapp://callback' })
  const answer = await sandbox.request.get('/v1/oidc/use').query(asked).set('Accept', 'text/html')
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('USE-02') })
  expect(answer.headers['location']).toBeUndefined()
})

const IPHONE = 'iPhone; CPU iPhone OS 17_0 like Mac OS X'

test.each([
  ['Android', 'Linux; Android 14; Pixel 8; wv', ['Custom Tabs']],
  ['iOS', IPHONE, ['ASWebAuthenticationSession', 'SFSafariViewController']],
])('In a web view of %s the page names what works, as mobile.md does', async (_where, system, alternatives) => {
  const { request } = await startSandbox()
  const userAgent = `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 Mobile`
  const { text } = await request.get('/v1/oidc/use').query(useRequest()).set('User-Agent', userAgent)
  for (const alternative of alternatives) {
    expect(page).toContain(alternative)
    expect(text).toContain(alternative)
  }
})
