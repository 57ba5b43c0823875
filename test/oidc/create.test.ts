import { describe, expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, type Changes, claims, createRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

describe('E3 answers', () => {
  test('the pushed state in the query and nothing else when the age key was created', async () => {
    const rp = createRelyingParty(await startSandbox())
    const callback = await rp.create(await rp.obtainRequestUri({ state: 'pushed ü+&' }))
    expect(callback).toEqual({
      mode: 'query',
      address: 'http://localhost:3000/callback',
      params: { state: 'pushed ü+&' },
    })
  })

  test('access_denied and state when the user declines', async () => {
    const rp = createRelyingParty(await startSandbox())
    const { params, mode } = await rp.create(await rp.obtainRequestUri(), { sandbox_outcome: 'access_denied' })
    expect(mode).toBe('query')
    expect(params).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 'state-1' })
  })

  test('the pushed state, whatever state the URL carries', async () => {
    const rp = createRelyingParty(await startSandbox())
    const { params } = await rp.create(await rp.obtainRequestUri({ state: 'pushed' }), { state: 'other' })
    expect(params).toEqual({ state: 'pushed' })
  })

  test('in the query of a redirect_uri that has one already', async () => {
    const redirect_uri = 'http://localhost:3000/cb?a=b'
    const sandbox = await startSandbox()
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri({ redirect_uri })
    const query = createRequest(requestUri, { redirect_uri, sandbox_persona: 'teen-16' })
    const answer = await sandbox.request.get('/v1/oidc/create').query(query)
    expect(answer.headers.location).toBe('http://localhost:3000/cb?a=b&state=state-1')
  })
})

describe('E3 redirects an error', () => {
  const wrong: readonly (readonly [string, Changes, string, string])[] = [
    ['another scope', { scope: 'profile' }, 'invalid_scope', 'CRE-04'],
    ['the upgrade scope', { scope: 'openid svc.upgrade' }, 'invalid_scope', 'CRE-05'],
    ['no scope', { scope: undefined }, 'invalid_request', 'CRE-04'],
    ['another response_type', { response_type: 'code' }, 'unsupported_response_type', 'CRE-06'],
    ['no response_type', { response_type: undefined }, 'invalid_request', 'CRE-06'],
  ]
  test.each(wrong)(
    'for %s, with the pushed state, and the request_uri stays usable',
    async (_name, changes, error, rule) => {
      const rp = createRelyingParty(await startSandbox())
      const requestUri = await rp.obtainRequestUri()
      const { params, mode } = await rp.create(requestUri, changes)
      expect(mode).toBe('query')
      expect(params).toEqual({ error, error_description: expect.stringContaining(rule), state: 'state-1' })
      expect((await rp.create(requestUri)).params).toEqual({ state: 'state-1' })
    },
  )

  test('for a missing request_uri, without state', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/v1/oidc/create').query(createRequest(undefined))
    expect(readCallback(answer).params).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
  })

  test.each(['urn:svc:request:unknown', 'urn:agekey:request:x', 'https://evil.example/request', 'x', '__proto__'])(
    'invalid_request_uri for the unknown request_uri %s, without state',
    async (requestUri) => {
      const { params } = await createRelyingParty(await startSandbox()).create(requestUri)
      expect(params).toEqual({ error: 'invalid_request_uri', error_description: expect.stringContaining('CRE-08') })
    },
  )

  test('invalid_request_uri for the request_uri of another client, without state, and its owner can still use it', async () => {
    const other = { clientId: 'other', clientSecret: 's', redirectUris: ['http://localhost:3000/callback'] }
    const sandbox = await startSandbox({ clients: [other] })
    const owner = createRelyingParty(sandbox)
    const requestUri = await owner.obtainRequestUri()
    const { params } = await createRelyingParty(sandbox, other).create(requestUri)
    expect(params).toEqual({ error: 'invalid_request_uri', error_description: expect.stringContaining('CRE-08') })
    expect((await owner.create(requestUri)).params).toEqual({ state: 'state-1' })
  })

  test('for a request_uri sent twice', async () => {
    const sandbox = await startSandbox()
    const query = new URLSearchParams(createRequest(await createRelyingParty(sandbox).obtainRequestUri()))
    query.append('request_uri', query.get('request_uri') ?? '')
    const { params } = readCallback(await sandbox.request.get('/v1/oidc/create').query(String(query)))
    expect(params).toMatchObject({ error: 'invalid_request' })
  })
})

