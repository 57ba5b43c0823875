import { expect, test } from 'vitest'
import { SERVER_CALLS, type ServerCall } from '../../../src/service/oidc/endpoints.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)

/** Prepares a call, and returns the function that makes the call. */
const CALLS: Readonly<Record<ServerCall, () => Promise<() => PromiseLike<unknown>>>> = {
  par: async () => () => party.push(),
  async token() {
    const code = await party.obtainCode()
    return () => party.exchange(code)
  },
  async upgrade() {
    const token = await party.obtainToken()
    return () => party.upgrade(token)
  },
  discovery: async () => () => sandbox.request.get('/v1/oidc/use/.well-known/openid-configuration'),
  jwks: async () => () => sandbox.request.get('/.well-known/jwks.json'),
}

test.each(SERVER_CALLS)(
  'The clock step behind a decided %s call has run when the call is answered',
  async (flow) => {
    const makeCall = await CALLS[flow]()
    await sandbox.scenarios.arm({
      name: 'A',
      steps: [
        { decide: { flow, outcome: `${flow}.503` } },
        { clock: { set: '2030-01-01T00:00:00Z', freeze: true } },
      ],
    })
    await makeCall()
    expect((await sandbox.clock.state()).now).toBe('2030-01-01T00:00:00.000Z')
  },
)

test.each(SERVER_CALLS)(
  'The clock step behind an awaited %s call has run when the call is answered',
  async (flow) => {
    const makeCall = await CALLS[flow]()
    await sandbox.scenarios.arm({
      name: 'A',
      steps: [{ await: flow }, { clock: { set: '2030-01-01T00:00:00Z', freeze: true } }],
    })
    await makeCall()
    expect((await sandbox.clock.state()).now).toBe('2030-01-01T00:00:00.000Z')
  },
)
