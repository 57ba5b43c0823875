import { describe, expect, test } from 'vitest'
import type { Coverage } from '../../../src/client/shapes/coverage.ts'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { press, submit } from '../../support/forms.ts'
import { createRelyingParty, type RelyingParty } from '../../support/relying-party.ts'
import { claims, createRequest, useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const UPGRADE = 'openid svc.upgrade'
const ADULTS = claims({ age_thresholds: [18] })

async function start(): Promise<{ sandbox: TestSandbox; party: RelyingParty }> {
  const sandbox = await startSandbox()
  return { sandbox, party: createRelyingParty(sandbox) }
}

/** The counts without what is derived. */
const countsOf = ({ endings, rows, calls }: Coverage) => ({ endings, rows, calls })
const ONCE = { count: 1 }

describe('A client that was sent', () => {
  test('an answer of the service has seen the answer, its ending and the row', async () => {
    const { sandbox, party } = await start()
    await party.use({ claims: ADULTS })
    const coverage = await sandbox.coverage.get()
    expect(coverage.claims).toMatchObject([{ claims: { age_thresholds: [18] }, thresholds: { 18: { true: ONCE } } }])
    expect(countsOf(coverage)).toEqual({ endings: { verified: ONCE }, rows: { 'use/verified': ONCE }, calls: {} })
    expect(coverage.asked).toEqual({ use: ONCE, fragment: ONCE, no_can_create: ONCE })
  })

  test('a changed answer has seen the row alone', async () => {
    const { sandbox, party } = await start()
    await party.use({ claims: ADULTS, sandbox_outcome: 'id_token.age_thresholds.strings' })
    const coverage = await sandbox.coverage.get()
    expect(coverage.claims).toEqual([{ claims: { age_thresholds: [18] }, thresholds: {}, filters: {}, boundaries: {} }])
    expect(countsOf(coverage)).toEqual({
      endings: {},
      rows: { 'use/id_token.age_thresholds.strings': ONCE },
      calls: {},
    })
  })

  test('a changed answer that it has to accept has seen both', async () => {
    const { sandbox, party } = await start()
    await party.use({ claims: ADULTS, sandbox_outcome: 'id_token.aud_string' })
    const coverage = await sandbox.coverage.get()
    expect(coverage.claims[0]?.thresholds).toEqual({ 18: { true: ONCE } })
    expect(countsOf(coverage)).toMatchObject({ endings: { verified: ONCE }, rows: { 'use/id_token.aud_string': ONCE } })
  })

  test('a code because no threshold is met has seen the row that forces one, too', async () => {
    const { sandbox, party } = await start()
    await party.obtainCode({ claims: ADULTS })
    expect(countsOf(await sandbox.coverage.get())).toEqual({
      endings: { none_met: ONCE, code_issued: ONCE },
      rows: { 'use/verified': ONCE, 'use/code_issued': ONCE },
      calls: {},
    })
  })

  test.each([
    ['can_create=true', 'create_requested', { can_create: 'true' }],
    ['no can_create', 'access_denied', {}],
  ])('away without an age key and with %s has seen %s', async (_asked, ending, changes) => {
    const { sandbox, party } = await start()
    await party.use({ ...changes, sandbox_persona: 'no-age-key' })
    expect(countsOf(await sandbox.coverage.get())).toEqual({
      endings: { [ending]: ONCE },
      rows: { [`use/${ending}`]: ONCE },
      calls: {},
    })
  })

  test('back with a request that is refused has seen another error', async () => {
    const { sandbox, party } = await start()
    await party.use({ claims: '{}' })
    expect(countsOf(await sandbox.coverage.get())).toEqual({ endings: { other_error: ONCE }, rows: {}, calls: {} })
  })

  test('back with a request_uri that really expired has seen that ending and its row', async () => {
    const { sandbox, party } = await start()
    const requestUri = await party.obtainRequestUri()
    await sandbox.clock.advance(91)
    await party.create(requestUri)
    expect(countsOf(await sandbox.coverage.get())).toEqual({
      endings: { request_uri_expired: ONCE },
      rows: { 'create/request_uri.expired': ONCE },
      calls: { par: { success: ONCE } },
    })
  })

  test('an answer to its choice on the page has seen one flow, and nothing while the page waits', async () => {
    const { sandbox } = await start()
    const page = await sandbox.request.get('/v1/oidc/use').query(useRequest({ claims: ADULTS }))
    const waiting = await sandbox.coverage.get()
    expect(waiting.endings).toEqual({})
    expect(waiting.dimensions.answers.total).toBe(2)
    await submit(sandbox, press(page.text, 'decline'))
    const { asked, endings } = await sandbox.coverage.get()
    expect({ asked, endings }).toEqual({
      asked: { use: ONCE, fragment: ONCE, no_can_create: ONCE },
      endings: { access_denied: ONCE },
    })
  })

  test.each([
    ['no_answer', { sandbox_outcome: 'no_answer' }, {}],
    ['the page that ends an iframe', {}, { 'Sec-Fetch-Dest': 'iframe' }],
  ])('%s has seen nothing', async (_what, changes, headers) => {
    const { sandbox } = await start()
    const query = useRequest({ claims: ADULTS, sandbox_persona: 'adult-passport', ...changes })
    await sandbox.request.get('/v1/oidc/use').set(headers).query(query).expect(200)
    const coverage = await sandbox.coverage.get()
    expect(countsOf(coverage)).toEqual({ endings: {}, rows: {}, calls: {} })
    expect(coverage.claims[0]?.thresholds).toEqual({})
  })

  test('the outcome of a later call has seen its row when that call was answered, and no sooner', async () => {
    const { sandbox, party } = await start()
    const page = await sandbox.request
      .get('/v1/oidc/use')
      .query(useRequest({ claims: ADULTS, scope: UPGRADE, sandbox_outcome: 'token.500' }))
    const code = new URLSearchParams(new URL(page.headers['location'] ?? '').hash.slice(1)).get('code') ?? ''
    expect(Object.keys((await sandbox.coverage.get()).rows)).toEqual(['use/code_issued'])
    await party.exchange(code)
    const { rows, calls } = await sandbox.coverage.get()
    expect(rows['token/token.500']).toEqual(ONCE)
    expect(calls).toEqual({ token: { failure: ONCE } })
  })

  test('nothing but answers to HEAD requests and to the demo has seen nothing', async () => {
    const { sandbox } = await start()
    await sandbox.request.head('/v1/oidc/use').query(useRequest({ sandbox_persona: 'adult-passport' }))
    await sandbox.request.head('/.well-known/jwks.json')
    await createRelyingParty(sandbox, { clientId: 'sandbox-demo' }).push()
    const demo = { client_id: 'sandbox-demo', redirect_uri: `${sandbox.baseUrl}/_sandbox/demo/callback` }
    await createRelyingParty(sandbox).use(demo)
    expect(countsOf(await sandbox.coverage.get())).toEqual({ endings: {}, rows: {}, calls: {} })
  })
})

describe('A server that calls', () => {
  test.each([
    ['par.400', 'refusal'],
    ['par.500', 'failure'],
    ['par.dropped', 'failure'],
    ['par.truncated', 'failure'],
    ['par.slow', 'timeout'],
    ['par.extra_member', 'success'],
    ['par.html', undefined],
  ])('and gets %s has seen %s', async (outcome, side) => {
    const sandbox = await startSandbox({ slowReplySeconds: 1 })
    await sandbox.next({ flow: 'par', outcome })
    await createRelyingParty(sandbox)
      .push()
      .catch(() => undefined)
    const { calls, rows } = await sandbox.coverage.get()
    expect(calls).toEqual({ par: side === undefined ? {} : { [side]: ONCE } })
    expect(rows).toEqual({ [`par/${outcome}`]: ONCE })
  })

  test('with a token that nobody issued, or reads keys and discovery, has seen the answers of these calls', async () => {
    const { sandbox, party } = await start()
    await party.upgrade('unknown')
    await sandbox.request.get('/.well-known/jwks.json')
    await sandbox.request.get('/v1/oidc/create/.well-known/openid-configuration')
    expect((await sandbox.coverage.get()).calls).toEqual({
      upgrade: { refusal: ONCE },
      jwks: { success: ONCE },
      discovery: { success: ONCE },
    })
  })
})

describe('Filters and birthdays', () => {
  test('are seen by the signals that were delivered: a filter passed and failed, a birthday today and tomorrow', async () => {
    const { sandbox, party } = await start()
    const asked = claims({ age_thresholds: [18], allowed_methods: ['id_doc_scan', 'national_id_number'] })
    for (const persona of ['turned-18-today', 'turns-18-tomorrow', 'face-estimate-19']) {
      await party.use({ claims: asked, sandbox_persona: persona })
    }
    const [seen] = (await sandbox.coverage.get()).claims
    expect(seen).toMatchObject({
      boundaries: { 18: { today: ONCE, tomorrow: ONCE } },
      filters: { allowed_methods: { passed: { count: 2 }, failed: ONCE } },
    })
  })
})

describe('The counts', () => {
  test('survive a reset, name the test that saw them, and go when they are cleared', async () => {
    const { sandbox, party } = await start()
    await sandbox.coverage.name('an adult comes in')
    await party.use({ claims: ADULTS })
    await sandbox.coverage.name(undefined)
    await party.use({ claims: ADULTS })
    await sandbox.reset()
    expect((await sandbox.coverage.get()).endings).toEqual({ verified: { count: 2, tests: ['an adult comes in'] } })
    await sandbox.coverage.clear()
    expect((await sandbox.coverage.get()).endings).toEqual({})
  })

  test('of a tenant are its own, and those of the root tenant are of all, also of one that was removed', async () => {
    const { sandbox } = await start()
    const one = sandbox.tenant('one')
    await sandbox.request
      .get('/t/one/v1/oidc/use')
      .query(useRequest({ sandbox_persona: 'adult-passport' }))
      .expect(302)
    await createRelyingParty(sandbox).use({ sandbox_persona: 'child-12' })
    const seen = async () => Object.keys((await sandbox.coverage.get()).endings).toSorted()
    expect((await one.coverage.get()).endings).toEqual({ verified: ONCE })
    expect(await seen()).toEqual(['none_met', 'verified'])
    await sandbox.removeTenant('one')
    expect(await seen()).toEqual(['none_met', 'verified'])
  })

  test('are in no answer of the sandbox that a persona gave to the sandbox itself', async () => {
    const { sandbox } = await start()
    await sandbox.evaluate({ claims: { age_thresholds: [18] }, persona: 'adult-passport' })
    expect((await sandbox.coverage.get()).claims).toEqual([])
  })
})

describe('A row that a correct client accepts', () => {
  const accepted = OUTCOMES.filter(
    ({ flow, correctClient, apply }) => flow === 'use' && correctClient === 'accept' && apply,
  )

  test('changes none of the answers, so that these count as seen', async () => {
    const { sandbox, party } = await start()
    for (const { name } of accepted) {
      const { params } = await party.use({ claims: ADULTS, sandbox_outcome: name })
      const [, payload = ''] = String(params['id_token']).split('.')
      expect.soft(JSON.parse(Buffer.from(payload, 'base64url').toString()).age_thresholds, name).toEqual({ 18: true })
    }
    expect((await sandbox.coverage.get()).claims[0]?.thresholds).toEqual({ 18: { true: { count: accepted.length } } })
  })
})

/** A small suite, and gaps that are closed by doing what they say. */
test('Each gap of a real run is closed by what it names', async () => {
  const { sandbox, party } = await start()
  const asked = claims({ age_thresholds: [18, 21], provenance: { denied: ['/veratad/cra'] } })
  await party.use({ claims: asked })
  await party.obtainRequestUri()
  const before = await sandbox.coverage.get()
  const { answers, filters, boundaries, endings, must } = before.dimensions
  const gaps = [
    ...answers.items,
    ...filters.items,
    ...boundaries.items,
    ...endings.items,
    ...must.items.slice(0, 12),
  ].flatMap(({ flow, sides }) => Object.values(sides).flatMap((side) => (side.count > 0 ? [] : [{ flow, ...side }])))
  expect(gaps.length).toBeGreaterThan(15)
  for (const { flow, persona, outcome } of gaps) {
    const decided = { sandbox_persona: persona, sandbox_outcome: outcome }
    if (flow === 'use') await party.use({ claims: asked, ...decided })
    if (flow === 'create') {
      const query = createRequest(await party.obtainRequestUri(), {
        ...decided,
        sandbox_persona: persona ?? 'no-age-key',
      })
      await sandbox.request.get('/v1/oidc/create').query(query)
    }
  }
  const after = (await sandbox.coverage.get()).dimensions
  const percents = [after.answers, after.filters, after.boundaries, after.endings].map(({ percent }) => percent)
  expect(percents).toEqual([100, 100, 100, 100])
  expect(after.must.items.slice(0, 12).every(({ state }) => state === 'covered')).toBe(true)
})
