import { press } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, createRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

/** An answer, and the request that it answers; in its name `VALUE` is in the place of the value that the world was given. */
export interface Visit {
  readonly name: string
  readonly path: string
  readonly answer: Answer
}

type Fields = Readonly<Record<string, string>>

type World = Awaited<ReturnType<typeof createWorld>>

/** Visits every page of a sandbox that was given `text` for everything that callers and the config can say. */
export async function visitEveryPage(
  text: string,
  clock?: Readonly<{ set: string; freeze: boolean }>,
): Promise<readonly Visit[]> {
  const visits: Visit[] = []
  const world = await createWorld(text, visits)
  if (clock) await world.sandbox.request.post('/_sandbox/clock').send(clock).expect(200)
  await keepData(world)
  await visitHostedPages(world)
  await visitRefusals(world)
  await visitConsole(world)
  await visitDemo(world)
  return visits
}

/** A sandbox to which callers and the config say the same value everywhere, and a browser that keeps its visits. */
async function createWorld(text: string, visits: Visit[]) {
  // RFC 6749 allows no others in the id and the secret of a client.
  const ascii = text.replace(/[^\x20-\x7e]/g, '?')
  const encoded = encodeURIComponent(text)
  const redirectUri = `https://shop.example/${encoded}?a=${encoded}`
  // The journal masks the secret wherever it stands, so it is more than the value.
  const client = { clientId: ascii, clientSecret: `${ascii} secret` }
  const sandbox = await startSandbox({ clients: [{ ...client, name: text, redirectUris: [redirectUri] }] })
  const { request } = sandbox
  const keep =
    (method: 'get' | 'post') =>
    async (path: string, fields: Fields = {}, headers: Fields = {}) => {
      const call = request[method](path).set({ Accept: 'text/html', ...headers })
      const answer = await (method === 'get' ? call.query(fields) : call.type('form').send(fields))
      const name = `${method} ${path} ${Object.keys(fields)}`.replaceAll(encoded, 'VALUE').replaceAll(text, 'VALUE')
      visits.push({ name, path, answer })
      return answer
    }
  const use = useRequest({
    ...{ client_id: ascii, redirect_uri: redirectUri, state: text, nonce: text },
    ...{ can_create: 'true', scope: 'openid svc.upgrade' },
  })
  // What a client with the value for a name, an id and a secret sends: everything else is the value too.
  return { sandbox, text, use, client, redirectUri, get: keep('get'), post: keep('post') }
}

/** A persona, an expectation that no request meets, a scenario, and refused calls in the journal. */
async function keepData({ sandbox: { request, ...sandbox }, text, use, client }: World): Promise<void> {
  const persona = { title: text.slice(0, 100), purpose: text.slice(0, 300), group: 'Own' }
  await request.put('/_sandbox/personas/own').send(persona).expect(201)
  const match = { client_id: text, state: `${text} none`, nonce: text }
  await request.post('/_sandbox/expectations').send({ flow: 'use', persona: 'own', match }).expect(201)
  const steps = [{ await: 'par', expect: { state: text, [text]: text } }]
  const scenario = { name: text.slice(0, 200), client: client.clientId, steps }
  await request.post('/_sandbox/scenarios').send(scenario).expect(201)

  const party = createRelyingParty({ request, ...sandbox }, client)
  await party.push({ [text]: text, scope: text, type: text, state: text, authorization_details: text })
  const signal = ageSignal({ method: text, provenance: text, [text]: text })
  await party.push({ authorization_details: JSON.stringify([signal]) })
  await party.exchange(text, { grant_type: text, [text]: text })
  await request.post('/v1/oidc/use/token').set('Authorization', basic(text, text)).type('form').send({ code: text })
  const bearer = `Bearer ${encodeURI(text)}`
  const upgrade = request.post('/v1/svc/upgrade').set('Authorization', bearer)
  await upgrade.send({ [text]: [text] })
  const claims = JSON.stringify({ [text]: text, allowed_methods: [text] })
  await request.get('/v1/oidc/use').query({ ...use, claims })
}

/** Choice pages, endings, the callback form, and the page about iframes. */
async function visitHostedPages({ sandbox, text, use, client, redirectUri, get, post }: World): Promise<void> {
  const presentation = { language: text, theme: text, font: text, primary_color: text, learn_more: text }
  const choice = await get('/v1/oidc/use', { ...use, ...presentation, [text]: text })
  const transaction = press(choice.text, 'decline').fields.get('transaction') ?? ''
  await post('/v1/oidc/use/language', { transaction, language: 'de', chosen_language: text })
  await post('/v1/oidc/use/clock', { transaction, advance: '1', chosen_language: text })
  await post('/v1/oidc/use/choice', { transaction, outcome: text, persona: text })
  await get('/v1/oidc/use', use, { 'User-Agent': 'Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36' })
  const iframe = { 'Sec-Fetch-Dest': 'iframe' }
  await get('/v1/oidc/use', use, iframe)
  const verified = { ...use, sandbox_outcome: 'verified' }
  await get('/v1/oidc/use', verified, iframe)
  await get('/v1/oidc/use', { ...verified, response_mode: 'form_post' })
  await get('/v1/oidc/use', { ...use, sandbox_outcome: 'no_answer' })

  const own = { client_id: client.clientId, redirect_uri: redirectUri }
  const requestUri = await createRelyingParty(sandbox, client).obtainRequestUri({
    ...{ ...own, state: text },
    // Legal whatever the clock shows.
    authorization_details: JSON.stringify([ageSignal({ age: { years: 20 }, verified_at: '0001-01-01' })]),
  })
  const creating = await get('/v1/oidc/create', createRequest(requestUri, { ...own, ...presentation }))
  const { action, fields } = press(creating.text, 'save')
  await post(action, { ...Object.fromEntries(fields), persona: text })
  await get('/v1/oidc/create', createRequest(text, { ...own, [text]: text }))
  await get('/_sandbox/embedding', { q: text })
}

