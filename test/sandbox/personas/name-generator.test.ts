import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadNameGenerator } from '../../../src/sandbox/personas/name-generator.ts'
import { personaNameSchema } from '../../../src/sandbox/personas/persona-schema.ts'

const generate = await loadNameGenerator()
const seeds = fc.nat(0xffffffff)

it('a generated name can name a persona, with room for a number behind it', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      expect(personaNameSchema.safeParse(`${generate(seed).name}-1000`)).toMatchObject({ success: true })
    }),
    { numRuns: 500 },
  )
})

it('a generated name is the same for the same seed, whatever was generated in between', () => {
  fc.assert(
    fc.property(seeds, seeds, (seed, other) => {
      const first = generate(seed)
      generate(other)
      expect(generate(seed)).toEqual(first)
    }),
  )
})

it('a generated name begins with the letters of its title', () => {
  const { title, name } = generate(7)
  expect(name).toBe(`${title.toLowerCase().replace(/[^a-z]+/g, '-')}-07`)
})

it('different seeds hardly ever give the same name', () => {
  const names = Array.from({ length: 500 }, (_, seed) => generate(seed * 7919).name)
  expect(new Set(names).size).toBeGreaterThan(495)
})
