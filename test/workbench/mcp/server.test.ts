import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { createSandboxApi, type Transport } from '../../../src/server/client/sandbox-api.ts'
import { SandboxError } from '../../../src/server/client/sandbox-error.ts'
import { findDocument } from '../../../src/workbench/documents/documents.ts'
import { createMcpServer } from '../../../src/workbench/mcp/server.ts'
import { listPersonasTool } from '../../../src/workbench/mcp/tools/catalogue.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Fields, useRequest } from '../../support/requests.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { connectAgent } from './agent.ts'

test('A defect in a tool is reported to the host alone', async () => {
  const defect = new Error('ENOENT: keys.pem')
  const call = () => Promise.reject(defect)
  const sandbox = createSandboxApi(
    { call, lastEnded: call },
    { name: 'default', baseUrl: 'http://localhost:2435' },
  )
  const reported: unknown[] = []
  const server = createMcpServer(
    { sandbox, call },
    { version: '1', onError: (error) => reported.push(error) },
  )
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  const { isError, content } = await client.callTool({ name: 'reset' })
  expect(reported).toEqual([defect])
  expect(isError).toBe(true)
  expect(JSON.stringify(content)).toMatch(/^(?!.*ENOENT).*is a defect/)
})

test('list_personas reads the brief list alone, without the age signals of all personas', async () => {
  const called: string[] = []
  const call: Transport['call'] = async (operationId) => {
    called.push(operationId)
    throw new SandboxError('it is only counted', { status: 503, error: 'temporarily_unavailable' })
  }
  const lastEnded = async () => 'f0'
  const sandbox = createSandboxApi(
    { call, lastEnded },
    { name: 'default', baseUrl: 'http://localhost:2435' },
  )
  await listPersonasTool.run({}, { sandbox, call }).catch(() => {})
  expect(called).toEqual(['getCatalog'])
})

const sandbox = await shareSandbox()

const clients: Client[] = []
afterAll(() => Promise.all(clients.map((client) => client.close())))

async function connect(url = sandbox.baseUrl, headers: Fields = {}) {
  const agent = await connectAgent(url, headers)
  clients.push(agent.client)
  return agent
}

const { client, call } = await connect()

/** Sends a user through Use; what is queued decides. */
const visit = (changes = {}) => sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

