import { describe, expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** How a request that names neither persona nor outcome ends: an error code, `verified`, or `page`. */
async function endingOf(sandbox: TestSandbox, changes = {}): Promise<string> {
  const answer = await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))
  if (answer.status === 200) return 'page'
  const { params } = readCallback(answer)
  return params['error'] ?? 'verified'
}

describe('an expectation', () => {
  test('is removed by its id, and the others stay', async () => {
    const sandbox = await startSandbox()
    const first = await sandbox.next({ outcome: 'server_error' })
    await sandbox.next({ outcome: 'access_denied' })
    await sandbox.expectations.remove(first.id)
    expect(await endingOf(sandbox)).toBe('access_denied')
    await expect(sandbox.expectations.remove(first.id)).rejects.toThrow(`none with the id "${first.id}"`)
  })

  test('decides one request when times is absent, then the page is back', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'access_denied' })
    expect([await endingOf(sandbox), await endingOf(sandbox)]).toEqual(['access_denied', 'page'])
  })

  test('decides as many requests as it says', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'access_denied', times: 2 })
    expect(await sandbox.expectations.list()).toMatchObject([{ times: 2, remaining: 2 }])
    await endingOf(sandbox)
    expect(await sandbox.expectations.list()).toMatchObject([{ times: 2, remaining: 1 }])
    expect([await endingOf(sandbox), await endingOf(sandbox)]).toEqual(['access_denied', 'page'])
  })

  test('decides first when it was queued first', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'server_error' })
    await sandbox.next({ outcome: 'access_denied' })
    expect([await endingOf(sandbox), await endingOf(sandbox)]).toEqual(['server_error', 'access_denied'])
  })

  test.each([
    [{ state: 'mine' }, { state: 'mine' }],
    [{ nonce: 'mine' }, { nonce: 'mine' }],
    [{ client_id: 'ak_test_sandbox', state: 'mine' }, { state: 'mine' }],
    [{ client_id: 'other' }, { client_id: 'other' }],
  ])('with match %j waits for the request that says the same', async (match, changes) => {
    const other = { clientId: 'other', clientSecret: 'sk_other', redirectUris: ['http://localhost:3000/callback'] }
    const sandbox = await startSandbox({ clients: [other] })
    await sandbox.next({ outcome: 'access_denied', match })
    expect(await endingOf(sandbox)).toBe('page')
    expect(await endingOf(sandbox, changes)).toBe('access_denied')
  })

  test('of Create matches the pushed state', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    await sandbox.next({ flow: 'create', outcome: 'access_denied', match: { state: 'pushed' } })
    const requestUri = await rp.obtainRequestUri({ state: 'pushed' })
    expect((await rp.create(requestUri, { sandbox_persona: undefined })).params).toMatchObject({
      error: 'access_denied',
      state: 'pushed',
    })
  })

  test.each(['expired', 'used'] as const)(
    'of request_uri.%s is consumed by a reference that really is so',
    async (reason) => {
      const sandbox = await startSandbox()
      const rp = createRelyingParty(sandbox)
      const requestUri = await rp.obtainRequestUri()
      if (reason === 'used') await rp.create(requestUri)
      else await sandbox.clock.advance(91)
      await sandbox.next({ flow: 'create', outcome: 'created' })
      await sandbox.next({ flow: 'create', outcome: `request_uri.${reason}` })
      expect((await rp.create(requestUri, { sandbox_persona: undefined })).params['error']).toBe('invalid_request_uri')
      expect(await sandbox.expectations.list()).toMatchObject([{ outcome: 'created' }])
    },
  )

  test('is not consumed by a request that a stronger source decides', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'access_denied' })
    expect(await endingOf(sandbox, { sandbox_outcome: 'server_error' })).toBe('server_error')
    expect(await sandbox.expectations.list()).toHaveLength(1)
  })

  test('answers a request that cannot have its outcome with the reason, and is used up by it', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'create_requested' })
    const answer = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(answer.text).toContain('can_create=true')
    expect(await sandbox.expectations.list()).toEqual([])
    expect(await endingOf(sandbox)).toBe('page')
  })

  test('decides one of fifty simultaneous requests', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'access_denied' })
    const endings = await Promise.all(Array.from({ length: 50 }, () => endingOf(sandbox)))
    expect(endings.filter((ending) => ending === 'access_denied')).toHaveLength(1)
  })

  test.each(['par', 'token', 'upgrade'] as const)(
    'of %s answers that call once, for the client it names',
    async (flow) => {
      const sandbox = await startSandbox()
      const rp = createRelyingParty(sandbox)
      const token = await rp.obtainToken()
      const code = await rp.obtainCode()
      await sandbox.next({ flow, outcome: `${flow}.503`, match: { client_id: 'ak_test_sandbox' } })
      const call = {
        par: () => rp.push(),
        token: () => rp.exchange(code),
        upgrade: () => rp.upgrade(token),
      }[flow]
      expect((await call()).status).toBe(503)
      expect((await call()).status).toBeLessThan(300)
    },
  )

  test.each([
    [{ flow: 'use' }, 'give persona, outcome or both'],
    [{ flow: 'ues', outcome: 'verified' }, 'Did you mean \\"use\\"?'],
    [{ flow: 'use', outcome: 'acess_denied' }, 'Did you mean \\"access_denied\\"?'],
    [{ flow: 'use', persona: 'teen-61' }, 'Did you mean \\"teen-16\\"?'],
    [{ flow: 'par', persona: 'teen-16' }, 'a par call has no persona'],
    [{ flow: 'use', persona: 'teen-16', times: 0 }, 'times: expected at least 1'],
    [{ flow: 'use', persona: 'teen-16', match: { sate: 'x' } }, 'Did you mean \\"state\\"?'],
  ])('is refused when it says %j', async (body, message) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.post('/_sandbox/expectations').send(body).expect(400)
    expect(answer.text).toContain(message)
    expect(await sandbox.expectations.list()).toEqual([])
  })

  test('is forgotten by DELETE', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome: 'access_denied' })
    await sandbox.expectations.clear()
    expect(await endingOf(sandbox)).toBe('page')
  })
})

