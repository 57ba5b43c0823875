import { expect, test } from 'vitest'
import type { Seams } from '../../../src/service/oidc/callback.ts'
import {
  beginCreate,
  type CreateTransaction,
  createTransactionSchema,
  finishCreate,
} from '../../../src/service/oidc/create.ts'
import { DEFAULT_LIFETIMES } from '../../../src/service/oidc/policy.ts'
import { PROFILES } from '../../../src/service/oidc/rules/profile.ts'
import { createProvider, type TestProvider } from '../../support/provider.ts'
import { ageSignal, type Changes, createRequest, REDIRECT_URI } from '../../support/requests.ts'
import {
  createService,
  DECLINED,
  received,
  refusalOf,
  refused,
  type Service,
} from '../../support/service.ts'

const CREATED = { kind: 'created', holder: 'adult' } as const
/** RFC 9126 section 4: `client_id` and `request_uri`, and nothing else. */
const ALONE = { scope: undefined, response_type: undefined, redirect_uri: undefined }
const SPENT = {
  error: 'invalid_request_uri',
  error_description: expect.stringMatching(
    /^CRE-10: request_uri has already been used: it serves one decision/,
  ),
  state: 'state-1',
}
const EXPIRED = {
  ...SPENT,
  error_description: expect.stringContaining('CRE-09: request_uri expired '),
}

async function begin({ obtainRequestUri, provider }: Service<TestProvider>, changes: Changes = {}) {
  return beginCreate(
    Object.entries(createRequest(await obtainRequestUri({ state: 'pushed' }), changes)),
    provider,
  )
}

async function transactionOf(service: Service<TestProvider>): Promise<CreateTransaction> {
  const beginning = await begin(service)
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  return beginning.transaction
}

test('beginCreate reads a valid request into a transaction with what was pushed, which JSON can hold', async () => {
  const beginning = await begin(createService(), {
    scope: '  openid  openid ',
    theme: 'dark',
    language: 'de',
  })
  const { type: _type, verification_id: _id, ...signal } = ageSignal()
  expect(beginning).toEqual({
    kind: 'proceed',
    findings: [],
    transaction: {
      flow: 'create',
      clientId: 'ak_test_sandbox',
      redirectUri: REDIRECT_URI,
      mode: 'query',
      state: 'pushed',
      pushedRequestId: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      signals: [signal],
      presentation: { theme: 'dark', language: 'de', learnMore: true, appearance: {} },
    },
  })
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  const { transaction } = beginning
  expect(createTransactionSchema.parse(JSON.parse(JSON.stringify(transaction)))).toEqual(
    transaction,
  )
})

test.each<[string, Changes]>([
  ['an unknown client', { client_id: 'nobody' }],
  ['another client', { client_id: 'other' }],
  ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }],
  ['another registered redirect_uri than the pushed one', { redirect_uri: `${REDIRECT_URI}?a=b` }],
  ['another scope', { scope: 'profile' }],
  ['a request object', { request: 'e30.e30.' }],
  ['nothing but client_id and request_uri', ALONE],
])('A request that E3 refuses for %s leaves its request_uri usable', async (_name, changes) => {
  const service = createService()
  const requestUri = await service.obtainRequestUri()
  const isRefused = await service.create(requestUri, changes).then(
    ({ params }) => 'error' in params,
    () => true,
  )
  expect(isRefused).toBe(true)
  expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
})

test('A request_uri serves for its lifetime to the millisecond', async () => {
  const service = createService(
    createProvider({ lifetimes: { ...DEFAULT_LIFETIMES, requestUri: 5 } }),
  )
  const { clock } = service.provider
  const [early, late] = [(await service.push()).response, await service.obtainRequestUri()]
  expect(early.expires_in).toBe(5)
  clock.advance(4.999)
  expect((await service.create(early.request_uri)).params).toEqual({ state: 'state-1' })
  clock.advance(0.001)
  expect((await service.create(late)).params).toEqual(EXPIRED)
  expect((await service.create(early.request_uri)).params).toEqual(SPENT)
  clock.advance(86_400)
  const error_description = expect.stringContaining(
    'expired 86400 seconds ago by the sandbox clock; it lives 5',
  )
  expect((await service.create(late)).params).toEqual({ ...EXPIRED, error_description })
})