const HEADERS = {
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
}
const post = ({ request }: TestSandbox, body: unknown, headers: Fields = {}) => {
  const call = request.post('/_sandbox/mcp').set({ ...HEADERS, ...headers })
  return call.send(typeof body === 'string' ? body : JSON.stringify(body))
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

test('A coding agent is told what the server is', () => {
  expect(client.getServerVersion()).toMatchObject({
    name: 'agekey-sandbox',
    version: expect.any(String),
  })
  expect(client.getInstructions()).toContain('decide_next')
})

test('A coding agent is told the schema of each tool', async () => {
  const { tools } = await client.listTools()
  const flowTools = [
    'list_personas',
    'list_outcomes',
    'decide_next',
    'list_flows',
    'explain_flow',
    'explain',
  ]
  const others = ['evaluate', 'clock', 'reset', 'search_documents', 'read_document']
  expect(tools.map(({ name }) => name)).toEqual([...flowTools, ...others])
  for (const { description, inputSchema } of tools) {
    expect(description?.length).toBeGreaterThan(80)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
  }
})

test('A coding agent is told the effect of each tool', async () => {
  const { tools } = await client.listTools()
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
  expect(hints.get('list_flows')).toMatchObject({ readOnlyHint: true, destructiveHint: false })
  expect(hints.get('decide_next')).toMatchObject({ readOnlyHint: false, destructiveHint: false })
  expect(hints.get('reset')).toMatchObject({ readOnlyHint: false, destructiveHint: true })
})

test('The list of tools has at most 12 kB', async () => {
  expect(JSON.stringify(await client.listTools()).length).toBeLessThanOrEqual(12_000)
})

test('A coding agent finds personas by a word', async () => {
  expect((await call('list_personas')).text).toMatch(/^4\d personas:\n- /)
  const { text, data } = await call('list_personas', { find: 'teen' })
  expect(text).toContain('- teen-16: ')
  expect(data).toMatchObject({
    personas: expect.arrayContaining([expect.objectContaining({ name: 'teen-16' })]),
  })
})

test('A coding agent reads the age signals of a persona', async () => {
  const one = await call('list_personas', { name: 'teen-16' })
  expect(one.data).toMatchObject({
    persona: { name: 'teen-16', age_key: { signals: [expect.anything()] } },
  })
  expect(one.text).toContain('It has 1 age signal.')
})

test('A coding agent finds outcomes by words', async () => {
  const { text } = await call('list_outcomes', {
    find: 'id_token nonce',
    flow: 'use',
    correct_client: 'refuse',
  })
  expect(text).toContain('use/id_token.nonce')
  expect(text).not.toContain('(client: accept')
})

test('A coding agent is told how to narrow outcomes down', async () => {
  const first = await call('list_outcomes', { limit: 2 })
  expect(first.text).toMatch(
    /^The first 2 of \d{3} outcomes; narrow them down by find or flow:\n- .*\n- [^\n]*$/,
  )
})

test('A coding agent finds only outcomes of the given correct_client', async () => {
  expect(
    (await call('list_outcomes', { find: 'extra_claim', correct_client: 'refuse' })).text,
  ).toBe('0 outcomes:')
})

test('A coding agent decides the next flow', async () => {
  const queued = await call('decide_next', { persona: 'teen-16' })
  expect(queued.text).toMatch(
    /^Queued as \S+ for the next use request: persona teen-16\. Decisions that wait: 1\.$/,
  )
  await visit({ claims: '{"age_thresholds":[16,18]}' }).expect(302)

  const listed = await call('list_flows', { persona: 'teen-16' })
  const line =
    /^1 flow, the newest first:\n- f\d+ use ok: .*\(persona teen-16, outcome verified, client_id ak_test_sandbox\)$/
  expect(listed.text).toMatch(line)
  expect(listed.data).toMatchObject({
    flows: [{ age_thresholds: { 16: true, 18: false }, calls: 1 }],
  })
})

test('A coding agent reads what happened in a flow', async () => {
  await visit({ claims: '{"age_thresholds":[16,18]}', sandbox_persona: 'teen-16' }).expect(302)
  const explained = await call('explain_flow')
  const { flow } = z.object({ flow: z.object({ id: z.string() }) }).parse(explained.data)
  for (const id of [flow.id.toUpperCase(), `http://other.host/_sandbox/console/flows/${flow.id}`])
    expect(await call('explain_flow', { id })).toEqual(explained)
  expect(explained.text).toContain('18: no. id_doc_scan: needs 18, has 16')
  expect(explained.text).toContain(`${sandbox.baseUrl}/_sandbox/console/flows/f`)
  expect(explained.data).toMatchObject({ flow: { persona: 'teen-16' } })
})

test('A coding agent forces an outcome of the flow that has it, several times', async () => {
  expect((await call('decide_next', { outcome: 'token.500' })).text).toContain(
    'the next token request',
  )
  const queued = await call('decide_next', { outcome: 'access_denied', times: 2 })
  expect(queued.text).toContain(
    'for the next 2 use requests: outcome access_denied. Decisions that wait: 2.',
  )
  await visit().expect(302)
  expect((await call('list_flows', { status: 'declined' })).text).toContain('access_denied')
})

test('A coding agent sees which rule a refused request broke', async () => {
  await createRelyingParty(sandbox).push({ scope: 'profile' })
  const after = (await sandbox.flows.last())?.id
  const { text } = await call('explain_flow', { id: after })
  expect((await call('list_flows', { after })).text).toBe('0 flows, the newest first:')
  expect(text).toMatch(/Rules that calls broke:\n(?:- .*\n)*- E2 error PAR-\d+: .* To mend it: /)
})

test('A coding agent has a rule explained', async () => {
  expect((await call('explain', { name: 'par-07' })).data).toMatchObject({
    kind: 'rule',
    name: 'PAR-07',
  })
})

test('A coding agent has an outcome explained', async () => {
  const outcome = await call('explain', { name: 'id_token.expired' })
  expect(outcome.text).toContain(`curl '${sandbox.baseUrl}/_sandbox/expectations'`)
})

test('A coding agent is told the nearest name to an unknown one', async () => {
  const unknown = await call('explain', { name: 'id_token.expird' })
  expect(unknown).toMatchObject({
    isError: true,
    text: expect.stringContaining('Did you mean "id_token.expired"?'),
  })
})

test('A coding agent evaluates claims without a flow', async () => {
  const { text, data } = await call('evaluate', {
    claims: { age_thresholds: [16, 18] },
    persona: 'teen-16',
  })
  expect(data).toMatchObject({ age_thresholds: { 16: true, 18: false } })
  expect(text).toMatch(/^16: yes, 18: no\. Why:\n- /)
})

test('A coding agent moves the clock', async () => {
  await call('clock', { set: '2030-01-01T00:00:00Z', freeze: true })
  expect((await call('clock', { advance: 91 })).data).toMatchObject({
    now: '2030-01-01T00:01:31.000Z',
    frozen: true,
  })
  const said = 'The sandbox has 2030-01-01T00:01:31.000Z, 91 s ahead, and the clock is stopped.'
  expect((await call('clock')).text).toBe(said)
  expect((await call('clock', { reset: true })).data).toMatchObject({
    frozen: false,
    advanced_seconds: 0,
  })
})

test('A coding agent resets the sandbox', async () => {
  await call('decide_next', { persona: 'teen-16' })
  expect((await call('reset')).isError).toBe(false)
  expect(await sandbox.expectations.list()).toEqual([])
})

test('A coding agent searches the documents', async () => {
  expect((await call('search_documents', { query: '' })).text).toContain(
    '- library (Library for JavaScript and TypeScript): ',
  )
  const { text, data } = await call('search_documents', { query: 'PAR-07', limit: 1 })
  expect(text).toMatch(/^Sections, the best first:\n- rules#/)
  expect(data).toMatchObject({ found: [{ document: 'rules' }] })
  expect((await call('search_documents', { query: 'redirect' })).data).toHaveProperty(
    'found.length',
    8,
  )
})

test('A coding agent reads a part of a document', async () => {
  expect((await call('read_document', { name: 'testing' })).text).toMatch(/^# Tests with pytest/)
  const part = await call('read_document', { name: 'mobile', section: 'Where-The-Redirect-Leads' })
  expect(part.text).toMatch(/^## Where the redirect leads\n(?!.*\n## ).*\n### Custom schemes\n/s)
  for (const name of [
    'mobile#custom-schemes',
    'docs/Mobile.md#Custom-Schemes',
    `${sandbox.baseUrl}/_sandbox/docs/mobile#custom-schemes`,
  ])
    expect((await call('read_document', { name })).text).toMatch(/^### Custom schemes\n/)
  const byHeading = await call('read_document', { name: 'Outcomes', section: '## Use (E1)' })
  expect(byHeading.text).toBe(
    (await call('read_document', { name: 'outcomes', section: '#use-e1' })).text,
  )
})

test('A coding agent reads a section to its end, however long the section is', async () => {
  const document = await call('read_document', { name: 'outcomes' })
  expect(document.text).toMatch(
    /These are the characters 0 to 20000 of \d+\. Read on with offset 20000, or by section: outcomes, /,
  )
  let text = ''
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const part = await call('read_document', { name: 'outcomes', section: 'use-e1', offset })
    text += part.text.replace(
      /\n\nThese are the characters \d+ to \d+ of \d+\. Read on with offset \d+$/,
      '',
    )
    offset = z.object({ next_offset: z.number().optional() }).parse(part.data).next_offset
  }
  const section = findDocument('outcomes')?.sections.find(({ anchor }) => anchor === 'use-e1')
  expect(text).toBe(section?.markdown)
})

test('Each example in the description of a tool works', async () => {
  const { tools } = await client.listTools()
  const examples = tools.flatMap(({ name, description = '' }) =>
    (description.match(/\{(?:[^{}]|\{[^{}]*\})*\}/g) ?? []).map((example) => ({ name, example })),
  )
  expect(examples.length).toBeGreaterThan(12)
  for (const { name, example } of examples)
    expect({ example, ...(await call(name, JSON.parse(example))) }).toMatchObject({
      isError: false,
    })
  await call('reset')
})

test.each([
  ['decide_next', {}, 'body: give persona, outcome or both'],
  [
    'decide_next',
    { persona: 'teen-61' },
    'there is no persona "teen-61". Did you mean "teen-16"? list_personas lists all.',
  ],
  [
    'decide_next',
    { outcome: 'id_token.expird' },
    'Did you mean "id_token.expired"? list_outcomes lists all.',
  ],
  ['decide_next', { persona: 'teen-16', time: 2 }, 'time: unknown key. Did you mean "times"?'],
  ['list_personas', { name: 'nobody' }, 'there is no persona "nobody"'],
  ['list_outcomes', { flow: 'usee' }, 'flow: unknown flow "usee". Did you mean "use"?'],
  ['list_flows', { limit: 1_000 }, 'limit: expected at most 100, found 1000'],
  ['explain_flow', {}, 'id: there is no flow yet; send the app through one, then ask again'],
  ['explain_flow', { id: 'f99' }, 'f99'],
  [
    'explain_flow',
    { id: 'last' },
    'id: "last" is not the id of a flow, such as "f12"; list_flows lists the ids',
  ],
  [
    'explain_flow',
    { id: 'http://a.test/t/qa/_sandbox/console/flows/f3' },
    'ask http://a.test/t/qa/_sandbox/mcp',
  ],
  ['explain', {}, 'name: is missing; expected a text'],
  [
    'explain',
    { name: 'f99' },
    'no rule and no outcome "f99". list_outcomes lists the outcomes, read_document',
  ],
  [
    'evaluate',
    { claims: { age_thresholds: ['x'] }, persona: 'teen-16' },
    'claims.age_thresholds[0]',
  ],
  ['clock', { advance: -1 }, 'advance: must be 0 or more seconds'],
  ['reset', { all: true }, 'all: unknown key'],
  ['search_documents', { query: 'a', limit: 0 }, 'limit: expected at least 1, found 0'],
  [
    'read_document',
    { name: 'adresses' },
    'name: there is no document "adresses". Did you mean "addresses"?',
  ],
  [
    'read_document',
    { name: 'library', section: 'nowhere' },
    'section: there is no section "nowhere"',
  ],
])(
  'A tool of the endpoint for agents refuses in the words of the sandbox: %s %j',
  async (name, args, message) => {
    const { text, isError } = await call(name, args)
    expect(isError).toBe(true)
    expect(text).toContain(message)
    expect(text).not.toMatch(/\bat .*\.ts:\d|\bat \w+ \(/)
  },
)

test('A call of a tool that does not exist is answered by the name of the nearest tool', async () => {
  await expect(client.callTool({ name: 'list_flow' })).rejects.toThrow('Did you mean "list_flows"?')
})

test.each([
  [{ name: 'clock', arguments: [] }, 'arguments: expected a mapping, found a list of 0'],
  [{ name: 5 }, 'name: expected a text, found 5'],
  [undefined, 'params: is missing'],
])('A call of a tool with the params %j is answered by -32602', async (params, problem) => {
  const { body } = await post(sandbox, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params,
  }).expect(200)
  expect(body.error).toEqual({ code: -32602, message: expect.stringContaining(problem) })
})

test('What an agent decides in one tenant leaves the other tenants as they are', async () => {
  const { call } = await connect(`${sandbox.baseUrl}/t/qa`)
  await call('decide_next', { persona: 'teen-16' })
  expect(await sandbox.tenant('qa').expectations.list()).toHaveLength(1)
  expect(await sandbox.expectations.list()).toEqual([])
  expect((await call('explain', { name: 'id_token.expired' })).text).toContain(
    `${sandbox.baseUrl}/t/qa/_sandbox/`,
  )
  await sandbox.request.get('/t/qa/v1/oidc/use').query(useRequest())
  const { text } = await call('explain_flow')
  expect(text).toContain(`${sandbox.baseUrl}/t/qa/_sandbox/console/flows/`)
  expect((await call('explain_flow', { id: text.split(' ').at(-1) })).text).toBe(text)
})

test('The endpoint for agents asks for the control token beyond this machine', async () => {
  const sandbox = await startSandbox({
    baseUrl: 'http://sandbox.test',
    controlToken: 'secret-token',
  })
  await expect(connect(sandbox.url)).rejects.toThrow('send the control token of this sandbox')
  await post(sandbox, LIST, { Authorization: 'Bearer another' }).expect(401)
  const { call } = await connect(sandbox.url, { Authorization: 'Bearer secret-token' })
  expect((await call('clock')).isError).toBe(false)
})

test('The endpoint for agents is closed to the pages of another site', async () => {
  const sandbox = await startSandbox({
    baseUrl: 'http://sandbox.test',
    controlToken: 'secret-token',
  })
  // The guard of the control API stands before the endpoint.
  const site = { Origin: 'https://evil.example' }
  await post(sandbox, { ...LIST, method: 'tools/call', params: { name: 'reset' } }, site).expect(
    403,
  )
})

test('The endpoint for agents is off beyond this machine where no token is set', async () => {
  const withoutToken = await startSandbox({ baseUrl: 'http://sandbox.test' })
  expect((await post(withoutToken, LIST).expect(403)).text).toContain('the control API is off')
})

test('The endpoint for agents has no stream', async () => {
  for (const method of ['get', 'delete'] as const) {
    const answer = await sandbox.request[method]('/_sandbox/mcp')
      .set('Accept', 'text/event-stream')
      .expect(405)
    expect(answer.headers['allow']).toBe('POST')
  }
})

test('The endpoint for agents answers a call in JSON without a session', async () => {
  const answer = await post(sandbox, LIST).expect(200)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['mcp-session-id']).toBeUndefined()
  expect(answer.headers['cache-control']).toBe('no-store')
})

test('The endpoint for agents answers a notification with 202', async () => {
  await post(sandbox, { jsonrpc: '2.0', method: 'notifications/initialized' }).expect(202, '')
})

test('The endpoint for agents accepts one message a request', async () => {
  const { body } = await post(sandbox, [LIST, { jsonrpc: '2.0', id: 2, method: 'ping' }]).expect(
    400,
  )
  expect(body).toMatchObject({
    id: null,
    error: { code: -32600, message: expect.stringContaining('a request of its own') },
  })
})

test('A search of the documents by an agent has at most 200 characters', async () => {
  const search = (query: string) => ({
    ...{ jsonrpc: '2.0', id: 3, method: 'tools/call' },
    params: { name: 'search_documents', arguments: { query } },
  })
  const found = async (query: string) =>
    (await post(sandbox, search(query)).expect(200)).body.result
  expect(await found('a'.repeat(201))).toMatchObject({ isError: true })
  expect(await found('a'.repeat(200))).not.toHaveProperty('isError')
})

test.each([
  ['no JSON', '{', {}, 400],
  ['JSON that is no message', '{}', {}, 400],
  ['another type', LIST, { 'Content-Type': 'text/plain' }, 415],
  ['an Accept header without both types', LIST, { Accept: 'text/html' }, 406],
  ['an unknown version', LIST, { 'MCP-Protocol-Version': '1999-01-01' }, 400],
  ['more than 64 KiB', `{"x":"${'x'.repeat(70_000)}"}`, {}, 413],
])('The endpoint for agents refuses %s', async (_what, body, headers, status) => {
  expect((await post(sandbox, body, headers).expect(status)).text).toMatch(/^\{.*\}$/)
})
