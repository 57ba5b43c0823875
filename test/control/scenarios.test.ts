import { describe, expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { claims, pushedRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const undecided = { sandbox_persona: undefined }

describe('POST scenarios', () => {
  test('arms one and says how far it has come', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request
      .post('/_sandbox/scenarios')
      .send({
        name: 'A',
        steps: [{ clock: { advance: 5 } }, { decide: { flow: 'use', persona: 'teen-16' } }],
      })
      .expect(201)
    expect(answer.body).toMatchObject({
      id: expect.any(String),
      name: 'A',
      status: 'running',
      steps: [
        { index: 0, kind: 'clock', status: 'passed' },
        { index: 1, kind: 'decide', status: 'current' },
      ],
    })
    expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
  })

  test.each([
    [{ steps: [] }, 'name: is missing'],
    [{ name: 'A', steps: [{ decide: { flow: 'use', persona: 'teen-61' } }] }, 'Did you mean \\"teen-16\\"?'],
    [{ name: 'A', steps: [{ decide: { flow: 'use', outcome: 'acess_denied' } }] }, 'Did you mean \\"access_denied\\"?'],
    [{ name: 'A', steps: [{ decide: { flow: 'ues', outcome: 'x' } }] }, 'Did you mean \\"use\\"?'],
    [{ name: 'A', steps: [{ wait: 'par' }] }, 'steps[0].wait: unknown key'],
    [{ name: 'A', client: 'nobody', steps: [{ await: 'par' }] }, 'client: no client \\"nobody\\" is registered'],
  ])('refuses %j', async (body, message) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.post('/_sandbox/scenarios').send(body).expect(400)
    expect(answer.text).toContain(message)
    expect(await sandbox.scenarios.list()).toEqual([])
  })
})

