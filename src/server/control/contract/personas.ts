import * as z from 'zod'
import { OUTCOME_COOKIE, PERSONA_COOKIE } from '../../../sandbox/decision/sources.ts'
import { personaSchema, putPersonasSchema } from '../../../sandbox/personas/persona-schema.ts'
import { INSTANT_FORMS, parseInstant } from '../../../service/age/calendar.ts'
import { claimsSchema } from '../../../service/age/claims.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { evaluationSignalSchema } from '../../../service/age/signal.ts'
import { thresholdTraceSchema } from '../../../service/age/trace.ts'
import { found } from '../../../service/text/message-parts.ts'
import { mustBe } from '../../../service/text/schema-problems.ts'
import { byName, listQuery, next, type Operation, POST, PUT, READ, REMOVAL } from './operation.ts'

const persona = personaSchema.meta({ id: 'Persona' })

const isInstant = mustBe(INSTANT_FORMS)

/**
 * Describes a schema without checking it: claims and signals are checked like those of a request,
 * so that findings name their rules.
 */
const described = (schema: z.ZodType) =>
  z.lazy(() => z.unknown().meta(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))

const question = z.strictObject({
  claims: described(claimsSchema),
  persona: z.string().optional().describe('Whose age key to evaluate'),
  signals: described(z.array(evaluationSignalSchema))
    .optional()
    .describe('Age signals to evaluate instead of a persona'),
  now: z
    .string(isInstant)
    .refine((text) => parseInstant(text) !== undefined, isInstant)
    .optional()
    .describe('The instant to evaluate at, ISO 8601; the clock of the sandbox when absent'),
})

const evaluation = z
  .object({
    age_thresholds: z.record(z.string(), z.boolean()),
    trace: z.array(thresholdTraceSchema),
  })
  .meta({ id: 'Evaluation' })

const acting = z.strictObject({
  outcome: z
    .string()
    .optional()
    .describe('How flows end: an outcome of Use or Create, which the other one ignores'),
})

/** A persona file holds one persona or a list under `personas`; a bare list is accepted too. */
const asList = (file: unknown, { addIssue }: z.RefinementCtx) => {
  if (Array.isArray(file)) return { personas: file }
  if (isJsonObject(file)) return Object.hasOwn(file, 'personas') ? file : { personas: [file] }
  addIssue(`expected a persona or a list of personas, ${found(file)}`)
  return z.NEVER
}

const onlyOne = (file: unknown, { addIssue }: z.RefinementCtx) => {
  const list = isJsonObject(file) ? file['personas'] : file
  if (!Array.isArray(list)) return file
  if (list.length === 1) return list[0]
  addIssue(`expected one persona, ${found(list)}; send a list to PUT personas`)
  return z.NEVER
}

export const personaOperations = {
  listPersonas: {
    ...READ,
    path: '/personas',
    summary: 'Every persona, with its dates resolved',
    query: listQuery,
    result: z.object({ personas: z.array(persona), next }),
  },
  getPersona: {
    ...READ,
    path: '/personas/:name',
    summary: 'One persona, with its dates resolved',
    params: byName,
    result: persona,
  },
  putPersona: {
    ...PUT,
    path: '/personas/:name',
    summary:
      'Adds a persona or replaces one, as a persona file would declare it; dates may be relative',
    params: byName,
    // The name is in the path. A name in the body must be the same.
    body: z.preprocess(onlyOne, personaSchema.partial({ name: true })),
    acceptsYaml: true,
    result: persona,
    statuses: [200, 201],
  },
  putPersonas: {
    ...PUT,
    path: '/personas',
    summary: 'Adds or replaces up to 100 personas, all of them or none; other personas stay',
    body: z.preprocess(asList, putPersonasSchema),
    result: z.object({ personas: z.array(persona) }),
    acceptsYaml: true,
  },
  deletePersona: {
    ...REMOVAL,
    path: '/personas/:name',
    summary: 'Removes a persona; a reset brings a declared one back',
    params: byName,
  },
  evaluate: {
    ...POST,
    path: '/evaluate',
    summary: 'What a persona or age signals would answer to claims, and why; without a flow',
    body: question,
    result: evaluation,
  },
} as const satisfies Record<string, Operation>

export const actAsOperations = {
  showActAs: {
    ...READ,
    path: '/act-as/:name',
    summary: 'A page with one button that makes this browser act as the persona',
    params: byName,
    query: acting,
    result: z.string(),
    mediaType: 'text/html',
  },
  actAs: {
    ...POST,
    path: '/act-as/:name',
    summary: `Sets the cookie ${PERSONA_COOKIE}, and ${OUTCOME_COOKIE} or clears it: this browser acts as the persona from now on, and its flows end with the outcome`,
    params: byName,
    query: acting,
    result: z.object({ persona: z.string(), outcome: z.string().optional() }),
    acceptsForm: true,
  },
  stopActing: {
    ...REMOVAL,
    path: '/act-as',
    summary: `Clears the cookies ${PERSONA_COOKIE} and ${OUTCOME_COOKIE}`,
  },
} as const satisfies Record<string, Operation>
