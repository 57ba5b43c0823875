import { describe, expect, test } from 'vitest'
import { beginCreate } from '../../../src/oidc/create.ts'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { beginUse } from '../../../src/oidc/use.ts'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { decide, decideByChoice, decideEnded, runClockSteps } from '../../../src/sandbox/decision/decide.ts'
import { decideServerCall } from '../../../src/sandbox/decision/decide-server-call.ts'
import type { RequestedDecision } from '../../../src/sandbox/decision/sources.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import { useFlowEntry } from '../../support/journal-entries.ts'
import { callbackWith } from '../../support/listed-flow.ts'
import { type Changes, createRequest, REDIRECT_URI, useRequest } from '../../support/requests.ts'
import { createService, refusalOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

type Flow = 'use' | 'create'

async function transactionOf(flow: Flow, tenant: Tenant, changes: Changes = {}) {
  const { provider } = tenant
  const requestUri = flow === 'create' ? await createService(provider).obtainRequestUri() : undefined
  const beginning =
    flow === 'use'
      ? beginUse(Object.entries(useRequest(changes)), provider)
      : await beginCreate(Object.entries(createRequest(requestUri, changes)), provider)
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  return beginning.transaction
}

const callOf = (flow: Flow | 'par' | 'token' | 'upgrade', clientId = 'ak_test_sandbox') => ({
  flow,
  client_id: clientId,
  state: 'state-1',
  nonce: flow === 'use' ? 'nonce-1' : undefined,
  sentParameters: () => ({ state: 'state-1' }),
  mask: createMask([]),
})

/** Decides a valid request of the built-in client. */
async function decideRequest(flow: Flow, tenant: Tenant, requested: RequestedDecision = {}, changes: Changes = {}) {
  return decide(await transactionOf(flow, tenant, changes), callOf(flow), { requested, tenant })
}

describe.each(['use', 'create'] as const)('decide in the %s flow', (flow) => {
  const ORDER = ['query', 'header', 'expectation', 'scenario', 'cookie', 'client', 'default'] as const
  const PERSONAS = ['adult-passport', 'adult-face', 'adult-email', 'teen-14', 'teen-16', 'turned-18-today', 'child-12']
  const personaOf = (source: (typeof ORDER)[number]) => PERSONAS[ORDER.indexOf(source)]

  test.each(ORDER)('takes the persona of the %s before all behind it', async (strongest) => {
    const saying = ORDER.slice(ORDER.indexOf(strongest))
    const says = (source: (typeof ORDER)[number]) => (saying.includes(source) ? personaOf(source) : undefined)
    const shop = { clientId: 'shop', clientSecret: 's', redirectUris: [REDIRECT_URI], persona: says('client') }
    const tenant = await createTestTenant({ clients: [shop], defaults: { persona: says('default') } })
    if (says('expectation')) await tenant.expectations.add({ flow, persona: says('expectation'), times: 1 })
    if (says('scenario')) {
      const steps = [{ decide: { flow, persona: says('scenario') } }]
      await tenant.scenarios.arm({ name: 'A', steps })
    }
    const requested = {
      query: { persona: says('query'), outcome: undefined },
      headers: { persona: says('header'), outcome: undefined },
      cookie: { persona: says('cookie'), outcome: undefined },
    }
    const transaction = await transactionOf(flow, tenant)
    const decision = await decide(transaction, callOf(flow, 'shop'), { requested, tenant })
    expect(decision?.persona?.name).toBe(personaOf(strongest))
  })

  test('leaves the decision to the choice page when no source names anything', async () => {
    expect(await decideRequest(flow, await createTestTenant())).toBeUndefined()
  })

  test('takes an unnamed outcome to be the usual one, and an unnamed persona to be the usual one of the flow', async () => {
    const tenant = await createTestTenant()
    const usual = flow === 'use' ? 'verified' : 'created'
    expect(await decideRequest(flow, tenant, { cookie: { persona: 'teen-16', outcome: undefined } })).toMatchObject({
      persona: { name: 'teen-16' },
      outcome: { name: usual },
    })
    const byOutcome = { query: { persona: undefined, outcome: usual } }
    expect(await decideRequest(flow, tenant, byOutcome)).toMatchObject({
      persona: { name: flow === 'use' ? 'adult-passport' : 'no-age-key' },
      outcome: { name: usual },
    })
  })

  test('names no persona for an outcome that needs none', async () => {
    const tenant = await createTestTenant()
    const decision = await decideRequest(flow, tenant, { query: { persona: undefined, outcome: 'access_denied' } })
    expect(decision).toMatchObject({ persona: undefined, outcome: { name: 'access_denied' } })
  })

  test.each([
    [{ query: { persona: 'teen-61', outcome: undefined } }, 'query parameter sandbox_persona', 'teen-16'],
    [{ headers: { persona: undefined, outcome: 'acess_denied' } }, 'request header X-Sandbox-Outcome', 'access_denied'],
    [{ cookie: { persona: 'teen-61', outcome: undefined } }, 'cookie agekey_sandbox_persona', 'teen-16'],
  ])('refuses the unknown name in %j with its source and near misses', async (requested, source, near) => {
    const tenant = await createTestTenant()
    const refusal = await refusalOf(() => decideRequest(flow, tenant, requested))
    expect(refusal).toMatchObject({ status: 400, suggestions: expect.arrayContaining([near]) })
    expect(refusal.message).toContain(source)
  })

  test('uses an expectation up when it is followed, and keeps one that is overruled', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow, persona: 'teen-16', times: 1 })
    const byQuery = { query: { persona: 'child-12', outcome: undefined } }
    expect(await decideRequest(flow, tenant, byQuery)).toMatchObject({ persona: { name: 'child-12' } })
    expect(await tenant.expectations.list()).toHaveLength(1)
    expect(await decideRequest(flow, tenant)).toMatchObject({ persona: { name: 'teen-16' } })
    expect(await tenant.expectations.list()).toEqual([])
    expect(await decideRequest(flow, tenant)).toBeUndefined()
  })

  test('follows each of 5 expectations once in 20 decisions at once', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow, persona: 'teen-16', times: 5 })
    const decisions = await Promise.all(Array.from({ length: 20 }, () => decideRequest(flow, tenant)))
    expect(decisions.filter((decision) => decision !== undefined)).toHaveLength(5)
  })
})

