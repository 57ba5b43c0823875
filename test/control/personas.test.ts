import { describe, expect, test } from 'vitest'
import type { AgeSignal } from '../../src/age/signal-schema.ts'
import type { Claims } from '../../src/client/shapes/claims.ts'
import { generatePersonas } from '../../src/sandbox/personas/generate-personas.ts'
import { personasYaml } from '../../src/sandbox/personas/persona-yaml.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const ADULT = {
  title: 'Mine',
  purpose: 'A test.',
  age_key: {
    signals: [
      {
        method: 'id_doc_scan' as const,
        age: { date_of_birth: 'today - 30y' },
        verified_at: 'now - 30d',
        provenance: '/veratad/roc',
      },
    ],
  },
}

describe('a persona at run time', () => {
  test('is added, decides, is replaced and is removed', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.set('2026-05-01T12:00:00Z')
    await sandbox.clock.freeze()
    const put = (body: object) => sandbox.request.put('/_sandbox/personas/mine').send(body)
    const made = await put(ADULT)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      name: 'mine',
      age_key: { signals: [{ age: { date_of_birth: '1996-05-01' }, verified_at: '2026-04-01T12:00:00.000Z' }] },
    })
    expect(await sandbox.personas.get('mine')).toEqual(made.body)
    const thresholds = async () =>
      idTokenOf(await createRelyingParty(sandbox).use({ sandbox_persona: 'mine' })).age_thresholds
    expect(await thresholds()).toMatchObject({ 18: true, 21: true })
    const [signal] = ADULT.age_key.signals
    const teen = { ...ADULT, age_key: { signals: [{ ...signal, age: { date_of_birth: 'today - 16y' } }] } }
    expect((await put(teen)).status).toBe(200)
    expect(await thresholds()).toMatchObject({ 16: true, 18: false })
    await sandbox.personas.remove('mine')
    await expect(sandbox.personas.get('mine')).rejects.toMatchObject({ status: 404 })
  })

  test('of a built-in name comes back with a reset', async () => {
    const sandbox = await startSandbox()
    await sandbox.personas.remove('teen-16')
    expect((await sandbox.personas.list()).map(({ name }) => name)).not.toContain('teen-16')
    await sandbox.reset()
    expect(await sandbox.personas.get('teen-16')).toMatchObject({ name: 'teen-16' })
  })

  test.each([
    ['mine', { ...ADULT, name: 'other' }, 'name: \\"other\\" is not the name in the path'],
    ['mine', { ...ADULT, title: '' }, 'title: must not be empty'],
    ['mine', { ...ADULT, age_keys: {} }, 'Did you mean \\"age_key\\"?'],
    ['mine', { ...ADULT, age_key: { signals: [] } }, 'age_key.signals: expected at least 1 item'],
    ['Not%20a%20name', ADULT, 'must be 1 to 63 lower-case letters'],
  ])('%s is refused: %j', async (name, body, message) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.put(`/_sandbox/personas/${name}`).send(body).expect(400)
    expect(answer.text).toContain(message)
  })

  test('that is unknown is refused with the nearest names', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/_sandbox/personas/teen-61').expect(404)
    expect(answer.body).toMatchObject({ error: 'not_found', suggestions: expect.arrayContaining(['teen-16']) })
  })
})

