import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { pushedRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const rp = createRelyingParty(sandbox)
const undecided = { sandbox_persona: undefined }
const TEEN = { decide: { flow: 'use', persona: 'teen-16' } } as const

type Steps = Parameters<typeof sandbox.scenarios.arm>[0]['steps']

/** Arms a scenario of these steps. @returns how far it has come by now */
async function arm(...steps: Steps) {
  const { id, revision } = await sandbox.scenarios.arm({ name: 'A', steps })
  return { id, revision, now: () => sandbox.scenarios.get(id) }
}

test('POST scenarios arms a scenario and says how far it has come', async () => {
  const steps = [{ clock: { advance: 5 } }, TEEN]
  const { body } = await sandbox.request.post('/_sandbox/scenarios').send({ name: 'A', steps }).expect(201)
  const passed = { index: 0, kind: 'clock', status: 'passed' }
  const current = { index: 1, kind: 'decide', status: 'current' }
  expect(body).toMatchObject({ id: expect.any(String), name: 'A', status: 'running', steps: [passed, current] })
  expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
})

test('POST scenarios takes a scenario file as it is', async () => {
  const file = readFileSync(new URL('../../docs/scenarios/teen-then-adult.yaml', import.meta.url), 'utf8')
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
  const call = sandbox.request.post('/v1/oidc/create/par').set('X-Sandbox-Outcome', 'nope').type('form')
  await call.send(pushedRequest()).expect(400)
  expect((await now()).steps[0]?.detail).toBe('a par call came that was answered with 400')
})

test('A scenario shows no secret of what came, however it was sent', async () => {
  await arm({ ...TEEN, expect: { state: 'x', nonce: 'x' } })
  await arm({ await: 'par', expect: { state: 'x', client_secret: 'y' } })
  const query = useRequest({ state: 'a sk_test_sandbox', nonce: `${'x'.repeat(190)} sk_test_sandbox` })
  await sandbox.request.get('/v1/oidc/use').query(query)
  expect((await rp.push({ state: btoa('ak_test_sandbox:sk_test_sandbox') })).status).toBe(201)
  const { text } = await sandbox.request.get('/_sandbox/scenarios').expect(200)
  expect(text).toContain('state: expected \\"x\\", came \\"a ***\\"')
  expect(text).toContain('client_secret: expected')
  for (const secret of ['sk_test_', btoa('ak_test_sandbox:sk_test_sandbox')]) expect(text).not.toContain(secret)
})

test('A scenario decides Use, sees token, upgrade and what was pushed, moves the clock, and is met by a real expiry', async () => {
  await sandbox.clock.freeze()
  const { now } = await arm(
    { decide: { flow: 'use', persona: 'child-12' }, expect: { claims: { age_thresholds: [13, 16] } } },
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

test('A scenario answers a long poll as soon as it advances, at once when it has advanced, and when it is removed', async () => {
  const { id, revision } = await arm({ await: 'par' }, { await: 'jwks' })
  const poll = (after = {}) => sandbox.scenarios.get(id, { waitSeconds: 10, ...after })
  const news = poll()
  await rp.push()
  const further = await news
  expect(further.steps.map(({ status }) => status)).toEqual(['passed', 'current'])
  expect((await poll({ after: revision })).revision).toBe(further.revision)
  const gone = poll()
  await sandbox.scenarios.clear()
  await expect(gone).rejects.toMatchObject({ status: 404 })
})
