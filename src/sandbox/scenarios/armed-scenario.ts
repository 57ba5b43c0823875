import * as z from 'zod'
import { isJsonObject } from '../../age/json-object.ts'
import { parsedParameters, type ReceivedCall } from '../decision/call.ts'
import { describeMismatch, findMismatches, mismatchSchema } from './mismatches.ts'
import { type Scenario, type Step, stepOf, summaryOf } from './scenario-schema.ts'

/** How far one step has come. */
const stepProgressSchema = z.object({
  index: z.int().describe('From 0'),
  kind: z.enum(['decide', 'await', 'clock']),
  summary: z.string().describe('The step in words: `use as teen-16: access_denied`'),
  status: z.enum(['waiting', 'current', 'passed', 'failed']),
  detail: z.string().optional().describe('Why it failed or, while it is current, what came that did not meet it'),
  mismatches: z
    .array(mismatchSchema)
    .optional()
    .describe('What was expected and what came; only of a step that failed by its `expect`'),
})

/** How far a scenario has come. */
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

const explanationSchema = stepProgressSchema.pick({ detail: true, mismatches: true })
export type Explanation = z.infer<typeof explanationSchema>

export const armedScenarioSchema = z.object({
  id: z.string(),
  /** Checked when it was armed. Only its members are looked at: every request reads all scenarios, of up to 500 steps each. */
  scenario: z.custom<Scenario>((value) => isJsonObject(value) && Array.isArray(value['steps']), {
    error: 'not a scenario',
  }),
  /** The index of the current step; the number of steps when it has passed. */
  current: z.int(),
  revision: z.int(),
  failure: explanationSchema.optional(),
  /** The last request that did not meet the current step, in words. */
  remark: z.string().optional(),
})

/** A scenario that looks at every request until it has passed or failed. JSON, so that several processes can share it. */
export type ArmedScenario = Readonly<z.infer<typeof armedScenarioSchema>>

export const armedScenario = (id: string, scenario: Scenario): ArmedScenario => ({
  id,
  scenario,
  current: 0,
  revision: 0,
})

/** The step that it is at; `undefined` when it has passed or failed. */
export function currentStep({ scenario, current, failure }: ArmedScenario): Step | undefined {
  const step = failure ? undefined : scenario.steps[current]
  return step && stepOf(step)
}

/** Whether its current step is one of this kind, and for this request. */
export function isAbout(
  armed: ArmedScenario,
  kind: 'decide' | 'await',
  { flow, client_id, endedAs }: ReceivedCall,
): boolean {
  const step = currentStep(armed)
  const { client } = armed.scenario
  const isOurs = client === undefined || client === client_id || isAnonymous(flow)
  const isOpen = endedAs === undefined || (step?.kind === 'decide' && step.outcome === endedAs)
  return isOurs && isOpen && step?.kind === kind && step.flow === flow
}

/** Requests for discovery and keys name no client. */
const isAnonymous = (flow: ReceivedCall['flow']) => flow === 'discovery' || flow === 'jwks'

/** The scenario after its current step. */
export const passStep = ({ id, scenario, current, revision }: ArmedScenario): ArmedScenario => ({
  id,
  scenario,
  current: current + 1,
  revision: revision + 1,
})

export const failStep = (armed: ArmedScenario, failure: Explanation): ArmedScenario => ({
  ...armed,
  revision: armed.revision + 1,
  failure,
})

export const noteAtStep = (armed: ArmedScenario, remark: string): ArmedScenario =>
  armed.remark === remark ? armed : { ...armed, revision: armed.revision + 1, remark }

/** What of the request is not as the current step expects; `undefined` when all of it is. */
export function unmetExpectation(armed: ArmedScenario, call: ReceivedCall): Explanation | undefined {
  const step = currentStep(armed)
  const expected = step && step.kind !== 'clock' ? step.expect : undefined
  const { mask } = call
  const mismatches = expected ? findMismatches(expected, parsedParameters(call.sentParameters()), { mask }) : []
  return mismatches.length === 0 ? undefined : { detail: mismatches.map(describeMismatch).join('; '), mismatches }
}

export function progressOf({ id, scenario, current, revision, failure, remark }: ArmedScenario): ScenarioProgress {
  const { name, client, steps } = scenario
  return {
    id,
    name,
    ...(client === undefined ? {} : { client }),
    status: failure ? 'failed' : current === steps.length ? 'passed' : 'running',
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
