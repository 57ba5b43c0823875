import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createErrorCallback } from '../../src/oidc/callback.ts'
import { parseJson } from '../../src/oidc/request/json.ts'
import { beginUse } from '../../src/oidc/use.ts'
import { createExpectations, newExpectationSchema } from '../../src/sandbox/decision/expectations.ts'
import { keepPending, peekPending } from '../../src/sandbox/decision/pending.ts'
import { checkPersona } from '../../src/sandbox/personas/persona-schema.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'
import { createIds } from '../../src/sandbox/tenants/ids.ts'
import { createMemoryStore, createMemoryTables } from '../../src/store/memory.ts'
import { createMemoryBudget } from '../../src/store/memory-budget.ts'
import { createMemoryDirectory } from '../../src/store/memory-directory.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { allOf, useFlowEntry } from '../support/journal-entries.ts'
import { createProvider, NOW } from '../support/provider.ts'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { createService, refused } from '../support/service.ts'
import { createTestTenant } from '../support/tenant.ts'

/** The rules that a pushed age signal breaks, or several of them. */
async function pushed(changes: Readonly<Record<string, unknown>>, count = 1): Promise<readonly string[]> {
  const details = JSON.stringify(Array.from({ length: count }, () => ageSignal(changes)))
  const service = createService()
  const answer = await service.push({ authorization_details: details }).catch(() => undefined)
  return answer ? [] : (await refused(() => service.push({ authorization_details: details }))).rules
}

/** What a Use request is refused for, or advised of, with these claims and parameters. */
function asked(
  level: 'error' | 'advice',
  changes: Readonly<Record<string, unknown>>,
  {
    profile = 'spec',
    parameters = {},
  }: { profile?: 'spec' | 'agekey'; parameters?: Readonly<Record<string, string>> } = {},
): readonly string[] {
  const request = useRequest({ claims: claims(changes), ...parameters })
  const { findings } = beginUse(Object.entries(request), createProvider({ profile }))
  return findings.filter((finding) => finding.level === level).map(({ rule }) => rule)
}

/** The day, so many days after the one on which the clock of the provider stands. */
const day = (days: number) => new Date(NOW + days * 86_400_000).toISOString().slice(0, 10)
const patterns = (count: number) => Array.from({ length: count }, (_, n) => `/p${n}`)
const thresholds = (count: number) => Array.from({ length: count }, (_, n) => n + 10)
const face = (minAge: number) => ({ overrides: { facial_age_estimation: { min_age: minAge } } })
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const birth = (date: string) => ({ age: { date_of_birth: date } })
const isPersona = (changes: object) =>
  checkPersona({ name: 'a', title: 'A', purpose: 'A', ...changes }).kind === 'valid'
const isScenario = (changes: object) =>
  scenarioSchema.safeParse({ name: 'A', steps: [{ await: 'par' }], ...changes }).success

/** A limit by what is counted: what an endpoint says at the limit, and what it says one step beyond. */
type Row = readonly [limit: string, met: () => unknown, exceeded: () => unknown, refusal: unknown]

