import { decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, pushedRequest, tokenRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** The path of a trap below the base URL. */
const trapIn = (address: unknown) => new URL(z.string().parse(address)).pathname

const shownCalls = async (sandbox: TestSandbox) =>
  (await sandbox.flows.list()).map(({ flow, outcome, calls }) => [
    flow,
    outcome,
    calls.map(({ endpoint, method, parameters }) => [endpoint, method, parameters]),
  ])

test.each(['jku', 'x5u'])('A fetch of the %s of an id_token is recorded in the flow of the token', async (member) => {
  const sandbox = await startSandbox()
  const party = createRelyingParty(sandbox)
  const { params } = await party.use({ sandbox_outcome: `id_token.${member}` })
  await party.use()
  const { [member]: address } = decodeProtectedHeader(params['id_token'] ?? '')
  const fetched = await sandbox.request.get(`${trapIn(address)}?from=jose`)
  expect([fetched.status, fetched.headers['x-agekey-sandbox-flow']]).toEqual([200, 'f1'])
  const flow = await sandbox.flows.get('f1')
  expect(flow).toMatchObject({ flow: 'use', outcome: `id_token.${member}`, calls: [{}, { endpoint: 'trap' }] })
  expect(flow?.calls[1]).toMatchObject({ method: 'GET', status: 200, parameters: { from: 'jose' } })
})

/** A call that is answered by a redirect to a trap, and the same call once more to the trap: its flow, and what was sent. */
const REDIRECTS = {
  async par(sandbox: TestSandbox) {
    const send = (path: string) => sandbox.request.post(path).type('form').send(pushedRequest())
    const { client_secret: _, ...plain } = pushedRequest()
    const sent = { ...plain, authorization_details: expect.anything(), client_secret: '***' }
    return { answer: await redirected(sandbox, 'par', () => send('/v1/oidc/create/par')), send, flow: 'create', sent }
  },
  async token(sandbox: TestSandbox) {
    const code = await createRelyingParty(sandbox).obtainCode()
    const send = (path: string) =>
      sandbox.request
        .post(path)
        .set('Authorization', basic('ak_test_sandbox', 'sk_test_sandbox'))
        .type('form')
        .send(tokenRequest(code))
    const sent = { ...tokenRequest(code), authorization: '***' }
    return { answer: await redirected(sandbox, 'token', () => send('/v1/oidc/use/token')), send, flow: 'use', sent }
  },
  async upgrade(sandbox: TestSandbox) {
    const token = await createRelyingParty(sandbox).obtainToken()
    const body = { authorization_details: [ageSignal()] }
    const send = (path: string) => sandbox.request.post(path).set('Authorization', `Bearer ${token}`).send(body)
    const sent = { ...body, authorization: '***' }
    return { answer: await redirected(sandbox, 'upgrade', () => send('/v1/svc/upgrade')), send, flow: 'use', sent }
  },
} as const

async function redirected(
  sandbox: TestSandbox,
  flow: 'par' | 'token' | 'upgrade',
  send: () => PromiseLike<Answer>,
): Promise<Answer> {
  await sandbox.next({ flow, outcome: `${flow}.redirect` })
  return send()
}

describe.each(['par', 'token', 'upgrade'] as const)('A %s call that follows a redirect to a trap', (kind) => {
  test('is recorded in its flow, which shows that credentials came along, and not which', async () => {
    const sandbox = await startSandbox()
    const { answer, send, flow, sent } = await REDIRECTS[kind](sandbox)
    expect(answer.status).toBe(307)
    await send(trapIn(answer.headers['location']))
    const [[recordedFlow, outcome, calls] = []] = await shownCalls(sandbox)
    expect([recordedFlow, outcome]).toEqual([flow, `${kind}.redirect`])
    expect(z.array(z.unknown()).parse(calls).at(-1)).toEqual(['trap', 'POST', sent])
    expect(JSON.stringify(await sandbox.flows.list())).not.toMatch(/sk_test_sandbox|at_test_/)
  })
})

test.each([
  ['that discovery or keys lead to', 'jwks.redirect'],
  ['that nothing named', undefined],
])('A fetch of a trap %s is a flow of its own', async (_which, outcome) => {
  const sandbox = await startSandbox()
  const answered =
    outcome && (await sandbox.request.get('/.well-known/jwks.json').set('X-Sandbox-Outcome', outcome).expect(307))
  const path = answered ? trapIn(answered.headers['location']) : '/_sandbox/trap/none'
  await sandbox.request.get(path).expect(200)
  expect(await shownCalls(sandbox)).toEqual([['use', undefined, [['trap', 'GET', {}]]]])
})

test('The console shows a trap that was fetched as a call of its flow, with a command that repeats it', async () => {
  const sandbox = await startSandbox()
  const { answer, send } = await REDIRECTS.token(sandbox)
  const path = trapIn(answer.headers['location'])
  await send(path)
  const { text } = await sandbox.request.get('/_sandbox/console/flows/f1').set('Accept', 'text/html')
  expect(text).toContain('An address of an attacker, which the client must not follow')
  expect(text).toContain(`${path}`)
  expect(text).not.toContain('authorization=')
})
