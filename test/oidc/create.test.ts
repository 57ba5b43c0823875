import { describe, expect, test } from 'vitest'
import { beginCreate, finishCreate } from '../../src/oidc/create.ts'
import { DEFAULT_LIFETIMES } from '../../src/oidc/decisions.ts'
import { createProvider } from '../support/provider.ts'
import { ageSignal, type Changes, createRequest, REDIRECT_URI } from '../support/requests.ts'
import { createService, DECLINED, refusalOf, refused } from '../support/service.ts'

const CREATED = { kind: 'created', holder: 'adult' } as const
/** RFC 9126 section 4: `client_id` and `request_uri`, and nothing else. */
const ALONE = { scope: undefined, response_type: undefined, redirect_uri: undefined }
const SPENT = { error: 'invalid_request_uri', error_description: expect.stringContaining('CRE-10'), state: 'state-1' }

describe('beginCreate', () => {
  test('reads a valid request into a transaction with what was pushed', async () => {
    const service = createService()
    const requestUri = await service.obtainRequestUri({ state: 'pushed' })
    const query = Object.entries(createRequest(requestUri, { state: 'other', theme: 'dark' }))
    const beginning = await beginCreate(query, service.provider)
    expect(beginning).toMatchObject({
      kind: 'proceed',
      transaction: {
        flow: 'create',
        clientId: 'ak_test_sandbox',
        redirectUri: REDIRECT_URI,
        mode: 'query',
        state: 'pushed',
        signals: [{ method: 'id_doc_scan', age: { date_of_birth: '1990-05-17' } }],
      },
    })
    expect(JSON.parse(JSON.stringify(beginning))).toEqual(beginning)
  })

  test.each([' openid', 'openid ', 'openid openid', '  openid  openid '])(
    'takes the scope %j for openid',
    async (scope) => {
      const service = createService()
      const query = Object.entries(createRequest(await service.obtainRequestUri(), { scope }))
      expect(await beginCreate(query, service.provider)).toMatchObject({ kind: 'proceed', findings: [] })
    },
  )

  test.each<[string, Changes, string]>([
    ['an unknown client', { client_id: 'nobody' }, 'CRE-01'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }, 'CRE-02'],
    ['another registered redirect_uri than the pushed one', { redirect_uri: `${REDIRECT_URI}?a=b` }, 'CRE-03'],
  ])('throws for %s instead of redirecting, and spends nothing', async (_name, changes, rule) => {
    const service = createService()
    const requestUri = await service.obtainRequestUri()
    expect(await refused(() => service.create(requestUri, changes))).toMatchObject({ status: 400, rules: [rule] })
    expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
  })

  test.each<[string, Changes, string, string]>([
    ['another scope', { scope: 'profile' }, 'invalid_scope', 'CRE-04'],
    ['the upgrade scope', { scope: 'openid svc.upgrade' }, 'invalid_scope', 'CRE-05'],
    ['an older spelling of the upgrade scope', { scope: 'openid agekey-upgrade' }, 'invalid_scope', 'CRE-05'],
    ['no scope', { scope: undefined }, 'invalid_request', 'CRE-13'],
    ['an empty scope', { scope: '' }, 'invalid_request', 'CRE-13'],
    ['another response_type', { response_type: 'code' }, 'unsupported_response_type', 'CRE-06'],
    ['no response_type', { response_type: undefined }, 'invalid_request', 'CRE-13'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request', 'CRE-13'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported', 'CRE-14'],
    ['nothing but client_id and request_uri', ALONE, 'invalid_request', 'CRE-13'],
  ])('sends %s back with the pushed state, and the request_uri stays usable', async (_name, changes, error, rule) => {
    const service = createService()
    const requestUri = await service.obtainRequestUri()
    const { params, mode } = await service.create(requestUri, changes)
    expect(mode).toBe('query')
    expect(params).toEqual({ error, error_description: expect.stringContaining(rule), state: 'state-1' })
    expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
  })

  test('sends a missing request_uri back without state', async () => {
    const { params } = await createService().create(undefined)
    expect(params).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
  })

  test('sends a request_uri that is sent twice back', async () => {
    const service = createService()
    const query = Object.entries(createRequest(await service.obtainRequestUri()))
    const twice = [...query, ...query.filter(([name]) => name === 'request_uri')]
    expect(await beginCreate(twice, service.provider)).toMatchObject({
      kind: 'refused',
      findings: [{ rule: 'CRE-11' }],
    })
  })

  test.each(['urn:svc:request:unknown', 'urn:agekey:request:x', 'https://evil.example/request', 'x', '__proto__'])(
    'sends the unknown request_uri %s back with invalid_request_uri and without state',
    async (requestUri) => {
      const { params } = await createService().create(requestUri)
      expect(params).toEqual({ error: 'invalid_request_uri', error_description: expect.stringContaining('CRE-08') })
    },
  )

  test('takes the request_uri of another client for an unknown one, and its owner can still use it', async () => {
    const service = createService()
    const requestUri = await service.obtainRequestUri()
    const { params } = await service.create(requestUri, { client_id: 'other' })
    expect(params).toEqual({ error: 'invalid_request_uri', error_description: expect.stringContaining('CRE-08') })
    expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
  })

  test('takes a request_uri for 90 seconds to the millisecond, and returns state with the error from then on', async () => {
    const service = createService()
    const { clock } = service.provider
    const [early, late] = [await service.obtainRequestUri(), await service.obtainRequestUri()]
    clock.advance(89.999)
    expect((await service.create(early)).params).toEqual({ state: 'state-1' })
    clock.advance(0.001)
    const expired = { ...SPENT, error_description: expect.stringContaining('CRE-09') }
    expect((await service.create(late)).params).toEqual(expired)
    clock.advance(86_400)
    expect((await service.create(late)).params).toEqual(expired)
  })

  test('takes a request_uri for as long as the lifetimes say', async () => {
    const service = createService(createProvider({ lifetimes: { ...DEFAULT_LIFETIMES, requestUri: 5 } }))
    const { response } = await service.push()
    expect(response.expires_in).toBe(5)
    service.provider.clock.advance(5)
    expect((await service.create(response.request_uri)).params).toMatchObject({ error: 'invalid_request_uri' })
  })
})