const REQUESTS: readonly Row[] = [
  ['10 items of authorization_details', () => pushed({}, 10), () => pushed({}, 11), ['SIG-02']],
  ['1 item of authorization_details', () => pushed({}, 1), () => pushed({}, 0), ['SIG-02']],
  [
    '100 characters of verification_id',
    () => pushed({ verification_id: 'v'.repeat(100) }),
    () => pushed({ verification_id: 'v'.repeat(101) }),
    ['SIG-12'],
  ],
  [
    '4,096 bytes of a pushed state',
    async () => (await createService().push({ state: 's'.repeat(4_096) })).findings.map(({ rule }) => rule),
    async () => (await refused(() => createService().push({ state: 's'.repeat(4_097) }))).rules,
    ['PAR-15'],
  ],
  ...['state', 'nonce', 'font', 'language'].map(
    (name): Row => [
      `4,096 bytes of ${name}, which has 2 for an umlaut`,
      () => asked('error', {}, { parameters: { [name]: 'ü'.repeat(2_048) } }),
      () => asked('error', {}, { parameters: { [name]: `${'ü'.repeat(2_048)}.` } }),
      ['USE-23'],
    ],
  ),
  ['an age of 150 years', () => pushed({ age: { years: 150 } }), () => pushed({ age: { years: 151 } }), ['SIG-08']],
  ['an age of 0 years', () => pushed({ age: { years: 0 } }), () => pushed({ age: { years: -1 } }), ['SIG-08']],
  ['a birth today, by the UTC calendar', () => pushed(birth(day(0))), () => pushed(birth(day(1))), ['SIG-06']],
  [
    'a verification on the latest day that it is anywhere on Earth',
    () => pushed({ verified_at: day(1) }),
    () => pushed({ verified_at: day(2) }),
    ['SIG-15'],
  ],
  ['a birth 150 years ago', () => pushed(birth('1876-06-01')), () => pushed(birth('1876-05-31')), ['SIG-06']],
  [
    'a verification 60 seconds ahead',
    () => pushed({ verified_at: new Date(NOW + 60_000).toISOString() }),
    () => pushed({ verified_at: new Date(NOW + 60_001).toISOString() }),
    ['SIG-15'],
  ],
  [
    '10 patterns of allowed provenance',
    () => asked('error', { provenance: { allowed: patterns(10) } }),
    () => asked('error', { provenance: { allowed: patterns(11) } }),
    ['CLM-11'],
  ],
  [
    '10 patterns of denied provenance',
    () => asked('error', { provenance: { denied: patterns(10) } }),
    () => asked('error', { provenance: { denied: patterns(11) } }),
    ['CLM-11'],
  ],
  [
    '100 characters of a pattern',
    () => asked('error', { provenance: { allowed: [`/${'p'.repeat(99)}`] } }),
    () => asked('error', { provenance: { allowed: [`/${'p'.repeat(100)}`] } }),
    ['CLM-12'],
  ],
  ['a min_age of 150', () => asked('error', face(150)), () => asked('error', face(151)), ['CLM-15']],
  ['a min_age of 0', () => asked('error', face(0)), () => asked('error', face(-1)), ['CLM-15']],
  [
    'a threshold of 150',
    () => asked('error', { age_thresholds: [150] }),
    () => asked('error', { age_thresholds: [151] }),
    ['CLM-03'],
  ],
  [
    '5 thresholds, beyond which profile spec advises',
    () => asked('advice', { age_thresholds: thresholds(5) }),
    () => asked('advice', { age_thresholds: thresholds(6) }),
    ['CLM-06'],
  ],
  [
    '5 thresholds, beyond which profile agekey refuses',
    () => asked('error', { age_thresholds: thresholds(5) }, { profile: 'agekey' }),
    () => asked('error', { age_thresholds: thresholds(6) }, { profile: 'agekey' }),
    ['CLM-06'],
  ],
  [
    'a button_radius of 32',
    () => asked('advice', {}, { parameters: { button_radius: '32' } }),
    () => asked('advice', {}, { parameters: { button_radius: '33' } }),
    ['USE-16'],
  ],
  [
    '60 characters of font',
    () => asked('advice', {}, { parameters: { font: 'f'.repeat(60) } }),
    () => asked('advice', {}, { parameters: { font: 'f'.repeat(61) } }),
    ['USE-16'],
  ],
]

describe('A request may have', () => {
  test.each(REQUESTS)('%s, and not more', async (_limit, met, exceeded, refusal) => {
    expect(await met()).toEqual([])
    expect(await exceeded()).toEqual(refusal)
  })
})

/** A head of so many bytes that asks for the key set. */
const headOf = (bytes: number) => {
  const begin = 'GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Filling: '
  return `${begin}${'x'.repeat(bytes - begin.length - 4)}\r\n\r\n`
}

