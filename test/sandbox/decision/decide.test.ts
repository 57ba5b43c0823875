import { describe, expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import {
  decide,
  decideByChoice,
  decideEnded,
  decideServerCall,
  runClockSteps,
} from '../../../src/sandbox/decision/decide.ts'
import type { RequestedDecision } from '../../../src/sandbox/decision/sources.ts'
import type { ReceivedCall } from '../../../src/sandbox/queue/queued.ts'
import type { Scenario } from '../../../src/sandbox/queue/scenario-schema.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import type { CallName } from '../../../src/service/oidc/endpoints.ts'
import { Refusal } from '../../../src/service/oidc/refusal.ts'
import { callbackWith, useFlowEntry } from '../../support/journal-entries.ts'
import { type Changes, REDIRECT_URI } from '../../support/requests.ts'
import { refusalOf, transactionOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

type Flow = 'use' | 'create'

const UPGRADE = { scope: 'openid svc.upgrade' }
const EXPIRED = 'request_uri.expired'

const named = (persona?: string, outcome?: string) => ({ persona, outcome })

const callOf = <F extends ReceivedCall['flow']>(flow: F, clientId = 'ak_test_sandbox') => ({
  ...{ flow, client_id: clientId, state: 'state-1', nonce: flow === 'use' ? 'nonce-1' : undefined },
  sentParameters: () => ({ state: 'state-1' }),
  mask: createMask([]),
})

async function decideRequest(
  flow: Flow,
  tenant: Tenant,
  requested: RequestedDecision = {},
  changes: Changes = {},
) {
  return decide(await transactionOf(flow, tenant.provider, changes), callOf(flow), {
    requested,
    tenant,
  })
}

async function namesBy(...request: Parameters<typeof decideRequest>) {
  const decision = await decideRequest(...request)
  return decision && [decision.persona?.name, decision.outcome.name]
}

const refusalOfUse = (tenant: Tenant, requested: RequestedDecision = {}, changes: Changes = {}) =>
  refusalOf(() => decideRequest('use', tenant, requested, changes))

describe.each(['use', 'create'] as const)('In the %s flow', (flow) => {
  const ORDER = [
    'query',
    'header',
    'expectation',
    'scenario',
    'cookie',
    'client',
    'default',
  ] as const
  const PERSONAS = [
    'adult-passport',
    'adult-face',
    'adult-email',
    'teen-14',
    'teen-16',
    'turned-18-today',
    'child-12',
  ]

  test.each(ORDER)(
    'The persona that the %s names is taken before those of weaker sources',
    async (strongest) => {
      const first = ORDER.indexOf(strongest)
      const says = (source: (typeof ORDER)[number]) =>
        ORDER.indexOf(source) < first ? undefined : PERSONAS[ORDER.indexOf(source)]
      const clients = [{ ...SHOP, persona: says('client') }]
      const tenant = await createTestTenant({ clients, defaults: { persona: says('default') } })
      if (says('expectation'))
        await tenant.expectations.add({ flow, persona: says('expectation'), times: 1 })
      if (says('scenario')) await arm(tenant, { flow, persona: says('scenario') })
      const requested = {
        query: named(says('query')),
        headers: named(says('header')),
        cookie: named(says('cookie')),
      }
      const decision = await decide(
        await transactionOf(flow, tenant.provider),
        callOf(flow, 'shop'),
        {
          requested,
          tenant,
        },
      )
      expect(decision?.persona?.name).toBe(PERSONAS[first])
    },
  )

  test('The defaults fill in an outcome or a persona that is not named', async () => {
    const tenant = await createTestTenant()
    const [usual, persona] =
      flow === 'use' ? ['verified', 'adult-passport'] : ['created', 'no-age-key']
    const by = (requested: RequestedDecision) => namesBy(flow, tenant, requested)
    expect(await by({ cookie: named('teen-16') })).toEqual(['teen-16', usual])
    expect(await by({ query: named(undefined, usual) })).toEqual([persona, usual])
    expect(await by({ query: named(undefined, 'access_denied') })).toEqual([
      undefined,
      'access_denied',
    ])
  })

  test('An overruled expectation stays queued', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow, persona: 'teen-16', times: 1 })
    expect(await namesBy(flow, tenant, { query: named('child-12') })).toContain('child-12')
    expect(await tenant.expectations.list()).toHaveLength(1)
  })

  test('An expectation is used up when it is followed', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow, persona: 'teen-16', times: 1 })
    expect(await namesBy(flow, tenant)).toContain('teen-16')
    expect(await tenant.expectations.list()).toEqual([])
    expect(await decideRequest(flow, tenant)).toBeUndefined()
  })

  test('An expectation for 5 requests is followed 5 times in 20 decisions at once', async () => {
    const tenant = await createTestTenant()
    await tenant.expectations.add({ flow, persona: 'teen-16', times: 5 })
    const decisions = await Promise.all(
      Array.from({ length: 20 }, () => decideRequest(flow, tenant)),
    )
    expect(decisions.filter((decision) => decision !== undefined)).toHaveLength(5)
  })
})

