import { expect, test } from 'vitest'
import { resolvePersona } from '../../../src/sandbox/personas/age-keys.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import { neededPersonas } from '../../../src/tools/recordings/needed-personas.ts'
import { readSteps } from '../../../src/tools/recordings/read-recording.ts'
import { callbackWith, listedFlow, recordedCall } from '../../support/journal-entries.ts'

test('A recording moves the clock once for a move before the choice, and not again before the next call', () => {
  const parameters = { transaction: 't' }
  const later = { at: '2026-06-01T12:01:00.250Z', clock: { advanced_seconds: 60 } }
  const calls = [
    recordedCall({ response: { kind: 'page', title: 'Choose', ...parameters } }),
    recordedCall({
      ...later,
      endpoint: 'choice',
      parameters,
      decision: {},
      response: callbackWith({ code: 'c' }),
    }),
    recordedCall({ ...later, endpoint: 'E4', method: 'POST', parameters: { code: 'c' } }),
  ]
  const { steps } = readSteps(listedFlow({ calls }), { shortestLifetime: 90 })
  const found = steps.map((step) => (step.kind === 'clock' ? step.move : step.call.endpoint))
  expect(found).toEqual([{ advance: 60 }, 'E1', 'E4'])
})

test.each([
  ['brings a persona along that had another level than the built-in one', 'basic', 'as it was', 1],
  ['brings no persona along that was the built-in one', 'highly_effective', 'as it was', 0],
  [
    'brings the built-in persona along when it holds something else by now',
    'highly_effective',
    'upgraded',
    1,
  ],
] as const)('A recording %s', async (_does, iso_27566_1, now, count) => {
  const [persona = expect.fail()] = (await loadPersonas()).filter(
    ({ name }) => name === 'adult-passport',
  )
  const call = recordedCall({ decision: { persona: persona.name, outcome: 'verified' } })
  const held = resolvePersona(persona, Date.parse(call.at)).age_key?.signals ?? []
  const flow = listedFlow({
    calls: [call],
    signals: held.map((signal) => ({ ...signal, iso_27566_1 })),
  })
  const upgraded = {
    ...persona,
    age_key: { signals: (persona.age_key?.signals ?? []).flatMap((one) => [one, one]) },
  }
  const current = now === 'upgraded' ? upgraded : persona
  expect(await neededPersonas(flow, { find: async () => current })).toHaveLength(count)
})

const base = Date.parse('2026-06-01T12:00:00.000Z')
const [TEEN = expect.fail()] = (await loadPersonas()).filter(({ name }) => name === 'teen-16')
const own = { ...TEEN, name: 'own' }
const heldByOwn = resolvePersona(own, base).age_key?.signals ?? []
const submitted = {
  ...expectOne(heldByOwn),
  age: { date_of_birth: '2000-02-29' },
  verified_at: '2026-05-01T10:30:00Z',
}
const neededOf = (flow: Parameters<typeof listedFlow>[0], now: typeof own | undefined) =>
  neededPersonas(listedFlow(flow), { find: async () => now })

function expectOne<Item>([one]: readonly Item[]): Item {
  return one ?? expect.fail('there is none')
}

test.each([
  ['was removed', heldByOwn, undefined],
  [
    'was changed by the flow',
    heldByOwn,
    { ...own, age_key: { signals: [...(own.age_key?.signals ?? []), submitted] } },
  ],
  ['holds a signal with plain dates', [...heldByOwn, submitted], undefined],
])(
  'A recording writes a persona that %s as it was before the flow, with relative dates',
  async (_what, signals, now) => {
    const call = recordedCall({
      at: new Date(base).toISOString(),
      decision: { persona: 'own', outcome: 'verified' },
    })
    const [persona = expect.fail()] = await neededOf({ calls: [call], signals }, now)
    const written = persona.age_key?.signals ?? []
    for (const { age, verified_at } of written) {
      expect(verified_at).toMatch(/^(?:now|today) [+-]/)
      if ('date_of_birth' in age) expect(age.date_of_birth).toMatch(/^today - \d+y/)
    }
    const resolved = resolvePersona(persona, base).age_key?.signals ?? []
    expect(resolved.map(({ age }) => age)).toEqual(signals.map(({ age }) => age))
    expect(resolved.map(({ verified_at }) => verified_at.slice(0, 10))).toEqual(
      signals.map(({ verified_at }) => verified_at.slice(0, 10)),
    )
  },
)

test('A recording of a Create flow does not write the age key that the flow saved', async () => {
  const call = recordedCall({ endpoint: 'E3', decision: { persona: 'own', outcome: 'created' } })
  const [persona = expect.fail()] = await neededOf({ flow: 'create', calls: [call] }, own)
  expect(persona).toMatchObject({ name: 'own', title: own.title })
  expect(persona.age_key).toBeUndefined()
})