test('decide takes persona and outcome from different sources', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'teen-16' } })
  await tenant.expectations.add({ flow: 'use', outcome: 'verified', times: 1 })
  const requested = { query: { persona: 'child-12', outcome: undefined } }
  expect(await decideRequest('use', tenant, requested)).toMatchObject({
    persona: { name: 'child-12' },
    outcome: { name: 'verified' },
  })
})

test('decide ignores a default outcome of another flow', async () => {
  const tenant = await createTestTenant({ defaults: { outcome: 'created' } })
  expect(await decideRequest('use', tenant)).toBeUndefined()
  expect(await decideRequest('create', tenant)).toMatchObject({ outcome: { name: 'created' } })
})

describe.each(['token.503', 'upgrade.503'])('%s, named in a Use request,', (outcome) => {
  const query = { persona: 'adult-passport', outcome }
  const withUpgrade = { scope: 'openid svc.upgrade' }

  test('ends it with a code, whatever the persona holds, so that the call comes', async () => {
    const decision = await decideRequest('use', await createTestTenant(), { query }, withUpgrade)
    expect(decision).toMatchObject({ outcome: { name: 'code_issued' }, laterOutcome: { name: outcome } })
  })

  test.each([
    ['without the upgrade scope', {}, query, 'send scope=openid svc.upgrade'],
    ['of a persona without an age key', withUpgrade, { ...query, persona: 'no-age-key' }, 'it has no age key'],
  ])('is refused %s, because the call would never come', async (_case, changes, named, reason) => {
    const tenant = await createTestTenant()
    const refusal = await refusalOf(() => decideRequest('use', tenant, { query: named }, changes))
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(`${outcome} is not possible`) })
    expect(refusal.message).toContain(reason)
  })
})

