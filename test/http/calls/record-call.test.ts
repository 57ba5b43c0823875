import { expect, test } from 'vitest'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const SHOP = { clientSecret: 'sk_test_sandbox', redirectUris: ['http://localhost:3000/callback'] }
const sandbox = await shareSandbox({
  persona: 'teen-14',
  clients: [
    { ...SHOP, clientId: 'shop', persona: 'teen-16' },
    { ...SHOP, clientId: 'plain' },
  ],
})

const decidedBy = async () => (await sandbox.flows.last())?.decided_by
interface Sent {
  readonly query?: Changes
  readonly headers?: Readonly<Record<string, string>>
  readonly queued?: string
}

const SOURCES: readonly [source: string, sent: Sent, by: RegExp][] = [
  ['the query', { query: { sandbox_persona: 'child-12' } }, /^query parameter sandbox_persona$/],
  ['a header', { headers: { 'X-Sandbox-Persona': 'child-12' } }, /^request header X-Sandbox-Persona$/],
  ['an expectation', { queued: 'child-12' }, /^expectation \S+ \(now used up\)$/],
  ['a cookie', { headers: { Cookie: 'agekey_sandbox_persona=child-12' } }, /^cookie agekey_sandbox_persona$/],
  ['its client', { query: { client_id: 'shop' } }, /client/],
  ['the default', { query: { client_id: 'plain' } }, /^the default of the sandbox$/],
]

test.each(SOURCES)('A flow that %s decides has its persona, and names the source', async (source, sent, by) => {
  const { query = {}, headers = {}, queued } = sent
  for (const flow of ['use', 'create'] as const) {
    if (queued !== undefined) await sandbox.next({ flow, persona: queued })
    const clientId = query['client_id']
    const rp = createRelyingParty(sandbox, clientId === undefined ? {} : { clientId })
    const request = flow === 'use' ? useRequest(query) : createRequest(await rp.obtainRequestUri(), query)
    await sandbox.request.get(`/v1/oidc/${flow}`).set(headers).query(request).expect(302)
    const persona = { 'its client': 'teen-16', 'the default': 'teen-14' }[source] ?? 'child-12'
    expect(await sandbox.flows.last({ flow })).toMatchObject({ persona, decided_by: expect.stringMatching(by) })
  }
})

test('A flow names the header that forced the reply of a later call', async () => {
  await sandbox.request.post('/v1/oidc/create/par').set('X-Sandbox-Outcome', 'par.401').type('form').send({})
  expect(await decidedBy()).toBe('request header X-Sandbox-Outcome')
})

test('A flow that was refused names nothing that decided it', async () => {
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined }))
  expect(await decidedBy()).toBeUndefined()
})

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const push = (traceparent: string) =>
  sandbox.request.post('/v1/oidc/create/par').set('traceparent', traceparent).type('form').send({})
const lastCall = async () => (await sandbox.flows.last())?.calls.at(-1)

test('The journal records the traceparent of a server call alone, its page shows it, the text search finds it', async () => {
  await sandbox.request.get('/v1/oidc/use').query(useRequest()).set('traceparent', TRACEPARENT)
  expect(await lastCall()).not.toHaveProperty('traceparent')
  await push(TRACEPARENT)
  expect((await lastCall())?.traceparent).toBe(TRACEPARENT)
  const [flow, ...others] = await sandbox.flows.list({ q: '4bf92f3577b34da6a3ce929d0e0e4736' })
  expect([others, await sandbox.flows.list({ q: 'ffffffffffffffff' })]).toEqual([[], []])
  const page = await sandbox.request.get(`/_sandbox/console/flows/${flow?.id}`)
  expect(byTestId(page.text, 'traceparent')).toHaveLength(1)
  expect(textOf(page.text)).toContain(`traceparent ${TRACEPARENT}`)
})

test.each([
  ['all zeros as trace-id', TRACEPARENT.replace(/4bf\w+/, '0'.repeat(32))],
  ['all zeros as parent-id', TRACEPARENT.replace(/00f\w+/, '0'.repeat(16))],
  ['version ff', TRACEPARENT.replace('00-', 'ff-')],
  ['capitals', TRACEPARENT.toUpperCase()],
  ['free text', 'sk_test_sandbox'],
])('The journal records no traceparent with %s', async (_, traceparent) => {
  await push(traceparent)
  expect(await lastCall()).not.toHaveProperty('traceparent')
})

test('A call names what decided it alone, also when an outcome of a later call was decided with it', async () => {
  await createRelyingParty(sandbox).obtainCode({ sandbox_persona: 'teen-16', sandbox_outcome: 'token.500' })
  expect((await sandbox.flows.last())?.outcome).toBe('token.500')
  expect((await lastCall())?.decision).toEqual({
    persona: 'teen-16',
    outcome: 'code_issued',
    decided_by: 'query parameter sandbox_persona; outcome by query parameter sandbox_outcome',
  })
})

test('A call says how the clock was moved, and nothing in real time', async () => {
  const clockOfCall = async () => {
    await createRelyingParty(sandbox).use()
    return (await lastCall())?.clock
  }
  expect(await clockOfCall()).toBeUndefined()
  await sandbox.clock.advance(91.5)
  expect(await clockOfCall()).toEqual({ advanced_seconds: 91.5 })
  await sandbox.clock.set('2030-01-02T03:04:05Z')
  await sandbox.clock.freeze()
  expect(await clockOfCall()).toEqual({ base: expect.stringMatching(/^2030-01-02T03:04:0/), frozen: true })
})