describe('beginCreate, for client_id and request_uri alone,', () => {
  const agekey = () => createService(createProvider({ profile: 'agekey' }))

  test('names all that is missing in one finding', async () => {
    const service = createService()
    const query = Object.entries(createRequest(await service.obtainRequestUri(), ALONE))
    expect((await beginCreate(query, service.provider)).findings).toMatchObject([
      { rule: 'CRE-13', message: 'scope, response_type, redirect_uri are missing beside request_uri' },
    ])
  })

  test.each<[string, Changes]>([
    ['everything', ALONE],
    ['the redirect_uri', { redirect_uri: undefined }],
    ['scope and response_type', { scope: undefined, response_type: undefined }],
  ])('takes %s from the pushed request in profile agekey, with an advice', async (_name, changes) => {
    const service = agekey()
    const query = Object.entries(createRequest(await service.obtainRequestUri({ state: 'pushed' }), changes))
    expect(await beginCreate(query, service.provider)).toMatchObject({
      kind: 'proceed',
      transaction: { redirectUri: REDIRECT_URI, state: 'pushed', mode: 'query' },
      findings: [{ rule: 'CRE-13', level: 'advice' }],
    })
  })

  test('still checks in profile agekey what is sent beside it', async () => {
    const service = agekey()
    const requestUri = await service.obtainRequestUri()
    const { params } = await service.create(requestUri, { ...ALONE, response_type: 'code' })
    expect(params).toEqual({
      error: 'unsupported_response_type',
      error_description: expect.stringContaining('CRE-06'),
      state: 'state-1',
    })
    const other = { ...ALONE, redirect_uri: `${REDIRECT_URI}?a=b` }
    expect(await refused(() => service.create(requestUri, other))).toMatchObject({ status: 400, rules: ['CRE-03'] })
    expect((await service.create(requestUri, ALONE)).params).toEqual({ state: 'state-1' })
  })

  test.each(['spec', 'agekey'] as const)(
    'redirects to the pushed address after its end in profile %s',
    async (profile) => {
      const service = createService(createProvider({ profile }))
      const [used, late] = [await service.obtainRequestUri(), await service.obtainRequestUri()]
      await service.create(used)
      const error = profile === 'spec' ? 'invalid_request' : 'invalid_request_uri'
      const answer = (rule: string) => ({
        mode: 'query',
        address: REDIRECT_URI,
        params: { error, error_description: expect.stringContaining(rule), state: 'state-1' },
      })
      expect(await service.create(used, ALONE)).toEqual(answer('CRE-10'))
      service.provider.clock.advance(90)
      expect(await service.create(late, ALONE)).toEqual(answer('CRE-09'))
    },
  )

  test.each(['spec', 'agekey'] as const)(
    'tells another client in profile %s nothing: the page is that of a request_uri that was never issued',
    async (profile) => {
      const service = createService(createProvider({ profile }))
      const requestUri = await service.obtainRequestUri()
      const theirs = { ...ALONE, client_id: 'other' }
      const [theft, guess] = [
        await refusalOf(() => service.create(requestUri, theirs)),
        await refusalOf(() => service.create(`${requestUri}x`, theirs)),
      ]
      expect(theft).toMatchObject({ status: 400, code: 'invalid_request' })
      expect([theft.message, theft.findings]).toEqual([guess.message, guess.findings])
      expect(JSON.stringify([theft.message, theft.findings])).not.toContain(REDIRECT_URI)
      expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
    },
  )

  test.each(['spec', 'agekey'] as const)(
    'shows a page for a redirect_uri that is sent twice in profile %s',
    async (profile) => {
      const service = createService(createProvider({ profile }))
      const query = Object.entries(createRequest(await service.obtainRequestUri()))
      const twice = [...query, ...query.filter(([name]) => name === 'redirect_uri')]
      expect(await refused(() => beginCreate(twice, service.provider))).toMatchObject({
        status: 400,
        rules: ['CRE-11'],
      })
    },
  )

  test('shows a page for a redirect_uri of 5,000 bytes', async () => {
    const service = createService()
    const long = `http://localhost:3000/${'c'.repeat(5_000)}`
    expect(await refused(async () => service.create(await service.obtainRequestUri(), { redirect_uri: long }))).toEqual(
      { status: 400, error: 'invalid_request', rules: ['CRE-15'] },
    )
  })

  test('sends a request_uri of 5,000 bytes back without state', async () => {
    const { params } = await createService().create(`urn:svc:request:${'r'.repeat(5_000)}`)
    expect(params).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('CRE-15') })
  })

  test('shows a page when the pushed address is registered no longer', async () => {
    const service = agekey()
    const requestUri = await service.obtainRequestUri()
    const registered = service.provider.clients.find('ak_test_sandbox')
    const client = registered && { ...registered, allowsRedirectTo: () => false }
    const provider = { ...service.provider, clients: { ids: [], find: () => client } }
    const query = Object.entries(createRequest(requestUri, ALONE))
    expect(await refused(() => beginCreate(query, provider))).toMatchObject({ status: 400, rules: ['CRE-02'] })
  })
})

