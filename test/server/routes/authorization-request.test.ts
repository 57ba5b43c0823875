import { createLocalJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { readCallback } from '../../support/callbacks.ts'
import { readError } from '../../support/error-body.ts'
import { openEndings, press, submit } from '../../support/forms.ts'
import { createClient } from '../../support/http-client.ts'
import { headerOf, idTokenOf } from '../../support/id-tokens.ts'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const { request } = sandbox
const rp = createRelyingParty(sandbox)
const use = (changes: Changes) => request.get('/v1/oidc/use').query(useRequest(changes))
const openUse = async (changes: Changes = {}) => (await use(changes)).text
const decline = (changes: Changes) => use({ sandbox_outcome: 'access_denied', ...changes })
const openCreate = async (changes: Changes = {}, requestUri?: string) =>
  request
    .get('/v1/oidc/create')
    .query(createRequest(requestUri ?? (await rp.obtainRequestUri()), changes))
const choose = async (page: string, testId: string, values = {}) =>
  readCallback(await submit(sandbox, press(page, testId, values)))
const decide = async (...choice: Parameters<typeof choose>) => (await choose(...choice)).params

test('The choice page of E1 answers as the persona that is pressed, or as adult-passport, in any mode', async () => {
  const teen = idTokenOf(await choose(await openUse(), 'persona-teen-16')).age_thresholds
  expect(teen).toEqual({ 13: true, 16: true, 18: false, 21: false })
  for (const response_mode of ['query', 'form_post', 'fragment']) {
    const callback = await choose(await openUse({ response_mode }), 'use')
    expect(callback.mode).toBe(response_mode)
    expect(idTokenOf(callback).age_thresholds).toMatchObject({ 21: true })
  }
})

test.each(['decline', 'persona-no-age-key'])(
  'The choice page of E1 answers access_denied to %s',
  async (testId) => {
    const form = press(await openUse(), testId)
    // A form names no redirect target.
    form.fields.append('redirect_uri', 'https://evil.example/')
    const { address, params } = readCallback(await submit(sandbox, form))
    expect(address).toBe('http://localhost:3000/callback')
    expect(params).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'state-1',
    })
  },
)

test('The choice page of E1 offers creation only when can_create=true was sent', async () => {
  const { params } = await choose(await openUse({ can_create: 'true' }), 'create')
  expect(params).toEqual({ create_requested: 'true', state: 'state-1' })
  const without = await openUse({ can_create: 'TRUE' })
  const ending = byTestId(await openEndings(sandbox, without), 'outcome-create_requested')
  for (const [button] of [byTestId(without, 'create'), ending])
    expect(button?.attributes).toHaveProperty('disabled')
})

test('The choice page of E1 offers a code when the upgrade scope was asked for', async () => {
  const callback = await choose(
    await openUse({ scope: 'openid svc.upgrade' }),
    'outcome-code_issued',
  )
  expect(idTokenOf(callback).age_thresholds).toEqual({ 13: false, 16: false, 18: false, 21: false })
  expect((await rp.exchange(callback.params['code'])).status).toBe(200)
})

test('The choice page of E1 offers no code without the upgrade scope', async () => {
  expect(byTestId(await openUse(), 'outcome-code_issued')[0]?.attributes).toHaveProperty('disabled')
})

test('A choice is refused with 410 when it comes again, when its transaction is unknown, or older than an hour', async () => {
  const form = press(await openUse(), 'use')
  expect((await submit(sandbox, form)).status).toBe(303)
  const again = await submit(sandbox, form)
  expect(again.status).toBe(410)
  expect(again.headers.location).toBeUndefined()
  expect(textOf(again.text)).toMatch(/answered already.*Go back to the app and start again/)
  const unknown = new URLSearchParams({ transaction: 'unknown', outcome: 'verified' })
  const refused = await submit(sandbox, { action: form.action, fields: unknown })
  expect(refused.status).toBe(410)
  expect(textOf(refused.text)).toContain('unknown or expired')
  const late = press(await openUse(), 'use')
  await sandbox.clock.advance(3_600)
  expect((await submit(sandbox, late)).status).toBe(410)
})

