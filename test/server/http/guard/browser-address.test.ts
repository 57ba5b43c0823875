import { expect, test } from 'vitest'
import { useRequest } from '../../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../../support/sandbox.ts'

const sandbox = await shareSandbox()
type Headers = Readonly<Record<string, string>>

/**
 * The line of the choice page that warns of its address: the value of `--base-url` in it;
 * `undefined` while no line is shown.
 */
async function warnedOf(headers: Headers, { request } = sandbox): Promise<string | undefined> {
  const { text } = await request.get('/v1/oidc/use').set(headers).query(useRequest())
  const shown = text.replace(/<template .*?<\/template>/s, '')
  return /data-testid="unknown-address".*?<span data-origin>(.*?)<\/span>/.exec(shown)?.[1]
}

/** The refusal of a click on the choice page. */
async function click(
  headers: Headers,
  { request } = sandbox,
): Promise<{ status: number; message: string }> {
  const { text } = await request.get('/v1/oidc/use').set(headers).query(useRequest())
  const [, transaction = ''] = /name="transaction" value="([^"]+)"/.exec(text) ?? []
  const form = { transaction, persona: 'adult-passport' }
  const sent = request.post('/v1/oidc/use/choice').set({ ...headers, Accept: 'application/json' })
  const { status, body } = await sent.type('form').send(form)
  return { status, message: body.error_description }
}

const OWN = { 'Sec-Fetch-Site': 'same-origin' }

/** How a tunnel or a proxy brings the page, and the address in the browser. */
const TUNNELS: readonly [name: string, headers: Headers, origin: string][] = [
  [
    'Codespaces',
    {
      Host: 'localhost:2435',
      'X-Forwarded-Host': 'x-2435.app.github.dev',
      'X-Forwarded-Proto': 'https',
    },
    'https://x-2435.app.github.dev',
  ],
  [
    'ngrok',
    { Host: 'x.ngrok.app', 'X-Forwarded-Host': 'x.ngrok.app', 'X-Forwarded-Proto': 'https' },
    'https://x.ngrok.app',
  ],
  [
    'an https proxy of a local name',
    { Host: 'shop.localhost', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.localhost' },
    'https://shop.localhost',
  ],
  [
    'a development server that names itself',
    { Host: 'localhost:2435', 'X-Forwarded-Host': 'localhost:5173' },
    'http://localhost:5173',
  ],
  ['a name of the local network', { Host: 'nas.home:2435' }, 'http://nas.home:2435'],
]

test.each(TUNNELS)(
  'Through %s the page names the base URL to set',
  async (_name, headers, origin) => {
    expect(await warnedOf(headers)).toBe(origin)
  },
)

test.each(TUNNELS)(
  'Through %s the refused click names the base URL to set',
  async (_name, headers, origin) => {
    const { status, message } = await click({ ...headers, ...OWN, Origin: origin })
    expect(status).toBe(403)
    expect(message).toContain(`--base-url ${origin}`)
    expect(message).not.toContain('a page of another site')
  },
)

test.each(TUNNELS)(
  'Through %s a click works with that base URL',
  async (_name, headers, origin) => {
    const set = await startSandbox({ baseUrl: origin })
    expect(await warnedOf(headers, set)).toBeUndefined()
    expect((await click({ ...headers, ...OWN, Origin: origin }, set)).status).toBe(303)
  },
)

test.each<[string, Headers]>([
  ['the base URL', {}],
  ['a mapped port', { Host: 'localhost:8080' }],
  ['an IP address of the network', { Host: '192.168.0.7:2435' }],
])('At %s no warning is shown', async (_name, headers) => {
  expect(await warnedOf(headers)).toBeUndefined()
})

test('A proxy that changes the origin without a header is named by the refused click', async () => {
  const { status, message } = await click({ ...OWN, Origin: 'http://localhost:5173' })
  expect(status).toBe(403)
  expect(message).toContain('--base-url http://localhost:5173')
})

test('A browser without Sec-Fetch-Site is told both causes', async () => {
  const { message } = await click({ Origin: 'http://192.168.0.9:8080' })
  expect(message).toContain('--base-url http://192.168.0.9:8080')
  expect(message).toContain('a page of another site may not call this')
})

test('A hidden origin is explained by what a browser hides', async () => {
  const { message } = await click({ ...OWN, Origin: 'null' })
  expect(message).toContain('Origin: null: the browser hides the address of the page')
  expect(message).toContain('Referrer-Policy: no-referrer')
  expect(message).not.toContain('--base-url')
})

test('A hidden origin is named by the forwarding headers', async () => {
  const { message } = await click({
    ...OWN,
    Origin: 'null',
    'X-Forwarded-Host': 'x.example',
    'X-Forwarded-Proto': 'https',
  })
  expect(message).toContain('--base-url https://x.example')
})

test('A page of another site is named as that', async () => {
  const { message } = await click({
    'Sec-Fetch-Site': 'cross-site',
    Origin: 'https://evil.example',
  })
  expect(message).toContain('a page of another site may not call this')
  expect(message).not.toContain('--base-url')
})

test('The demo warns of its address too', async () => {
  const { text } = await sandbox.request
    .get('/_sandbox/demo')
    .set({ 'X-Forwarded-Host': 'nas.home:2435' })
  expect(text).toContain('--base-url <span data-origin>http://nas.home:2435</span>')
})
