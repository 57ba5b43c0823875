import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createErrorCallback } from '../../src/oidc/callback.ts'
import { Refusal } from '../../src/oidc/refusal.ts'
import type { Finding } from '../../src/oidc/rules/finding.ts'
import { beginUse } from '../../src/oidc/use.ts'
import { createExpectations, newExpectationSchema } from '../../src/sandbox/decision/expectations.ts'
import { keepPending, peekPending } from '../../src/sandbox/decision/pending.ts'
import { checkPersona } from '../../src/sandbox/personas/persona-schema.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'
import { createIds } from '../../src/sandbox/tenants/ids.ts'
import { createMemoryTables } from '../../src/store/memory.ts'
import { createMemoryBudget } from '../../src/store/memory-budget.ts'
import { createMemoryDirectory } from '../../src/store/memory-directory.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { allOf, useFlowEntry } from '../support/journal-entries.ts'
import { createProvider } from '../support/provider.ts'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { ageSignal, type Changes, claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { createService } from '../support/service.ts'

const rulesOf = (findings: readonly Finding[], wanted: 'error' | 'advice') =>
  findings.filter(({ level }) => level === wanted).map(({ rule }) => rule)

/** The rules for which a pushed request is refused. */
async function pushed(changes: Changes): Promise<readonly string[]> {
  const answer = createService().push(changes)
  const findings = await answer.then(
    (pushed) => pushed.findings,
    (error: unknown) => (error instanceof Refusal ? error.findings : Promise.reject(error)),
  )
  return rulesOf(findings, 'error')
}

const signals = (count: number, changes = {}) =>
  pushed({ authorization_details: JSON.stringify(Array.from({ length: count }, () => ageSignal(changes))) })

/** The rules for which a Use request is refused, or by which it is advised. */
const asked = (level: 'error' | 'advice', changes: Changes, profile: 'spec' | 'agekey' = 'spec') =>
  rulesOf(beginUse(Object.entries(useRequest(changes)), createProvider({ profile })).findings, level)

const thresholds = (count: number) => ({
  claims: claims({ age_thresholds: Array.from({ length: count }, (_, n) => n) }),
})
const face = (minAge: number) => claims({ overrides: { facial_age_estimation: { min_age: minAge } } })
const umlauts = (bytes: number) => 'ü'.repeat(bytes / 2) + '.'.repeat(bytes % 2)
const problemsOf = (isValid: boolean) => (isValid ? [] : ['refused'])
const persona = (changes: object) =>
  problemsOf(checkPersona({ name: 'a', title: 'A', purpose: 'A', ...changes }).kind === 'valid')
const scenario = (name: string, steps: number) =>
  problemsOf(scenarioSchema.safeParse({ name, steps: Array(steps).fill({ await: 'par' }) }).success)

/** What is counted, the most that is taken, what is said to one more, and how so many are sent. */
type Limit = readonly [counted: string, most: number, refusal: string, ask: (count: number) => unknown]
const LIMITS: readonly Limit[] = [
  ['items of authorization_details', 10, 'SIG-02', (count) => signals(count)],
  ['bytes of a pushed state', 4_096, 'PAR-15', (bytes) => pushed({ state: umlauts(bytes) })],
  ...['state', 'nonce', 'font', 'language'].map(
    (name): Limit => [`bytes of ${name}`, 4_096, 'USE-23', (bytes) => asked('error', { [name]: umlauts(bytes) })],
  ),
  ['years of an age', 150, 'SIG-08', (years) => signals(1, { age: { years } })],
  ['years as the min_age of a method', 150, 'CLM-15', (years) => asked('error', { claims: face(years) })],
  ['thresholds without advice in profile spec', 5, 'CLM-06', (count) => asked('advice', thresholds(count))],
  ['thresholds in profile agekey', 5, 'CLM-06', (count) => asked('error', thresholds(count), 'agekey')],
  ['of button_radius', 32, 'USE-16', (radius) => asked('advice', { button_radius: `${radius}` })],
  ['characters of font', 60, 'USE-16', (length) => asked('advice', { font: 'f'.repeat(length) })],
  ['characters of the title of a persona', 100, 'refused', (length) => persona({ title: 't'.repeat(length) })],
  ['characters of the purpose of a persona', 300, 'refused', (length) => persona({ purpose: 'p'.repeat(length) })],
  ['characters of the name of a scenario', 200, 'refused', (length) => scenario('n'.repeat(length), 1)],
  ['steps of a scenario', 500, 'refused', (steps) => scenario('A', steps)],
]

test.each(LIMITS)('Of %s %i are taken, and one more leads to %s', async (_counted, most, refusal, ask) => {
  expect([await ask(most), await ask(most + 1)]).toEqual([[], [refusal]])
})

test('A request line and headers of nearly 96 KiB are read, and longer ones are refused', async () => {
  const { url } = await startSandbox()
  const statusOf = async (bytes: number) => {
    const begin = 'GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Filling: '
    return (await exchangeRaw(url, `${begin}${'x'.repeat(bytes - begin.length - 4)}\r\n\r\n`)).status
  }
  expect([await statusOf(97 * 1000), await statusOf(96 * 1024 + 200)]).toEqual([200, 431])
})

test('A request has at most 100 findings, and an error is found even after so many pieces of advice', () => {
  const findingsOf = (unknown: number, changes: Changes = {}) => {
    const extra = Array.from({ length: unknown }, (_, n): [string, string] => [`unknown_${n}`, 'x'])
    return beginUse([...extra, ...Object.entries(useRequest(changes))], createProvider()).findings
  }
  expect([100, 101].map((unknown) => findingsOf(unknown).length)).toEqual([100, 100])
  const errors = findingsOf(101, { nonce: undefined }).filter(({ level }) => level === 'error')
  expect(errors.map(({ path }) => path)).toEqual(['nonce'])
})

test('An error_description has at most 400 characters in a redirect', () => {
  const target = { mode: 'query', redirectUri: 'https://shop.example/', state: undefined } as const
  const described = (description: string) =>
    new Map(createErrorCallback(target, { error: 'invalid_request', description }).params).get('error_description')
  expect(described('x'.repeat(400))).toBe('x'.repeat(400))
  expect(described('x'.repeat(401))).toBe(`${'x'.repeat(397)}...`)
})

test('A page waits for an hour, and not for a millisecond more', async () => {
  const { provider } = createService()
  const beginning = beginUse(Object.entries(useRequest()), provider)
  if (beginning.kind !== 'proceed') throw new Error('the request was refused')
  const id = await keepPending({ transaction: beginning.transaction, findings: [] }, provider)
  provider.clock.advance(3_599.999)
  expect(await peekPending(id, provider)).toBeDefined()
  provider.clock.advance(0.001)
  expect(await peekPending(id, provider)).toBeUndefined()
})

test('A request_uri is remembered with its state for 7 days beyond its end', async () => {
  const stateAfter = async (seconds: number) => {
    const service = createService()
    const requestUri = await service.obtainRequestUri()
    service.provider.clock.advance(seconds)
    const { params } = await service.create(requestUri)
    return [params['error'], params['state']]
  }
  const end = 90 + 7 * 86_400
  expect(await stateAfter(end - 0.001)).toEqual(['invalid_request_uri', 'state-1'])
  expect(await stateAfter(end)).toEqual(['invalid_request_uri', undefined])
})

const DENIED = { flow: 'use', outcome: 'access_denied' } as const

test('A tenant has at most 10,000 queued expectations, each for a million requests', async () => {
  const tables = createMemoryTables()
  for (let n = 0; n < 9_999; n++)
    await tables.put('expectation', `x-${n}`, { id: `x-${n}`, ...DENIED, times: 1, remaining: 1 })
  const ids = createIds({ seed: 1, scope: 'test' })
  const expectations = createExpectations({ ids, tables, lastEnded: async () => 'f0' })
  await expectations.add(DENIED)
  await expect(expectations.add(DENIED)).rejects.toMatchObject({
    code: 'conflict',
    message: 'expectations: 10000 are queued already; DELETE them, or reset the tenant',
  })
  const isQueued = (times: number) => newExpectationSchema.safeParse({ ...DENIED, times }).success
  expect([1_000_000, 1_000_001, 1, 0].map(isQueued)).toEqual([true, false, true, false])
})

test('What an expectation matches, and a state that flows are looked for by, has at most 4,096 bytes', async () => {
  const { request } = await startSandbox()
  const tooLong = 'is 4097 bytes long; at most 4096 are taken'
  for (const name of ['client_id', 'state', 'nonce']) {
    const queue = (bytes: number) =>
      request.post('/_sandbox/expectations').send({ ...DENIED, match: { [name]: umlauts(bytes) } })
    await queue(4_096).expect(201)
    expect((await queue(4_097).expect(400)).body.error_description).toBe(`match.${name}: ${tooLong}`)
  }
  const look = (bytes: number) => request.get('/_sandbox/flows').query({ state: 's'.repeat(bytes) })
  await look(4_096).expect(200)
  expect((await look(4_097).expect(400)).body.error_description).toBe(`state: ${tooLong}`)
})

test('Of 1,000 touched tenants and of 1,000 declared ones the least recently used goes for one more', async () => {
  const directory = createMemoryDirectory()
  for (const kind of ['touch', 'declare'] as const) {
    for (let n = 0; n < 1_000; n++) expect(await directory[kind](`${kind}-${n}`)).toEqual([])
  }
  expect(await directory.touch('one-more')).toEqual(['touch-0'])
  expect(await directory.declare('made-too')).toEqual(['declare-0'])
})

test('The memory budget is 256 MB for all tenants, two thirds of it for garbage', () => {
  const budget = createMemoryBudget()
  const kept = (256 * 1024 * 1024) / 3
  const thing = (rank: 'declared' | 'record', bytes: number) => ({ rank, bytes, drop() {} })
  budget.keep(thing('declared', Math.floor(kept * 0.6)))
  expect(() => budget.keep(thing('declared', 1))).toThrow('the budget of 256 MB has no room')
  budget.keep(thing('record', Math.floor(kept * 0.4)))
  expect(() => budget.keep(thing('record', Math.ceil(kept * 0.4)))).toThrow('too large for the budget of 256 MB')
})

test('The journal holds 2,000 flows and 12 million characters, and the oldest flows go', async () => {
  const callOf = (text: string) => useFlowEntry({ call: { response: { kind: 'text', text } } })
  const oldestOf = async (flows: number, text: string) => {
    const journal = createMemoryJournal()
    for (let n = 0; n < flows; n++) await journal.record('default', callOf(text))
    return (await allOf(journal.list('default'))).at(-1)?.id
  }
  expect([await oldestOf(2_000, ''), await oldestOf(2_001, '')]).toEqual(['f1', 'f2'])
  const rest = [callOf('').call, callOf('').facts].map((kept) => JSON.stringify(kept)).join('').length
  const oldestOfTwelve = (size: number) => oldestOf(12, 'x'.repeat(size - rest))
  expect([await oldestOfTwelve(1_000_000), await oldestOfTwelve(1_000_001)]).toEqual(['f1', 'f2'])
})

/** The limits of docs/decisions.md that are met and exceeded above, and by test the others. */
const HERE =
  'JOURNAL_BUDGET MAX_ECHOED_BYTES MAX_EXPECTATIONS MAX_FINDINGS MAX_HEADER_BYTES MAX_MEMORY_MB MAX_SUBMITTED MAX_TENANTS REMEMBERED_SECONDS TRANSACTION_SECONDS'
const ELSEWHERE: Readonly<Record<string, string>> = {
  'test/age/claims.test.ts': 'MAX_ENTRIES',
  'test/age/signal.cases.json': 'MAX_YEARS TOLERANCE_MILLISECONDS',
  'test/cli/start/start.log.test.ts': 'MAX_UNREAD_BYTES',
  'test/control/event-feed.test.ts': 'MAX_EVENT_READERS MAX_UNSENT_BYTES',
  'test/control/page-after.test.ts': 'MAX_LISTED MAX_PAGE_BYTES',
  'test/control/perform.refusals.test.ts': 'MAX_CLIENTS MAX_REDIRECT_URIS',
  'test/control/wait-for.test.ts': 'MAX_WAITING',
  'test/files/schema-problems.test.ts': 'MAX_PROBLEMS',
  'test/http/guard/wrong-tokens.test.ts': 'MAX_COUNTED_ADDRESSES MAX_WRONG_TOKENS',
  'test/http/read-body.test.ts': 'MAX_BODY_BYTES',
  'test/oidc/request/json.test.ts': 'MAX_LEVELS',
  'test/oidc/request/parameters.test.ts': 'MAX_PARAMETERS',
  'test/sandbox/coverage/coverage-keeper.test.ts': 'MAX_CLAIMS',
  'test/sandbox/personas/personas.test.ts': 'MAX_CHANGED_PERSONAS MAX_SIGNALS',
  'test/sandbox/scenarios/scenario-schema.test.ts': 'MAX_EXPECTED',
  'test/server/bounded-connections.test.ts': 'MAX_CONNECTIONS',
  'test/server/held-bytes.test.ts': 'MAX_HELD_BYTES',
  'test/server/listen.test.ts': 'ARRIVAL_SECONDS',
  'test/server/pipeline.test.ts': 'MAX_PIPELINED',
  'test/store/journal-contract.ts': 'MAX_FLOW_CALLS MAX_FLOW_CHARACTERS',
}

test('Every limit that docs/decisions.md names is one that a test meets and exceeds', () => {
  const decisions = readFileSync(new URL('../../docs/decisions.md', import.meta.url), 'utf8')
  const limits = decisions.match(/`(?:MAX_\w+|\w+_(?:LIMIT|BUDGET|SECONDS|MILLISECONDS))`/g) ?? []
  const tested = [HERE, ...Object.values(ELSEWHERE)].flatMap((names) => names.split(' '))
  expect([...new Set(limits.map((name) => name.slice(1, -1)))].sort()).toEqual(tested.sort())
})
