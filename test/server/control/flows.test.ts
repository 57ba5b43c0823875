import { expect, test } from 'vitest'
import type { Flow } from '../../../src/sandbox/journal/journal.ts'
import { openEndings, press, submit } from '../../support/forms.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const CHIPS = {
  clientId: 'chips',
  clientSecret: 'sk_chips',
  redirectUris: ['http://localhost:3000/callback'],
}
const sandbox = await shareSandbox({ clients: [{ ...CHIPS, name: 'Fish & "Chips"' }] })
const rp = createRelyingParty(sandbox)

const idsOf = async ({ request }: Pick<TestSandbox, 'request'>, query: string) =>
  ((await request.get('/_sandbox/flows').query(query)).body as { flows: Flow[] }).flows.map(
    ({ id }) => id,
  )

/**
 * The queries by what GET flows gives of three ended flows and one that waits: newest first, or
 * with `since` as they ended.
 */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  'f4 f3 f2 f1': [''],
  'f4 f2 f1': ['flow=use', 'limit=2000&flow=use'],
  'f4 f3': ['after=f2', 'limit=2'],
  'f3 f2 f1': ['wait=0'],
  'f3 f2': ['wait=1&after=f1'],
  f4: ['status=waiting', 'q=localhost&limit=1'],
  f3: ['flow=create', 'client_id=ak_test_sandbox&state=three', 'limit=1&wait=0'],
  f2: [
    'state=two',
    'outcome=access_denied',
    'status=declined',
    'status=declined&wait=0',
    'since=f0&flow=use&after=f1',
  ],
  f1: ['persona=teen-16', 'status=ok&flow=use', 'q=TEEN-16', 'limit=1&since=f0'],
  'f1 f2 f3': ['since=f0'],
  'f2 f3': ['since=f1'],
  '': [
    'client_id=other',
    'q=no-such-text',
    'after=f99',
    'since=f4',
    'since=now',
    'since=now&wait=0',
    'status=error',
  ],
}

test('GET flows gives what matches its query, newest first, or with since in the order in which the flows ended', async () => {
  const own = await startSandbox()
  const lastEnded = async () => (await own.request.get('/_sandbox/flows')).body.last_ended
  expect(await lastEnded()).toBe('f0')
  expect(await idsOf(own, 'wait=0.05')).toEqual([])
  const party = createRelyingParty(own)
  await party.use({ state: 'one', sandbox_persona: 'teen-16' })
  await party.use({ state: 'two', sandbox_outcome: 'access_denied' })
  await party.create(await party.obtainRequestUri({ state: 'three' }))
  await own.request.get('/v1/oidc/use').query(useRequest({ state: 'four' }))
  // Milliseconds: the second call waited for fifty of them.
  expect(own.calls[1]?.durationMs).toBeGreaterThan(10)
  for (const [ids, queries] of Object.entries(LISTED))
    for (const query of queries) expect((await idsOf(own, query)).join(' '), query).toBe(ids)
  expect(await lastEnded()).toBe('f3')
  await own.personas.remove('teen-16')
  expect(await idsOf(own, 'persona=teen-16')).toEqual(['f1'])
})

test('GET flows without limit gives the newest fifty', async () => {
  await rp.use()
  for (let open = 0; open < 60; open++)
    await sandbox.request.get('/v1/oidc/use').query(useRequest())
  const all = await idsOf(sandbox, 'limit=2000')
  expect(all).toHaveLength(61)
  expect(await idsOf(sandbox, '')).toEqual(all.slice(0, 50))
})

test('A wait for an ended flow looks past any number of open flows', async () => {
  await rp.use()
  const ended = (await sandbox.flows.last())?.id
  for (let open = 0; open < 60; open++)
    await sandbox.request.get('/v1/oidc/use').query(useRequest())
  expect(await idsOf(sandbox, 'wait=0')).toEqual([ended])
})

test('A repeated state is advice on a flow but not in the list', async () => {
  const own = await startSandbox()
  for (const nonce of ['a', 'b', 'c'])
    await own.request.get('/v1/oidc/use').query(useRequest({ nonce }))
  expect((await own.flows.get('f3')).calls[0]?.findings).toMatchObject([
    { rule: 'USE-25', path: 'state' },
  ])
  expect(
    (await own.flows.list()).flatMap(({ calls }) => calls.flatMap(({ findings }) => findings)),
  ).toEqual([])
})

