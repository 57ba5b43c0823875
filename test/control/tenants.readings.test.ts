import { expect, test } from 'vitest'
import { createRequest, pushedRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const put = (baseUrl: string, body: unknown, name = 'default') =>
  fetch(`${baseUrl}/_sandbox/tenants/${name}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

test('PUT tenants/default sets readings of the sandbox itself, one by one, and takes them back', async () => {
  const { baseUrl } = await startSandbox({ readings: { typ: 'absent' } })
  const readingsAfter = async (body: unknown) => (await (await put(baseUrl, body)).json()).readings
  expect(await readingsAfter({ readings: { par_status: 200 } })).toEqual({ typ: 'absent', par_status: '200' })
  expect(await readingsAfter({ readings: { typ: null } })).toEqual({ par_status: '200' })
  expect(await readingsAfter({})).toEqual({ par_status: '200' })
  expect(await readingsAfter({ readings: null })).toEqual({})
})

test.each([
  [{ par_statsu: '200' }, 'there is no reading "par_statsu". Did you mean "par_status"?'],
  [{ par_status: '204' }, 'par_status has no variant "204"; it has 201, 200.'],
  [{ key_set: 'one' }, 'key_set=one and unknown_members=everywhere exclude each other; drop one of the two'],
])('PUT tenants/NAME refuses %j and changes nothing', async (readings, message) => {
  const sandbox = await startSandbox({ readings: { unknown_members: 'everywhere' } })
  const answer = await put(sandbox.baseUrl, { readings, slow_reply_seconds: 1 })
  expect(answer.status).toBe(400)
  expect((await answer.json()).error_description).toContain(message)
  const kept = await (await put(sandbox.baseUrl, {})).json()
  expect([kept.readings, kept.slow_reply_seconds]).toEqual([{ unknown_members: 'everywhere' }, 30])
  await expect(sandbox.configure({ readings })).rejects.toThrow(message)
})

test('A tenant keeps its readings and its seed through a reset, and other tenants have their own', async () => {
  const sandbox = await startSandbox()
  const tenant = sandbox.tenant('own')
  await tenant.configure({ readings: { par_status: 200 }, grease: 7 })
  await tenant.reset()
  const shown = async (name: string) => (await fetch(`${sandbox.baseUrl}/_sandbox/tenants/${name}`)).json()
  expect(await shown('own')).toMatchObject({ readings: { par_status: '200' }, grease: '7' })
  expect(await shown('default')).toMatchObject({ readings: {} })
  await tenant.configure({ grease: null })
  expect(await shown('own')).not.toHaveProperty('grease')
})

test('The journal says which readings a flow had, also when it was refused', async () => {
  const sandbox = await startSandbox({ readings: { error_body: 'plain' } })
  await fetch(`${sandbox.baseUrl}/v1/oidc/create/par`, { method: 'POST', body: new URLSearchParams({ state: 's' }) })
  const flow = await sandbox.flows.last()
  expect(flow?.readings).toEqual(['error_body=plain'])
  expect(flow?.reasons).toContain('Readings of the specification: error_body=plain.')
})

test('A seed picks one reading for the whole of a flow, in each of its calls, and leaves discovery alone', async () => {
  const { baseUrl, flows } = await startSandbox({ grease: 'a seed' })
  const statuses = new Set<number>()
  for (let count = 0; count < 30; count++) {
    const state = `state-${count}`
    const pushed = await fetch(`${baseUrl}/v1/oidc/create/par`, {
      method: 'POST',
      body: new URLSearchParams(pushedRequest({ state })),
    })
    statuses.add(pushed.status)
    const { request_uri: requestUri } = await pushed.json()
    const query = new URLSearchParams({ ...createRequest(requestUri), sandbox_persona: 'no-age-key' })
    const callback = await fetch(`${baseUrl}/v1/oidc/create?${query}`, { redirect: 'manual' })
    const flow = await flows.last()
    expect(flow?.readings).toHaveLength(1)
    expect([pushed.status === 200, callback.status === 303]).toEqual([
      flow?.readings?.[0] === 'par_status=200',
      flow?.readings?.[0] === 'redirect_status=303',
    ])
  }
  expect([...statuses].sort()).toEqual([200, 201])
  const document = await (await fetch(`${baseUrl}/v1/oidc/use/.well-known/openid-configuration`)).json()
  expect(document).toHaveProperty('claims_supported')
})

test('A forced outcome does what its row says under a reading: an ES256 token that has expired', async () => {
  const { baseUrl } = await startSandbox({
    readings: { signing: 'ES256', typ: 'absent', unknown_members: 'everywhere' },
  })
  const query = new URLSearchParams({
    ...useRequest(),
    sandbox_persona: 'adult-passport',
    sandbox_outcome: 'id_token.expired',
  })
  const { headers } = await fetch(`${baseUrl}/v1/oidc/use?${query}`, { redirect: 'manual' })
  const token = new URLSearchParams(headers.get('location')?.split('#')[1]).get('id_token') ?? ''
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  expect(JSON.parse(header ?? '')).toEqual({ alg: 'ES256', kid: expect.any(String), sandbox_extra: expect.any(String) })
  const { exp, sandbox_extra: extra } = JSON.parse(claims ?? '')
  expect([exp * 1000 < Date.now(), typeof extra]).toEqual([true, 'object'])
})
