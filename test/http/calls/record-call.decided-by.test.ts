import { expect, test } from 'vitest'
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
