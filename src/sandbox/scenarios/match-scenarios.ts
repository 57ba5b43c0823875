import type { ReceivedCall } from '../decision/call.ts'
import { type ArmedScenario, currentStep, type Explanation, isAbout, unmetExpectation } from './armed-scenario.ts'

/** What the armed scenarios say about a call. */
export interface ScenarioMatch {
  readonly step: MatchedStep | undefined
  readonly contradicted: readonly { readonly id: string; readonly index: number; readonly explanation: Explanation }[]
}

/** A step that decides a call. */
export interface MatchedStep {
  /** Of its scenario. */
  readonly id: string
  readonly name: string
  /** From 0. */
  readonly index: number
  readonly persona: string | undefined
  readonly outcome: string | undefined
}

/** The first scenario whose current step decides the call, and those before it that the call contradicts. */
export function matchScenarios(scenarios: readonly ArmedScenario[], call: ReceivedCall): ScenarioMatch {
  const contradicted: ScenarioMatch['contradicted'][number][] = []
  for (const armed of scenarios) {
    const step = currentStep(armed)
    if (step?.kind !== 'decide' || !isAbout(armed, 'decide', call)) continue
    const { id, current: index, scenario } = armed
    const { persona, outcome } = step
    const explanation = unmetExpectation(armed, call)
    if (!explanation) return { contradicted, step: { id, name: scenario.name, index, persona, outcome } }
    contradicted.push({ id, index, explanation })
  }
  return { contradicted, step: undefined }
}