/** What a browser gets that asks for something that does not exist or is not allowed. */
async function visitRefusals({ text, use, get, post }: World): Promise<void> {
  const others = [{ client_id: `${text} unknown` }, { redirect_uri: `https://shop.example/${text}` }]
  const controls = ['persona', 'outcome', text].map((name) => ({ [`sandbox_${name}`]: text }))
  for (const changes of [...others, ...controls]) await get('/v1/oidc/use', { ...use, ...changes })
  await get('/v1/oidc/use', use, { Cookie: `agekey_sandbox_persona=${encodeURIComponent(text)}` })
  await get(`/t/${encodeURIComponent(text)}/v1/oidc/use`, use)
  await get(`/v1/oidc/${encodeURIComponent(text)}`)
  const form = { transaction: text, persona: text, outcome: text, language: text, advance: text }
  for (const name of ['choice', 'language', 'clock']) await post(`/v1/oidc/use/${name}`, form)
}

/** Each page of the console, empty and with every field filled in; each of its forms; and acting as a persona. */
async function visitConsole({ sandbox, text, get, post }: World): Promise<void> {
  const at = '/_sandbox/console'
  const match = { flow: text, client_id: text, state: text, nonce: text, persona: text, outcome: text }
  const others = ['q', 'add', 'times', 'set', 'before', 'claims', 'change', 'answers']
  const fields = { ...match, ...Object.fromEntries(others.map((name) => [name, text])) }
  const first = ['flows', 'audit', 'coverage', 'personas', 'playground', 'outcomes']
  for (const page of [...first, 'expectations', 'clock', 'readings', 'rules', 'tenants']) {
    await get(`${at}/${page}`)
    await get(`${at}/${page}`, fields)
  }
  for (const { id } of await sandbox.flows.list()) await get(`${at}/flows/${id}`, fields)
  await get(`${at}/flows/${encodeURIComponent(text)}`)
  await get(`${at}/flows`, { ...fields, group: 'rule' })
  await get(`${at}/flows/compare`, { a: 'f1', b: 'f2' })
  await get(`${at}/flows/compare`, { a: text, b: text })
  await get(`${at}/${encodeURIComponent(text)}`)
  await post(`${at}/coverage`, { clear: text })
  for (const field of ['set', 'grease']) await post(`${at}/readings`, { [field]: text })
  await post(`${at}/readings`, { clear: 'true' })
  for (const field of ['set', 'advance']) await post(`${at}/clock`, { [field]: text })
  await post(`${at}/personas`, { persona: text })
  await post(`${at}/expectations`, fields)
  await post(`${at}/expectations`, { ...fields, flow: 'use', times: '1' })
  for (const field of ['add', 'reset', 'remove']) await post(`${at}/tenants`, { [field]: text })
  await post(`${at}/sign-in`, { token: text })
  await get('/_sandbox/act-as/own')
  await post('/_sandbox/act-as/own', {})
  await get(`/_sandbox/act-as/${encodeURIComponent(text)}`)
  await get('/', { q: text })
}

/** The demo: its session holds what was sent and what came back. */
async function visitDemo({ text, get, post }: World): Promise<void> {
  const at = '/_sandbox/demo'
  const begin = async (path: string, fields: Fields) => {
    const [cookie = ''] = (await post(`${at}/${path}`, fields)).get('Set-Cookie') ?? []
    return { Cookie: cookie.split(';')[0] ?? '' }
  }
  await get(at, { q: text }, { Host: 'localhost:1' })
  await get(`${at}/callback`)

  const first = await begin('use', { claims: text, response_mode: text })
  await get(`${at}/result`, {}, first)
  const refused = { [text]: text, state: text, iss: text, error: text, error_description: text }
  await get(`${at}/callback`, refused, first)
  await get(`${at}/result`, {}, first)

  const second = await begin('use', { claims: '{"age_thresholds":[18]}' })
  const parts = [
    { alg: text, kid: text },
    { iss: text, aud: [text], [text]: text },
  ]
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const id_token = `${encoded.join('.')}.AAAA`
  await post(`${at}/callback`, { id_token, code: text, state: text }, second)
  await get(`${at}/result`, {}, second)
  await post(`${at}/upgrade`, { date_of_birth: text }, second)

  await get(`${at}/result`, {}, await begin('create', { date_of_birth: text }))
}
