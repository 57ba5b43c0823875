import * as z from 'zod'
import { CALLS, SERVER_CALLS, type ServerCall } from '../../service/oidc/endpoints.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { countedList } from '../../service/text/counted-list.ts'
import { quote, unknownName } from '../../service/text/message-parts.ts'
import { problemLines, reportOf, type SchemaProblem } from '../../service/text/schema-problems.ts'
import type { SandboxClients } from '../clients/clients.ts'
import { type ClockMove, clockMoveSchema } from '../clock/clock.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import { outcomeProblem } from '../outcomes/names.ts'
import { putPersonasSchema } from '../personas/persona-schema.ts'
import type { Personas } from '../personas/personas.ts'
import { decisionProblem } from './expectation.ts'

const MAX_STEPS = 500

/** Maximum number of values that one step compares. */
const MAX_EXPECTED = 200

const decisionSchema = z
  .strictObject({
    flow: z.enum(CALLS).describe('What the next request of this kind is decided by'),
    persona: z.string().min(1).optional().describe('Who the user is; only for use and create'),
    outcome: z.string().min(1).optional().describe('How it ends'),
  })
  .check(({ value, issues }) => {
    const problem = decisionProblem(value)
    if (problem) issues.push({ code: 'custom', ...problem, input: value })
  })

const expectedSchema = z
  .record(z.string(), z.unknown())
  .refine((expected) => !hasMoreValues(expected, MAX_EXPECTED), {
    error: `expected at most ${MAX_EXPECTED} values, with those inside of lists and objects`,
  })
  .describe(
    'A part of what the relying party must have sent; claims and authorization_details are read as JSON',
  )

const KINDS = ['decide', 'await', 'clock'] as const

// One object with three optional members. With a union, editors and error messages would have to
// guess the kind of step.
const stepSchema = z
  .strictObject({
    decide: decisionSchema.optional().describe('Decides the next request of a flow'),
    await: z
      .enum(SERVER_CALLS)
      .optional()
      .describe('Waits until the relying party has made this call with success'),
    clock: clockMoveSchema.optional().describe('Moves the clock, at once'),
    expect: expectedSchema.optional(),
  })
  .check(({ value, issues }) => {
    const given = KINDS.filter((kind) => value[kind] !== undefined)
    const refuse = (path: string[], message: string) =>
      issues.push({ code: 'custom', path, message, input: value })
    // The schema already reports an unknown key, with the kind that was probably meant.
    const isReported = issues.some(({ code }) => code === 'unrecognized_keys')
    if (given.length === 0 && !isReported) refuse([], `give one of ${KINDS.join(', ')}`)
    if (given.length > 1)
      refuse([], `${given.join(' and ')} are two steps; write each as an item of the list`)
    if (value.clock && value.expect)
      refuse(['expect'], 'a clock step sends nothing; expect belongs to decide or await')
  })

/**
 * A scenario, as declared in its file or by `POST scenarios`: what users do in order, and what the
 * relying party must send.
 */
export const scenarioSchema = z.strictObject({
  name: z
    .string()
    .max(200)
    .regex(/\S/, { error: 'must not be empty' })
    .describe('What it is called in reports'),
  client: z
    .string()
    .min(1)
    .optional()
    .describe('A client_id: only the requests of this client count'),
  personas: putPersonasSchema.shape.personas
    .optional()
    .describe('Personas that it brings: they are put when it is armed'),
  steps: countedList(stepSchema, { min: 1, max: MAX_STEPS })
    .describe('One after the other')
    .check(({ value, issues }) => {
      for (const problem of unknownOutcomes(value))
        issues.push({ code: 'custom', ...problem, input: value })
    }),
})

export type Scenario = z.infer<typeof scenarioSchema>

/** Counts values and stops at `most`, so that cyclic objects terminate. */
function hasMoreValues(root: object, most: number): boolean {
  const waiting: unknown[] = [root]
  for (let count = 0; waiting.length > 0; count++) {
    if (count > most) return true
    const value = waiting.pop()
    if (typeof value === 'object' && value !== null)
      waiting.push(...Object.values(value).slice(0, most + 1))
  }
  return false
}

