import { expect, test } from 'vitest'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import { divideChoices, USUAL_PERSONAS } from '../../../src/server/pages/persona-list.ts'

const choicesOf = (names: readonly string[]) =>
  names.map((name) => ({ persona: { name, title: name, purpose: 'A' } }))
const openOf = (names: readonly string[], last?: string) =>
  divideChoices(choicesOf(names), last).open.map(({ persona }) => persona.name)

test('Each usual persona comes with the package', async () => {
  const names = (await loadPersonas()).map(({ name }) => name)
  expect(USUAL_PERSONAS.filter((name) => !names.includes(name))).toEqual([])
})

test('A sandbox without any usual persona shows its first six personas in the open', () => {
  const own = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  expect(openOf(own)).toEqual(own.slice(0, 6))
  expect(openOf(own, 'g')).toEqual(own)
})

test('A usual persona that was removed leaves its place to no other persona', () => {
  expect(openOf(['own', 'teen-16', 'no-age-key'])).toEqual(['teen-16', 'no-age-key'])
})

test('No persona is lost or stands twice on the choice page, whichever was used last', () => {
  const names = ['own', 'teen-16', 'no-age-key', 'other']
  for (const last of [undefined, 'teen-16', 'other', 'gone']) {
    const { open, folded } = divideChoices(choicesOf(names), last)
    expect([...open, ...folded].map(({ persona }) => persona.name).sort()).toEqual(names.toSorted())
  }
})