test.each([
  ['expired', {}, true],
  ['used', {}, true],
  ['expired', { theme: 'blue' }, true],
  ['expired', { scope: 'profile' }, false],
  ['unused', { scope: 'profile' }, false],
] as const)(
  'An %s request_uri with %j is refused as unusable alone: %s',
  async (reason, changes, isAlone) => {
    const service = createService()
    const requestUri = await service.obtainRequestUri()
    if (reason === 'used') await service.create(requestUri)
    if (reason === 'expired') service.provider.clock.advance(90)
    const beginning = await beginCreate(
      Object.entries(createRequest(requestUri, changes)),
      service.provider,
    )
    const unusable = { clientId: 'ak_test_sandbox', state: 'state-1', reason }
    expect(beginning).toMatchObject({ kind: 'refused', ...(isAlone && { unusable }) })
    expect('unusable' in beginning).toBe(isAlone)
  },
)

const agekey = () => createService(createProvider({ profile: 'agekey' }))

test.each<[string, Changes]>([
  ['everything', ALONE],
  ['the redirect_uri', { redirect_uri: undefined }],
  ['scope and response_type', { scope: undefined, response_type: undefined }],
])('Profile agekey takes %s from the pushed request, with an advice', async (_name, changes) => {
  expect(await begin(agekey(), changes)).toMatchObject({
    kind: 'proceed',
    transaction: { redirectUri: REDIRECT_URI, state: 'pushed', mode: 'query' },
    findings: [{ rule: 'CRE-13', level: 'advice' }],
  })
})

test('A request_uri of profile agekey has the word agekey', async () => {
  const service = agekey()
  const requestUri = await service.obtainRequestUri()
  expect(requestUri).toMatch(/^urn:agekey:request:/)
})

test('Profile agekey checks the parameters that are sent beside a request_uri', async () => {
  const service = agekey()
  const requestUri = await service.obtainRequestUri()
  const { params } = await service.create(requestUri, { ...ALONE, response_type: 'code' })
  const error_description = expect.stringContaining('CRE-06')
  expect(params).toEqual({
    error: 'unsupported_response_type',
    error_description,
    state: 'state-1',
  })
  const other = { ...ALONE, redirect_uri: `${REDIRECT_URI}?a=b` }
  expect(await refused(() => service.create(requestUri, other))).toMatchObject({
    status: 400,
    rules: ['CRE-03'],
  })
})

test('Profile agekey needs no parameter beside client_id when a request_uri is sent', async () => {
  const service = agekey()
  const requestUri = await service.obtainRequestUri()
  expect((await service.create(requestUri, ALONE)).params).toEqual({ state: 'state-1' })
})

test.each(PROFILES)(
  'An error of an ended request_uri that is sent alone goes back in profile %s',
  async (profile) => {
    const service = createService(createProvider({ profile }))
    const [used, late] = [await service.obtainRequestUri(), await service.obtainRequestUri()]
    await service.create(used)
    const error = profile === 'spec' ? 'invalid_request' : 'invalid_request_uri'
    const answer = (rule: string) => {
      const params = { error, error_description: expect.stringContaining(rule), state: 'state-1' }
      return { mode: 'query', address: REDIRECT_URI, params }
    }
    expect(await service.create(used, ALONE)).toEqual(answer('CRE-10'))
    service.provider.clock.advance(90)
    expect(await service.create(late, ALONE)).toEqual(answer('CRE-09'))
  },
)

