import { afterAll, expect, test } from 'vitest'
import { useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'
import { connectAgent } from './agent.ts'

type Args = Readonly<Record<string, unknown>>

const PERSONA = { persona: 'teen-16' }
const CLAIMS = { claims: { age_thresholds: [16, 18] }, persona: 'teen-16' }
const SIGNAL = {
  type: 'age_verification',
  method: 'facial_age_estimation',
  age: { at_least_years: 21 },
  verification_id: '0192d2f5-7c3a-7c3a-8c3a-0123456789ab',
  verified_at: '2020-01-01T00:00:00Z',
  provenance: '/sandbox',
}

/** Arguments of each tool: a call without the argument, and what the argument adds or replaces. */
const ARGUMENTS: readonly (readonly [
  tool: string,
  argument: string,
  without: Args,
  value: unknown,
])[] = [
  ['list_personas', 'find', {}, 'teen-16'],
  ['list_personas', 'name', {}, 'teen-16'],
  ['list_outcomes', 'find', {}, 'nonce'],
  ['list_outcomes', 'flow', {}, 'token'],
  ['list_outcomes', 'correct_client', {}, 'refuse'],
  ['list_outcomes', 'limit', {}, 3],
  ['decide_next', 'flow', PERSONA, 'create'],
  ['decide_next', 'persona', { outcome: 'verified' }, 'teen-16'],
  ['decide_next', 'outcome', PERSONA, 'access_denied'],
  ['decide_next', 'match', PERSONA, { state: 'second' }],
  ['decide_next', 'times', PERSONA, 2],
  ['list_flows', 'flow', {}, 'create'],
  ['list_flows', 'status', {}, 'error'],
  ['list_flows', 'find', {}, 'nonce-of-second'],
  ['list_flows', 'client_id', {}, 'ak_test_other'],
  ['list_flows', 'state', {}, 'second'],
  ['list_flows', 'persona', {}, 'teen-16'],
  ['list_flows', 'outcome', {}, 'access_denied'],
  ['list_flows', 'after', {}, 'FIRST'],
  ['list_flows', 'limit', {}, 1],
  ['explain_flow', 'id', {}, 'FIRST'],
  ['explain', 'name', { name: 'USE-01' }, 'USE-02'],
  ['evaluate', 'claims', CLAIMS, { age_thresholds: [13] }],
  ['evaluate', 'persona', CLAIMS, 'adult-passport'],
  ['evaluate', 'signals', { ...CLAIMS, persona: undefined, signals: [] }, [SIGNAL]],
  ['evaluate', 'now', CLAIMS, '2090-01-01T00:00:00Z'],
  ['clock', 'reset', {}, true],
  ['clock', 'set', {}, '2031-01-01T00:00:00Z'],
  ['clock', 'freeze', {}, false],
  ['clock', 'advance', {}, 5],
  ['search_documents', 'query', { query: 'redirect' }, 'clock'],
  ['search_documents', 'limit', { query: 'redirect' }, 1],
  ['read_document', 'name', { name: 'library' }, 'audit'],
  ['read_document', 'section', { name: 'mobile' }, 'custom-schemes'],
  ['read_document', 'offset', { name: 'library' }, 100],
]

const sandbox = await shareSandbox({
  clients: [
    { clientId: 'ak_test_other', clientSecret: 'other', redirectUris: ['http://localhost/other'] },
  ],
})
const { client, call } = await connectAgent(sandbox.baseUrl)
afterAll(() => client.close())

test('The table of arguments names every argument of every tool', async () => {
  const { tools } = await client.listTools()
  const declared = tools.flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema.properties ?? {}).map((argument) => `${name} ${argument}`),
  )
  const tested = ARGUMENTS.map(([tool, argument]) => `${tool} ${argument}`)
  expect(tested.toSorted()).toEqual(declared.toSorted())
})

test.each(ARGUMENTS)(
  '%s answers otherwise by its argument %s',
  async (tool, argument, without, value) => {
    const before = await answerOf(tool, without)
    const after = await answerOf(tool, { ...without, [argument]: value })
    expect(before.isError).toBe(false)
    expect(after.isError).toBe(false)
    expect(after).not.toEqual(before)
  },
)

// Without this the comparison of two answers could not fail.
test.each(ARGUMENTS)(
  '%s answers a repeated call alike (before its argument %s)',
  async (tool, _argument, without) => {
    const once = await answerOf(tool, without)
    expect(await answerOf(tool, without)).toEqual(once)
  },
)

test('list_flows finds the only flow in which the words of find stand', async () => {
  await sendFlows()
  const { data } = await call('list_flows', { find: 'nonce-of-second' })
  expect(data).toMatchObject({ flows: [{ state: 'second' }] })
})

/** The answer in a sandbox with a stopped clock and four flows, without the id of a decision. */
async function answerOf(tool: string, args: Args) {
  await sandbox.reset()
  const first = await sendFlows()
  const named = Object.entries(args).map(([name, value]) => [
    name,
    value === 'FIRST' ? first : value,
  ])
  const { text, data, isError } = await call(tool, Object.fromEntries(named))
  const withoutIds = JSON.stringify({ text, data }).replaceAll(
    /\b(?:f\d+|x-[\w-]{12})(?![\w-])/g,
    'ID',
  )
  return { answer: withoutIds, isError }
}

/** Sends four flows. @returns the id of the first */
async function sendFlows(): Promise<string> {
  await sandbox.clock.freeze()
  await sandbox.clock.set('2030-01-01T00:00:00Z')
  const use = (changes: Readonly<Record<string, string>>) =>
    sandbox.request.get('/v1/oidc/use').query(useRequest(changes))
  await use({ state: 'first' })
  const first = (await sandbox.flows.last())?.id ?? ''
  await sandbox.next({ persona: 'teen-16' })
  await use({ state: 'second', nonce: 'nonce-of-second' })
  await sandbox.next({ outcome: 'access_denied' })
  await use({ client_id: 'ak_test_other', redirect_uri: 'http://localhost/other' })
  await sandbox.request.post('/v1/oidc/create/par').type('form').send({})
  return first
}
