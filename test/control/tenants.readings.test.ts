import { expect, test } from 'vitest'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

const start = async (options: Parameters<typeof startSandbox>[0]) => {
  const sandbox = await startSandbox(options)
  const put = (body: object) => sandbox.request.put('/_sandbox/tenants/default').send(body)
  return { ...sandbox, put, rp: createRelyingParty(sandbox) }
}

test('PUT tenants/default sets readings of the sandbox itself, one by one, and takes them back', async () => {
  const { put } = await start({ readings: { typ: 'absent' } })
  const readingsAfter = async (body: object) => (await put(body)).body.readings
  expect(await readingsAfter({ readings: { refused_token_status: 403 } })).toEqual({
    typ: 'absent',
    refused_token_status: '403',
  })
  expect(await readingsAfter({ readings: { typ: null } })).toEqual({ refused_token_status: '403' })
  expect([await readingsAfter({}), await readingsAfter({ readings: null })]).toEqual([
    { refused_token_status: '403' },
    {},
  ])
})

test('PUT tenants/NAME refuses readings that are unknown or exclude each other, and changes nothing', async () => {
  const { put, configure } = await start({ readings: { unknown_members: 'everywhere' } })
  for (const [readings, message] of [
    [
      { refused_token_statsu: '403' },
      'there is no reading "refused_token_statsu". Did you mean "refused_token_status"?',
    ],
    [{ refused_token_status: '404' }, 'refused_token_status has no variant "404"; it has 401, 403.'],
    [{ key_set: 'one' }, 'key_set=one and unknown_members=everywhere exclude each other; drop one of the two'],
  ] as const) {
    const { status, body } = await put({ readings, slow_reply_seconds: 1 })
    expect([status, body.error_description]).toEqual([400, expect.stringContaining(message)])
    await expect(configure({ readings })).rejects.toThrow(message)
  }
  expect((await put({})).body).toMatchObject({ readings: { unknown_members: 'everywhere' }, slow_reply_seconds: 30 })
})

test('A tenant keeps its readings through a reset, and other tenants have their own', async () => {
  const { request, tenant } = await start({})
  const own = tenant('own')
  await own.configure({ readings: { refused_token_status: 403 } })
  await own.configure({ slowReplySeconds: 1 })
  await own.reset()
  const shown = async (name: string) => (await request.get(`/_sandbox/tenants/${name}`)).body
  expect(await shown('own')).toMatchObject({ readings: { refused_token_status: '403' } })
  expect(await shown('default')).toMatchObject({ readings: {} })
})

test('The journal says which readings a flow had, also when it was refused', async () => {
  const { rp, flows } = await start({ readings: { error_body: 'plain' } })
  await rp.push({ client_secret: 'wrong' })
  const flow = await flows.last()
  expect(flow?.readings).toEqual(['error_body=plain'])
  expect(flow?.reasons).toContain('Readings of the specification: error_body=plain.')
})