test('A form without a transaction, or with a broken one, is refused by a page instead of a choice', async () => {
  for (const body of ['', 'outcome=verified', 'transaction=', 'transaction=%ff']) {
    const { status, headers } = await request.post('/v1/oidc/use/choice').send(body)
    expect(status, body).toBe(400)
    expect(headers['content-type'], body).toMatch(/^text\/html/)
  }
})

test.each([
  [{}, 'persona or outcome'],
  [{ persona: 'teen-17' }, 'teen-16'],
  [{ outcome: 'access_denyed' }, 'access_denied'],
  [{ outcome: 'create_requested' }, 'can_create'],
  [{ outcome: 'created' }, 'created'],
  [{ outcome: 'code_issued' }, 'svc.upgrade'],
  [{ outcome: 'id_token.expired', persona: 'no-age-key' }, 'no age key'],
])('The request still waits when the choice %j is refused with 400', async (choice, hint) => {
  const form = press(await openUse(), 'use')
  const transaction = form.fields.get('transaction') ?? ''
  const wrong = await submit(sandbox, {
    ...form,
    fields: new URLSearchParams({ transaction, ...choice }),
  })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain(hint)
  expect((await submit(sandbox, form)).status).toBe(303)
})

const UNKNOWN: readonly [
  source: string,
  Changes,
  Readonly<Record<string, string>>,
  near: string,
][] = [
  ['the persona of the query', { sandbox_persona: 'teen-61' }, {}, 'teen-16'],
  ['the outcome of the query', { sandbox_outcome: 'acess_denied' }, {}, 'access_denied'],
  ['a parameter', { sandbox_person: 'teen-16' }, {}, 'sandbox_persona'],
  ['the persona of a header', {}, { 'X-Sandbox-Persona': 'teen-61' }, 'teen-16'],
  ['the outcome of a header', {}, { 'X-Sandbox-Outcome': 'acess_denied' }, 'access_denied'],
  ['the persona of a cookie', {}, { Cookie: 'agekey_sandbox_persona=teen-61' }, 'teen-16'],
  [
    'the outcome of a cookie',
    {},
    { Cookie: 'agekey_sandbox_outcome=acess_denied' },
    'access_denied',
  ],
  [
    'a header that the query overrules',
    { sandbox_persona: 'teen-16' },
    { 'X-Sandbox-Persona': 'teen-61' },
    'teen-16',
  ],
]

test.each(UNKNOWN)(
  'E1 and E3 never redirect an unknown name in %s, but name near misses',
  async (_, ...row) => {
    const [changes, headers, near] = row
    const create = createRequest(await rp.obtainRequestUri(), changes)
    for (const [path, query] of [
      ['use', useRequest(changes)] as const,
      ['create', create] as const,
    ]) {
      const ask = (more = {}) =>
        request
          .get(`/v1/oidc/${path}`)
          .set({ ...headers, ...more })
          .query(query)
      const page = await ask()
      expect(page.status, path).toBe(400)
      expect(page.headers.location, path).toBeUndefined()
      expect(page.headers['content-type'], path).toContain('text/html')
      expect(page.text, path).toContain(near)
      const { error, suggestions } = readError(await ask({ Accept: 'application/json' }))
      expect(error, path).toBe('invalid_request')
      expect(suggestions, path).toEqual(expect.arrayContaining([near]))
    }
  },
)

const MODES = ['fragment', 'query', 'form_post'] as const

