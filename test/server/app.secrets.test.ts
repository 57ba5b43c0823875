import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createServiceRoutes } from '../../src/server/app.ts'
import { RECORDING_NAMES } from '../../src/server/control/contract/recording-formats.ts'
import { createPageRoutes } from '../../src/server/page-routes.ts'
import { createMemoryStores } from '../../src/server/store/stores.ts'
import { createReport } from '../../src/tools/cli/start/report.ts'
import { linkedFiles } from '../../src/workbench/documents/files.ts'
import { TOOLS } from '../../src/workbench/mcp/server.ts'
import { press } from '../support/forms.ts'
import { createTestHost } from '../support/host.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import {
  ageSignal,
  basic,
  claims,
  createRequest,
  type Fields,
  REDIRECT_URI,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { createTestParts } from '../support/tenant.ts'

/** It looks encoded, and is longer than what a message quotes. */
const SECRET = `It's "n0t"/a +real\\secret%41, and it is longer than what a message quotes`
const CLIENT = { clientId: 'web-shop', clientSecret: SECRET, redirectUris: [REDIRECT_URI] }
const CONTROL_TOKEN = `token-of-the-control-api-${'0123456789abcdef'.repeat(3)}`

/**
 * Pages as a caller beyond this machine gets them: on this machine, two of them show the secrets of
 * the config to copy.
 */
const BEYOND = { Authorization: `Bearer ${CONTROL_TOKEN}`, 'X-Forwarded-For': '192.0.2.1' }

const sandbox = await shareSandbox({
  clients: [
    { ...CLIENT, logo: fileURLToPath(new URL('../../docs/pictures/flow.webp', import.meta.url)) },
  ],
  builtinClient: false,
  controlToken: CONTROL_TOKEN,
})
const { request } = sandbox
const party = createRelyingParty(sandbox, CLIENT)
const use = (changes: Fields) =>
  request.get('/v1/oidc/use').query(useRequest({ client_id: 'web-shop', ...changes }))

const encode = encodeURIComponent
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** How a client writes a secret. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'percent-encoded': encode,
  'percent-encoded as in a form': (secret) => String(new URLSearchParams({ '': secret })).slice(1),
  'percent-encoded twice': (secret) => encode(encode(secret)),
  'escaped as in JSON': inJson,
  'escaped as PHP escapes JSON': (secret) => inJson(secret).replaceAll('/', '\\/'),
}

/**
 * How a client writes Basic credentials: as they are, and form-encoded (RFC 6749 section 2.3.1).
 */
const IN_BASIC = [
  (secret: string) => btoa(`web-shop:${secret}`),
  (secret: string) => btoa(`web-shop:${encode(secret)}`),
  (secret: string) =>
    btoa(`web-shop:${new URLSearchParams({ '': secret }).toString().slice(1)}`).replace(/=+$/, ''),
]

/** Where a mistaken client puts a secret. */
const PLACES: readonly ((secret: string) => Promise<unknown>)[] = [
  async (s) => {
    const state = `https://a.example/?next=${encode(s)}&a=b`
    return use({
      sandbox_persona: 'child-4',
      redirect_uri: `${REDIRECT_URI}?x=${encode(s)}`,
      nonce: `x ${s}`,
      state,
    })
  },
  async (s) => use({ sandbox_persona: 'child-4', nonce: `x ${s}`, state: s, [s]: s }),
  async (s) => use({ scope: s, claims: claims({ [s]: [{ a: s }], provenance: { allowed: [s] } }) }),
  async (s) => use({ state: `{"a":"${s}"}`, claims: `{"age_thresholds":[18],"a":"${s}"}` }),
  async (s) => use({ client_id: s }),
  async (s) => use({ sandbox_outcome: s }),
  async (s) => {
    const details = JSON.stringify([ageSignal({ verification_id: s, [s]: s })])
    return party.push({
      scope: s,
      type: s,
      response_type: `${s} ${s}`,
      authorization_details: details,
      [s]: s,
    })
  },
  async (s) => {
    const body = JSON.stringify({ client_secret: s, a: { b: [s] } })
    return request.post('/v1/oidc/create/par').type('form').send(body)
  },
  async (s) => {
    const call = request
      .post(`/v1/oidc/use/token?secret=${encode(s)}`)
      .set('Authorization', basic(s, s))
    return call.type('form').send(tokenRequest(s, { grant_type: `password ${s}`, app_secret: s }))
  },
  async (s) => {
    const call = request.post('/v1/svc/upgrade').set('Authorization', basic('web-shop', s))
    return call.send({
      authorization_details: [ageSignal({ a: { client_secret: s, b: [s] } })],
      [s]: { token: s },
    })
  },
  async (s) => request.get(`/v1/oidc/${encode(s)}`),
  async (s) =>
    request.get(`/_sandbox/trap/${encode(s)}`).set({ 'User-Agent': encode(s), Accept: encode(s) }),
]

/**
 * The paths of every address that is read, from the tables of the routes. An answer to a reader of
 * the events never ends.
 */
const host = createTestHost(await createTestParts(createMemoryStores()))
const READ = [...createServiceRoutes(host), ...(await createPageRoutes(host))]
  .filter(({ method, path }) => method === 'get' && path !== '/_sandbox/events')
  .map(({ path }) => path)

/** The named parts of paths. */
type Parts = Readonly<Record<string, readonly string[]>>

function pathsOf(route: string, parts: Parts): readonly string[] {
  const [part, name = ''] = /:(\w+)/.exec(route) ?? []
  if (part === undefined) return [route]
  return (parts[name] ?? []).flatMap((value) => pathsOf(route.replace(part, value), parts))
}

