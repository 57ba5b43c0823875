import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readCallback } from '../../support/callbacks.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { pushedRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const OTHER = {
  clientId: 'other',
  clientSecret: 'sk_other',
  redirectUris: ['http://localhost:3000/callback'],
}
const sandbox = await shareSandbox({ clients: [OTHER] })
const rp = createRelyingParty(sandbox)

/**
 * How a request that names neither persona nor outcome ends: an error code, `verified`, or `page`.
 */
async function endingOf(changes = {}): Promise<string> {
  const answer = await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))
  return answer.status === 200 ? 'page' : (readCallback(answer).params['error'] ?? 'verified')
}

test('An expectation decides one request', async () => {
  const first = await sandbox.next({ outcome: 'server_error' })
  await sandbox.next({ outcome: 'access_denied' })
  await sandbox.expectations.remove(first.id)
  expect(await endingOf()).toBe('access_denied')
  expect(await endingOf()).toBe('page')
})

test('An expectation is removed once', async () => {
  const first = await sandbox.next({ outcome: 'server_error' })
  await sandbox.expectations.remove(first.id)
  await expect(sandbox.expectations.remove(first.id)).rejects.toThrow(
    `none with the id "${first.id}"`,
  )
})

test('DELETE expectations removes all expectations', async () => {
  await sandbox.next({ outcome: 'access_denied' })
  await sandbox.expectations.clear()
  expect(await endingOf()).toBe('page')
})

test('An expectation waits for the request that it matches', async () => {
  const changes = { client_id: 'other', state: 'mine', nonce: 'mine' }
  await sandbox.next({ outcome: 'access_denied', match: changes })
  for (const name of ['client_id', 'state', 'nonce'])
    expect(await endingOf({ ...changes, [name]: useRequest()[name] })).toBe('page')
  expect(await endingOf(changes)).toBe('access_denied')
})

test('An expectation of Create matches the pushed state', async () => {
  await sandbox.next({ flow: 'create', outcome: 'access_denied', match: { state: 'pushed' } })
  const { params } = await rp.create(await rp.obtainRequestUri({ state: 'pushed' }), {
    sandbox_persona: undefined,
  })
  expect(params).toMatchObject({ error: 'access_denied', state: 'pushed' })
})

test.each(['expired', 'used'] as const)(
  'An expectation of request_uri.%s is met by a real one',
  async (reason) => {
    const requestUri = await rp.obtainRequestUri()
    if (reason === 'used') await rp.create(requestUri)
    else await sandbox.clock.advance(91)
    await sandbox.next({ flow: 'create', outcome: 'created' })
    await sandbox.next({ flow: 'create', outcome: `request_uri.${reason}` })
    expect((await rp.create(requestUri, { sandbox_persona: undefined })).params['error']).toBe(
      'invalid_request_uri',
    )
    expect(await sandbox.expectations.list()).toMatchObject([{ outcome: 'created' }])
  },
)

const endAFlow = () => endingOf({ sandbox_persona: 'teen-16' })

test.each([
  ['discovery', '/v1/oidc/use/.well-known/openid-configuration', 'issuer'],
  ['jwks', '/.well-known/jwks.json', 'keys'],
] as const)(
  'What is decided for %s meets each read until a flow of its tenant ended',
  async (flow, path, member) => {
    const outcome = `${flow}.${member}_missing`
    const isSpoiled = async () => !(member in (await sandbox.request.get(path).expect(200)).body)
    await sandbox.next({ flow, outcome })
    await endAFlow()
    expect(await isSpoiled()).toBe(true)
    expect(await isSpoiled()).toBe(true)
    const held_since = expect.stringMatching(/^f\d+$/)
    expect(await sandbox.expectations.list()).toMatchObject([
      { times: 1, remaining: 1, held_since },
    ])
    // A page that waits for its user has ended no flow, and a flow of another tenant none of this
    // one.
    expect(await endingOf()).toBe('page')
    const other = useRequest({ sandbox_persona: 'teen-16' })
    await sandbox.request.get('/t/other/v1/oidc/use').query(other).expect(302)
    expect(await isSpoiled()).toBe(true)
    await endAFlow()
    expect(await isSpoiled()).toBe(false)
    expect(await sandbox.expectations.list()).toEqual([])
  },
)

const undecided = { sandbox_persona: undefined }
const TEEN = { decide: { flow: 'use', persona: 'teen-16' } } as const

type Steps = Parameters<typeof sandbox.scenarios.arm>[0]['steps']

/** Arms a scenario of these steps. @returns how far it has come by now */
async function arm(...steps: Steps) {
  const { id, revision } = await sandbox.scenarios.arm({ name: 'A', steps })
  return { id, revision, now: () => sandbox.scenarios.get(id) }
}

