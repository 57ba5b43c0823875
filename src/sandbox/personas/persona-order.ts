import { groupOf, PERSONA_GROUPS, type Persona } from './persona-schema.ts'

/** The persona that an outcome takes when it needs one and none was named: in Create one whose age key nothing else uses. */
export const FALLBACK_PERSONAS = { use: 'adult-passport', create: 'no-age-key' } as const

/** In the order of the headings, and under a heading as they were declared; the usual persona leads its own. */
export function inPersonaOrder(personas: readonly Persona[]): Persona[] {
  const usual = personas.filter(({ name }) => name === FALLBACK_PERSONAS.use)
  const others = personas.filter(({ name }) => name !== FALLBACK_PERSONAS.use)
  return PERSONA_GROUPS.flatMap((group) => [...usual, ...others].filter((persona) => groupOf(persona) === group))
}
