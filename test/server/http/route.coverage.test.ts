import { beforeEach, expect, test } from 'vitest'
import { settleAddresses } from '../../../src/sandbox/addresses/addresses.ts'
import { demoClient } from '../../../src/sandbox/clients/clients.ts'
import type { Coverage } from '../../../src/server/client/shapes.ts'
import { readCallback } from '../../support/callbacks.ts'
import { press, submit } from '../../support/forms.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { claims, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox({ slowReplySeconds: 1 })
beforeEach(() => sandbox.coverage.clear())
const party = createRelyingParty(sandbox)
const { request } = sandbox

const ADULT = { claims: claims({ age_thresholds: [18] }), sandbox_persona: 'adult-passport' }
const ONCE = { count: 1 }
const use = (changes: Parameters<typeof useRequest>[0], headers = {}) =>
  request
    .get('/v1/oidc/use')
    .set(headers)
    .query(useRequest({ ...ADULT, ...changes }))

/** What was counted, once each: endings, rows by flow, and sides by call. */
function seenOnce({ endings, rows, calls }: Coverage): readonly string[] {
  const seen = [...Object.entries(endings), ...Object.entries(rows)]
  for (const [call, sides] of Object.entries(calls))
    for (const [side, count] of Object.entries(sides))
      if (count.count > 0) seen.push([`${call}.${side}`, count])
  for (const [name, count] of seen) expect([name, count]).toEqual([name, ONCE])
  return seen.map(([name]) => name)
}

const force = async (outcome: string) => {
  await sandbox.next({ flow: 'par', outcome })
  await party.push().catch(() => undefined)
}
const expire = async () => {
  const requestUri = await party.obtainRequestUri()
  await sandbox.clock.advance(91)
  await party.create(requestUri)
}
const audit = async () => {
  const marked = { 'X-Sandbox-Audit': '1' }
  await party.exchange(readCallback(await use(UPGRADE, marked)).params['code'])
  await request
    .get('/v1/oidc/create')
    .set(marked)
    .query(createRequest(await party.obtainRequestUri()))
}
const DEMO_CLIENT = demoClient(
  settleAddresses({ baseUrl: sandbox.baseUrl }, { protocol: 'http', port: 0 }),
)
const demo = {
  client_id: 'sandbox-demo',
  redirect_uri: `${sandbox.baseUrl}/_sandbox/demo/callback`,
}
const shop = createRelyingParty(sandbox, DEMO_CLIENT)
const strings = 'id_token.age_thresholds.strings'
const MET = { 18: { true: ONCE } }
const EXTRA_CLAIM = { sandbox_outcome: 'id_token.extra_claim' }
const UPGRADE = { scope: 'openid svc.upgrade', sandbox_persona: 'child-12' }
const CREATES = { can_create: 'true', sandbox_persona: 'no-age-key' }

test.each<[string, () => PromiseLike<unknown>, seen: readonly string[], thresholds?: object]>([
  ['An answer of the service', () => use({}), ['verified', 'use/verified'], MET],
  ['A changed answer', () => use({ sandbox_outcome: strings }), [`use/${strings}`], {}],
  [
    'An answer a client has to accept',
    () => use(EXTRA_CLAIM),
    ['verified', 'use/id_token.extra_claim'],
    MET,
  ],
  ['A code', () => use(UPGRADE), ['none_met', 'code_issued', 'use/verified', 'use/code_issued']],
  [
    'No age key, with can_create=true',
    () => use(CREATES),
    ['create_requested', 'use/create_requested'],
  ],
  [
    'No age key',
    () => use({ ...CREATES, can_create: 'false' }),
    ['access_denied', 'use/access_denied'],
  ],
  ['A refused request', () => use({ claims: '{}' }), ['other_error']],
  ['The outcome no_answer', () => use({ sandbox_outcome: 'no_answer' }), [], {}],
  ['The page that ends an iframe', () => use({}, { 'Sec-Fetch-Dest': 'iframe' }), [], {}],
  [
    'An expired request_uri',
    expire,
    ['request_uri_expired', 'create/request_uri.expired', 'par.success'],
  ],
  [
    'An evaluation',
    () => sandbox.evaluate({ claims: { age_thresholds: [18] }, persona: 'teen-16' }),
    [],
  ],
  ['Flows of an audit', audit, []],
  ['A HEAD request', () => request.head('/.well-known/jwks.json'), []],
  ['Calls of the demo', async () => shop.upgrade(await shop.obtainToken(demo)), []],
  ['A flow of the demo', () => use(demo), []],
  ['A token that nobody issued', () => party.upgrade('unknown'), ['upgrade.refusal']],
  ['A read of the keys', () => request.get('/.well-known/jwks.json'), ['jwks.success']],
  [
    'A read of discovery',
    () => request.get('/v1/oidc/create/.well-known/openid-configuration'),
    ['discovery.success'],
  ],
  ['par.400', () => force('par.400'), ['par/par.400', 'par.refusal']],
  ['par.500', () => force('par.500'), ['par/par.500', 'par.failure']],
  ['par.dropped', () => force('par.dropped'), ['par/par.dropped', 'par.failure']],
  ['par.truncated', () => force('par.truncated'), ['par/par.truncated', 'par.failure']],
  ['par.slow', () => force('par.slow'), ['par/par.slow', 'par.timeout']],
  ['par.extra_member', () => force('par.extra_member'), ['par/par.extra_member', 'par.success']],
  ['par.html', () => force('par.html'), ['par/par.html']],
])('%s is counted as what the client has seen (%#)', async (_what, act, seen, thresholds) => {
  await act()
  const coverage = await sandbox.coverage.get()
  expect(seenOnce(coverage).toSorted()).toEqual(seen.toSorted())
  if (seen.length === 0 && !thresholds) expect(coverage.claims).toEqual([])
  if (thresholds) expect(coverage.claims).toMatchObject([{ claims: { age_thresholds: [18] } }])
  if (thresholds) expect(coverage.claims[0]?.thresholds).toEqual(thresholds)
})