describe.each([
  ['discovery', '/v1/oidc/use/.well-known/openid-configuration', 'issuer', { outcome: 'discovery.issuer_missing' }],
  ['jwks', '/.well-known/jwks.json', 'keys', { outcome: 'jwks.keys_missing' }],
] as const)('an expectation for %s', (flow, path, member, { outcome }) => {
  /** For each read, whether the document is spoiled. */
  const reads = async (sandbox: TestSandbox, times: number) => {
    const spoiled: boolean[] = []
    for (let n = 0; n < times; n++) spoiled.push(!(member in (await sandbox.request.get(path).expect(200)).body))
    return spoiled
  }

  test('meets every read until a flow has ended after the first of them', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ flow, outcome })
    await endingOf(sandbox, { sandbox_persona: 'teen-16' })
    expect(await reads(sandbox, 3)).toEqual([true, true, true])
    expect(await sandbox.expectations.list()).toMatchObject([
      { times: 1, remaining: 1, held_since: expect.stringMatching(/^f\d+$/) },
    ])
    // A page that waits for its user has ended no flow.
    expect(await endingOf(sandbox)).toBe('page')
    expect(await reads(sandbox, 1)).toEqual([true])
    await endingOf(sandbox, { sandbox_persona: 'teen-16' })
    expect(await reads(sandbox, 1)).toEqual([false])
    expect(await sandbox.expectations.list()).toEqual([])
  })

  test('with times holds for as many of these periods, and the next one follows', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ flow, outcome, times: 2 })
    await sandbox.next({ flow, outcome: `${flow}.extra_${flow === 'jwks' ? 'key' : 'member'}` })
    expect(await reads(sandbox, 2)).toEqual([true, true])
    await endingOf(sandbox, { sandbox_persona: 'teen-16' })
    expect((await sandbox.expectations.list())[0]).toEqual({
      ...{ id: expect.any(String), flow, outcome, times: 2, remaining: 1 },
    })
    await endingOf(sandbox, { sandbox_persona: 'teen-16' })
    expect(await reads(sandbox, 2)).toEqual([true, true])
    await endingOf(sandbox, { sandbox_persona: 'teen-16' })
    expect(await reads(sandbox, 2)).toEqual([false, false])
    expect(await sandbox.expectations.list()).toMatchObject([
      { remaining: 1, held_since: expect.stringMatching(/^f\d+$/) },
    ])
  })

  test('of another tenant is not ended by a flow of this one', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ flow, outcome })
    expect(await reads(sandbox, 1)).toEqual([true])
    await sandbox.request
      .get('/t/other/v1/oidc/use')
      .query(useRequest({ sandbox_persona: 'teen-16' }))
      .expect(302)
    expect(await reads(sandbox, 1)).toEqual([true])
  })

  test('that a step of a scenario decides holds in the same way, while the scenario goes on', async () => {
    const sandbox = await startSandbox()
    const steps = [{ decide: { flow, outcome } }, { decide: { flow: 'use' as const, persona: 'teen-16' } }]
    await sandbox.scenarios.arm({ name: 'A', steps })
    expect(await reads(sandbox, 3)).toEqual([true, true, true])
    expect(await endingOf(sandbox)).toBe('verified')
    expect(await reads(sandbox, 1)).toEqual([false])
    expect(await sandbox.scenarios.list()).toMatchObject([{ status: 'passed' }])
  })
})
