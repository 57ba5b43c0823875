import { expect, test } from 'vitest'
import { byTestId, textOf } from '../../../support/markup.ts'
import { createRelyingParty } from '../../../support/relying-party.ts'
import { createRequest, useRequest } from '../../../support/requests.ts'
import { shareSandbox } from '../../../support/sandbox.ts'

const SHOP = { clientSecret: 'sk_test_sandbox', redirectUris: ['http://localhost:3000/callback'] }
const teens = { ...SHOP, clientId: 'shop', persona: 'teen-16' }
const sandbox = await shareSandbox({
  persona: 'teen-14',
  clients: [teens, { ...SHOP, clientId: 'plain' }],
})

const decidedBy = async () => (await sandbox.flows.last())?.decided_by
test('A flow that a default decides names the source of its persona', async () => {
  for (const [client_id, persona, decided_by] of [
    ['shop', 'teen-16', expect.stringContaining('client')],
    ['plain', 'teen-14', 'the default of the sandbox'],
  ]) {
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ client_id })).expect(302)
    expect(await sandbox.flows.last()).toMatchObject({ persona, decided_by })
  }
})

test('A flow names the header that forced the reply of a later call', async () => {
  await sandbox.request
    .post('/v1/oidc/create/par')
    .set('X-Sandbox-Outcome', 'par.401')
    .type('form')
    .send({})
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
  expect(others).toEqual([])
  expect(await sandbox.flows.list({ q: 'ffffffffffffffff' })).toEqual([])
  const page = await sandbox.request.get(`/_sandbox/console/flows/${flow?.id}`)
  expect(byTestId(page.text, 'traceparent')).toHaveLength(1)
  expect(textOf(page.text)).toContain(`traceparent ${TRACEPARENT}`)
  expect((await sandbox.flows.export(flow?.id ?? '', 'har')).text).toContain(
    `"value": "${TRACEPARENT}"`,
  )
})

test.each([
  ['all zeros as trace-id', TRACEPARENT.replace(/4bf\w+/, '0'.repeat(32))],
  ['all zeros as parent-id', TRACEPARENT.replace(/00f\w+/, '0'.repeat(16))],
  ['capitals', TRACEPARENT.toUpperCase()],
  ['version ff', TRACEPARENT.replace('00-', 'ff-')],
  ['free text', 'sk_test_sandbox'],
])('The journal records no traceparent with %s', async (_, traceparent) => {
  await push(traceparent)
  expect(await lastCall()).not.toHaveProperty('traceparent')
})

test('A call names what decided it alone, also when an outcome of a later call was decided with it', async () => {
  await createRelyingParty(sandbox).obtainCode({
    sandbox_persona: 'teen-16',
    sandbox_outcome: 'token.500',
  })
  expect((await sandbox.flows.last())?.outcome).toBe('token.500')
  expect((await lastCall())?.decision).toEqual({
    persona: 'teen-16',
    outcome: 'code_issued',
    decided_by: 'query parameter sandbox_persona; outcome by query parameter sandbox_outcome',
  })
})

test('A header, a cookie or an expectation marks a flow as one of an audit, which lists leave out unless asked', async () => {
  const AUDIT = { 'X-Sandbox-Audit': '1' }
  const use = (headers = {}) => sandbox.request.get('/v1/oidc/use').query(useRequest()).set(headers)
  await use(AUDIT)
  await use({ Cookie: 'agekey_sandbox_audit=1' })
  await sandbox.next({ flow: 'use', persona: 'teen-16', audit: true })
  await use()
  const pushed = createRequest(await createRelyingParty(sandbox).obtainRequestUri())
  const listed = async (audit?: 'also' | 'only') =>
    (await sandbox.flows.list({ audit })).map(({ flow }) => flow)
  expect(await listed()).toEqual(['create'])
  await sandbox.request.get('/v1/oidc/create').query(pushed).set(AUDIT)
  await use()
  const marked = ['create', 'use', 'use', 'use']
  expect(await listed()).toEqual(['use'])
  expect(await listed('only')).toEqual(marked)
  expect(await listed('also')).toEqual(['use', ...marked])
  const page = async (query = '') =>
    (await sandbox.request.get(`/_sandbox/console/flows${query}`)).text
  expect(textOf(await page())).toContain('4 flows of an audit are hidden. Show')
  expect((await page('?audit=also')).match(/data-testid="flow-f/g)).toHaveLength(5)
})

test('A call says how the clock was moved', async () => {
  const clockOfCall = async () => {
    await createRelyingParty(sandbox).use()
    return (await lastCall())?.clock
  }
  expect(await clockOfCall()).toBeUndefined()
  await sandbox.clock.advance(91.5)
  expect(await clockOfCall()).toEqual({ advanced_seconds: 91.5 })
  await sandbox.clock.freeze()
  expect(await clockOfCall()).toEqual({
    base: expect.any(String),
    advanced_seconds: 91.5,
    frozen: true,
  })
  await sandbox.clock.set('2030-01-02T03:04:05Z')
  expect(await clockOfCall()).toEqual({
    base: expect.stringMatching(/^2030-01-02T03:04:0/),
    frozen: true,
  })
})

const LATE = { ...SHOP, clientId: 'late', clientSecret: 'its-old-secret' }

test.each([
  ['replaced', [{ ...LATE, clientSecret: 'its-new-secret' }]],
  ['removed', []],
])(
  'The secret of a client that is %s later stays masked in what was recorded before',
  async (_, clients) => {
    const tenant = sandbox.tenant('late')
    await tenant.configure({ clients: [LATE] })
    await sandbox.request.get('/t/late/v1/oidc/use').query(useRequest({ state: 'its-old-secret' }))
    await tenant.configure({ clients })
    await tenant.configure({ lifetimes: { code: 60 } })
    expect((await tenant.flows.last())?.state).toBe('***')
  },
)
