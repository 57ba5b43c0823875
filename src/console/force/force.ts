import { type ConsoleFrame, renderConsolePage } from '../../http/console-page.ts'
import type { Fields } from '../../http/form.ts'
import { html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import type { ClockState } from '../../sandbox/clock/clock.ts'
import type { Expectation } from '../../sandbox/queue/expectation.ts'
import { progressOf, type ScenarioProgress } from '../../sandbox/queue/queued.ts'
import type { ActResult, ConsoleCall, ConsoleRoute } from '../console-route.ts'
import { moveByForm, renderClock } from './clock.ts'
import { queueDecision, renderDecisionForm, renderQueue } from './queue.ts'
import { armScenario, renderScenarioForm, renderScenarios } from './scenarios.ts'

/** `console/force`: the queue and the clock, with forms that change them. A script keeps the list current. */
export const forcePage: ConsoleRoute = {
  name: 'force',
  async render({ tenant, frame, fields, problem }) {
    const armed = (await tenant.scenarios.list()).toReversed().slice(0, MAX_SCENARIOS)
    return renderForce(frame, {
      expectations: await tenant.expectations.list(),
      scenarios: armed.map(progressOf),
      personas: (await tenant.personas.list()).map(({ name }) => name),
      clock: tenant.clock.state(),
      fields,
      problem,
    })
  },
  act,
}

/** Scenarios on the page; the control API has all. */
const MAX_SCENARIOS = 20

async function act({ tenant, fields }: ConsoleCall): Promise<ActResult> {
  const { clear, remove, arm, yaml, flow } = fields
  if (arm !== undefined) {
    await armScenario(yaml, tenant)
    return { part: 'scenarios' }
  }
  if (clear === 'true') await tenant.expectations.clear()
  else if (remove !== undefined) {
    // The decision may have been used up meanwhile.
    await tenant.expectations.remove(remove)
    await tenant.scenarios.remove(remove)
  } else if (flow !== undefined) await queueDecision(fields, tenant)
  else {
    await moveByForm(fields, tenant)
    return { part: 'clock' }
  }
  return { part: 'queue' }
}

interface Force {
  readonly expectations: readonly Expectation[]
  /** The newest scenarios first. */
  readonly scenarios: readonly ScenarioProgress[]
  /** Names to suggest. */
  readonly personas: readonly string[]
  readonly clock: ClockState
  /** The fields as a link or a refused form has them. */
  readonly fields: Fields
  readonly problem?: string | undefined
}

/** The queue, the scenarios and the clock, with their forms. */
export function renderForce(
  frame: ConsoleFrame,
  { expectations, scenarios, personas, clock, fields, problem }: Force,
): RenderedPage {
  const action = `${frame.consolePath}/force`
  return renderConsolePage(frame, {
    title: 'Force',
    current: 'force',
    lead: html`What decides coming requests in place of the choice page: single decisions, and scenarios of several steps. The clock decides every lifetime and every age.`,
    problem,
    scripts: ['console-live.js'],
    body: html`<section class="card" id="queue" aria-labelledby="queue-title" data-events="${frame.controlPath}/events">
<div class="row spread"><h2 id="queue-title">Waiting</h2> <p class="hint live" role="status" data-live-state hidden></p></div>
<div class="stack" id="waiting" data-live>
${renderQueue(expectations, { action, fields })}
${renderScenarios(scenarios, action)}
</div>
</section>
<div class="columns">
${renderDecisionForm({ personas, fields, action })}
${renderScenarioForm(frame, { yaml: fields['yaml'], action })}
</div>
${renderClock(clock, { fields, action })}`,
  })
}