describe('PUT personas', () => {
  const named = (name: string, changes: object = {}) => ({ name, ...ADULT, ...changes })
  const names = async (sandbox: TestSandbox) => (await sandbox.personas.list()).map(({ name }) => name)

  test('adds and replaces several in one call, and leaves the others', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.set('2026-05-01T12:00:00Z')
    const before = await names(sandbox)
    const put = await sandbox.personas.putAll([named('mine'), named('teen-16', { title: 'Now an adult' })])
    expect(put).toMatchObject([
      { name: 'mine', age_key: { signals: [{ age: { date_of_birth: '1996-05-01' } }] } },
      { name: 'teen-16', title: 'Now an adult' },
    ])
    expect(await names(sandbox)).toEqual([...before, 'mine'])
  })

  test('takes YAML, as `personas generate` writes it', async () => {
    const sandbox = await startSandbox()
    const personas = await generatePersonas(20, 7)
    const text = `# made\n${personasYaml(personas)}`
    const put = sandbox.request.put('/_sandbox/personas').set('Content-Type', 'application/yaml; charset=utf-8')
    const { body } = await put.send(text).expect(200)
    expect(body.personas.map(({ name }: { name: string }) => name)).toEqual(personas.map(({ name }) => name))
    expect(await names(sandbox)).toEqual(expect.arrayContaining(personas.map(({ name }) => name)))
  })

  test.each([
    [[named('mine'), named('other', { age_keys: {} })], 'personas[1].age_keys'],
    [[named('mine'), named('Not a name')], 'personas[1].name: must be 1 to 63 lower-case letters'],
    [[named('mine'), named('mine')], 'personas[1].name: \\"mine\\" is the name of personas[0] too'],
    [
      [named('mine'), named('x', { age_key: { signals: [] } })],
      'personas[1].age_key.signals: expected at least 1 item',
    ],
    [[], 'personas: expected at least 1 item'],
    [
      Array.from({ length: 101 }, (_, n) => ({ name: `n-${n}`, title: 'T', purpose: 'P' })),
      'personas: expected at most 100 items',
    ],
  ])('changes nothing when one of them is wrong, and says which: %#', async (personas, message) => {
    const sandbox = await startSandbox()
    const before = await names(sandbox)
    const { text } = await sandbox.request.put('/_sandbox/personas').send({ personas }).expect(400)
    expect(text).toContain(message)
    expect(await names(sandbox)).toEqual(before)
  })

  test('changes nothing when there is no room for all of them', async () => {
    const sandbox = await startSandbox()
    const some = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: `n-${from + n}`, title: 'T', purpose: 'P' }))
    for (let from = 0; from < 900; from += 100) await sandbox.personas.putAll(some(from, 100))
    await sandbox.personas.putAll(some(900, 99))
    const before = await names(sandbox)
    await expect(sandbox.personas.putAll(some(998, 3))).rejects.toMatchObject({ status: 409 })
    expect(await names(sandbox)).toEqual(before)
    await sandbox.personas.putAll(some(998, 2))
    expect(await names(sandbox)).toHaveLength(before.length + 1)
  })

  test.each([
    ['text/plain', 'personas: []', 415, 'must be application/json or application/yaml, not text/plain'],
    ['application/yaml', 'personas: [', 400, 'body:'],
    ['application/yaml', 'personas:\n\t- x', 400, 'body:2: a tab indents this line'],
  ])('refuses a body of %s: %j', async (type, text, status, message) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.put('/_sandbox/personas').set('Content-Type', type).send(text).expect(status)
    expect(answer.text).toContain(message)
  })

  test('is the only call that takes YAML', async () => {
    const sandbox = await startSandbox()
    const put = sandbox.request.put('/_sandbox/personas/mine').set('Content-Type', 'application/yaml')
    expect((await put.send('title: T').expect(415)).text).toContain('must be application/json, not application/yaml')
  })
})

describe('POST evaluate', () => {
  const signals: AgeSignal[] = [
    { method: 'id_doc_scan', age: { years: 17 }, verified_at: '2026-01-01', provenance: '/veratad/roc' },
  ]

  test('gives booleans and a trace, for a persona or for signals, at any instant', async () => {
    const sandbox = await startSandbox()
    const claims: Claims = { age_thresholds: [16, 18], allowed_methods: ['id_doc_scan'] }
    const { age_thresholds, trace } = await sandbox.evaluate({ claims, signals, now: '2026-06-01' })
    expect(age_thresholds).toEqual({ 16: true, 18: false })
    expect(trace).toMatchObject([
      { threshold: 16, satisfied: true, signals: [{ method: 'id_doc_scan', passed: true }] },
      { threshold: 18, satisfied: false, signals: [{ passed: false, checks: expect.any(Array) }] },
    ])
    expect(await sandbox.flows.list()).toEqual([])
  })

  test('says nothing is true of a persona without an age key', async () => {
    const sandbox = await startSandbox()
    const question = { claims: { age_thresholds: [18] }, persona: 'no-age-key' }
    expect((await sandbox.evaluate(question)).age_thresholds).toEqual({ 18: false })
  })

  test.each([
    [{ claims: { age_thresholds: [18] } }, 'give exactly one of persona and signals'],
    [{ claims: { age_thresholds: [18] }, persona: 'teen-16', signals: [] }, 'give exactly one'],
    [{ persona: 'teen-16' }, 'claims: is missing'],
    [{ claims: { age_thresholds: [18] }, persona: 'teen-61' }, 'teen-16'],
    [{ claims: { age_thresholds: [] }, persona: 'teen-16' }, 'age_thresholds'],
    [{ claims: { age_thresholds: [18], allowed_method: [] }, persona: 'teen-16' }, 'allowed_method'],
    [{ claims: { age_thresholds: [18] }, persona: 'teen-16', now: 'soon' }, 'now: must be an ISO 8601'],
    [{ claims: { age_thresholds: [18] }, persona: 'teen-16', nwo: 1 }, 'nwo: unknown key'],
  ])('refuses %j', async (body, message) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.post('/_sandbox/evaluate').send(body).expect(400)
    expect(answer.text).toContain(message)
  })

  test('names the rule of a mistake in the claims', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request
      .post('/_sandbox/evaluate')
      .send({ claims: { age_thresholds: [200] }, persona: 'teen-16' })
    expect(answer.body).toMatchObject({
      error: 'invalid_request',
      findings: [{ rule: expect.stringMatching(/^[A-Z]{3}-\d\d$/), level: 'error', path: expect.any(String) }],
    })
  })
})