test('POST scenarios arms a scenario', async () => {
  const steps = [{ clock: { advance: 5 } }, TEEN]
  const { body } = await sandbox.request
    .post('/_sandbox/scenarios')
    .send({ name: 'A', steps })
    .expect(201)
  const passed = { index: 0, kind: 'clock', status: 'passed' }
  const current = { index: 1, kind: 'decide', status: 'current' }
  expect(body).toMatchObject({
    id: expect.any(String),
    name: 'A',
    status: 'running',
    steps: [passed, current],
  })
  expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
})

test('POST scenarios takes a scenario file as it is', async () => {
  const file = readFileSync(
    new URL('../../../docs/scenarios/teen-then-adult.yaml', import.meta.url),
    'utf8',
  )
  const post = sandbox.request.post('/_sandbox/scenarios').set('Content-Type', 'application/yaml')
  expect((await post.send(file).expect(201)).body).toMatchObject({ status: 'running' })
})

test('A scenario moves the clock only after the id_token of the decision before was issued', async () => {
  await arm({ clock: { set: '2030-01-01', freeze: true } }, TEEN, { clock: { advance: 91 } })
  expect(idTokenOf(await rp.use(undecided)).iat).toBe(Date.UTC(2030, 0) / 1000)
})

test('A scenario that is refused leaves none of its personas behind', async () => {
  const personas = [{ name: 'own', title: 'Own', purpose: 'Left behind' }]
  const refused = sandbox.scenarios.arm({ name: 'A', client: 'nobody', personas, steps: [TEEN] })
  await expect(refused).rejects.toThrow('no client "nobody" is registered')
  await expect(sandbox.personas.get('own')).rejects.toMatchObject({ status: 404 })
})

test('A scenario observes the status with which a call of an unknown outcome was answered', async () => {
  const { now } = await arm({ await: 'par' })
  const call = sandbox.request
    .post('/v1/oidc/create/par')
    .set('X-Sandbox-Outcome', 'nope')
    .type('form')
  await call.send(pushedRequest()).expect(400)
  expect((await now()).steps[0]?.detail).toBe('a par call came that was answered with 400')
})

test('A scenario shows no secret of what came, however it was sent', async () => {
  await arm({ ...TEEN, expect: { state: 'x', nonce: 'x' } })
  await arm({ await: 'par', expect: { state: 'x', client_secret: 'y' } })
  const query = useRequest({
    state: 'a sk_test_sandbox',
    nonce: `${'x'.repeat(190)} sk_test_sandbox`,
  })
  await sandbox.request.get('/v1/oidc/use').query(query)
  expect((await rp.push({ state: btoa('ak_test_sandbox:sk_test_sandbox') })).status).toBe(201)
  const { text } = await sandbox.request.get('/_sandbox/scenarios').expect(200)
  expect(text).toContain('state: expected \\"x\\", came \\"a ***\\"')
  expect(text).toContain('client_secret: expected')
  for (const secret of ['sk_test_', btoa('ak_test_sandbox:sk_test_sandbox')])
    expect(text).not.toContain(secret)
})

test('A scenario of all kinds of steps passes', async () => {
  await sandbox.clock.freeze()
  const { now } = await arm(
    {
      decide: { flow: 'use', persona: 'child-12' },
      expect: { claims: { age_thresholds: [13, 16] } },
    },
    { await: 'token' },
    { clock: { advance: 60 } },
    { await: 'upgrade', expect: { authorization_details: [{ method: 'id_doc_scan' }] } },
    { await: 'par' },
    { clock: { advance: 91 } },
    { decide: { flow: 'create', outcome: 'request_uri.expired' } },
    { clock: { advance: 1 } },
    { await: 'jwks' },
  )
  const token = await rp.obtainToken(undecided)
  expect((await sandbox.clock.state()).advanced_seconds).toBe(60)
  await rp.upgrade(token)
  const { params } = await rp.create(await rp.obtainRequestUri(), undecided)
  expect(params).toMatchObject({ error: 'invalid_request_uri' })
  expect((await sandbox.clock.state()).advanced_seconds).toBe(152)
  await sandbox.request.get('/.well-known/jwks.json')
  expect(await now()).toMatchObject({ status: 'passed' })
})

test('A scenario answers a long poll as soon as the scenario advances', async () => {
  const { id } = await arm({ await: 'par' }, { await: 'jwks' })
  const news = sandbox.scenarios.get(id, { waitSeconds: 10 })
  await rp.push()
  const further = await news
  expect(further.steps.map(({ status }) => status)).toEqual(['passed', 'current'])
})

test('A scenario answers a long poll at once when it has advanced already', async () => {
  const { id, revision } = await arm({ await: 'par' }, { await: 'jwks' })
  await rp.push()
  const polled = await sandbox.scenarios.get(id, { waitSeconds: 10, after: revision })
  expect(polled.steps.map(({ status }) => status)).toEqual(['passed', 'current'])
})

test('A scenario answers a long poll when the scenario is removed', async () => {
  const { id } = await arm({ await: 'par' }, { await: 'jwks' })
  const gone = sandbox.scenarios.get(id, { waitSeconds: 10 })
  await sandbox.scenarios.clear()
  await expect(gone).rejects.toMatchObject({ status: 404 })
})
