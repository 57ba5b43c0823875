import type { PersonaChoice } from './persona-row.ts'

/**
 * Decision: the personas that are visible on the choice page. Together they answer yes, no and both to the usual thresholds, stand on
 * both sides of an 18th birthday, and include one that cannot answer.
 */
export const USUAL_PERSONAS: readonly string[] = [
  'adult-passport',
  'teen-16',
  'child-12',
  'turned-18-today',
  'turns-18-tomorrow',
  'no-age-key',
]

/**
 * Divides the personas into visible and folded ones. The usual personas keep their places, followed by the one that this browser used
 * last. A sandbox without usual personas shows its first six.
 */
export function divideChoices(
  choices: readonly PersonaChoice[],
  last: string | undefined,
): { readonly open: readonly PersonaChoice[]; readonly folded: readonly PersonaChoice[] } {
  const find = (name: string) => choices.find(({ persona }) => persona.name === name)
  const known = USUAL_PERSONAS.flatMap((name) => find(name) ?? [])
  const usual = known.length > 0 ? known : choices.slice(0, USUAL_PERSONAS.length)
  const lastUsed = last === undefined ? undefined : find(last)
  const open = [...new Set([...usual, ...(lastUsed ? [lastUsed] : [])])]
  return { open, folded: choices.filter((choice) => !open.includes(choice)) }
}