const SHOP = { clientId: 'shop', clientSecret: 's', redirectUris: [REDIRECT_URI] }

const arm = (tenant: Tenant, ...decisions: NonNullable<Scenario['steps'][number]['decide']>[]) =>
  tenant.scenarios.arm({ name: 'A', steps: decisions.map((decide) => ({ decide })) })

test('A decision ignores a default outcome of another flow', async () => {
  const tenant = await createTestTenant({ defaults: { outcome: 'created' } })
  expect(await namesBy('use', tenant)).toBeUndefined()
  expect(await namesBy('create', tenant)).toEqual(['no-age-key', 'created'])
})

test.each(['token.503', 'upgrade.503'])(
  'A Use request of %s ends with a code or is refused',
  async (outcome) => {
    const tenant = await createTestTenant()
    const query = named('adult-passport', outcome)
    const decided = { outcome: { name: 'code_issued' }, laterOutcome: { name: outcome } }
    expect(await decideRequest('use', tenant, { query }, UPGRADE)).toMatchObject(decided)
    const { status, message } = await refusalOfUse(tenant, { query })
    expect(status).toBe(400)
    expect(message).toMatch(/ is not possible.*send scope=openid svc.upgrade/)
  },
)

const IMPOSSIBLE = { flow: 'use', outcome: 'create_requested' } as const

test('An impossible expectation is refused with its explanation', async () => {
  const tenant = await createTestTenant()
  const { id } = await tenant.expectations.add({ ...IMPOSSIBLE, times: 3 })
  const message = expect.stringMatching(
    new RegExp(`^expectation ${id} \\(2 of 3 left\\): .*can_create=true`),
  )
  expect(await refusalOfUse(tenant)).toMatchObject({ status: 400, message })
  expect(await tenant.expectations.list()).toMatchObject([{ times: 3, remaining: 2 }])
})

test('An impossible expectation is used up by refusals', async () => {
  const tenant = await createTestTenant()
  const { id } = await tenant.expectations.add({ ...IMPOSSIBLE, times: 3 })
  await refusalOfUse(tenant)
  expect(await namesBy('use', tenant, {}, { can_create: 'true' })).toContain('create_requested')
  expect((await refusalOfUse(tenant)).message).toContain(`expectation ${id} (now used up): `)
  expect(await tenant.expectations.list()).toEqual([])
  expect(await decideRequest('use', tenant)).toBeUndefined()
})

test('An expectation stays queued when another source is refused', async () => {
  const tenant = await createTestTenant()
  await tenant.expectations.add({ flow: 'use', persona: 'teen-16' })
  const { message } = await refusalOfUse(tenant, { headers: named(undefined, 'create_requested') })
  expect(message).toContain('X-Sandbox-Outcome')
  expect(await tenant.expectations.list()).toHaveLength(1)
})

test('An expectation whose persona is gone is used up by its refusal', async () => {
  const tenant = await createTestTenant()
  await tenant.expectations.add({ flow: 'use', persona: 'teen-16' })
  await tenant.personas.remove('teen-16')
  expect((await refusalOfUse(tenant)).message).toMatch(/^expectation .*"teen-16"/)
  expect(await decideRequest('use', tenant)).toBeUndefined()
})

