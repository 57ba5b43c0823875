import { beforeEach, expect, test } from 'vitest'
import { settleAddresses } from '../../../src/sandbox/addresses/addresses.ts'
import { demoClient } from '../../../src/sandbox/clients/clients.ts'
import type { Coverage } from '../../../src/server/client/shapes.ts'
import { readCallback } from '../../support/callbacks.ts'
import { press, submit } from '../../support/forms.ts'
import { endingsIn } from '../../support/kept-coverage.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { claims, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox({ slowReplySeconds: 1 })
beforeEach(() => sandbox.coverage.clear())
const party = createRelyingParty(sandbox)
const { request } = sandbox

const ADULT = { claims: claims({ age_thresholds: [18] }), sandbox_persona: 'adult-passport' }
const use = (changes: Parameters<typeof useRequest>[0], headers = {}) =>
  request
    .get('/v1/oidc/use')
    .set(headers)
    .query(useRequest({ ...ADULT, ...changes }))

/** The names of endings, rows and answers that were seen, without the ids of claims. */
const seenIn = ({ names }: Coverage): readonly string[] =>
  names
    .filter((name) => !name.startsWith('asked '))
    .map((name) => name.replace(/^(?:ending|row) /, '').replace(/^answer [\da-f]{8}\//, ''))

const force = async (outcome: string) => {
  await sandbox.next({ flow: 'par', outcome })
  await party.push().catch(() => undefined)
}
const readForced = async (decision = {}) => {
  await sandbox.next({ flow: 'jwks', outcome: 'jwks.500', ...decision })
  await request.get('/.well-known/jwks.json')
}
const exchangeForced = async () => {
  await sandbox.next({ flow: 'token', outcome: 'token.500' })
  await party.exchange('nobody-issued-this')
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
const EXTRA_CLAIM = { sandbox_outcome: 'id_token.extra_claim' }
const UPGRADE = { scope: 'openid svc.upgrade', sandbox_persona: 'child-12' }
const CREATES = { can_create: 'true', sandbox_persona: 'no-age-key' }

test.each<[string, () => PromiseLike<unknown>, seen: readonly string[]]>([
  ['An answer of the service', () => use({}), ['18 true', 'verified', 'use/verified']],
  ['A changed answer', () => use({ sandbox_outcome: strings }), [`use/${strings}`]],
  [
    'An answer a client has to accept',
    () => use(EXTRA_CLAIM),
    ['18 true', 'verified', 'use/id_token.extra_claim'],
  ],
  [
    'A code',
    () => use(UPGRADE),
    ['18 false', 'none_met', 'code_issued', 'use/verified', 'use/code_issued'],
  ],
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
  ['The outcome no_answer', () => use({ sandbox_outcome: 'no_answer' }), []],
  ['The page that ends an iframe', () => use({}, { 'Sec-Fetch-Dest': 'iframe' }), []],
  ['An expired request_uri', expire, ['request_uri_expired', 'create/request_uri.expired']],
  [
    'An evaluation',
    () => sandbox.evaluate({ claims: { age_thresholds: [18] }, persona: 'teen-16' }),
    [],
  ],
  ['Flows of an audit', audit, []],
  ['A HEAD request', () => request.head('/.well-known/jwks.json'), []],
  ['Calls of the demo', async () => shop.upgrade(await shop.obtainToken(demo)), []],
  ['A flow of the demo', () => use(demo), []],
  ['A token that nobody issued', () => party.upgrade('unknown'), []],
  ['A read of the keys', () => request.get('/.well-known/jwks.json'), []],
  [
    'A read of discovery',
    () => request.get('/v1/oidc/create/.well-known/openid-configuration'),
    [],
  ],
  ['A forced read of the keys', readForced, ['jwks/jwks.500']],
  ['A forced read of the keys in an audit', () => readForced({ audit: true }), []],
  ['A forced exchange of an unknown code', exchangeForced, ['token/token.500']],
  ['par.400', () => force('par.400'), ['par/par.400']],
  ['par.500', () => force('par.500'), ['par/par.500']],
  ['par.dropped', () => force('par.dropped'), ['par/par.dropped']],
  ['par.truncated', () => force('par.truncated'), ['par/par.truncated']],
  ['par.slow', () => force('par.slow'), ['par/par.slow']],
  ['par.extra_member', () => force('par.extra_member'), ['par/par.extra_member']],
  ['par.html', () => force('par.html'), ['par/par.html']],
])('%s is counted as what the client has seen (%#)', async (_what, act, seen) => {
  await act()
  expect(seenIn(await sandbox.coverage.get()).toSorted()).toEqual(seen.toSorted())
})

test('Flows of an audit ask for nothing in the coverage', async () => {
  await audit()
  const { names, claims: asked } = await sandbox.coverage.get()
  expect(names).toEqual([])
  expect(asked).toEqual({})
})

test('The coverage names what a Use request asked for', async () => {
  await use({ can_create: 'true', scope: UPGRADE.scope })
  const { names } = await sandbox.coverage.get()
  expect(names.filter((name) => name.startsWith('asked '))).toEqual([
    'asked can_create',
    'asked upgrade',
    'asked use',
  ])
})

test('Claims count once in the coverage when they differ in verified_after or in the order of members', async () => {
  const was = { age_thresholds: [18], verified_after: '2020-01-01' }
  const is = { verified_after: '2020-02-02', age_thresholds: [18] }
  await use({ claims: JSON.stringify(was) })
  await use({ claims: JSON.stringify(is), sandbox_persona: 'child-12' })
  const { claims: asked, dimensions } = await sandbox.coverage.get()
  expect(Object.values(asked)).toEqual([was])
  expect(dimensions.answers).toMatchObject({ covered: 2, total: 2 })
})

test('The threshold 0 counts in the coverage like any other', async () => {
  await use({ claims: claims({ age_thresholds: [0] }) })
  const { answers } = (await sandbox.coverage.get()).dimensions
  expect(answers.items).toMatchObject([
    { title: 'age_thresholds 0', sides: { true: { seen: true }, false: { seen: false } } },
  ])
})

test('The coverage keeps claims apart that ask for other thresholds, or for verified_after at all', async () => {
  await use({})
  await use({ claims: claims({ age_thresholds: [21] }) })
  await use({ claims: claims({ age_thresholds: [18], verified_after: '2020-01-01' }) })
  expect(Object.keys((await sandbox.coverage.get()).claims)).toHaveLength(3)
})

test('A choice on a hosted page is counted as one flow, and nothing while the page waits', async () => {
  const page = await use({ sandbox_persona: undefined })
  const waiting = await sandbox.coverage.get()
  expect(seenIn(waiting)).toEqual([])
  expect(waiting.dimensions.answers.total).toBe(2)
  await submit(sandbox, press(page.text, 'decline'))
  const { names } = await sandbox.coverage.get()
  expect(names).toEqual([
    'asked no_can_create',
    'asked use',
    'ending access_denied',
    'row use/access_denied',
  ])
})

test('The outcome of a later call is counted when that call was answered, and no sooner', async () => {
  const code = await party.obtainCode({ sandbox_persona: undefined, sandbox_outcome: 'token.500' })
  const rows = async () => seenIn(await sandbox.coverage.get()).filter((name) => name.includes('/'))
  expect(await rows()).toEqual(['use/code_issued'])
  await party.exchange(code)
  expect(await rows()).toEqual(['token/token.500', 'use/code_issued'])
})

test('The coverage survives a reset', async () => {
  await use({})
  await sandbox.reset()
  expect(seenIn(await sandbox.coverage.get())).toContain('verified')
})

test('The coverage is empty after it is cleared', async () => {
  await use({})
  await sandbox.coverage.clear()
  const { names, claims: asked } = await sandbox.coverage.get()
  expect(names).toEqual([])
  expect(asked).toEqual({})
})

test('The coverage counts again what it counted before it was cleared', async () => {
  await use({})
  await sandbox.coverage.clear()
  await use({})
  expect(seenIn(await sandbox.coverage.get())).toContain('verified')
})

test('The coverage of a tenant is its own, and that of the root tenant is of all, also of one that was removed', async () => {
  const one = sandbox.tenant('one')
  await request.get('/t/one/v1/oidc/use').query(useRequest(ADULT)).expect(302)
  await party.use({ sandbox_persona: 'child-12' })
  const endings = async (api: Pick<typeof one, 'coverage'>) =>
    endingsIn((await api.coverage.get()).names)
  expect(await endings(one)).toEqual(['verified'])
  expect(await endings(sandbox)).toEqual(['none_met', 'verified'])
  await sandbox.removeTenant('one')
  expect(await endings(sandbox)).toEqual(['none_met', 'verified'])
})

test('The coverage of a tenant that is cleared stays in that of the root tenant', async () => {
  await request.get('/t/two/v1/oidc/use').query(useRequest(ADULT)).expect(302)
  await sandbox.tenant('two').coverage.clear()
  expect((await sandbox.tenant('two').coverage.get()).names).toEqual([])
  expect(seenIn(await sandbox.coverage.get())).toContain('verified')
})

test('The coverage of every tenant is empty after that of the root tenant is cleared', async () => {
  await request.get('/t/three/v1/oidc/use').query(useRequest(ADULT)).expect(302)
  await sandbox.coverage.clear()
  expect((await sandbox.tenant('three').coverage.get()).names).toEqual([])
})

test('Each gap in the coverage of a real run is closed by what it names', async () => {
  const asked = claims({ age_thresholds: [18, 21], provenance: { denied: ['/veratad/cra'] } })
  await party.use({ claims: asked })
  await party.obtainRequestUri()
  const { answers, endings, must } = (await sandbox.coverage.get()).dimensions
  const gaps = [answers, endings, { items: must.items.slice(0, 12) }]
    .flatMap(({ items }) => items)
    .flatMap(({ flow, sides }) =>
      Object.values(sides).flatMap((side) => (side.seen ? [] : [{ flow, ...side }])),
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
  expect(after.answers.percent).toBe(100)
  expect(after.endings.percent).toBe(100)
  expect(after.must.items.slice(0, 12).every(({ state }) => state === 'covered')).toBe(true)
})