describe('a queued decision that the request cannot have', () => {
  const impossible = { flow: 'use', outcome: 'create_requested' } as const

  test('answers its request with the explanation and is used up, so that later requests are not refused', async () => {
    const tenant = await createTestTenant()
    const { id } = await tenant.expectations.add(impossible)
    const refusal = await refusalOf(() => decideRequest('use', tenant))
    expect(refusal.status).toBe(400)
    expect(refusal.message).toMatch(new RegExp(`^expectation ${id} \\(now used up\\): .*can_create=true`))
    expect(await tenant.expectations.list()).toEqual([])
    expect(await decideRequest('use', tenant)).toBeUndefined()
  })

  test('with times is used up by one for each request that it refuses', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ ...impossible, times: 2 })
    expect((await refusalOf(() => decideRequest('use', tenant))).message).toContain('(1 of 2 left)')
    expect(await tenant.expectations.list()).toMatchObject([{ times: 2, remaining: 1 }])
    const decision = await decideRequest('use', tenant, {}, { can_create: 'true' })
    expect(decision).toMatchObject({ outcome: { name: 'create_requested' } })
    expect(await tenant.expectations.list()).toEqual([])
  })

  test('is used up, too, when its persona was removed after it was queued', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow: 'use', persona: 'teen-16' })
    await tenant.personas.remove('teen-16')
    expect((await refusalOf(() => decideRequest('use', tenant))).message).toMatch(/^expectation .*"teen-16"/)
    expect(await decideRequest('use', tenant)).toBeUndefined()
  })

  test('is used up by one of two requests at once, and the other goes on', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add(impossible)
    const results = await Promise.allSettled([decideRequest('use', tenant), decideRequest('use', tenant)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('stays queued when another source is refused', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow: 'use', persona: 'teen-16' })
    const headers = { persona: undefined, outcome: 'create_requested' }
    expect((await refusalOf(() => decideRequest('use', tenant, { headers }))).message).toContain('X-Sandbox-Outcome')
    expect(await decideRequest('use', tenant)).toMatchObject({ persona: { name: 'teen-16' } })
  })

  test('fails its scenario with the explanation, so that its steps do not wait for ever', async () => {
    const tenant = await createTestTenant()
    const { id } = await tenant.scenarios.arm({ name: 'A', steps: [{ decide: impossible }, { await: 'par' }] })
    expect((await refusalOf(() => decideRequest('use', tenant))).message).toContain('can_create=true')
    expect(await tenant.scenarios.find(id)).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', detail: expect.stringContaining('can_create=true') }, { status: 'waiting' }],
    })
    expect(await decideRequest('use', tenant)).toBeUndefined()
  })
})

test.each(['code_issued', 'id_token.expired', 'id_token.alg_none', 'callback.code_missing', 'callback.id_token_twice'])(
  'decide refuses %s to a persona without an age key, which gets neither an id_token nor a code',
  async (outcome) => {
    const tenant = await createTestTenant()
    const query = { persona: 'no-age-key', outcome }
    const changes = { scope: 'openid svc.upgrade' }
    const refusal = await refusalOf(() => decideRequest('use', tenant, { query }, changes))
    expect(refusal).toMatchObject({
      status: 400,
      message: expect.stringMatching(/not possible as no-age-key.*no age key/),
    })
    const other = { query: { persona: 'child-4', outcome } }
    expect(await decideRequest('use', tenant, other, changes)).toMatchObject({ outcome: { name: outcome } })
  },
)

test('decide leaves a persona without an age key the outcomes that need none', async () => {
  const tenant = await createTestTenant()
  for (const outcome of ['verified', 'access_denied', 'callback.state_missing']) {
    const query = { persona: 'no-age-key', outcome }
    expect(await decideRequest('use', tenant, { query })).toMatchObject({ outcome: { name: outcome } })
  }
})

const named = (persona?: string, outcome?: string) => ({ persona, outcome })
const SHOP = { clientId: 'shop', clientSecret: 's', redirectUris: [REDIRECT_URI] }
const FALLBACK = 'persona adult-passport, because none is named'