describe('an armed scenario', () => {
  test('observes the status with which a call of an unknown outcome was answered', async () => {
    const sandbox = await startSandbox()
    const { id } = await sandbox.scenarios.arm({ name: 'A', steps: [{ await: 'par' }] })
    await sandbox.request
      .post('/v1/oidc/create/par')
      .set('X-Sandbox-Outcome', 'nope')
      .type('form')
      .send(pushedRequest())
      .expect(400)
    expect((await sandbox.scenarios.get(id)).steps[0]?.detail).toBe('a par call came that was answered with 400')
  })

  test('decides behind an expectation and before the default', async () => {
    const sandbox = await startSandbox({ persona: 'adult-passport' })
    const rp = createRelyingParty(sandbox)
    await sandbox.scenarios.arm({ name: 'A', steps: [{ decide: { flow: 'use', persona: 'teen-16' } }] })
    await sandbox.next({ persona: 'child-12' })
    for (let n = 0; n < 3; n++) await rp.use(undecided)
    const decided = (await sandbox.flows.list()).map(({ persona }) => persona)
    expect(decided).toEqual(['adult-passport', 'teen-16', 'child-12'])
  })

  test('shows no secret of what came, however it was sent', async () => {
    const sandbox = await startSandbox()
    const useStep = { decide: { flow: 'use', persona: 'teen-16' }, expect: { state: 'x', nonce: 'x' } } as const
    const parStep = { await: 'par', expect: { state: 'x', client_secret: 'y' } } as const
    for (const step of [useStep, parStep]) await sandbox.scenarios.arm({ name: 'A', steps: [step] })
    const query = useRequest({ state: 'a sk_test_sandbox', nonce: `${'x'.repeat(190)} sk_test_sandbox` })
    await sandbox.request.get('/v1/oidc/use').query(query)
    const body = pushedRequest({ state: btoa('ak_test_sandbox:sk_test_sandbox') })
    await sandbox.request.post('/v1/oidc/create/par').type('form').send(body).expect(201)
    const { text } = await sandbox.request.get('/_sandbox/scenarios').expect(200)
    expect(text).toContain('state: expected \\"x\\", came \\"a ***\\"')
    expect(text).toContain('client_secret: expected')
    for (const secret of ['sk_test_', btoa('ak_test_sandbox:sk_test_sandbox')]) expect(text).not.toContain(secret)
  })

  test('fails by a request that cannot have the outcome because of a parameter in expect', async () => {
    const sandbox = await startSandbox()
    const { id } = await sandbox.scenarios.arm({
      name: 'A',
      steps: [{ decide: { flow: 'use', outcome: 'create_requested' }, expect: { can_create: 'true' } }],
    })
    await sandbox.request.get('/v1/oidc/use').query(useRequest()).expect(200)
    expect(await sandbox.scenarios.get(id)).toMatchObject({
      status: 'failed',
      steps: [{ detail: 'can_create: expected "true", came nothing' }],
    })
  })

  test('decides Create, sees what was pushed, token and upgrade, and moves the clock in between', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    await sandbox.clock.freeze()
    const { id } = await sandbox.scenarios.arm({
      name: 'A',
      client: 'ak_test_sandbox',
      steps: [
        { decide: { flow: 'use', persona: 'child-12' }, expect: { claims: { age_thresholds: [13, 16] } } },
        { await: 'token' },
        { clock: { advance: 60 } },
        { await: 'upgrade', expect: { authorization_details: [{ method: 'id_doc_scan' }] } },
        { await: 'par' },
        { decide: { flow: 'create', outcome: 'request_uri.expired' } },
        { await: 'jwks' },
      ],
    })
    const callback = await rp.use({ ...undecided, scope: 'openid svc.upgrade', claims: claims() })
    const { access_token } = (await rp.exchange(callback.params['code'])).body as { access_token: string }
    expect((await sandbox.clock.state()).advanced_seconds).toBe(60)
    await rp.upgrade(access_token)
    expect((await rp.create(await rp.obtainRequestUri(), undecided)).params).toMatchObject({
      error: 'invalid_request_uri',
    })
    await sandbox.request.get('/.well-known/jwks.json')
    expect(await sandbox.scenarios.get(id)).toMatchObject({ status: 'passed' })
  })

  test('that decides request_uri.expired is met by a reference that expired by itself', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const { id } = await sandbox.scenarios.arm({
      name: 'A',
      steps: [
        { await: 'par' },
        { clock: { advance: 91 } },
        { decide: { flow: 'create', outcome: 'request_uri.expired' } },
        { clock: { advance: 1 } },
      ],
    })
    const { params } = await rp.create(await rp.obtainRequestUri({ state: 'pushed' }), undecided)
    expect(params).toMatchObject({ error: 'invalid_request_uri', state: 'pushed' })
    expect(await sandbox.scenarios.get(id)).toMatchObject({ status: 'passed' })
    expect(await sandbox.flows.last()).toMatchObject({ outcome: 'request_uri.expired' })
    expect((await sandbox.clock.state()).advanced_seconds).toBe(92)
  })

  test('that decides something else is not met by a reference that expired', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const { id } = await sandbox.scenarios.arm({
      name: 'A',
      steps: [{ await: 'par' }, { clock: { advance: 91 } }, { decide: { flow: 'create', persona: 'teen-16' } }],
    })
    await rp.create(await rp.obtainRequestUri(), undecided)
    expect(await sandbox.scenarios.get(id)).toMatchObject({ status: 'running' })
    expect((await rp.create(await rp.obtainRequestUri(), undecided)).params).not.toHaveProperty('error')
    expect(await sandbox.scenarios.get(id)).toMatchObject({ status: 'passed' })
  })

  test('answers a long poll as soon as it advances, and when it is removed', async () => {
    const sandbox = await startSandbox()
    const armed = await sandbox.scenarios.arm({ name: 'A', steps: [{ await: 'par' }, { await: 'jwks' }] })
    const news = sandbox.scenarios.get(armed.id, { waitSeconds: 10, after: armed.revision })
    await createRelyingParty(sandbox).push()
    const further = await news
    expect(further.steps.map(({ status }) => status)).toEqual(['passed', 'current'])
    const gone = sandbox.scenarios.get(armed.id, { waitSeconds: 10, after: further.revision })
    await sandbox.scenarios.clear()
    await expect(gone).rejects.toMatchObject({ status: 404 })
  })

  test('answers a long poll at once when it has advanced already', async () => {
    const sandbox = await startSandbox()
    const armed = await sandbox.scenarios.arm({ name: 'A', steps: [{ await: 'par' }, { await: 'jwks' }] })
    await createRelyingParty(sandbox).push()
    const { revision } = await sandbox.scenarios.get(armed.id, { waitSeconds: 10, after: armed.revision })
    expect(revision).toBeGreaterThan(armed.revision)
  })

  test('of one tenant knows nothing of another', async () => {
    const sandbox = await startSandbox()
    await sandbox.tenant('one').scenarios.arm({ name: 'A', steps: [{ decide: { flow: 'use', persona: 'teen-16' } }] })
    await sandbox.request.get('/v1/oidc/use').query(useRequest()).expect(200)
    expect(readCallback(await sandbox.request.get('/t/one/v1/oidc/use').query(useRequest())).params).toHaveProperty(
      'id_token',
    )
  })
})