test('An impossible expectation refuses one of two requests at once', async () => {
  const tenant = await createTestTenant()
  await tenant.expectations.add(IMPOSSIBLE)
  const results = await Promise.allSettled([
    decideRequest('use', tenant),
    decideRequest('use', tenant),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('A scenario fails with the explanation when the request cannot have its decision, so that no step waits', async () => {
  const tenant = await createTestTenant()
  const { id } = await tenant.scenarios.arm({
    name: 'A',
    steps: [{ decide: IMPOSSIBLE }, { await: 'par' }],
  })
  expect((await refusalOfUse(tenant)).message).toContain('can_create=true')
  const failed = { status: 'failed', detail: expect.stringContaining('can_create=true') }
  expect(await tenant.scenarios.find(id)).toMatchObject({
    status: 'failed',
    steps: [failed, { status: 'waiting' }],
  })
  expect(await decideRequest('use', tenant)).toBeUndefined()
})

test('A persona without an age key may have an outcome that needs none', async () => {
  const tenant = await createTestTenant()
  for (const outcome of [
    'verified',
    'access_denied',
    'callback.error_unknown',
    'callback.create_requested_unasked',
  ])
    expect(await namesBy('use', tenant, { query: named('no-age-key', outcome) })).toContain(outcome)
})

const HEADERS = 'request header X-Sandbox-Persona; outcome by request header X-Sandbox-Outcome'
const COOKIE = 'cookie agekey_sandbox_persona'
const QUERY = 'query parameter sandbox_outcome'

test.each<[RequestedDecision, string]>([
  [{ query: named('teen-16') }, 'query parameter sandbox_persona'],
  [{ query: named(undefined, 'access_denied') }, QUERY],
  [
    { query: named(undefined, 'verified') },
    `${QUERY}; persona adult-passport, because none is named`,
  ],
  [{ headers: named('teen-16', 'verified') }, HEADERS],
  [{ cookie: named('teen-16', 'verified') }, `${COOKIE}; outcome by cookie agekey_sandbox_outcome`],
  // An outcome of another flow in a cookie is none of this one.
  [{ cookie: named('teen-16', EXPIRED) }, COOKIE],
])('A decision by %j says that this decided: %s', async (requested, by) => {
  expect((await decideRequest('use', await createTestTenant(), requested))?.decidedBy).toBe(by)
})

test('A decision says when an expectation, a scenario, a client or a default has decided', async () => {
  const clients = [{ ...SHOP, persona: 'teen-14' }]
  const tenant = await createTestTenant({
    clients,
    defaults: { persona: 'teen-16', outcome: 'verified' },
  })
  const { id } = await tenant.expectations.add({
    flow: 'use',
    persona: 'child-12',
    outcome: 'verified',
    times: 2,
  })
  const steps = [
    { clock: { advance: 1 } },
    { decide: { flow: 'use' as const, outcome: 'access_denied' } },
  ]
  await tenant.scenarios.arm({ name: 'A "b"', steps })
  const told: unknown[] = []
  for (const clientId of [
    'ak_test_sandbox',
    'ak_test_sandbox',
    'shop',
    'shop',
    'ak_test_sandbox',
  ]) {
    const request = { requested: {}, tenant }
    told.push(
      (await decide(await transactionOf('use', tenant.provider), callOf('use', clientId), request))
        ?.decidedBy,
    )
  }
  expect(told).toEqual([
    `expectation ${id} (1 of 2 left)`,
    `expectation ${id} (now used up)`,
    'client shop; outcome by scenario "A \\"b\\"", step 2',
    'client shop; outcome by the default of the sandbox',
    'the default of the sandbox',
  ])
})

const NO_KEY =
  'as no-age-key: it has no age key, so there is neither an id_token nor a code; name a persona that has one'
const OR_OTHER = 'or choose another outcome'
const UNASKED = 'here: the request did not send can_create=true; send it'
const LEGAL =
  'here: the request sent can_create=true, which makes this answer a legal one; leave it out'
const NO_UPGRADE =
  'here: the request did not ask for the upgrade scope; send scope=openid svc.upgrade'
const NOTHING_EARLIER =
  'here: this client has no earlier Use flow that ended well (verified, with another nonce); finish one first'

test.each<[string | undefined, string, Changes, string]>([
  [undefined, 'create_requested', {}, `${UNASKED}, ${OR_OTHER}`],
  [undefined, 'callback.create_requested_unasked', { can_create: 'true' }, `${LEGAL}, ${OR_OTHER}`],
  [undefined, 'code_issued', {}, `${NO_UPGRADE}, ${OR_OTHER}`],
  [undefined, 'id_token.replayed', {}, `${NOTHING_EARLIER}, ${OR_OTHER}`],
  ['no-age-key', 'id_token.alg_none', {}, NO_KEY],
  ['no-age-key', 'callback.code_missing', UPGRADE, NO_KEY],
  ['no-age-key', 'token.500', UPGRADE, NO_KEY],
  ['no-age-key', 'upgrade.503', UPGRADE, NO_KEY],
])(
  'As %s the outcome %s of a request with %j is refused',
  async (persona, outcome, changes, problem) => {
    const refusal = await refusalOfUse(
      await createTestTenant(),
      { query: named(persona, outcome) },
      changes,
    )
    const message = `${QUERY}: ${outcome} is not possible ${problem}.`
    expect(refusal).toMatchObject({
      status: 400,
      title: 'This test decision is not possible',
      message,
    })
  },
)

test('A replay takes what an earlier flow of the client was answered, when that had another state', async () => {
  const tenant = await createTestTenant()
  const response = callbackWith({ id_token: 'a.b.c' })
  const facts = { flow: 'use', client_id: 'ak_test_sandbox', outcome: 'verified' } as const
  function recordEarlier(state: string) {
    const parameters = { state, nonce: `of ${state}` }
    return tenant.journal.record('default', useFlowEntry({ facts, call: { parameters, response } }))
  }
  await recordEarlier('state-1')
  const replay = (outcome: string) =>
    decideRequest('use', tenant, { query: named(undefined, outcome) })
  const earlier = { state: 'state-1', nonce: 'of state-1', idToken: 'a.b.c' }
  expect(await replay('id_token.replayed')).toMatchObject({ earlier })
  expect((await refusalOf(() => replay('callback.state_of_earlier_flow'))).message).toBe(
    `${QUERY}: callback.state_of_earlier_flow is not possible here: the request has the state of the earlier flow, so that the answer would be right; send another state with each request, ${OR_OTHER}.`,
  )
  await recordEarlier('state-0')
  expect(await replay('callback.state_of_earlier_flow')).toMatchObject({
    earlier: { state: 'state-0' },
  })
  expect((await decideRequest('use', tenant, { query: named('teen-16') }))?.earlier).toBeUndefined()
})

test('A decision uses a persona that was looked up before', async () => {
  const tenant = await createTestTenant()
  const transaction = await transactionOf('use', tenant.provider)
  const known = ['other', 'teen-16'].map((name) => ({ name, title: 'As it was', purpose: 'P' }))
  const request = { requested: { query: named('teen-16') }, known, tenant }
  expect(await decide(transaction, callOf('use'), request)).toMatchObject({ persona: known[1] })
})

test('A decision passes on that a store fails', async () => {
  const tenant = await createTestTenant()
  const transaction = await transactionOf('use', tenant.provider)
  await tenant.expectations.add({ flow: 'use', persona: 'teen-16' })
  for (const error of [
    Refusal.unavailable('the store is away'),
    new Error('the record is damaged'),
  ]) {
    const personas = { ...tenant.personas, find: () => Promise.reject(error) }
    const broken: Tenant = Object.assign(Object.create(tenant), { personas })
    await expect(
      decide(transaction, callOf('use'), { requested: {}, tenant: broken }),
    ).rejects.toBe(error)
  }
  expect(await tenant.expectations.list()).toHaveLength(1)
})

test('A clock step of a scenario runs with its own decision alone', async () => {
  const tenant = await createTestTenant()
  const steps = [
    { decide: { flow: 'use' as const, persona: 'teen-16' } },
    { clock: { advance: 91 } },
  ]
  await tenant.scenarios.arm({ name: 'A', steps })
  const decision = (await decideRequest('use', tenant)) ?? expect.fail('the scenario decides')
  await runClockSteps({ ...decision, queued: undefined }, tenant)
  expect(tenant.clock.state().advanced_seconds).toBe(0)
  await runClockSteps(decision, tenant)
  expect(tenant.clock.state().advanced_seconds).toBe(91)
})

test('The choice page decides by its form alone', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'child-12' } })
  const transaction = await transactionOf('use', tenant.provider)
  const choose = (persona?: string, outcome?: string) =>
    decideByChoice(transaction, named(persona, outcome), tenant)
  const chosen = {
    persona: { name: 'teen-16' },
    outcome: { name: 'verified' },
    decidedBy: 'the choice page',
  }
  expect(await choose('teen-16')).toMatchObject(chosen)
})