describe('E3 takes a request_uri', () => {
  test('for 90 seconds to the millisecond, and returns state with invalid_request_uri from then on', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const [early, late] = [await rp.obtainRequestUri(), await rp.obtainRequestUri()]
    await sandbox.clock.advance(89.999)
    expect((await rp.create(early)).params).toEqual({ state: 'state-1' })
    await sandbox.clock.advance(0.001)
    const expired = {
      error: 'invalid_request_uri',
      error_description: expect.stringContaining('CRE-09'),
      state: 'state-1',
    }
    expect((await rp.create(late)).params).toEqual(expired)
    await sandbox.clock.advance(86_400)
    expect((await rp.create(late)).params).toEqual(expired)
  })

  test('for as long as the config says', async () => {
    const sandbox = await startSandbox({ lifetimes: { requestUri: 5 } })
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    expect((await rp.push()).body).toMatchObject({ expires_in: 5 })
    const requestUri = await rp.obtainRequestUri()
    await sandbox.clock.advance(5)
    expect((await rp.create(requestUri)).params).toMatchObject({ error: 'invalid_request_uri' })
  })

  test.each(['created', 'access_denied'])(
    'once: after %s it is spent, and state returns with the error',
    async (outcome) => {
      const rp = createRelyingParty(await startSandbox())
      const requestUri = await rp.obtainRequestUri()
      await rp.create(requestUri, { sandbox_outcome: outcome })
      expect((await rp.create(requestUri)).params).toEqual({
        error: 'invalid_request_uri',
        error_description: expect.stringContaining('CRE-10'),
        state: 'state-1',
      })
    },
  )

  test('again while no decision was taken: the page can be reloaded', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const requestUri = await rp.obtainRequestUri()
    for (const _reload of [1, 2, 3]) {
      const page = await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri)).expect(200)
      expect(page.text).toContain('data-testid="save"')
    }
    expect((await rp.create(requestUri)).params).toEqual({ state: 'state-1' })
  })
})

test('E3 with another redirect_uri than the pushed one is a page, never a redirect, and spends nothing', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const requestUri = await rp.obtainRequestUri()
  const query = createRequest(requestUri, { redirect_uri: 'http://localhost:3000/other', sandbox_persona: 'teen-16' })
  const answer = await sandbox.request.get('/v1/oidc/create').query(query).expect(400)
  expect(answer.headers.location).toBeUndefined()
  expect(answer.text).toContain('CRE-03')
  expect((await rp.create(requestUri)).params).toEqual({ state: 'state-1' })
})

describe('E3 saves', () => {
  const teen = JSON.stringify([ageSignal({ age: { years: 15 } })])

  test('the submitted signals in place of the age key that the persona had', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.create(await rp.obtainRequestUri({ authorization_details: teen }), { sandbox_persona: 'adult-passport' })
    expect(idTokenOf(await rp.use({ sandbox_persona: 'adult-passport' })).age_thresholds).toEqual({
      13: true,
      16: false,
      18: false,
      21: false,
    })
  })

  test('an age key for a persona that had none', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.create(await rp.obtainRequestUri(), { sandbox_persona: 'no-age-key' })
    expect(idTokenOf(await rp.use({ sandbox_persona: 'no-age-key' })).age_thresholds).toMatchObject({ 21: true })
  })

  test('nothing when the user declines', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.create(await rp.obtainRequestUri({ authorization_details: teen }), { sandbox_outcome: 'access_denied' })
    expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 21: true })
  })

  test('a new key as a new persona, offered on the choice page from then on', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const before = (await sandbox.personas.list()).map(({ name }) => name)
    const requestUri = await rp.obtainRequestUri({ authorization_details: teen })
    await rp.create(requestUri, { sandbox_persona: undefined, sandbox_outcome: 'created_new' })
    const added = (await sandbox.personas.list()).map(({ name }) => name).filter((name) => !before.includes(name))
    expect(added).toHaveLength(1)
    const sandbox_persona = added[0]
    expect(idTokenOf(await rp.use({ sandbox_persona })).age_thresholds).toMatchObject({ 13: true, 16: false })
    expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 21: true })
  })

  test('the ISO 27566-1 level that the config certifies, else none', async () => {
    const certifications = { '/veratad/roc': { id_doc_scan: 'effective' } } as const
    const asked = { claims: claims({ age_thresholds: [18], iso_27566_1: 'effective' }) }
    const answers = await Promise.all(
      [{ certifications }, {}].map(async (options) => {
        const rp = createRelyingParty(await startSandbox(options))
        await rp.create(await rp.obtainRequestUri())
        return idTokenOf(await rp.use(asked)).age_thresholds
      }),
    )
    expect(answers).toEqual([{ 18: true }, { 18: false }])
  })
})