test('The flow of a Use joins the later token call with its upgrade', async () => {
  await rp.upgrade(await rp.obtainToken())
  expect(await sandbox.flows.list()).toEqual([
    expect.not.objectContaining({ trace: expect.anything() }),
  ])
  expect(await sandbox.flows.last()).toMatchObject({
    flow: 'use',
    tenant: 'default',
    client_id: 'ak_test_sandbox',
    persona: 'child-12',
    age_thresholds: { 18: false },
    trace: expect.any(Array),
    ended_at: expect.any(String),
    calls: [
      { endpoint: 'E1', method: 'GET', status: 302 },
      { endpoint: 'E4', method: 'POST', status: 200 },
      {
        endpoint: 'E5',
        method: 'POST',
        status: 200,
        parameters: { authorization_details: [ageSignal()] },
      },
    ],
  })
})

test('The flow of a Create joins all calls of its user', async () => {
  const query = createRequest(await rp.obtainRequestUri())
  const { text } = await sandbox.request.get('/v1/oidc/create').query(query)
  await submit(sandbox, press(await openEndings(sandbox, text), 'outcome-access_denied'))
  const [flow, ...others] = await sandbox.flows.list()
  expect(flow).toMatchObject({ flow: 'create', outcome: 'access_denied', state: 'state-1' })
  expect(others).toMatchObject([])
  const calls = flow?.calls.map(({ endpoint, status }) => `${endpoint} ${status}`)
  expect(calls).toEqual(expect.arrayContaining(['E2 201', 'E3 200', 'choice 303']))
})

test('The journal shows the title of a page as text', async () => {
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ client_id: 'chips' }))
  const page = 'Fish & "Chips" wants to check your age'
  expect(await sandbox.flows.list()).toMatchObject([{ calls: [{ response: { page } }] }])
})

test('The journal masks secrets but no id_token', async () => {
  await rp.obtainToken()
  await rp.push()
  const { text } = await sandbox.request.get('/_sandbox/flows')
  for (const part of ['id_token=', 'code=', '"client_secret":"***"', '"access_token":"***"'])
    expect(text).toContain(part)
})

test('A call whose connection was dropped has the status 0', async () => {
  const token = await rp.obtainToken()
  for (const outcome of ['par.dropped', 'upgrade.dropped']) await sandbox.next({ outcome })
  await expect(rp.push()).rejects.toThrow()
  await expect(rp.upgrade(token)).rejects.toThrow()
  const [pushed, used] = await sandbox.flows.list()
  const calls = [{ endpoint: 'E2', status: 0, response: { dropped: true } }]
  expect(pushed).toMatchObject({ outcome: 'par.dropped', ended_at: expect.any(String), calls })
  expect(used?.calls.at(-1)).toMatchObject({ endpoint: 'E5', status: 0 })
  expect(sandbox.calls.map(({ status }) => status)).toEqual([302, 200, 0, 0])
  const page = await sandbox.request.get(`/_sandbox/console/flows/${pushed?.id}`)
  expect(page.text).toContain('<span class="mark no">0 (dropped)</span>')
})

test('GET events sends the events of its own tenant with the flow of each', async () => {
  const code = await rp.obtainCode()
  const used = (await sandbox.flows.last())?.id
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/events`)
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  await sandbox.request.get('/t/other/.well-known/jwks.json')
  await rp.exchange(code)
  await rp.use({ state: 'mine' })
  await sandbox.request.get('/.well-known/jwks.json')
  await sandbox.reset()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/event: reset\ndata: .*\n/.test(text)) text += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
  const received = events.map(([, type, data = '{}']) => ({ type, ...JSON.parse(data) }))
  const { id } = received[1]
  expect(received).toMatchObject([
    { type: 'call', id: used, flow: 'use', endpoint: 'E4' },
    { type: 'call', id: expect.stringMatching(/^f\d+$/), flow: 'use', endpoint: 'E1', status: 302 },
    { type: 'flow', flow: 'use', id, state: 'mine', ended_at: expect.any(String) },
    { type: 'call', id: null, flow: null, endpoint: 'E6', path: '/.well-known/jwks.json' },
    { type: 'reset', id: null, flow: null },
  ])
})

test('JSON to read begins with the name of its object', async () => {
  const { id } = await sandbox.next({ persona: 'teen-16' })
  await sandbox.personas.put({ name: 'mine', title: 'Mine', purpose: 'A test.' })
  const textOf = async (path: string) => (await sandbox.request.get(`/_sandbox/${path}`)).text
  expect(await textOf('expectations')).toContain(`{"id":"${id}","flow":"use"`)
  expect(await textOf('personas/mine')).toMatch(/^\{"name":"mine","title"/)
})

test('A call in JSON shows the parameters before the response', async () => {
  const textOf = async (path: string) => (await sandbox.request.get(`/_sandbox/${path}`)).text
  await rp.use()
  expect(await textOf('flows')).toMatch(/"status":302,"parameters":\{.*"findings":\[\],"response"/)
})