test.each<[RequestedDecision, string]>([
  [{ query: named('teen-16') }, 'query parameter sandbox_persona'],
  [{ query: named(undefined, 'access_denied') }, 'query parameter sandbox_outcome'],
  [{ query: named(undefined, 'verified') }, `query parameter sandbox_outcome; ${FALLBACK}`],
  [
    { headers: named('teen-16', 'verified') },
    'request header X-Sandbox-Persona; outcome by request header X-Sandbox-Outcome',
  ],
  [{ cookie: named('teen-16', 'verified') }, 'cookie agekey_sandbox_persona; outcome by cookie agekey_sandbox_outcome'],
  // An outcome of another flow in a cookie is none of this one.
  [{ cookie: named('teen-16', 'request_uri.expired') }, 'cookie agekey_sandbox_persona'],
])('decide by %j says that this decided: %s', async (requested, by) => {
  expect((await decideRequest('use', await createTestTenant(), requested))?.decidedBy).toBe(by)
})

test('decide says when an expectation, a scenario, a client or a default has decided', async () => {
  const tenant = await createTestTenant({
    clients: [{ ...SHOP, persona: 'teen-14' }],
    defaults: { persona: 'teen-16', outcome: 'verified' },
  })
  const { id } = await tenant.expectations.add({ flow: 'use', persona: 'child-12', outcome: 'verified', times: 2 })
  await tenant.scenarios.arm({
    name: 'A "b"',
    steps: [{ clock: { advance: 1 } }, { decide: { flow: 'use', outcome: 'access_denied' } }],
  })
  const decided = async (clientId = 'ak_test_sandbox') =>
    (await decide(await transactionOf('use', tenant), callOf('use', clientId), { requested: {}, tenant }))?.decidedBy
  expect([await decided(), await decided(), await decided('shop'), await decided('shop'), await decided()]).toEqual([
    `expectation ${id} (1 of 2 left)`,
    `expectation ${id} (now used up)`,
    'client shop; outcome by scenario "A \\"b\\"", step 2',
    'client shop; outcome by the default of the sandbox',
    'the default of the sandbox',
  ])
})

const UPGRADE = { scope: 'openid svc.upgrade' }
const CREATES = { can_create: 'true' }
const NO_KEY = 'it has no age key, so there is neither an id_token nor a code; name a persona that has one'

test.each<[string | undefined, string, Changes, string]>([
  [
    undefined,
    'create_requested',
    {},
    'not possible here: the request did not send can_create=true; send it, or choose another outcome',
  ],
  [
    undefined,
    'callback.create_requested_unasked',
    CREATES,
    'not possible here: the request sent can_create=true, which makes this answer a legal one; leave it out, or choose another outcome',
  ],
  [
    undefined,
    'code_issued',
    {},
    'not possible here: the request did not ask for the upgrade scope; send scope=openid svc.upgrade, or choose another outcome',
  ],
  [
    undefined,
    'id_token.replayed',
    {},
    'not possible here: this client has no earlier Use flow that ended well (verified, with another nonce); finish one first, or choose another outcome',
  ],
  ['no-age-key', 'id_token.expired', {}, `not possible as no-age-key: ${NO_KEY}`],
  ['no-age-key', 'token.500', UPGRADE, `not possible as no-age-key: ${NO_KEY}`],
])(
  'decide refuses as %s the outcome %s of a request with %j, and says why',
  async (persona, outcome, changes, problem) => {
    const tenant = await createTestTenant()
    const refusal = await refusalOf(() => decideRequest('use', tenant, { query: named(persona, outcome) }, changes))
    expect(refusal).toMatchObject({
      status: 400,
      title: 'This test decision is not possible',
      message: `query parameter sandbox_outcome: ${outcome} is ${problem}.`,
    })
  },
)

