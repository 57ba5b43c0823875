import * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import type { CallName } from '../../service/oidc/endpoints.ts'
import type { Mask } from '../clients/mask.ts'
import { type Expectation, expectedSchema, isHeld, type NewExpectation } from './expectation.ts'
import {
  describeMismatch,
  type Explanation,
  explanationSchema,
  findMismatches,
  parsedParameters,
} from './mismatches.ts'
import { type Scenario, type Step, stepOf, summaryOf } from './scenario-schema.ts'

/** The progress of one step. */
const stepProgressSchema = z.object({
  index: z.int().describe('From 0'),
  kind: z.enum(['decide', 'await', 'clock']),
  summary: z.string().describe('The step in words: `use as teen-16: access_denied`'),
  status: z.enum(['waiting', 'current', 'passed', 'failed']),
  ...explanationSchema.shape,
})

/** The progress of a scenario. */
export const scenarioProgressSchema = z.object({
  id: z.string(),
  name: z.string(),
  client: z.string().optional(),
  status: z.enum(['running', 'passed', 'failed']),
  revision: z.int().describe('Counts its changes'),
  steps: z.array(stepProgressSchema),
})

export type StepProgress = z.infer<typeof stepProgressSchema>
export type ScenarioProgress = z.infer<typeof scenarioProgressSchema>

export const queuedSchema = z.object({
  id: z.string(),
  /**
   * Validates only the presence of steps, which were checked when the scenario was armed: every
   * request reads the whole queue, with up to 500 steps for each scenario.
   */
  scenario: z.custom<Scenario>((value) => isJsonObject(value) && Array.isArray(value['steps']), {
    error: 'not a scenario',
  }),
  /** The index of the current step; equals the number of steps when all have passed. */
  current: z.int(),
  revision: z.int(),
  failure: explanationSchema.optional(),
  /** Describes the last request that did not meet the current step. */
  remark: z.string().optional(),
  /** Only for an expectation. It ends after `times` decisions. */
  expected: expectedSchema.optional(),
})

/**
 * A queued scenario or expectation, which is matched with every request until it ends. It is plain
 * JSON, so that several processes can share it.
 */
export type Queued = Readonly<z.infer<typeof queuedSchema>>

export const queuedScenario = (id: string, scenario: Scenario): Queued => ({
  id,
  scenario,
  current: 0,
  revision: 0,
})

export const queuedExpectation = (
  id: string,
  { flow, persona, outcome, match, audit }: NewExpectation,
  count: Pick<Expectation, 'times' | 'remaining' | 'held_since'>,
): Queued => ({
  ...queuedScenario(id, { name: id, steps: [{ decide: { flow, persona, outcome } }] }),
  expected: { match, audit, ...count },
})

/** The properties of a request or call that expectations and scenarios are matched with. */
export interface ReceivedCall {
  readonly flow: CallName
  readonly client_id: string | undefined
  /**
   * For Create, the pushed `state`; for a token or upgrade call, the `state` of the Use request
   * that issued its code.
   */
  readonly state: string | undefined
  readonly nonce: string | undefined
  /**
   * The outcome of a request that has already ended, such as `request_uri.expired`. Only a decision
   * for that outcome matches.
   */
  readonly endedAs?: string | undefined
  /** The sent parameters, by name. */
  sentParameters(): Readonly<Record<string, unknown>>
  /** Removes secrets from values that are shown. */
  readonly mask: Mask
}

/** The expectation in the shape of the control API; `undefined` for a scenario. */
export function expectationOf({ id, scenario, expected }: Queued): Expectation | undefined {
  const decide = expected && scenario.steps[0]?.decide
  return decide && { id, ...decide, ...expected }
}

/** The current step; `undefined` when the scenario has passed or failed. */
export function currentStep({ scenario, current, failure }: Queued): Step | undefined {
  const step = failure ? undefined : scenario.steps[current]
  return step && stepOf(step)
}

/** Whether the current step has this kind and is about this call. */
export function isAbout(queued: Queued, kind: 'decide' | 'await', call: ReceivedCall): boolean {
  const step = currentStep(queued)
  if (step?.kind !== kind || step.flow !== call.flow) return false
  const isOpen =
    call.endedAs === undefined || (step.kind === 'decide' && step.outcome === call.endedAs)
  return isOpen && isOfCaller(queued, call)
}

/**
 * An expectation compares members of the request; a scenario compares the client. Requests for
 * discovery and the key set name no client.
 */
function isOfCaller({ scenario, expected }: Queued, call: ReceivedCall): boolean {
  if (!expected)
    return scenario.client === undefined || scenario.client === call.client_id || isHeld(call.flow)
  const { match = {} } = expected
  return (['client_id', 'state', 'nonce'] as const).every(
    (name) => match[name] === undefined || match[name] === call[name],
  )
}

/**
 * The scenario after its current step has passed; `undefined` when an expectation is used up.
 * @param ended the id of the flow that ended last, if the expectation is held until another flow
 * ends
 */
export function passStep(queued: Queued, ended?: string): Queued | undefined {
  const { id, scenario, current, revision, expected } = queued
  if (!expected) return { id, scenario, current: current + 1, revision: revision + 1 }
  if (ended === undefined) return usedOnce(queued)
  // The first read sets the mark, and later reads keep it.
  return { ...queued, expected: { ...expected, held_since: expected.held_since ?? ended } }
}

/** The expectation after one use; `undefined` after its last use. */
export function usedOnce({ expected, ...queued }: Queued): Queued | undefined {
  if (!expected || expected.remaining <= 1) return undefined
  const { held_since: _, ...count } = expected
  return { ...queued, expected: { ...count, remaining: count.remaining - 1 } }
}

export const failStep = (queued: Queued, failure: Explanation): Queued => ({
  ...queued,
  revision: queued.revision + 1,
  failure,
})

export const noteAtStep = (queued: Queued, remark: string): Queued =>
  queued.remark === remark ? queued : { ...queued, revision: queued.revision + 1, remark }

/**
 * How the request differs from the `expect` of the current step; `undefined` when it does not
 * differ.
 */
export function unmetExpectation(queued: Queued, call: ReceivedCall): Explanation | undefined {
  const step = currentStep(queued)
  const expected = step && step.kind !== 'clock' ? step.expect : undefined
  const { mask } = call
  const mismatches = expected
    ? findMismatches(expected, parsedParameters(call.sentParameters()), { mask })
    : []
  return mismatches.length === 0
    ? undefined
    : { detail: mismatches.map(describeMismatch).join('; '), mismatches }
}

/** The progress of a scenario in the shape of the control API. */
export function progressOf(queued: Queued): ScenarioProgress {
  const { id, scenario, current, revision, failure, remark } = queued
  const { name, client, steps } = scenario
  return {
    id,
    name,
    ...(client === undefined ? {} : { client }),
    status: statusOf(queued),
    revision,
    steps: steps.map(stepOf).map((step, index) => {
      const reached = { index, kind: step.kind, summary: summaryOf(step) }
      if (index < current) return { ...reached, status: 'passed' }
      if (index > current) return { ...reached, status: 'waiting' }
      if (failure) return { ...reached, status: 'failed', ...failure }
      return { ...reached, status: 'current', ...(remark === undefined ? {} : { detail: remark }) }
    }),
  }
}

function statusOf({ scenario, current, failure }: Queued): ScenarioProgress['status'] {
  if (failure) return 'failed'
  return current === scenario.steps.length ? 'passed' : 'running'
}
