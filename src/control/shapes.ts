/** Shapes that several control calls take or give; schema first, so that OpenAPI and the parser never differ. */
import * as z from 'zod'
import { ASSURANCE_LEVELS } from '../age/assurance.ts'
import { METHOD_NAMES } from '../age/methods.ts'
import { thresholdTraceSchema } from '../age/trace.ts'
import { clockStateSchema } from '../sandbox/clock/clock.ts'
import { expectationSchema } from '../sandbox/decision/expectations.ts'
import { PERSONA_GROUPS } from '../sandbox/personas/persona-schema.ts'
import { scenarioProgressSchema } from '../sandbox/scenarios/armed-scenario.ts'

const instant = z.string().describe('ISO 8601 date-time in UTC')

export const errorShape = z
  .object({
    error: z.string(),
    error_description: z.string(),
    findings: z
      .array(
        z.object({
          rule: z.string(),
          level: z.enum(['error', 'advice']),
          path: z.string(),
          message: z.string(),
          hint: z.string(),
        }),
      )
      .optional(),
    suggestions: z.array(z.string()).optional(),
  })
  .meta({ id: 'Error' })

export const clockShape = clockStateSchema.meta({ id: 'Clock' })

const signalShape = z.object({
  method: z.enum(METHOD_NAMES),
  age: z.record(z.string(), z.union([z.string(), z.number()])),
  verified_at: z.string(),
  provenance: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
  iso_27566_1: z.enum(ASSURANCE_LEVELS).optional(),
})

/** A persona with its dates resolved. */
export const personaShape = z
  .object({
    name: z.string(),
    title: z.string(),
    purpose: z.string(),
    group: z.enum(PERSONA_GROUPS).optional(),
    age_key: z.object({ signals: z.array(signalShape) }).optional(),
  })
  .meta({ id: 'Persona' })

export const evaluationShape = z
  .object({ age_thresholds: z.record(z.string(), z.boolean()), trace: z.array(thresholdTraceSchema) })
  .meta({ id: 'Evaluation' })

export const expectationShape = expectationSchema.meta({ id: 'Expectation' })

export const scenarioShape = scenarioProgressSchema.meta({ id: 'Scenario' })

const callShape = z.object({
  at: instant,
  endpoint: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  parameters: z.record(z.string(), z.unknown()),
  findings: errorShape.shape.findings.unwrap(),
  response: z.unknown(),
})

export const flowShape = z
  .object({
    id: z.string(),
    tenant: z.string(),
    flow: z.enum(['use', 'create', 'upgrade']),
    client_id: z.string().optional(),
    state: z.string().optional(),
    persona: z.string().optional(),
    outcome: z.string().optional(),
    started_at: instant,
    ended_at: instant.optional(),
    age_thresholds: z.record(z.string(), z.boolean()).optional(),
    trace: evaluationShape.shape.trace.optional(),
    calls: z.array(callShape),
  })
  .meta({ id: 'Flow' })

const seconds = z.int().min(1)

/** Lifetimes in seconds, under their names in the config file. */
export const lifetimesShape = z.strictObject({
  request_uri: seconds,
  code: seconds,
  id_token: seconds,
  access_token: seconds,
})

export const tenantShape = z
  .object({
    name: z.string(),
    base_url: z.string(),
    persona: z.string().optional(),
    outcome: z.string().optional(),
    clients: z.array(z.object({ client_id: z.string(), name: z.string(), redirect_uris: z.array(z.string()) })),
    lifetimes: lifetimesShape,
    clock: clockShape,
  })
  .meta({ id: 'Tenant' })
