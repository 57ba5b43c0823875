import { expect, test } from 'vitest'
import { createSandbox } from '../../../src/server/create-sandbox.ts'
import { readError } from '../../support/error-body.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import {
  ageSignal,
  basic,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)
const post = (path: string, query: object) => sandbox.request.post(path).query(query)

/**
 * A good call of each server-to-server endpoint, with a query or with further members in its body.
 */
const CALLS = {
  par: (query: object, more: object = {}) =>
    post('/v1/oidc/create/par', query)
      .type('form')
      .send({ ...pushedRequest(), ...more }),
  async token(query: object, more: object = {}) {
    const call = post('/v1/oidc/use/token', query).set(
      'Authorization',
      basic('ak_test_sandbox', 'sk_test_sandbox'),
    )
    return call.type('form').send({ ...tokenRequest(await party.obtainCode()), ...more })
  },
  async upgrade(query: object, more: object = {}) {
    const call = post('/v1/svc/upgrade', query).set(
      'Authorization',
      `Bearer ${await party.obtainToken()}`,
    )
    return call.send({ authorization_details: [ageSignal()], ...more })
  },
  discovery: (query: object) =>
    sandbox.request.get('/v1/oidc/create/.well-known/openid-configuration').query(query),
  jwks: (query: object) => sandbox.request.get('/.well-known/jwks.json').query(query),
} as const

const FLOWS = Object.keys(CALLS) as (keyof typeof CALLS)[]

test.each(FLOWS)(
  'sandbox_outcome in the query forces a %s call before a queued outcome, which stays',
  async (flow) => {
    await sandbox.next({ flow, outcome: `${flow}.503` })
    expect((await CALLS[flow]({ sandbox_outcome: `${flow}.429` })).status).toBe(429)
    expect(await sandbox.expectations.list()).toMatchObject([
      { outcome: `${flow}.503`, remaining: 1 },
    ])
  },
)

test.each(FLOWS)(
  'A %s call refuses a persona, and unknown sandbox_ parameters with near misses',
  async (flow) => {
    const unknown = {
      [`${flow}.502_html`]: { sandbox_outcome: `${flow}.502` },
      sandbox_outcome: { sandbox_outcom: 'x' },
    }
    for (const [nearMiss, query] of Object.entries(unknown)) {
      const answer = await CALLS[flow](query)
      expect(answer.status).toBe(400)
      expect(readError(answer).suggestions).toEqual(expect.arrayContaining([nearMiss]))
    }
    const answer = await CALLS[flow]({ sandbox_persona: 'teen-16' })
    expect(answer.status).toBe(400)
    expect(readError(answer).error_description).toMatch(
      /sandbox_persona.*no persona.*sandbox_outcome/,
    )
  },
)

const POSTS = ['par', 'token', 'upgrade'] as const
test.each(POSTS)(
  'sandbox_outcome in the body of a %s call is refused with where it belongs',
  async (flow) => {
    const answer = await CALLS[flow]({}, { sandbox_outcome: `${flow}.500` })
    expect(answer.status).toBe(400)
    expect(readError(answer).error_description).toMatch(/sandbox_outcome.*body.*X-Sandbox-Outcome/)
  },
)

test('An unknown name in the header X-Sandbox-Persona is not ignored by a server-to-server call', async () => {
  const call = sandbox.request.get('/.well-known/jwks.json')
  expect(
    readError(await call.set('X-Sandbox-Persona', 'teen-17').expect(400)).suggestions,
  ).toContain('teen-16')
})

/** Calls E4 or E5 of the flow with this state, after the calls before it. @returns the status */
const LATER = {
  async token(state: string) {
    const code = await party.obtainCode({ state })
    return async () => (await party.exchange(code)).status
  },
  async upgrade(state: string) {
    const token = await party.obtainToken({ state, sandbox_outcome: 'code_issued' })
    return async () => (await party.upgrade(token)).status
  },
} as const
const LATER_FLOWS = ['token', 'upgrade'] as const