describe('finishCreate', () => {
  test('answers with the pushed state in the query and nothing else when the age key was created', async () => {
    const service = createService()
    const requestUri = await service.obtainRequestUri({ state: 'pushed ü+&' })
    expect(await service.create(requestUri, { state: 'other' })).toEqual({
      mode: 'query',
      address: REDIRECT_URI,
      params: { state: 'pushed ü+&' },
    })
  })

  test('answers with the error of the decision and state, and saves nothing', async () => {
    const service = createService()
    const before = service.provider.ageKeys.of('adult')
    const { params, mode } = await service.create(await service.obtainRequestUri(), {}, DECLINED)
    expect(mode).toBe('query')
    expect(params).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 'state-1' })
    expect(service.provider.ageKeys.of('adult')).toBe(before)
  })

  test.each([CREATED, DECLINED])('spends the request_uri: $kind', async (decision) => {
    const service = createService()
    const requestUri = await service.obtainRequestUri()
    await service.create(requestUri, {}, decision)
    expect((await service.create(requestUri)).params).toEqual(SPENT)
  })

  test('takes one of two decisions on the same request, and saves once', async () => {
    const service = createService()
    const { provider } = service
    const query = Object.entries(createRequest(await service.obtainRequestUri()))
    const [first, second] = [await beginCreate(query, provider), await beginCreate(query, provider)]
    if (first.kind === 'refused' || second.kind === 'refused') throw new Error('the request is refused')
    const answers = await Promise.all([
      finishCreate(first.transaction, { kind: 'created', holder: 'new' }, { provider }),
      finishCreate(second.transaction, { kind: 'created', holder: 'newer' }, { provider }),
    ])
    const errors = answers.filter(({ callback }) => callback.params.some(([name]) => name === 'error'))
    expect(errors).toHaveLength(1)
    expect(['new', 'newer'].filter((holder) => provider.ageKeys.of(holder))).toHaveLength(1)
  })

  test.each(['adult', undefined])('saves the submitted signals for the holder %s', async (holder) => {
    const service = createService()
    const authorization_details = JSON.stringify([ageSignal({ age: { years: 15 } })])
    const requestUri = await service.obtainRequestUri({ authorization_details })
    await service.create(requestUri, {}, { kind: 'created', holder })
    expect(service.provider.ageKeys.of(holder)?.signals).toMatchObject([{ age: { years: 15 } }])
  })

  test.each([
    [{ '/veratad/roc': { id_doc_scan: 'effective' } } as const, 'effective'],
    [{}, undefined],
  ])('saves the ISO 27566-1 level that %j certifies', async (certifications, level) => {
    const service = createService(createProvider({ certifications }))
    await service.create(await service.obtainRequestUri())
    expect(service.provider.ageKeys.of('adult')?.signals[0]?.iso_27566_1).toBe(level)
  })

  test('takes the request_uri of the profile agekey', async () => {
    const service = createService(createProvider({ profile: 'agekey' }))
    const requestUri = await service.obtainRequestUri()
    expect(requestUri).toMatch(/^urn:agekey:request:/)
    expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
  })
})