test.each(MODES)(
  'E1 answers in the response mode %s and keeps the query of redirect_uri',
  async (mode) => {
    expect(await rp.use({ response_mode: mode })).toMatchObject({
      mode,
      params: { id_token: expect.any(String) },
    })
    const error = {
      error: 'invalid_scope',
      error_description: expect.any(String),
      state: 'state-1',
    }
    expect(await rp.use({ response_mode: mode, scope: 'profile' })).toMatchObject({
      mode,
      params: error,
    })
    const redirect_uri = 'http://localhost:3000/cb?tenant=a%20b&x=1&state=mine'
    const answer = await decline({ redirect_uri, response_mode: mode, state: 'a b' })
    if (mode !== 'query')
      return expect(readCallback(answer)).toMatchObject({
        address: redirect_uri,
        params: { state: 'a b' },
      })
    const location = answer.headers.location ?? ''
    expect(location).toMatch(/^http:\/\/localhost:3000\/cb\?tenant=a%20b&x=1&state=mine&error=/)
    expect(new URL(location).searchParams.getAll('state')).toEqual(['mine', 'a b'])
    // Every client reads %20 as a blank.
    expect(location).toMatch(/state=a%20b(?!.*\+)/)
  },
)

const STATES = {
  unicode: 'ünïcødé 漢字 🔑',
  spaces: ' a  b ',
  'form characters': 'a+b&c=d%20%2B;e',
  markup: '"><script>alert(1)</script>\'',
  'line breaks': 'one\r\ntwo\nthree',
  'a URL': 'https://evil.example/?x=1#y',
  JSON: '{"a":["b"]}',
  '4 KiB': 'x'.repeat(4096),
}

test.each(Object.entries(STATES))(
  'E1 sends %s in state back unchanged, in every mode',
  async (_name, state) => {
    for (const response_mode of MODES)
      expect((await rp.use({ response_mode, state })).params['state']).toBe(state)
  },
)

test('E1 answers by a redirect that is never stored', async () => {
  expect((await decline({}).expect(302)).headers['cache-control']).toContain('no-store')
})

test('E1 begins no flow by POST or HEAD', async () => {
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'adult-passport' }))
  await request.post('/v1/oidc/use').send(String(query)).expect(405)
  await request.head(`/v1/oidc/use?${query}`).expect(405)
  expect(await sandbox.flows.list()).toEqual([])
})

test('E1 answers by a page that may post to the app alone', async () => {
  const { headers } = await decline({ response_mode: 'form_post' }).expect(200)
  expect(headers['cache-control']).toContain('no-store')
  expect(headers['content-security-policy']).toMatch(
    /form-action [^;]*http:\/\/localhost:3000(;|$)/,
  )
  expect(headers['content-security-policy']).not.toContain('unsafe-inline')
})

test('E1 signs with the algorithm of its client', async () => {
  const shop = { clientSecret: 's', redirectUris: ['https://shop.test/cb'] }
  const tenant = sandbox.tenant('algorithms')
  const http = createClient(tenant.baseUrl)
  const use = (clientId: string) =>
    createRelyingParty(http, { clientId }).use({ redirect_uri: 'https://shop.test/cb' })
  const es256 = { ...shop, clientId: 'modern', signingAlg: 'ES256' as const }
  await tenant.configure({ clients: [es256, { ...shop, clientId: 'plain' }] })
  const [modern, plain] = [await use('modern'), await use('plain')]
  expect(headerOf(modern)).toEqual({
    alg: 'ES256',
    typ: 'JWT',
    kid: expect.stringMatching(/^sandbox-es256-/),
  })
  expect(headerOf(plain)).toEqual({
    alg: 'RS256',
    typ: 'JWT',
    kid: expect.stringMatching(/^sandbox-/),
  })
  const { keys } = (await http.request.get('/.well-known/jwks.json')).body
  for (const { params } of [modern, plain])
    await jwtVerify(params['id_token'] ?? '', createLocalJWKSet({ keys }))
  const { body } = await http.request.get('/v1/oidc/use/.well-known/openid-configuration')
  expect(body.id_token_signing_alg_values_supported).toEqual(['RS256', 'ES256'])
})

test('A rotation reaches a client with an algorithm of its own', async () => {
  const shop = { clientSecret: 's', redirectUris: ['https://shop.test/cb'] }
  const tenant = sandbox.tenant('algorithms')
  const http = createClient(tenant.baseUrl)
  const use = (clientId: string) =>
    createRelyingParty(http, { clientId }).use({ redirect_uri: 'https://shop.test/cb' })
  const es256 = { ...shop, clientId: 'modern', signingAlg: 'ES256' as const }
  await tenant.configure({ clients: [es256, { ...shop, clientId: 'plain' }] })
  const before = headerOf(await use('modern'))
  await tenant.keys.rotate('publish')
  await tenant.keys.rotate('use')
  const after = headerOf(await use('modern'))
  expect(after.alg).toBe('ES256')
  expect(after.kid).not.toBe(before.kid)
})

