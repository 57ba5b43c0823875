import { expect, test } from 'vitest'
import { parseYamlDocument } from '../../../src/sandbox/files/yaml-document.ts'
import {
  scenarioSchema,
  stepOf,
  unknownPersonas,
} from '../../../src/sandbox/queue/scenario-schema.ts'

const NO_OUTCOME = 'there is no outcome of use "acess_denied"'

const read = (steps: string) =>
  parseYamlDocument(`name: A\nsteps:\n${steps}`, { file: 'a.yaml', schema: scenarioSchema })

test('A scenario file becomes steps of three kinds, in their order', () => {
  const { steps } = read(`  - decide: { flow: use, persona: teen-16, outcome: access_denied }
    expect: { can_create: 'true' }
  - await: par
  - clock: { advance: 91 }
`)
  expect(steps.map(stepOf)).toEqual([
    {
      kind: 'decide',
      flow: 'use',
      persona: 'teen-16',
      outcome: 'access_denied',
      expect: { can_create: 'true' },
    },
    { kind: 'await', flow: 'par', expect: undefined },
    { kind: 'clock', move: { advance: 91 } },
  ])
})

test.each([
  [
    '- await: par\n  - decide: { flow: ues, persona: x }',
    4,
    '[1].decide.flow: unknown flow "ues". Did you mean "use"?',
  ],
  [
    '- decide: { flow: use, persnoa: x, foo: z }',
    3,
    '[0].decide.persnoa: unknown key. Did you mean "persona"?',
  ],
  [
    '- decide: { flow: use, outcome: acess_denied }',
    3,
    `[0].decide.outcome: ${NO_OUTCOME}. Did you mean "access_den`,
  ],
  ['- decide: { flow: use }', 3, '[0].decide: give persona, outcome or both'],
  [
    '- decide: { flow: par, persona: x }',
    3,
    '[0].decide.persona: a par call has no persona; give outcome only',
  ],
  ['- wait: par', 3, '[0].wait: unknown key'],
  ['- expect: { a: b }', 3, '[0]: give one of decide, await, clock'],
  ['- await: par\n    clock: { advance: 1 }', 3, '[0]: await and clock are two steps'],
  ['- clock: { advance: 1 }\n    expect: { a: b }', 4, '[0].expect: a clock step sends nothing'],
  ['- clock: { advance: -1 }', 3, '[0].clock.advance: must be 0 or more seconds'],
  ['- clock: {}', 3, '[0].clock: give at least one of reset, set, freeze, advance'],
  [
    '- await: use',
    3,
    '[0].await: unknown await "use"; expected one of par, token, upgrade, discovery, jwks',
  ],
  ['[]', 2, ': expected at least 1 item'],
])('The mistake in the steps %j is reported with file:line %i', (steps, line, message) => {
  expect(() => read(`  ${steps}`)).toThrow(`a.yaml:${line}: steps${message}`)
})

test('An unknown persona is reported with the nearest name', () => {
  const steps = [{ await: 'par' }, { decide: { flow: 'use', persona: 'teen-61' } }]
  const scenario = scenarioSchema.parse({ name: 'A', steps })
  expect(unknownPersonas(scenario, ['adult', 'teen-16'])).toEqual([
    {
      path: ['steps', 1, 'decide', 'persona'],
      message: 'there is no persona "teen-61". Did you mean "teen-16"?',
    },
  ])
  expect(unknownPersonas(scenario, ['teen-61'])).toEqual([])
})

test('A step expects at most 200 values', () => {
  const step = (count: number) => ({
    await: 'par',
    expect: { claims: { age_thresholds: Array(count).fill(18) } },
  })
  const isScenario = (count: number) =>
    scenarioSchema.safeParse({ name: 'A', steps: [step(count)] }).success
  // The object and the list are values too.
  expect(isScenario(198)).toBe(true)
  expect(isScenario(199)).toBe(false)
})

test('The name of a scenario has at most 200 characters', () => {
  const isScenario = (name: string, steps: number) =>
    scenarioSchema.safeParse({ name, steps: Array(steps).fill({ await: 'par' }) }).success
  expect(isScenario('n'.repeat(200), 500)).toBe(true)
  expect(isScenario('n'.repeat(201), 1)).toBe(false)
})

test('A scenario has at most 500 steps', () => {
  const isScenario = (steps: number) =>
    scenarioSchema.safeParse({ name: 'A', steps: Array(steps).fill({ await: 'par' }) }).success
  expect(isScenario(500)).toBe(true)
  expect(isScenario(501)).toBe(false)
})

test('The first ten unknown personas are compared with the known ones', () => {
  const compared = (messages: string[] = []) =>
    messages.filter((message) => message.includes('Did you mean')).length
  const steps = Array(500).fill({ decide: { flow: 'use', persona: 'teen-61' } })
  const personas = unknownPersonas({ name: 'A', steps }, ['teen-16']).map(({ message }) => message)
  expect(compared(personas)).toBe(10)
  expect(personas.at(-1)).toBe('there is no persona "teen-61"')
})

test('The first ten unknown outcomes are compared with the known ones', () => {
  const compared = (messages: string[] = []) =>
    messages.filter((message) => message.includes('Did you mean')).length
  const unknown = Array(500).fill({ decide: { flow: 'use', outcome: 'acess_denied' } })
  const outcomes = scenarioSchema
    .safeParse({ name: 'A', steps: unknown })
    .error?.issues.map(({ message }) => message)
  expect(outcomes).toHaveLength(500)
  expect(compared(outcomes)).toBe(10)
  expect(outcomes?.at(-1)).toEqual(NO_OUTCOME)
})