test.each(LATER_FLOWS)(
  'An expectation of %s meets the state of the Use request, in no other flow',
  async (flow) => {
    const [first, second] = [await LATER[flow]('one'), await LATER[flow]('two')]
    await sandbox.next({ flow, outcome: `${flow}.503`, match: { state: 'two' } })
    expect(await first()).toBe(200)
    expect(await second()).toBe(503)
  },
)

test.each(LATER_FLOWS)(
  'A %s call has the outcome that its Use request named, in any order',
  async (flow) => {
    const states = [`${flow}.429`, `${flow}.503`]
    for (const state of states) await party.obtainCode({ state, sandbox_outcome: state })
    const matches = (await sandbox.expectations.list()).map(({ match }) => match)
    expect(matches).toEqual(states.map((state) => ({ client_id: 'ak_test_sandbox', state })))
    // The second flow of the same client, and the flow that was named last.
    const statuses: number[] = []
    for (const state of ['three', ...states.toReversed()])
      statuses.push(await (await LATER[flow](state))())
    expect(statuses).toEqual([200, 503, 429])
  },
)

test.each(LATER_FLOWS)(
  'A %s call that is forced belongs to its flow, and the flow says so',
  async (flow) => {
    const call = await LATER[flow]('one')
    await sandbox.next({ flow, outcome: `${flow}.503` })
    await call()
    expect(await sandbox.flows.list()).toMatchObject([
      { flow: 'use', state: 'one', outcome: `${flow}.503` },
    ])
    await call()
    expect((await sandbox.flows.list()).map(({ calls }) => calls.at(-1)?.status)).toEqual([200])
  },
)

test('A refused token or upgrade call belongs to the flow of its code or access token', async () => {
  const code = await party.obtainCode({ state: 'one' })
  const wrong = sandbox.request.post('/v1/oidc/use/token').set('Authorization', basic('x', 'y'))
  await wrong.type('form').send(tokenRequest(code))
  await sandbox.next({ flow: 'token', outcome: 'token.extra_members' })
  await party.upgrade((await party.exchange(code)).body.access_token, [])
  const flows = await sandbox.flows.list()
  expect(flows).toMatchObject([
    { state: 'one', calls: [302, 401, 200, 400].map((status) => ({ status })) },
  ])
})

test('A code that an outcome added leads to the same flow', async () => {
  const query = useRequest({
    scope: 'openid svc.upgrade',
    sandbox_outcome: 'callback.code_unasked',
  })
  const { headers } = await sandbox.request.get('/v1/oidc/use').query(query)
  const codes = new URLSearchParams(new URL(headers['location'] ?? '').hash.slice(1)).getAll('code')
  expect(codes).toHaveLength(1)
  for (const code of codes) await party.exchange(code)
  expect((await sandbox.flows.list()).map(({ calls }) => calls.length)).toEqual([2])
})

test('A scenario remarks the refused call that did not take its step, which waits for the next one', async () => {
  const steps = [{ decide: { flow: 'par', outcome: 'par.truncated' } } as const]
  const { id } = await sandbox.scenarios.arm({ name: 'A', steps })
  await party.push({ client_secret: 'wrong' })
  expect((await sandbox.scenarios.get(id)).steps).toMatchObject([
    { status: 'current', detail: expect.stringMatching(/^a par request came that did not/) },
  ])
})

test('A forced 404 of a document keeps its body under error_body=plain', async () => {
  const { request } = await startSandbox({ readings: { error_body: 'plain' } })
  const paths = {
    discovery: '/v1/oidc/use/.well-known/openid-configuration',
    jwks: '/.well-known/jwks.json',
  }
  for (const [flow, path] of Object.entries(paths)) {
    const { status, body } = await request.get(path).query({ sandbox_outcome: `${flow}.404` })
    expect(status, flow).toBe(404)
    expect(body, flow).toEqual({ error: 'not_found' })
  }
})

// The default of thirty seconds is longer than a test may take.
const SLOW = { 'X-Sandbox-Outcome': 'jwks.slow' }
const REASON = 'is not a whole number of seconds from 0 to 600'

