import { expect, test } from 'vitest'
import { createRelyingParty } from '../support/relying-party.ts'
import { basic, tokenRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)

/** E4 or E5 of the flow with this state, when the call before it has gone well: its status. */
const CALLS = {
  async token(state: string) {
    const code = await party.obtainCode({ state })
    return async () => (await party.exchange(code)).status
  },
  async upgrade(state: string) {
    const token = await party.obtainToken({ state, sandbox_outcome: 'code_issued' })
    return async () => (await party.upgrade(token)).status
  },
} as const
const FLOWS = ['token', 'upgrade'] as const

test.each(FLOWS)('An expectation of %s is met by the state of the Use request, in no other flow', async (flow) => {
  const [first, second] = [await CALLS[flow]('one'), await CALLS[flow]('two')]
  await sandbox.next({ flow, outcome: `${flow}.503`, match: { state: 'two' } })
  expect([await first(), await second()]).toEqual([200, 503])
})

test.each(FLOWS)('A %s call has the outcome that the Use request of its own flow named, in any order', async (flow) => {
  const states = [`${flow}.429`, `${flow}.503`]
  for (const state of states) await party.obtainCode({ state, sandbox_outcome: state })
  const matches = (await sandbox.expectations.list()).map(({ match }) => match)
  expect(matches).toEqual(states.map((state) => ({ client_id: 'ak_test_sandbox', state })))
  // Another flow of the same client, and of the two the one that was named last.
  const statuses: number[] = []
  for (const state of ['three', ...states.toReversed()]) statuses.push(await (await CALLS[flow](state))())
  expect(statuses).toEqual([200, 503, 429])
})

test.each(FLOWS)('A %s call that is forced belongs to its flow, and the flow says so', async (flow) => {
  const call = await CALLS[flow]('one')
  await sandbox.next({ flow, outcome: `${flow}.503` })
  await call()
  expect(await sandbox.flows.list()).toMatchObject([{ flow: 'use', state: 'one', outcome: `${flow}.503` }])
  await call()
  expect((await sandbox.flows.list()).map(({ calls }) => calls.at(-1)?.status)).toEqual([200])
})

test('A refused token or upgrade call belongs to the flow of its code or access token', async () => {
  const code = await party.obtainCode({ state: 'one' })
  const wrong = sandbox.request.post('/v1/oidc/use/token').set('Authorization', basic('x', 'y'))
  await wrong.type('form').send(tokenRequest(code))
  await party.upgrade((await party.exchange(code)).body.access_token, [])
  const flows = await sandbox.flows.list()
  expect(flows).toMatchObject([{ state: 'one', calls: [302, 401, 200, 400].map((status) => ({ status })) }])
})

test('A second code, which an outcome added, leads to the same flow', async () => {
  const outcome = { sandbox_persona: 'child-12', sandbox_outcome: 'callback.code_unasked' }
  const query = useRequest({ scope: 'openid svc.upgrade', ...outcome })
  const { headers } = await sandbox.request.get('/v1/oidc/use').query(query)
  const codes = new URLSearchParams(new URL(headers['location'] ?? '').hash.slice(1)).getAll('code')
  expect(codes).toHaveLength(2)
  for (const code of codes) await party.exchange(code)
  expect((await sandbox.flows.list()).map(({ calls }) => calls.length)).toEqual([3])
})