/**
 * Maximum number of unknown names for which a similar name is suggested. A scenario may hold a
 * thousand names.
 */
const MAX_COMPARED = 10

/** Finds outcomes that do not exist. Similar names are suggested only for the first of them. */
function unknownOutcomes(steps: readonly z.output<typeof stepSchema>[]) {
  let compared = 0
  return steps.flatMap(({ decide }, index) => {
    if (decide?.outcome === undefined || findOutcome(decide.flow, decide.outcome)) return []
    const { flow, outcome } = decide
    const plain = `there is no outcome of ${flow} ${quote(outcome)}`
    const message = compared++ < MAX_COMPARED ? (outcomeProblem(flow, outcome) ?? plain) : plain
    return [{ path: [index, 'decide', 'outcome'], message }]
  })
}

/** Finds personas that do not exist. The schema does not know the personas of the sandbox. */
export function unknownPersonas(
  { steps, personas = [] }: Scenario,
  existing: readonly string[],
): SchemaProblem[] {
  const known = [...existing, ...personas.map(({ name }) => name)]
  const names = new Set(known)
  const unknown = steps.flatMap(({ decide }, index) =>
    decide?.persona === undefined || names.has(decide.persona)
      ? []
      : [{ index, name: decide.persona }],
  )
  return unknown.map(({ index, name }, count) => ({
    path: ['steps', index, 'decide', 'persona'],
    message:
      count < MAX_COMPARED
        ? unknownName('persona', name, known)
        : `there is no persona ${quote(name)}`,
  }))
}

/** A step of a scenario by its kind. */
export type Step = DecideStep | AwaitStep | ClockStep

/** Decides the next request of a flow. */
interface DecideStep extends z.infer<typeof decisionSchema> {
  readonly kind: 'decide'
  /** The members that the relying party must have sent. */
  readonly expect: Expected | undefined
}

/** Waits for a successful server-to-server call of the relying party. */
interface AwaitStep {
  readonly kind: 'await'
  readonly flow: ServerCall
  /** The members that the relying party must have sent. */
  readonly expect: Expected | undefined
}

/** Moves the clock. */
interface ClockStep {
  readonly kind: 'clock'
  readonly move: ClockMove
}

type Expected = z.infer<typeof expectedSchema>

/** Converts a declared step. */
export function stepOf({ decide, await: awaited, clock, expect }: Scenario['steps'][number]): Step {
  if (decide) return { kind: 'decide', ...decide, expect }
  if (awaited) return { kind: 'await', flow: awaited, expect }
  return { kind: 'clock', move: clock ?? {} }
}

/** Describes a step: `use as teen-16: access_denied`. */
export function summaryOf(step: Step): string {
  switch (step.kind) {
    case 'decide': {
      const subject = step.persona === undefined ? step.flow : `${step.flow} as ${step.persona}`
      return step.outcome === undefined ? subject : `${subject}: ${step.outcome}`
    }
    case 'await':
      return step.flow
    case 'clock':
      return Object.entries(step.move)
        .map(([member, value]) => `${member} ${value}`)
        .join(', ')
  }
}

/**
 * Checks the names of personas and of the client, which the schema does not know.
 * @throws Refusal with all unknown names
 */
export async function checkScenario(
  scenario: Scenario,
  { personas, clients }: { personas: Personas; clients: SandboxClients },
): Promise<void> {
  const known = (await personas.list()).map(({ name }) => name)
  const problems = problemLines(reportOf(unknownPersonas(scenario, known)), 'steps')
  const { client } = scenario
  if (client !== undefined && !clients.find(client)) {
    problems.push(
      `client: no client ${JSON.stringify(client)} is registered; declare it in the config, or leave it out`,
    )
  }
  if (problems.length > 0) throw Refusal.invalidRequest(problems.join('; '))
}