test('A slow reply takes as long as the option slowReplySeconds says', async () => {
  await (await startSandbox({ slowReplySeconds: 0 })).request
    .get('/.well-known/jwks.json')
    .set(SLOW)
    .expect(200)
})

test('A slow reply takes as long as configure says for its tenant, which the tenant shows', async () => {
  const tenant = sandbox.tenant('quick')
  const shown = async (name = 'quick') =>
    (await sandbox.request.get(`/_sandbox/tenants/${name}`)).body.slow_reply_seconds
  await tenant.clock.state()
  expect(await shown()).toBe(30)
  await tenant.configure({ slowReplySeconds: 0 })
  await tenant.configure({ outcome: 'verified' })
  expect(await shown()).toBe(0)
  expect(await shown('default')).toBe(30)
  await sandbox.request.get('/t/quick/.well-known/jwks.json').set(SLOW).expect(200)
  await sandbox.request.put('/_sandbox/tenants/put').send({ slow_reply_seconds: 0 }).expect(201)
  await sandbox.request.get('/t/put/.well-known/jwks.json').set(SLOW).expect(200)
})

test.each([-1, 601, 1.5])(
  'A slow reply of %d seconds is refused as an option and by PUT',
  async (seconds) => {
    await expect(createSandbox({ slowReplySeconds: seconds })).rejects.toThrow(
      `slowReplySeconds: ${seconds} ${REASON}`,
    )
    await expect(sandbox.configure({ slowReplySeconds: seconds })).rejects.toThrow(
      `${seconds} ${REASON}`,
    )
    const put = await sandbox.request
      .put('/_sandbox/tenants/one')
      .send({ slow_reply_seconds: seconds })
    expect(put.status).toBe(400)
    expect(put.body.error_description).toContain('slow_reply_seconds')
  },
)

const readAnew = await shareSandbox({
  readings: { error_body: 'plain', error_description: 'absent', upgrade_error_body: 'empty' },
})

const MISTAKES: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  query: object,
  nearMiss: string,
])[] = [
  ['X-Sandbox-Outcome', { 'X-Sandbox-Outcome': 'upgrade.50' }, {}, 'upgrade.500'],
  ['X-Sandbox-Persona', { 'X-Sandbox-Persona': 'teen-17' }, {}, 'teen-16'],
  ['sandbox_outcome', {}, { sandbox_outcome: 'upgrade.50' }, 'upgrade.500'],
  ['the name of sandbox_outcome', {}, { sandbox_outcom: 'upgrade.500' }, 'sandbox_outcome'],
]

test.each(MISTAKES)(
  'A mistake in %s stays readable under readings of error bodies',
  async (_, headers, query, near) => {
    const answer = await readAnew.request
      .post('/v1/svc/upgrade')
      .query(query)
      .set(headers)
      .send({})
      .expect(400)
    const { error, error_description, suggestions } = readError(answer)
    expect(error).toBe('invalid_request')
    expect(error_description).toContain(near)
    expect(suggestions).toContain(near)
  },
)

test('A misspelt X-Sandbox-Outcome at E2 stays readable under readings of error bodies', async () => {
  const call = readAnew.request.post('/v1/oidc/create/par').set('X-Sandbox-Outcome', 'par.50')
  const answer = await call.type('form').send(pushedRequest()).expect(400)
  expect(readError(answer).suggestions).toContain('par.500')
})

test('A misspelt X-Sandbox-Outcome at E1 stays readable under readings of error bodies', async () => {
  const call = readAnew.request
    .get('/v1/oidc/use')
    .query(useRequest())
    .set('X-Sandbox-Outcome', 'acess_denied')
  expect(readError(await call.set('Accept', 'application/json').expect(400)).suggestions).toContain(
    'access_denied',
  )
})

test('A refusal of E5 itself keeps the form of the readings', async () => {
  const { text } = await readAnew.request.post('/v1/svc/upgrade').send({}).expect(401)
  expect(text).toBe('')
})