describe('A call may have', () => {
  test('a body of 64 KiB', async () => {
    const { request } = await startSandbox()
    const statusOf = async (bytes: number) =>
      (
        await request
          .post('/v1/oidc/create/par')
          .type('form')
          .send(`state=${'s'.repeat(bytes - 6)}`)
      ).status
    expect([await statusOf(65_536), await statusOf(65_537)]).toEqual([401, 413])
  })

  test('a request line and headers of nearly 96 KiB together', async () => {
    const { url } = await startSandbox()
    const statusOf = async (bytes: number) => (await exchangeRaw(url, headOf(bytes))).status
    expect([await statusOf(97 * 1000), await statusOf(96 * 1024 + 200)]).toEqual([200, 431])
  })

  test('JSON of 64 levels', () => {
    expect(parseJson(nested(64)).ok).toBe(true)
    expect(parseJson(nested(65))).toEqual({ ok: false, reason: 'it is nested deeper than 64 levels' })
  })

  test('100 findings, and an error even after so many pieces of advice', () => {
    const findingsOf = (unknown: number, changes: Readonly<Record<string, string | undefined>> = {}) => {
      const extra = Array.from({ length: unknown }, (_, n): [string, string] => [`unknown_${n}`, 'x'])
      return beginUse([...extra, ...Object.entries(useRequest(changes))], createProvider()).findings
    }
    expect(findingsOf(100)).toHaveLength(100)
    expect(findingsOf(101)).toHaveLength(100)
    const [first, ...rest] = findingsOf(101, { nonce: undefined }).filter(({ level }) => level === 'error')
    expect([first?.path, rest]).toEqual(['nonce', []])
  })

  test('an error_description of 400 characters in a redirect', () => {
    const target = { mode: 'query', redirectUri: 'https://shop.example/', state: undefined } as const
    const described = (description: string) =>
      new Map(createErrorCallback(target, { error: 'invalid_request', description }).params).get('error_description')
    expect(described('x'.repeat(400))).toBe('x'.repeat(400))
    expect(described('x'.repeat(401))).toBe(`${'x'.repeat(397)}...`)
  })

  test('a wait of 60 seconds', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use()
    await sandbox.request.get('/_sandbox/flows').query('wait=60').expect(200)
    await sandbox.request.get('/_sandbox/flows').query('wait=61').expect(400)
  })
})