test('decide takes what an earlier flow of the client was answered, when it had another state', async () => {
  const tenant = await createTestTenant()
  const answer = callbackWith({ id_token: 'a.b.c' })
  const facts = { flow: 'use', client_id: 'ak_test_sandbox', outcome: 'verified' } as const
  const recordEarlier = (state: string) =>
    tenant.journal.record(
      'default',
      useFlowEntry({ facts, call: { parameters: { state, nonce: `of ${state}` }, response: answer } }),
    )
  await recordEarlier('state-1')
  const replay = (outcome: string) => decideRequest('use', tenant, { query: named(undefined, outcome) })
  expect(await replay('id_token.replayed')).toMatchObject({
    earlier: { state: 'state-1', nonce: 'of state-1', idToken: 'a.b.c' },
  })
  expect((await refusalOf(() => replay('callback.state_of_earlier_flow'))).message).toBe(
    'query parameter sandbox_outcome: callback.state_of_earlier_flow is not possible here: the request has the state of the earlier flow, so that the answer would be right; send another state with each request, or choose another outcome.',
  )
  await recordEarlier('state-0')
  expect(await replay('callback.state_of_earlier_flow')).toMatchObject({ earlier: { state: 'state-0' } })
  expect((await decideRequest('use', tenant, { query: named('teen-16') }))?.earlier).toBeUndefined()
})

test('decide takes a persona that was looked up before, and passes on that a store is away', async () => {
  const tenant = await createTestTenant()
  const known = ['other', 'teen-16'].map((name) => ({ name, title: 'As it was', purpose: 'P' }))
  const request = { requested: { query: named('teen-16') }, known, tenant }
  expect(await decide(await transactionOf('use', tenant), callOf('use'), request)).toMatchObject({ persona: known[1] })
  const away = Refusal.unavailable('the store is away')
  const personas = { ...tenant.personas, find: () => Promise.reject(away) }
  await tenant.expectations.add({ flow: 'use', persona: 'teen-16' })
  const broken: Tenant = Object.assign(Object.create(tenant), { personas })
  await expect(
    decide(await transactionOf('use', tenant), callOf('use'), { requested: {}, tenant: broken }),
  ).rejects.toBe(away)
  expect(await tenant.expectations.list()).toHaveLength(1)
})

test('A step of a scenario that moves the clock runs when its decision is carried out, and by no other decision', async () => {
  const tenant = await createTestTenant()
  const steps = [{ decide: { flow: 'use' as const, persona: 'teen-16' } }, { clock: { advance: 91 } }]
  await tenant.scenarios.arm({ name: 'A', steps })
  const decision = (await decideRequest('use', tenant)) ?? expect.fail('the scenario decides')
  await runClockSteps({ ...decision, queued: undefined }, tenant)
  expect(tenant.clock.state().advanced_seconds).toBe(0)
  await runClockSteps(decision, tenant)
  expect(tenant.clock.state().advanced_seconds).toBe(91)
})

test('decideByChoice decides by the form alone, and leaves an empty form undecided', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'child-12' } })
  const transaction = await transactionOf('use', tenant)
  const chosen = await decideByChoice(transaction, { persona: 'teen-16', outcome: undefined }, tenant)
  expect(chosen).toMatchObject({
    persona: { name: 'teen-16' },
    outcome: { name: 'verified' },
    decidedBy: 'the choice page',
  })
  const unknown = await refusalOf(() => decideByChoice(transaction, { persona: 'teen-61', outcome: undefined }, tenant))
  expect(unknown.message).toMatch(/^the choice page: there is no persona "teen-61"/)
  await tenant.personas.remove('adult-passport')
  const noFallback = await refusalOf(() =>
    decideByChoice(transaction, { persona: undefined, outcome: 'verified' }, tenant),
  )
  expect(noFallback.message).toMatch(/^the persona when none is named: there is no persona "adult-passport"/)
  expect(await decideByChoice(transaction, { persona: undefined, outcome: undefined }, tenant)).toBeUndefined()
})

test('decideEnded uses up an expectation of the outcome that the call already has, and no other', async () => {
  const tenant = await createTestTenant()
  const call = { ...callOf('create'), endedAs: 'request_uri.expired' }
  await tenant.expectations.add({ flow: 'create', outcome: 'access_denied', times: 1 })
  expect(await decideEnded(call, tenant)).toBeUndefined()
  const { id } = await tenant.expectations.add({ flow: 'create', outcome: 'request_uri.expired', times: 1 })
  expect(await decideEnded(call, tenant)).toMatchObject({
    persona: undefined,
    outcome: { flow: 'create', name: 'request_uri.expired' },
    decidedBy: `expectation ${id} (now used up)`,
    queued: { outcome: 'request_uri.expired' },
  })
  expect(await decideEnded({ ...call, endedAs: undefined }, tenant)).toBeUndefined()
  expect((await tenant.expectations.list()).map(({ outcome }) => outcome)).toEqual(['access_denied'])
})

