import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadNameGenerator } from '../../../src/sandbox/personas/name-generator.ts'
import { personaNameSchema } from '../../../src/sandbox/personas/persona-schema.ts'

const generate = await loadNameGenerator()
const seeds = fc.nat(0xffffffff)

test('A generated name is the same whenever its seed comes', () => {
  const isRepeated = fc.property(seeds, seeds, (seed, other) => {
    const first = generate(seed)
    generate(other)
    expect(generate(seed)).toEqual(first)
  })
  fc.assert(isRepeated, { numRuns: 500 })
})

test('A generated name can name a persona with a number behind it', () => {
  const isName = fc.property(seeds, (seed) => {
    const name = `${generate(seed).name}-1000`
    expect(personaNameSchema.safeParse(name)).toMatchObject({ success: true })
  })
  fc.assert(isName, { numRuns: 500 })
})

test('A generated name begins with the letters of its title', () => {
  const { title, name } = generate(7)
  expect(name).toBe(`${title.toLowerCase().replace(/[^a-z]+/g, '-')}-07`)
})

test('Different seeds hardly ever give the same name', () => {
  expect(
    new Set(Array.from({ length: 500 }, (_, seed) => generate(seed * 7919).name)).size,
  ).toBeGreaterThan(495)
})
