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

test('An expectation decides one request, is removed by its id, and all of them by DELETE', async () => {
  const first = await sandbox.next({ outcome: 'server_error' })
  await sandbox.next({ outcome: 'access_denied' })
  await sandbox.expectations.remove(first.id)
  expect([await endingOf(), await endingOf()]).toEqual(['access_denied', 'page'])
  await expect(sandbox.expectations.remove(first.id)).rejects.toThrow(`none with the id "${first.id}"`)
  await sandbox.next({ outcome: 'access_denied' })
  await sandbox.expectations.clear()
  expect(await endingOf()).toBe('page')
})

test('An expectation waits for the request with its client, state and nonce', async () => {
  const changes = { client_id: 'other', state: 'mine', nonce: 'mine' }
  await sandbox.next({ outcome: 'access_denied', match: changes })
  for (const name of ['client_id', 'state', 'nonce'])
    expect(await endingOf({ ...changes, [name]: useRequest()[name] })).toBe('page')
  expect(await endingOf(changes)).toBe('access_denied')
})

test('An expectation of Create matches the pushed state', async () => {
  await sandbox.next({ flow: 'create', outcome: 'access_denied', match: { state: 'pushed' } })
  const { params } = await rp.create(await rp.obtainRequestUri({ state: 'pushed' }), { sandbox_persona: undefined })
  expect(params).toMatchObject({ error: 'access_denied', state: 'pushed' })
})

test.each(['expired', 'used'] as const)('An expectation of request_uri.%s is met by a real one', async (reason) => {
  const requestUri = await rp.obtainRequestUri()
  if (reason === 'used') await rp.create(requestUri)
  else await sandbox.clock.advance(91)
  await sandbox.next({ flow: 'create', outcome: 'created' })
  await sandbox.next({ flow: 'create', outcome: `request_uri.${reason}` })
  expect((await rp.create(requestUri, { sandbox_persona: undefined })).params['error']).toBe('invalid_request_uri')
  expect(await sandbox.expectations.list()).toMatchObject([{ outcome: 'created' }])
})

const endAFlow = () => endingOf({ sandbox_persona: 'teen-16' })

test.each([
  ['discovery', '/v1/oidc/use/.well-known/openid-configuration', 'issuer'],
  ['jwks', '/.well-known/jwks.json', 'keys'],
] as const)('What is decided for %s meets each read until a flow of its tenant ended', async (flow, path, member) => {
  const outcome = `${flow}.${member}_missing`
  const isSpoiled = async () => !(member in (await sandbox.request.get(path).expect(200)).body)
  await sandbox.next({ flow, outcome })
  await endAFlow()
  expect([await isSpoiled(), await isSpoiled()]).toEqual([true, true])
  const held_since = expect.stringMatching(/^f\d+$/)
  expect(await sandbox.expectations.list()).toMatchObject([{ times: 1, remaining: 1, held_since }])
  // A page that waits for its user has ended no flow, and a flow of another tenant none of this one.
  expect(await endingOf()).toBe('page')
  const other = useRequest({ sandbox_persona: 'teen-16' })
  await sandbox.request.get('/t/other/v1/oidc/use').query(other).expect(302)
  expect(await isSpoiled()).toBe(true)
  await endAFlow()
  expect([await isSpoiled(), await sandbox.expectations.list()]).toEqual([false, []])
})