describe('decideServerCall', () => {
  test('leaves the answer to the service when no source names an outcome', async () => {
    const tenant = await createTestTenant({ defaults: { persona: 'teen-16' } })
    expect(await decideServerCall(callOf('par'), { requested: {}, tenant })).toBeUndefined()
  })

  test('takes the header before an expectation, which stays', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow: 'par', outcome: 'par.500', times: 1 })
    const requested = { headers: { persona: undefined, outcome: 'par.401' } }
    const forced = await decideServerCall(callOf('par'), { requested, tenant })
    expect(forced).toMatchObject({
      outcome: { name: 'par.401' },
      source: 'request header X-Sandbox-Outcome',
      queued: undefined,
    })
    expect(await forced?.settle(true)).toBe(true)
    expect(await tenant.expectations.list()).toHaveLength(1)
  })

  test('uses an expectation up when the outcome was followed', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow: 'par', outcome: 'par.401', times: 1 })
    const first = await decideServerCall(callOf('par'), { requested: {}, tenant })
    const second = await decideServerCall(callOf('par'), { requested: {}, tenant })
    expect(first).toMatchObject({
      queued: { outcome: 'par.401' },
      source: expect.stringMatching(/^expectation .*used up/),
    })
    expect(await first?.settle(false)).toBe(true)
    expect(await tenant.expectations.list()).toHaveLength(1)
    expect([await first?.settle(true), await second?.settle(true)]).toEqual([true, false])
    expect(await tenant.expectations.list()).toEqual([])
  })

  test('has a scenario fail whose step the call contradicts, and holds what a scenario decides for a read', async () => {
    const tenant = await createTestTenant()
    const expecting = { decide: { flow: 'par', outcome: 'par.401' }, expect: { state: 'other' } } as const
    const { id } = await tenant.scenarios.arm({ name: 'A', steps: [expecting] })
    expect(await decideServerCall(callOf('par'), { requested: {}, tenant })).toBeUndefined()
    expect(await tenant.scenarios.find(id)).toMatchObject({ status: 'failed' })
    const [read, other] = [
      { ...callOf('par'), flow: 'jwks' },
      { ...callOf('par'), flow: 'token' },
    ] as const
    const steps = [
      { decide: { flow: 'jwks', outcome: 'jwks.500' } },
      { decide: { flow: 'token', outcome: 'token.500' } },
    ] as const
    await tenant.scenarios.arm({ name: 'B', steps: [...steps] })
    for (const call of [read, other]) {
      const forced = await decideServerCall(call, { requested: {}, tenant })
      expect([forced?.source, await forced?.settle(true)]).toEqual([expect.stringMatching(/^scenario "B"/), true])
    }
    expect(await tenant.expectations.list()).toMatchObject([{ flow: 'jwks', outcome: 'jwks.500', held_since: 'f0' }])
    await tenant.expectations.clear()
    await tenant.scenarios.arm({ name: 'C', steps: [{ decide: { flow: 'jwks', outcome: 'jwks.500' } }] })
    const headers = { persona: undefined, outcome: 'jwks.404' }
    expect(await decideServerCall(read, { requested: { headers }, tenant })).toMatchObject({
      outcome: { name: 'jwks.404' },
    })
    expect(await tenant.expectations.list()).toEqual([])
  })

  test('refuses an unknown outcome', async () => {
    const tenant = await createTestTenant()
    const requested = { headers: { persona: undefined, outcome: 'par.402' } }
    const refusal = await refusalOf(() => decideServerCall(callOf('par'), { requested, tenant }))
    expect(refusal).toMatchObject({ status: 400, suggestions: expect.arrayContaining(['par.401']) })
  })
})
