import * as z from 'zod'
import { checkedSignalSchema, MAX_SIGNALS, personaSignalSchema } from '../../service/age/signal.ts'
import { countedList } from '../../service/text/counted-list.ts'
import { mustBe } from '../../service/text/schema-problems.ts'

/** The headings under which a choice page lists personas. */
export const PERSONA_GROUPS = [
  'Adults',
  'Minors',
  'Birthdays',
  'Methods',
  'Assurance',
  'Edge cases',
  'Own',
] as const

export type PersonaGroup = (typeof PERSONA_GROUPS)[number]

/** Maximum number of personas in one file. */
const MAX_FILE_PERSONAS = 1000

/** The name of a persona, which is also part of URLs and test ids. */
export const personaNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    mustBe('1 to 63 lower-case letters, digits and hyphens, no hyphen first'),
  )
  .describe('How tests and URLs call the persona')

/**
 * A test user, as declared in a persona file or by `PUT personas/NAME`. Dates may be relative:
 * `today - 18y + 1d`, `now - 30d`.
 */
export const personaSchema = z.strictObject({
  name: personaNameSchema,
  title: lineOfText(100).describe('What the choice page shows'),
  purpose: lineOfText(300).describe('What the persona is for'),
  group: z
    .enum(PERSONA_GROUPS)
    .optional()
    .describe('The heading on the choice page; Own when left out'),
  age_key: z
    .strictObject({ signals: countedList(personaSignalSchema, { min: 1, max: MAX_SIGNALS }) })
    .optional()
    .describe('What the persona holds; left out, it has no age key'),
})

export type Persona = z.infer<typeof personaSchema>

/** Maximum number of personas in one call. A request of 64 KiB holds about 130 personas. */
const MAX_PUT_PERSONAS = 100

/**
 * Several personas: a persona file, the output of `personas generate`, or the body of `PUT
 * personas`. Names are unique.
 */
export const personasSchema = personaList(MAX_FILE_PERSONAS)
export const putPersonasSchema = personaList(MAX_PUT_PERSONAS)

function personaList(max: number) {
  return z.strictObject({
    personas: countedList(personaSchema, { min: 1, max })
      .superRefine((personas, { addIssue }) => {
        const places = new Map<string, number>()
        for (const [index, { name }] of personas.entries()) {
          const first = places.get(name)
          if (first === undefined) places.set(name, index)
          else
            addIssue({
              code: 'custom',
              path: [index, 'name'],
              message: `"${name}" is the name of personas[${first}] too; rename one of them`,
            })
        }
      })
      .describe('Each with a name of its own'),
  })
}

/** A stored persona. It was validated before it was stored. */
export const storedPersonaSchema = personaSchema.extend({
  age_key: z.object({ signals: z.array(checkedSignalSchema) }).optional(),
})

/** The heading of a persona on the choice page (default `Own`). */
export function groupOf(persona: Persona): PersonaGroup {
  return persona.group ?? 'Own'
}

function lineOfText(longest: number) {
  return z.string().max(longest).regex(/\S/, { error: 'must not be empty' })
}

/**
 * The persona for an outcome that needs a persona when the request names none. For Create it is a
 * persona whose age key no other test uses.
 */
export const FALLBACK_PERSONAS = { use: 'adult-passport', create: 'no-age-key' } as const

/**
 * Sorts personas by heading, then by declaration; the fallback persona of Use comes first under its
 * heading.
 */
export function inPersonaOrder(personas: readonly Persona[]): Persona[] {
  const usual = personas.filter(({ name }) => name === FALLBACK_PERSONAS.use)
  const others = personas.filter(({ name }) => name !== FALLBACK_PERSONAS.use)
  return PERSONA_GROUPS.flatMap((group) =>
    [...usual, ...others].filter((persona) => groupOf(persona) === group),
  )
}