describe('Time', () => {
  test('of an hour for the page that waits, and not of a millisecond more', async () => {
    const { provider } = createService()
    const beginning = beginUse(Object.entries(useRequest()), provider)
    if (beginning.kind !== 'proceed') throw new Error('the request was refused')
    const id = await keepPending({ transaction: beginning.transaction, findings: [] }, provider)
    provider.clock.advance(3_599.999)
    expect(await peekPending(id, provider)).toBeDefined()
    provider.clock.advance(0.001)
    expect(await peekPending(id, provider)).toBeUndefined()
  })

  test('of 7 days beyond its end for a request_uri that is remembered with its state', async () => {
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
})

describe('There may be', () => {
  const signal = { method: 'id_doc_scan', age: { years: 20 }, verified_at: '2026-01-01', provenance: '/veratad/roc' }

  test.each([
    [
      '50 signals of a persona',
      { age_key: { signals: Array(50).fill(signal) } },
      { age_key: { signals: Array(51).fill(signal) } },
    ],
    ['63 characters of its name', { name: 'n'.repeat(63) }, { name: 'n'.repeat(64) }],
    ['100 characters of its title', { title: 't'.repeat(100) }, { title: 't'.repeat(101) }],
    ['300 characters of its purpose', { purpose: 'p'.repeat(300) }, { purpose: 'p'.repeat(301) }],
  ])('%s', (_limit, met, exceeded) => {
    expect([isPersona(met), isPersona(exceeded)]).toEqual([true, false])
  })

  test.each([
    [
      '500 steps of a scenario',
      { steps: Array(500).fill({ await: 'par' }) },
      { steps: Array(501).fill({ await: 'par' }) },
    ],
    ['200 characters of its name', { name: 'n'.repeat(200) }, { name: 'n'.repeat(201) }],
  ])('%s', (_limit, met, exceeded) => {
    expect([isScenario(met), isScenario(exceeded)]).toEqual([true, false])
  })

  test('50 signals in an age key that is upgraded: the oldest goes', async () => {
    const { personas } = await createTestTenant()
    const held = (n: number) => ({ ...signal, method: 'id_doc_scan' as const, age: { years: n } })
    await personas.put({
      name: 'full',
      title: 'Full',
      purpose: 'Full.',
      age_key: { signals: Array.from({ length: 49 }, (_, n) => held(n)) },
    })
    const ages = async () => {
      const persona = await personas.find('full')
      const key = persona && (await personas.ageKeyOf(persona))
      return { id: key?.id ?? '', ages: key?.signals.map(({ age }) => ('years' in age ? age.years : -1)) ?? [] }
    }
    const { id } = await ages()
    await personas.add(id, [held(100)])
    expect([(await ages()).ages.length, (await ages()).ages[0]]).toEqual([50, 0])
    await personas.add(id, [held(101)])
    expect([(await ages()).ages.length, (await ages()).ages[0], (await ages()).ages.at(-1)]).toEqual([50, 1, 101])
  })

  test('10,000 queued expectations, each for a million requests', async () => {
    const tables = createMemoryTables()
    for (let n = 0; n < 9_999; n++) {
      await tables.put('expectation', `x-${n}`, {
        id: `x-${n}`,
        flow: 'use',
        outcome: 'access_denied',
        times: 1,
        remaining: 1,
      })
    }
    const expectations = createExpectations({
      ids: createIds({ seed: 1, scope: 'test' }),
      tables,
      lastEnded: async () => 'f0',
    })
    const wanted = { flow: 'use', outcome: 'access_denied' } as const
    await expectations.add(wanted)
    await expect(expectations.add(wanted)).rejects.toMatchObject({
      code: 'conflict',
      message: 'expectations: 10000 are queued already; DELETE them, or reset the tenant',
    })
    const isQueued = (times: number) => newExpectationSchema.safeParse({ ...wanted, times }).success
    expect([isQueued(1_000_000), isQueued(1_000_001), isQueued(1), isQueued(0)]).toEqual([true, false, true, false])
  })

  test.each(['client_id', 'state', 'nonce'])('4,096 bytes of a %s that an expectation matches', async (name) => {
    const { request } = await startSandbox()
    const queue = (value: string) =>
      request.post('/_sandbox/expectations').send({ flow: 'use', outcome: 'access_denied', match: { [name]: value } })
    await queue('ü'.repeat(2_048)).expect(201)
    const { body } = await queue(`${'ü'.repeat(2_048)}.`).expect(400)
    expect(body.error_description).toBe(`match.${name}: is 4097 bytes long; at most 4096 are taken`)
  })

  test('4,096 bytes of a state by which flows are looked for', async () => {
    const { request } = await startSandbox()
    await request
      .get('/_sandbox/flows')
      .query({ state: 's'.repeat(4_096) })
      .expect(200)
    const { body } = await request
      .get('/_sandbox/flows')
      .query({ state: 's'.repeat(4_097) })
      .expect(400)
    expect(body.error_description).toBe('state: is 4097 bytes long; at most 4096 are taken')
  })

  test('100 running scenarios', async () => {
    const { scenarios } = await createTestTenant()
    const scenario = scenarioSchema.parse({ name: 'A', steps: [{ await: 'par' }] })
    for (let n = 0; n < 100; n++) await scenarios.arm(scenario)
    await expect(scenarios.arm(scenario)).rejects.toMatchObject({ code: 'conflict' })
  })

  test('1,000 touched tenants and 1,000 declared ones: the least recently used of the kind goes', async () => {
    const directory = createMemoryDirectory()
    for (const kind of ['touch', 'declare'] as const) {
      for (let n = 0; n < 1_000; n++) expect(await directory[kind](`${kind}-${n}`)).toEqual([])
    }
    expect(await directory.touch('one-more')).toEqual(['touch-0'])
    expect(await directory.declare('made-too')).toEqual(['declare-0'])
  })

  test('256 MB in memory for all tenants, two thirds of it for garbage', () => {
    const budget = createMemoryBudget()
    const kept = (256 * 1024 * 1024) / 3
    const thing = (rank: 'declared' | 'record', bytes: number) => ({ rank, bytes, drop() {} })
    budget.keep(thing('declared', Math.floor(kept * 0.6)))
    expect(() => budget.keep(thing('declared', 1))).toThrow('the budget of 256 MB has no room')
    budget.keep(thing('record', Math.floor(kept * 0.4)))
    expect(() => budget.keep(thing('record', Math.ceil(kept * 0.4)))).toThrow('too large for the budget of 256 MB')
  })

  test('10,000 records of a collection in memory: the oldest goes', async () => {
    const store = createMemoryStore({ clock: { now: () => 0 } })
    for (let id = 0; id < 10_000; id++) await store.put('code', String(id), id, 1)
    expect(await store.get('code', '0')).toBe(0)
    await store.put('code', 'one-more', 1, 1)
    expect([await store.get('code', '0'), await store.get('code', '1')]).toEqual([undefined, 1])
  })

  test('2,000 flows and 12 million characters in the journal: the oldest go', async () => {
    const oldestOf = async (flows: number, text: string) => {
      const journal = createMemoryJournal()
      for (let n = 0; n < flows; n++) await journal.record('default', callOf(text))
      return (await allOf(journal.list('default'))).at(-1)?.id
    }
    expect([await oldestOf(2_000, ''), await oldestOf(2_001, '')]).toEqual(['f1', 'f2'])
    const rest = [callOf('').call, callOf('').facts].map((kept) => JSON.stringify(kept)).join('').length
    expect([
      await oldestOf(12, 'x'.repeat(1_000_000 - rest)),
      await oldestOf(12, 'x'.repeat(1_000_001 - rest)),
    ]).toEqual(['f1', 'f2'])
  })
})

const callOf = (text: string) => useFlowEntry({ call: { response: { kind: 'text', text } } })

/** The limits of docs/decisions.md that the tests above meet and exceed. */
const TESTED = [
  'JOURNAL_BUDGET',
  'MAX_ECHOED_BYTES',
  'MAX_BODY_BYTES',
  'MAX_EXPECTATIONS',
  'MAX_FINDINGS',
  'MAX_HEADER_BYTES',
  'MAX_LEVELS',
  'MAX_MEMORY_MB',
  'MAX_SIGNALS',
  'MAX_SUBMITTED',
  'MAX_TENANTS',
  'MAX_YEARS',
  'REMEMBERED_SECONDS',
  'TOLERANCE_MILLISECONDS',
  'TRANSACTION_SECONDS',
]
const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  ARRIVAL_SECONDS: 'test/server/listen.test.ts',
  MAX_UNREAD_BYTES: 'test/cli/start/start.log.test.ts',
  MAX_HELD_BYTES: 'test/server/held-bytes.test.ts',
  MAX_CONNECTIONS: 'test/server/bounded-connections.test.ts',
  MAX_ENTRIES: 'test/age/claims.test.ts',
  MAX_CLAIMS: 'test/sandbox/coverage/coverage-keeper.test.ts',
  MAX_CLIENTS: 'test/control/tenants.test.ts',
  MAX_EXPECTED: 'test/sandbox/scenarios/scenario-schema.test.ts',
  MAX_PROBLEMS: 'test/files/schema-problems.test.ts',
  MAX_REDIRECT_URIS: 'test/control/tenants.test.ts',
  MAX_PARAMETERS: 'test/oidc/request/parameters.test.ts',
  MAX_CHANGED_PERSONAS: 'test/sandbox/personas/personas.test.ts',
  MAX_LISTED: 'test/control/page-after.test.ts',
  MAX_PAGE_BYTES: 'test/control/page-after.test.ts',

  MAX_WAITING: 'test/control/wait-for.test.ts',
  MAX_EVENT_READERS: 'test/control/event-feed.test.ts',
  MAX_UNSENT_BYTES: 'test/control/event-feed.test.ts',
  MAX_FLOW_CALLS: 'test/store/journal-contract.ts',
  MAX_FLOW_CHARACTERS: 'test/store/journal-contract.ts',
  MAX_COUNTED_ADDRESSES: 'test/http/guard/wrong-tokens.test.ts',
  MAX_PIPELINED: 'test/server/pipeline.test.ts',
  MAX_WRONG_TOKENS: 'test/http/guard/wrong-tokens.test.ts',
}

test('Every limit that docs/decisions.md names is one that a test meets and exceeds', () => {
  const decisions = readFileSync(new URL('../../docs/decisions.md', import.meta.url), 'utf8')
  const limits = decisions.match(/`(?:MAX_\w+|\w+_(?:LIMIT|BUDGET|SECONDS|MILLISECONDS))`/g) ?? []
  expect([...new Set(limits.map((name) => name.slice(1, -1)))].sort()).toEqual(
    [...TESTED, ...Object.keys(TESTED_ELSEWHERE)].sort(),
  )
})
