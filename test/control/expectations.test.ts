import { expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const OTHER = { clientId: 'other', clientSecret: 'sk_other', redirectUris: ['http://localhost:3000/callback'] }
const sandbox = await shareSandbox({ clients: [OTHER] })
const rp = createRelyingParty(sandbox)

/** How a request that names neither persona nor outcome ends: an error code, `verified`, or `page`. */
async function endingOf(changes = {}): Promise<string> {
  const answer = await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))
  return answer.status === 200 ? 'page' : (readCallback(answer).params['error'] ?? 'verified')
}

test('Expectations decide one request each in the order of their queue, or as many as times says, then the page is back', async () => {
  await sandbox.next({ outcome: 'server_error' })
  await sandbox.next({ outcome: 'access_denied', times: 2 })
  const endings = [await endingOf(), await endingOf()]
  expect(await sandbox.expectations.list()).toMatchObject([{ times: 2, remaining: 1 }])
  expect([...endings, await endingOf(), await endingOf()]).toEqual([
    ...['server_error', 'access_denied', 'access_denied', 'page'],
  ])
})

test('An expectation is removed by its id, and all of them by DELETE', async () => {
  const first = await sandbox.next({ outcome: 'server_error' })
  await sandbox.next({ outcome: 'access_denied', times: 2 })
  await sandbox.expectations.remove(first.id)
  expect(await endingOf()).toBe('access_denied')
  await expect(sandbox.expectations.remove(first.id)).rejects.toThrow(`none with the id "${first.id}"`)
  await sandbox.expectations.clear()
  expect(await endingOf()).toBe('page')
})

test.each([
  [{ state: 'mine' }, { state: 'mine' }],
  [{ nonce: 'mine' }, { nonce: 'mine' }],
  [{ client_id: 'ak_test_sandbox', state: 'mine' }, { state: 'mine' }],
  [{ client_id: 'other' }, { client_id: 'other' }],
])('An expectation with match %j waits for the request that says the same', async (match, changes) => {
  await sandbox.next({ outcome: 'access_denied', match })
  expect([await endingOf(), await endingOf(changes)]).toEqual(['page', 'access_denied'])
})

test('An expectation of Create matches the pushed state', async () => {
  await sandbox.next({ flow: 'create', outcome: 'access_denied', match: { state: 'pushed' } })
  const requestUri = await rp.obtainRequestUri({ state: 'pushed' })
  const { params } = await rp.create(requestUri, { sandbox_persona: undefined })
  expect(params).toMatchObject({ error: 'access_denied', state: 'pushed' })
})

test.each(['expired', 'used'] as const)(
  'An expectation of request_uri.%s is met by a reference that really is so',
  async (reason) => {
    const requestUri = await rp.obtainRequestUri()
    if (reason === 'used') await rp.create(requestUri)
    else await sandbox.clock.advance(91)
    await sandbox.next({ flow: 'create', outcome: 'created' })
    await sandbox.next({ flow: 'create', outcome: `request_uri.${reason}` })
    const { params } = await rp.create(requestUri, { sandbox_persona: undefined })
    expect(params['error']).toBe('invalid_request_uri')
    expect(await sandbox.expectations.list()).toMatchObject([{ outcome: 'created' }])
  },
)

test.each(['par', 'token', 'upgrade'] as const)(
  'An expectation of %s answers that call once, for the client that it names',
  async (flow) => {
    const [token, code] = [await rp.obtainToken(), await rp.obtainCode()]
    await sandbox.next({ flow, outcome: `${flow}.503`, match: { client_id: 'ak_test_sandbox' } })
    const call = { par: () => rp.push(), token: () => rp.exchange(code), upgrade: () => rp.upgrade(token) }[flow]
    expect((await call()).status).toBe(503)
    expect((await call()).status).toBeLessThan(300)
  },
)

type Row = readonly [flow: 'discovery' | 'jwks', path: string, member: string, outcome: string, extra: string]
const READS: readonly Row[] = [
  ['discovery', '/v1/oidc/use/.well-known/openid-configuration', 'issuer', 'discovery.issuer_missing', 'extra_member'],
  ['jwks', '/.well-known/jwks.json', 'keys', 'jwks.keys_missing', 'extra_key'],
]

/** Reads a document so often: whether each answer is spoiled. */
async function reads(times: number, [, path, member]: Row) {
  const spoiled: boolean[] = []
  for (let n = 0; n < times; n++) spoiled.push(!(member in (await sandbox.request.get(path).expect(200)).body))
  return spoiled
}
const endAFlow = () => endingOf({ sandbox_persona: 'teen-16' })
const HELD = { remaining: 1, held_since: expect.stringMatching(/^f\d+$/) }

test.each(READS)(
  'An expectation for %s meets every read until a flow of its tenant has ended after the first',
  async (...row) => {
    const [flow, , , outcome] = row
    await sandbox.next({ flow, outcome })
    await endAFlow()
    expect(await reads(3, row)).toEqual([true, true, true])
    expect(await sandbox.expectations.list()).toMatchObject([{ times: 1, ...HELD }])
    // A page that waits for its user has ended no flow, and a flow of another tenant none of this one.
    expect(await endingOf()).toBe('page')
    const other = useRequest({ sandbox_persona: 'teen-16' })
    await sandbox.request.get('/t/other/v1/oidc/use').query(other).expect(302)
    expect(await reads(1, row)).toEqual([true])
    await endAFlow()
    expect(await reads(1, row)).toEqual([false])
    expect(await sandbox.expectations.list()).toEqual([])
  },
)

test.each(READS)(
  'An expectation for %s with times holds for as many of these periods, and the next one follows',
  async (...row) => {
    const [flow, , , outcome, extra] = row
    await sandbox.next({ flow, outcome, times: 2 })
    await sandbox.next({ flow, outcome: `${flow}.${extra}` })
    expect(await reads(2, row)).toEqual([true, true])
    await endAFlow()
    const [first] = await sandbox.expectations.list()
    expect(first).toEqual({ id: expect.any(String), flow, outcome, times: 2, remaining: 1 })
    await endAFlow()
    expect(await reads(2, row)).toEqual([true, true])
    await endAFlow()
    expect(await reads(2, row)).toEqual([false, false])
    expect(await sandbox.expectations.list()).toMatchObject([HELD])
  },
)

test.each(READS)(
  'A step of a scenario that decides %s holds in the same way, while the scenario goes on',
  async (...row) => {
    const [flow, , , outcome] = row
    const steps = [{ decide: { flow, outcome } }, { decide: { flow: 'use' as const, persona: 'teen-16' } }]
    await sandbox.scenarios.arm({ name: 'A', steps })
    expect(await reads(3, row)).toEqual([true, true, true])
    expect(await endingOf()).toBe('verified')
    expect(await reads(1, row)).toEqual([false])
    expect(await sandbox.scenarios.list()).toMatchObject([{ status: 'passed' }])
  },
)