test('A choice on a hosted page is counted as one flow, and nothing while the page waits', async () => {
  const page = await use({ sandbox_persona: undefined })
  const waiting = await sandbox.coverage.get()
  expect([waiting.endings, waiting.dimensions.answers.total]).toEqual([{}, 2])
  await submit(sandbox, press(page.text, 'decline'))
  const asked = { use: ONCE, fragment: ONCE, no_can_create: ONCE }
  expect(await sandbox.coverage.get()).toMatchObject({ asked, endings: { access_denied: ONCE } })
})

test('The outcome of a later call is counted when that call was answered, and no sooner', async () => {
  const code = await party.obtainCode({ sandbox_persona: undefined, sandbox_outcome: 'token.500' })
  expect(Object.keys((await sandbox.coverage.get()).rows)).toEqual(['use/code_issued'])
  await party.exchange(code)
  const { rows, calls } = await sandbox.coverage.get()
  expect([rows['token/token.500'], calls]).toEqual([ONCE, { token: { failure: ONCE } }])
})

test('The counts of calls survive a reset, name the test that saw them, and go when they are cleared', async () => {
  await sandbox.coverage.name('an adult comes in')
  await use({})
  await sandbox.coverage.name(undefined)
  await use({})
  await sandbox.reset()
  expect((await sandbox.coverage.get()).endings).toEqual({
    verified: { count: 2, tests: ['an adult comes in'] },
  })
  await sandbox.coverage.clear()
  expect((await sandbox.coverage.get()).endings).toEqual({})
})

test('The counts of a tenant are its own, and those of the root tenant are of all, also of one that was removed', async () => {
  const one = sandbox.tenant('one')
  await request.get('/t/one/v1/oidc/use').query(useRequest(ADULT)).expect(302)
  await party.use({ sandbox_persona: 'child-12' })
  const seen = async () => Object.keys((await sandbox.coverage.get()).endings).toSorted()
  expect([(await one.coverage.get()).endings, await seen()]).toEqual([
    { verified: ONCE },
    ['none_met', 'verified'],
  ])
  await sandbox.removeTenant('one')
  expect(await seen()).toEqual(['none_met', 'verified'])
})

test('Each gap in the coverage of a real run is closed by what it names', async () => {
  const asked = claims({ age_thresholds: [18, 21], provenance: { denied: ['/veratad/cra'] } })
  await party.use({ claims: asked })
  await party.obtainRequestUri()
  const { answers, filters, boundaries, endings, must } = (await sandbox.coverage.get()).dimensions
  const gaps = [answers, filters, boundaries, endings, { items: must.items.slice(0, 12) }]
    .flatMap(({ items }) => items)
    .flatMap(({ flow, sides }) =>
      Object.values(sides).flatMap((side) => (side.count > 0 ? [] : [{ flow, ...side }])),
    )
  expect(gaps.length).toBeGreaterThan(15)
  for (const { flow, persona, outcome } of gaps) {
    const decided = { sandbox_persona: persona, sandbox_outcome: outcome }
    if (flow === 'use') await party.use({ claims: asked, ...decided })
    if (flow !== 'create') continue
    const changes = { ...decided, sandbox_persona: persona ?? 'no-age-key' }
    await request
      .get('/v1/oidc/create')
      .query(createRequest(await party.obtainRequestUri(), changes))
  }
  const after = (await sandbox.coverage.get()).dimensions
  const percents = [after.answers, after.filters, after.boundaries, after.endings].map(
    ({ percent }) => percent,
  )
  expect(percents).toEqual([100, 100, 100, 100])
  expect(after.must.items.slice(0, 12).every(({ state }) => state === 'covered')).toBe(true)
})