test('E3 answers with only the pushed state in the query of the redirect_uri', async () => {
  const redirect_uri = 'http://localhost:3000/cb?a=b'
  const requestUri = await rp.obtainRequestUri({ redirect_uri, state: 'pushed ü+&' })
  const answer = await openCreate({ redirect_uri, sandbox_persona: 'teen-16' }, requestUri)
  const state = encodeURIComponent('pushed ü+&')
  expect(answer.headers.location).toBe(`http://localhost:3000/cb?a=b&state=${state}`)
})

test('The second decision on the page of E3 gets invalid_request_uri', async () => {
  const requestUri = await rp.obtainRequestUri()
  const [first, second] = [await openCreate({}, requestUri), await openCreate({}, requestUri)]
  expect(await decide(first.text, 'decline')).toMatchObject({
    error: 'access_denied',
    state: 'state-1',
  })
  expect(await decide(second.text, 'save')).toMatchObject({
    error: 'invalid_request_uri',
    state: 'state-1',
  })
})

test('The page of E3 saves for the selected persona, also after the lifetime of its request_uri', async () => {
  const { text } = await openCreate()
  await sandbox.clock.advance(600)
  const answer = await submit(sandbox, press(text, 'save', { persona: 'child-12' }))
  expect(answer.status).toBe(303)
  expect(readCallback(answer).params).toEqual({ state: 'state-1' })
  expect(idTokenOf(await rp.use({ sandbox_persona: 'child-12' })).age_thresholds).toMatchObject({
    21: true,
  })
})

test('The page of E3 saves for a new persona, which the choice page offers from then on', async () => {
  const before = await sandbox.personas.list()
  await decide((await openCreate()).text, 'save-new', { persona: 'child-12' })
  const after = await sandbox.personas.list()
  expect(after).toHaveLength(before.length + 1)
  const persona = after.at(-1)?.name ?? ''
  const summary = `saved for ${persona}, a new persona: id_doc_scan`
  expect(await sandbox.flows.list({ persona })).toMatchObject([
    { flow: 'create', persona, summary },
  ])
  expect(byTestId(await openUse(), `persona-${persona}`)).toHaveLength(1)
})

test('The page of E3 preselects the persona that this browser used or clicked last at E1, else no-age-key', async () => {
  const browser = createBrowserClient(sandbox.baseUrl)
  const useIn = (changes: Changes) =>
    browser.get(`/v1/oidc/use?${new URLSearchParams(useRequest(changes))}`)
  const preselected = async () => {
    const query = createRequest(await rp.obtainRequestUri())
    const { text } = await browser.get(`/v1/oidc/create?${new URLSearchParams(query)}`)
    return press(text, 'save').fields.get('persona')
  }
  expect(await preselected()).toBe('no-age-key')
  for (const name of ['teen-14', 'no-age-key', 'teen-16']) {
    const { action, fields } = press((await useIn({})).text, `persona-${name}`)
    expect((await browser.submit(action, Object.fromEntries(fields))).status).toBe(303)
    expect(await preselected()).toBe(name)
  }
  await sandbox.personas.remove('teen-16')
  expect(await preselected()).toBe('no-age-key')
  await useIn({ sandbox_persona: 'teen-14' })
  expect(await preselected()).toBe('teen-14')
  await useIn({ can_create: 'true', sandbox_outcome: 'create_requested' })
  expect(await preselected()).toBe('no-age-key')
})

test('A Create sets no cookie, so that the persona of the last Use in this browser stays', async () => {
  const answer = await openCreate({ sandbox_persona: 'child-12' })
  expect(answer.status).toBe(302)
  expect(answer.headers['set-cookie']).toBeUndefined()
})