test('The choice page refuses an unknown persona', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'child-12' } })
  const transaction = await transactionOf('use', tenant.provider)
  const choose = (persona?: string, outcome?: string) =>
    decideByChoice(transaction, named(persona, outcome), tenant)
  const unknown = await refusalOf(() => choose('teen-61'))
  expect(unknown.message).toMatch(/^the choice page: there is no persona "teen-61"/)
})

test('The choice page refuses an outcome alone when the default persona is gone', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'child-12' } })
  const transaction = await transactionOf('use', tenant.provider)
  const choose = (persona?: string, outcome?: string) =>
    decideByChoice(transaction, named(persona, outcome), tenant)
  await tenant.personas.remove('adult-passport')
  const noFallback = await refusalOf(() => choose(undefined, 'verified'))
  expect(noFallback.message).toMatch(
    /^the persona when none is named: there is no persona "adult-passport"/,
  )
})

test('The choice page leaves an empty form undecided', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'child-12' } })
  const transaction = await transactionOf('use', tenant.provider)
  const choose = (persona?: string, outcome?: string) =>
    decideByChoice(transaction, named(persona, outcome), tenant)
  expect(await choose()).toBeUndefined()
})

test('A call that has ended uses up an expectation of its own outcome', async () => {
  const tenant = await createTestTenant()
  const call = { ...callOf('create'), endedAs: EXPIRED }
  await tenant.expectations.add({ flow: 'create', outcome: 'access_denied', times: 1 })
  expect(await decideEnded(call, tenant)).toBeUndefined()
  const { id } = await tenant.expectations.add({ flow: 'create', outcome: EXPIRED, times: 1 })
  const [decided, other] = await Promise.all([decideEnded(call, tenant), decideEnded(call, tenant)])
  expect(decided).toMatchObject({
    persona: undefined,
    outcome: { flow: 'create', name: EXPIRED },
    decidedBy: `expectation ${id} (now used up)`,
    queued: { outcome: EXPIRED },
  })
  expect(other).toBeUndefined()
  expect(await decideEnded({ ...call, endedAs: undefined }, tenant)).toBeUndefined()
  expect((await tenant.expectations.list()).map(({ outcome }) => outcome)).toEqual([
    'access_denied',
  ])
})