test.each(PROFILES)(
  'The request_uri of another client is to profile %s like a guessed one',
  async (profile) => {
    const service = createService(createProvider({ profile }))
    const requestUri = await service.obtainRequestUri()
    const theirs = { ...ALONE, client_id: 'other' }
    const theft = await refusalOf(() => service.create(requestUri, theirs))
    const guess = await refusalOf(() => service.create(`${requestUri.slice(0, -1)}~`, theirs))
    expect(theft).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(theft.message).toEqual(guess.message)
    expect(theft.findings).toEqual(guess.findings)
    expect(JSON.stringify([theft.message, theft.findings])).not.toContain(REDIRECT_URI)
    expect((await service.create(requestUri)).params).toEqual({ state: 'state-1' })
  },
)

test('E3 shows a page when the pushed address is registered no longer', async () => {
  const service = agekey()
  const requestUri = await service.obtainRequestUri()
  const registered = service.provider.clients.find('ak_test_sandbox')
  const client = registered && { ...registered, allowsRedirectTo: () => false }
  const provider = { ...service.provider, clients: { ids: [], find: () => client } }
  const query = Object.entries(createRequest(requestUri, ALONE))
  expect(await refused(() => beginCreate(query, provider))).toMatchObject({
    status: 400,
    rules: ['CRE-02'],
  })
})

test.each(['adult', undefined])(
  'finishCreate saves for the holder %s, and answers with the state',
  async (holder) => {
    const service = createService()
    const authorization_details = JSON.stringify([ageSignal({ age: { years: 15 } })])
    const requestUri = await service.obtainRequestUri({
      authorization_details,
      state: 'pushed ü+&',
    })
    const answer = { mode: 'query', address: REDIRECT_URI, params: { state: 'pushed ü+&' } }
    expect(
      await service.create(requestUri, { state: 'other' }, { kind: 'created', holder }),
    ).toEqual(answer)
    expect((await service.provider.ageKeys.of(holder))?.signals).toMatchObject([
      { age: { years: 15 } },
    ])
    expect((await service.create(requestUri)).params).toEqual({ ...SPENT, state: 'pushed ü+&' })
  },
)

test('finishCreate spends the request_uri when the decision is an error', async () => {
  const service = createService()
  const before = await service.provider.ageKeys.of('adult')
  const requestUri = await service.obtainRequestUri()
  const params = {
    error: 'access_denied',
    error_description: DECLINED.description,
    state: 'state-1',
  }
  expect(await service.create(requestUri, {}, DECLINED)).toEqual({
    mode: 'query',
    address: REDIRECT_URI,
    params,
  })
  expect((await service.create(requestUri)).params).toEqual(SPENT)
  expect(await service.provider.ageKeys.of('adult')).toEqual(before)
})

test('finishCreate saves no age key where no passkey can be made', async () => {
  const service = createService()
  const before = await service.provider.ageKeys.of('adult')
  // Where no passkey can be made the answer is the usual one.
  const { provider } = service
  const { callback } = await finishCreate(await transactionOf(service), CREATED, {
    provider,
    saves: false,
  })
  expect(received(callback).params).toEqual({ state: 'pushed' })
  expect(await provider.ageKeys.of('adult')).toEqual(before)
})

test('finishCreate accepts one of two decisions on the same request', async () => {
  const service = createService()
  const { provider } = service
  const transaction = await transactionOf(service)
  const seams: Seams = {
    callback: (sent) => ({ ...sent, params: [...sent.params, ['by', 'callback']] }),
    refusal: (sent) => ({ ...sent, params: [...sent.params, ['by', 'refusal']] }),
  }
  const [first, second] = await Promise.all(
    ['new', 'newer'].map((holder) =>
      finishCreate(transaction, { kind: 'created', holder }, { provider, seams }),
    ),
  )
  expect(first && received(first.callback).params).toEqual({ state: 'pushed', by: 'callback' })
  expect(second && received(second.callback).params).toEqual({
    ...SPENT,
    state: 'pushed',
    by: 'refusal',
  })
  expect(
    await Promise.all(
      ['new', 'newer'].map(async (holder) => (await provider.ageKeys.of(holder)) !== undefined),
    ),
  ).toEqual([true, false])
})