/** The query without which a route shows nothing, and the cookies. */
type Visits = Readonly<Record<string, { readonly query?: Fields; readonly cookie?: string }>>

/** Opens a page of each kind that waits for its user. */
async function openPages(): Promise<Visits> {
  const transactionOn = ({ text }: { text: string }) =>
    press(text, 'decline').fields.get('transaction') ?? ''
  const query = useRequest({ client_id: 'web-shop' })
  const transaction = transactionOn(await request.get('/v1/oidc/use').query(query))
  const creation = createRequest(await party.obtainRequestUri(), { client_id: 'web-shop' })
  const creating = transactionOn(await request.get('/v1/oidc/create').query(creation))
  const { headers } = await request
    .post('/_sandbox/demo/use')
    .type('form')
    .send({ claims: claims() })
  return {
    '/v1/oidc/use': { query },
    '/v1/oidc/use/why': { query: { transaction, persona: 'child-12' } },
    '/v1/oidc/use/endings': { query: { transaction } },
    '/v1/oidc/create': { query: creation },
    '/v1/oidc/create/endings': { query: { transaction: creating } },
    '/_sandbox/flows': { query: { limit: '2000' } },
    '/_sandbox/demo/result': { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' },
  }
}

/** All that the sandbox shows, by its address. */
async function readAll({ flows, scenario }: { flows: readonly string[]; scenario: string }) {
  const shown = new Map<string, string>()
  const visits = await openPages()
  const files = linkedFiles().map((file) => file.split('/'))
  const parts: Parts = {
    id: [...flows, scenario],
    as: RECORDING_NAMES,
    name: ['child-12', 'readme', 'default', 'id_token.expired'],
    client: ['web-shop'],
    flow: ['use'],
    app: ['express', 'nextjs'],
    folder: ['pictures', 'scenarios', 'schemas', 'lib'],
    file: files.map((names) => names.at(-1) ?? ''),
  }
  for (const route of READ) {
    const { query = {}, cookie = '' } = visits[route] ?? {}
    for (const path of new Set(pathsOf(route, parts))) {
      const { status, text = '' } = await request
        .get(path)
        .query(query)
        .set({ ...BEYOND, Cookie: cookie })
      if (status < 400) shown.set(`${route} ${path}`, text)
    }
  }
  const asked = ['flows?q=e', 'flows?status=error'].map((page) => `/_sandbox/console/${page}`)
  for (const path of asked) shown.set(path, (await request.get(path).set(BEYOND)).text)
  for (const { name, effect, inputSchema } of TOOLS) {
    const takesId = JSON.stringify(inputSchema).includes('"id":')
    for (const args of effect === 'reads'
      ? [{}, ...(takesId ? flows.map((id) => ({ id })) : [])]
      : [])
      shown.set(`${name} ${JSON.stringify(args)}`, await callTool(name, args))
  }
  return shown
}

async function callTool(name: string, args: object): Promise<string> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = { ...BEYOND, Accept: 'application/json, text/event-stream' }
  return (await request.post('/_sandbox/mcp').set(headers).send(message)).text
}

/** Follows the events. @returns a function that waits for this text, and gives all that came */
async function followEvents() {
  const { body } = await fetch(`${sandbox.baseUrl}/_sandbox/events`)
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  return async (last: string) => {
    let text = ''
    while (!text.includes(last)) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
    return text
  }
}

/** What the log of all calls prints. */
async function logOf(mode: 'pretty' | 'json'): Promise<string> {
  let printed = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text)
    return true
  })
  onTestFinished(() => spy.mockRestore())
  const report = createReport(mode, Date.now)
  for (const call of sandbox.calls) report.call(call)
  await new Promise((resolve) => setImmediate(resolve))
  spy.mockRestore()
  return printed
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** A text as it is and as it is read: without references of HTML, and without escapes of JSON. */
function readingsOf(text: string): readonly string[] {
  const plain = text
    .replaceAll('<wbr>', '')
    .replaceAll(/&[a-z#0-9]+;/g, (name) => CHARACTERS[name] ?? name)
  return [text, plain].flatMap((one) => [one, one.replaceAll(/\\(.)/g, '$1')])
}

const MANY = { timeout: 120_000 }

test(
  'No page, answer, event, recording or line of the log shows a secret that a client sent',
  MANY,
  async () => {
    const token = await party.obtainToken()
    await party.upgrade(token)
    const endOfEvents = await followEvents()
    const steps = [{ await: 'par', expect: { state: 'x', scope: SECRET } } as const]
    const { id: scenario } = await sandbox.scenarios.arm({ name: 'A', steps })
    const secrets = [SECRET, CONTROL_TOKEN, token]
    for (const secret of secrets)
      for (const form of Object.values(FORMS)) for (const send of PLACES) await send(form(secret))
    for (const inBasic of IN_BASIC) for (const send of PLACES) await send(inBasic(SECRET))
    await party.use({ state: 'the last one' })

    const flows = (await sandbox.flows.list({ limit: 2_000 })).map(({ id }) => id)
    const shown = await readAll({ flows, scenario })
    shown.set('events', await endOfEvents('the last one'))
    for (const mode of ['pretty', 'json'] as const) shown.set(`log ${mode}`, await logOf(mode))

    const forms = [...Object.values(FORMS), ...IN_BASIC, (secret: string) => secret.slice(0, 16)]
    const wanted = secrets.flatMap((secret) => forms.map((form) => form(secret)))
    const leaks = [...shown].filter(([, text]) =>
      readingsOf(text).some((one) => wanted.some((it) => one.includes(it))),
    )
    expect(leaks.map(([address]) => address)).toEqual([])
    const read = new Set([...shown.keys()].map((address) => address.split(' ')[0]))
    expect(READ.filter((route) => !read.has(route))).toEqual([])
  },
)