const decideCall = (flow: CallName, tenant: Tenant, header?: string) =>
  decideServerCall(callOf(flow), {
    requested: header ? { headers: named(undefined, header) } : {},
    tenant,
  })

test('A server call is left to the service when no source names an outcome', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'teen-16' } })
  expect(await decideCall('par', tenant)).toBeUndefined()
  expect(
    await decideServerCall({ ...callOf('jwks'), client_id: undefined }, { requested: {}, tenant }),
  ).toBeUndefined()
})

test('A server call is refused when its outcome is unknown', async () => {
  const tenant = await createTestTenant({ defaults: { persona: 'teen-16' } })
  const refusal = await refusalOf(() => decideCall('par', tenant, 'par.402'))
  expect(refusal).toMatchObject({ status: 400, suggestions: expect.arrayContaining(['par.401']) })
})

test('A server call takes the outcome of the header, else of an expectation, which is used up when it was followed', async () => {
  const tenant = await createTestTenant()
  await tenant.expectations.add({ flow: 'par', outcome: 'par.401', times: 1 })
  const forced = await decideCall('par', tenant, 'par.500')
  const byHeader = {
    outcome: { name: 'par.500' },
    source: 'request header X-Sandbox-Outcome',
    queued: undefined,
  }
  expect(forced).toMatchObject(byHeader)
  expect(await forced?.settle(true)).toBe(true)
  expect(await tenant.expectations.list()).toHaveLength(1)
  const [first, second] = [await decideCall('par', tenant), await decideCall('par', tenant)]
  const source = expect.stringMatching(/^expectation .*used up/)
  expect(first).toMatchObject({ queued: { outcome: 'par.401' }, source })
  expect(await first?.settle(false)).toBe(true)
  expect(await tenant.expectations.list()).toHaveLength(1)
  expect(await first?.settle(true)).toBe(true)
  expect(await second?.settle(true)).toBe(false)
  expect(await tenant.expectations.list()).toEqual([])
})

test('A server call that contradicts the step of a scenario fails the scenario', async () => {
  const tenant = await createTestTenant()
  const step = { decide: { flow: 'par', outcome: 'par.401' }, expect: { state: 'other' } } as const
  const { id } = await tenant.scenarios.arm({ name: 'A', steps: [step] })
  expect(await decideCall('par', tenant)).toBeUndefined()
  expect(await tenant.scenarios.find(id)).toMatchObject({ status: 'failed' })
})

test('A read of a document holds the decision of a scenario', async () => {
  const tenant = await createTestTenant()
  await arm(tenant, { flow: 'jwks', outcome: 'jwks.500' }, { flow: 'token', outcome: 'token.500' })
  for (const flow of ['jwks', 'token'] as const) {
    const forced = await decideCall(flow, tenant)
    expect(forced?.source).toMatch(/^scenario "A"/)
    expect(await forced?.settle(true)).toBe(true)
  }
  expect(await tenant.expectations.list()).toMatchObject([
    { flow: 'jwks', outcome: 'jwks.500', held_since: 'f0' },
  ])
  expect(await tenant.scenarios.list()).toMatchObject([{ current: 2, revision: 2 }])
})

test('A read of a document that a header decides holds nothing', async () => {
  const tenant = await createTestTenant()
  await arm(tenant, { flow: 'jwks', outcome: 'jwks.500' })
  const forced = await decideCall('jwks', tenant, 'jwks.404')
  expect(forced?.outcome.name).toBe('jwks.404')
  expect(await tenant.expectations.list()).toEqual([])
})
