import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, basic, pushedRequest, tokenRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)

const trapIn = (address: unknown) => new URL(z.string().parse(address)).pathname

test.each(['jku', 'x5u'])(
  'A fetch of the %s of an id_token is recorded in the flow of the token',
  async (member) => {
    const { params } = await party.use({ sandbox_outcome: `id_token.${member}` })
    const id = (await sandbox.flows.last())?.id ?? ''
    await party.use()
    const { [member]: address } = decodeProtectedHeader(params['id_token'] ?? '')
    const fetched = await sandbox.request.get(`${trapIn(address)}?from=jose`)
    expect(fetched.status).toBe(200)
    expect(fetched.headers['x-agekey-sandbox-flow']).toEqual(id)
    const trapped = { endpoint: 'trap', method: 'GET', status: 200, parameters: { from: 'jose' } }
    const flow = await sandbox.flows.get(id)
    expect(flow).toMatchObject({ flow: 'use', outcome: `id_token.${member}`, calls: [{}, trapped] })
  },
)

const { client_secret: _, ...pushed } = pushedRequest()

/** A call to each endpoint, its flow, and what is recorded of the call. */
const CALLS = {
  async par() {
    const send = (path: string) => sandbox.request.post(path).type('form').send(pushedRequest())
    const sent = { ...pushed, authorization_details: expect.anything(), client_secret: '***' }
    return { path: '/v1/oidc/create/par', send, flow: 'create', sent }
  },
  async token() {
    const form = tokenRequest(await party.obtainCode())
    const Authorization = basic('ak_test_sandbox', 'sk_test_sandbox')
    const send = (path: string) =>
      sandbox.request.post(path).set({ Authorization }).type('form').send(form)
    return {
      path: '/v1/oidc/use/token',
      send,
      flow: 'use',
      sent: { ...form, authorization: '***' },
    }
  },
  async upgrade() {
    const token = await party.obtainToken()
    const body = { authorization_details: [ageSignal()] }
    const send = (path: string) =>
      sandbox.request.post(path).set('Authorization', `Bearer ${token}`).send(body)
    return { path: '/v1/svc/upgrade', send, flow: 'use', sent: { ...body, authorization: '***' } }
  },
} as const

const KINDS = ['par', 'token', 'upgrade'] as const
test.each(KINDS)(
  'A %s call that follows a redirect to a trap is recorded in its flow, masked',
  async (kind) => {
    const { path, send, flow, sent } = await CALLS[kind]()
    await sandbox.next({
      flow: kind,
      outcome: `${kind}.redirect`,
      match: { client_id: 'ak_test_sandbox' },
    })
    const trap = trapIn((await send(path).expect(307)).headers['location'])
    await send(trap)
    const flows = await sandbox.flows.list()
    expect(flows).toMatchObject([{ flow, outcome: `${kind}.redirect` }])
    expect(flows[0]?.calls.at(-1)).toMatchObject({ endpoint: 'trap', method: 'POST', path: trap })
    expect(flows[0]?.calls.at(-1)?.parameters).toEqual(sent)
    expect(JSON.stringify(flows)).not.toMatch(/sk_test_sandbox|at_test_/)
    const page = await sandbox.request
      .get(`/_sandbox/console/flows/${flows[0]?.id}`)
      .set('Accept', 'text/html')
    expect(page.text).toContain('An address of an attacker, which the client must not follow')
    expect(page.text).toContain(trap)
    expect(page.text).not.toContain('authorization=')
  },
)

/** Reads the key set with an outcome that redirects to a trap, and gives the path of the trap. */
const trapOfKeys = async () => {
  const read = sandbox.request
    .get('/.well-known/jwks.json')
    .set('X-Sandbox-Outcome', 'jwks.redirect')
  return trapIn((await read.expect(307)).headers['location'])
}

test('The fetch of a trap that the key set leads to is a flow of its own', async () => {
  const path = await trapOfKeys()
  await sandbox.request.get(path).expect(200)
  const [flow, ...others] = await sandbox.flows.list()
  const trapped = { endpoint: 'trap', method: 'GET', path, parameters: {} }
  expect(flow).toMatchObject({ flow: 'use', calls: [trapped] })
  expect(flow?.outcome).toBeUndefined()
  expect(others).toEqual([])
})

test('A trap that discovery leads to has one flow, however often it is fetched', async () => {
  const outcome = { 'X-Sandbox-Outcome': 'discovery.jwks_uri_on_other_host' }
  const discovery = await sandbox.request
    .get('/v1/oidc/use/.well-known/openid-configuration')
    .set(outcome)
  for (let fetches = 0; fetches < 3; fetches++)
    await sandbox.request.get(trapIn(discovery.body.jwks_uri)).expect(200)
  const flows = await sandbox.flows.list()
  expect(flows).toHaveLength(1)
  expect(flows[0]?.calls).toHaveLength(3)
})

test.each(['get', 'head', 'post'] as const)(
  'A trap that nothing named begins no flow by %s',
  async (method) => {
    const fetched = await sandbox.request[method]('/_sandbox/trap/none')
    expect(fetched.status).toBe(200)
    expect(fetched.headers['x-agekey-sandbox-flow']).toBeUndefined()
    expect(await sandbox.flows.list()).toEqual([])
  },
)

test('A trap of another tenant begins no flow', async () => {
  const path = await trapOfKeys()
  await sandbox.request.get(`/t/other${path}`).expect(200)
  expect(await sandbox.tenant('other').flows.list()).toEqual([])
})

const CROSS_SITE = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'image',
}

test('The image of a foreign page that shows a trap of the key set begins no flow', async () => {
  await sandbox.request
    .get(await trapOfKeys())
    .set(CROSS_SITE)
    .expect(200)
  expect(await sandbox.flows.list()).toEqual([])
})

test('The image of a foreign page that shows a trap of an id_token is recorded in its flow', async () => {
  const { params } = await party.use({ sandbox_outcome: 'id_token.jku' })
  const { jku } = decodeProtectedHeader(params['id_token'] ?? '')
  await sandbox.request.get(trapIn(jku)).set(CROSS_SITE).expect(200)
  const flows = await sandbox.flows.list()
  expect(flows).toHaveLength(1)
  expect(flows[0]?.calls.at(-1)).toMatchObject({ endpoint: 'trap' })
})
