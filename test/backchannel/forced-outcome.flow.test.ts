import { describe, expect, test } from 'vitest'
import { createRelyingParty } from '../support/relying-party.ts'
import { basic, tokenRequest, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const SCOPE = { scope: 'openid svc.upgrade' }

/** E4 or E5 of the flow with this state, when the call before it has gone well: its status. */
const CALLS = {
  async token(sandbox: TestSandbox, state: string) {
    const party = createRelyingParty(sandbox)
    const code = await party.obtainCode({ state })
    return async () => (await party.exchange(code)).status
  },
  async upgrade(sandbox: TestSandbox, state: string) {
    const party = createRelyingParty(sandbox)
    const token = await party.obtainToken({ state, sandbox_outcome: 'code_issued' })
    return async () => (await party.upgrade(token)).status
  },
} as const

describe.each(['token', 'upgrade'] as const)('a %s call', (flow) => {
  test('has the state of the Use request for an expectation, which no other flow of the client takes', async () => {
    const sandbox = await startSandbox()
    const [first, second] = [await CALLS[flow](sandbox, 'one'), await CALLS[flow](sandbox, 'two')]
    await sandbox.next({ flow, outcome: `${flow}.503`, match: { state: 'two' } })
    expect([await first(), await second()]).toEqual([200, 503])
  })

  test('has an outcome that the Use request of its own flow named, whatever call comes first', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    const states = [`${flow}.429`, `${flow}.503`]
    for (const state of states) await party.obtainCode({ state, sandbox_outcome: state })
    expect((await sandbox.expectations.list()).map(({ match }) => match)).toEqual(
      states.map((state) => ({ client_id: 'ak_test_sandbox', state })),
    )
    // Another flow of the same client, and of the two the one that was named last.
    const statuses: number[] = []
    for (const state of ['three', `${flow}.503`, `${flow}.429`]) {
      statuses.push(await (await CALLS[flow](sandbox, state))())
    }
    expect(statuses).toEqual([200, 503, 429])
  })

  test('belongs to its flow when it is forced, and the flow says so', async () => {
    const sandbox = await startSandbox()
    const call = await CALLS[flow](sandbox, 'one')
    await sandbox.next({ flow, outcome: `${flow}.503` })
    await call()
    expect(await sandbox.flows.list()).toMatchObject([{ flow: 'use', state: 'one', outcome: `${flow}.503` }])
    await call()
    expect((await sandbox.flows.list()).map(({ calls }) => calls.at(-1)?.status)).toEqual([200])
  })
})

test('A refused token or upgrade call belongs to the flow of its code or access token', async () => {
  const sandbox = await startSandbox()
  const party = createRelyingParty(sandbox)
  const code = await party.obtainCode({ state: 'one' })
  await sandbox.request
    .post('/v1/oidc/use/token')
    .set('Authorization', basic('x', 'y'))
    .type('form')
    .send(tokenRequest(code))
  const { access_token: token } = (await party.exchange(code)).body
  await party.upgrade(token, [])
  const flows = await sandbox.flows.list()
  expect(flows.map(({ state, calls }) => [state, calls.map(({ status }) => status)])).toEqual([
    ['one', [302, 401, 200, 400]],
  ])
})

test('A second code, which an outcome added, leads to the same flow', async () => {
  const sandbox = await startSandbox()
  const query = useRequest({ ...SCOPE, sandbox_persona: 'child-12', sandbox_outcome: 'callback.code_unasked' })
  const { headers } = await sandbox.request.get('/v1/oidc/use').query(query)
  const codes = new URLSearchParams(new URL(headers['location'] ?? '').hash.slice(1)).getAll('code')
  expect(codes).toHaveLength(2)
  for (const code of codes) await createRelyingParty(sandbox).exchange(code)
  expect((await sandbox.flows.list()).map(({ calls }) => calls.length)).toEqual([3])
})
