import { ConfigError } from '../files/config-error.ts'
import { parseYamlDocument } from '../files/yaml-document.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/console-page.ts'
import { breakable, counted } from '../http/html/elements.ts'
import { renderTextArea } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { Refusal } from '../oidc/refusal.ts'
import { checkScenario } from '../sandbox/queue/check-scenario.ts'
import { progressOf, type ScenarioProgress, type StepProgress } from '../sandbox/queue/queued.ts'
import { type Scenario, scenarioSchema } from '../sandbox/queue/scenario-schema.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'

/** `console/scenarios`: scenarios step by step, and forms that arm and remove one. A script keeps the list current. */
export const scenariosPage: ConsoleRoute = {
  name: 'scenarios',
  async render({ tenant, frame, fields, problem }) {
    const armed = (await tenant.scenarios.list()).toReversed().slice(0, MAX_SHOWN)
    return renderScenarios(frame, armed.map(progressOf), { yaml: fields['yaml'], problem })
  },
  act: change,
}

/** Scenarios on the page; the control API has all. */
const MAX_SHOWN = 20

/** Steps of a scenario on the page, around the current one. */
const MAX_STEPS_SHOWN = 30

async function change({ tenant, fields }: ConsoleCall): Promise<undefined> {
  const { yaml, remove } = fields
  // One that is gone needs no removal.
  if (remove !== undefined) return void (await tenant.scenarios.remove(remove))
  if (yaml === undefined) throw Refusal.invalidRequest('Scenario: paste its YAML')
  const scenario = readScenario(yaml)
  await checkScenario(scenario, tenant)
  await tenant.scenarios.arm(scenario)
}

/** @throws Refusal with the line of each problem */
function readScenario(text: string): Scenario {
  try {
    return parseYamlDocument(text, { file: 'scenario', schema: scenarioSchema })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = error.problems.map(({ line, message }) => (line === undefined ? message : `line ${line}: ${message}`))
    throw Refusal.invalidRequest(lines.join('; '))
  }
}

const EXAMPLE = `name: A teen gives up, and an adult comes back
steps:
  - decide: { flow: use, persona: teen-16, outcome: access_denied }
  - decide: { flow: use, persona: adult-passport }
`

/**
 * Scenarios, the newest first, and the form that arms one.
 *
 * @param form.yaml what was written when it was refused
 */
export function renderScenarios(
  frame: ConsoleFrame,
  scenarios: readonly ScenarioProgress[],
  { yaml = EXAMPLE, problem }: { yaml?: string | undefined; problem?: string | undefined },
): RenderedPage {
  const action = `${frame.consolePath}/scenarios`
  return renderConsolePage(frame, {
    title: 'Scenarios',
    current: 'scenarios',
    lead: html`A list of steps for the coming requests of your app: what users do, which calls must come, how the clock moves. An armed scenario looks at every request until it has passed or failed.`,
    problem,
    scripts: ['console-live.js'],
    body: html`<div class="columns wide-first">
<section class="card" aria-labelledby="armed-title" data-events="${frame.controlPath}/events">
<div class="section-head"><h2 id="armed-title">Armed</h2> <p class="live" role="status" data-live-state hidden></p></div>
<div id="scenarios" data-live>
${scenarios.length === 0 ? html`<p class="empty" data-testid="no-scenarios">None is armed. Paste one, or run a file: <code>agekey-sandbox run FILE</code>.</p>` : html`<form class="stack" method="post" action="${action}">${scenarios.map(renderScenario)}</form>`}
</div>
</section>
<section class="card" aria-labelledby="arm-title">
<h2 id="arm-title">Arm one</h2>
<form class="stack" method="post" action="${action}">
${renderTextArea({ name: 'yaml', label: 'YAML', value: yaml, hint: 'A name and steps: decide, await or clock; expect says what a request must have sent.' })}
<div class="button-row"><button class="primary" data-testid="arm">Arm it</button></div>
</form>
<p class="links"><a href="${frame.controlPath}/docs/scenarios">What a scenario can say</a></p>
</section>
</div>`,
  })
}

const STATUSES = {
  running: { mark: 'none', text: 'waits' },
  passed: { mark: 'yes', text: 'passed' },
  failed: { mark: 'no', text: 'failed' },
} as const

function renderScenario({ id, name, client, status, steps }: ScenarioProgress): Html {
  const { mark, text } = STATUSES[status]
  const done = steps.filter((step) => step.status === 'passed').length
  const first = Math.max(0, Math.min(done - 3, steps.length - MAX_STEPS_SHOWN))
  const shown = steps.slice(first, first + MAX_STEPS_SHOWN)
  return html`<article class="scenario" data-testid="scenario-${id}">
<div class="section-head"><h3>${name}</h3> <button class="secondary compact" name="remove" value="${id}" aria-label="Remove ${name}">Remove</button></div>
<p><span class="mark ${mark}">${text}</span> <span class="muted">${done} of ${counted(steps.length, 'step')}${client !== undefined && html`, only for client <code>${breakable(client)}</code>`}</span></p>
<ol class="scenario-steps" start="${first + 1}">
${shown.map((step) => renderStep(step, client))}</ol>
</article>
`
}

const STEP_MARKS = { passed: 'yes', current: 'now', failed: 'no', waiting: 'none' } as const

function renderStep({ kind, summary, status, detail }: StepProgress, client: string | undefined): Html {
  return html`<li class="${STEP_MARKS[status]}"${status === 'current' && html` aria-current="step"`}><b>${KINDS[kind]}</b> <code>${breakable(summary)}</code>${status === 'current' && html`<p class="waits">${awaited(kind, summary, client)}</p>`}${detail !== undefined && html`<p class="${status === 'failed' ? 'why' : 'muted'}">${status === 'failed' ? 'Failed: ' : 'Last: '}${detail}</p>`}</li>
`
}

const KINDS = { decide: 'decide', await: 'await', clock: 'clock' } as const

/** What the current step waits for. */
function awaited(kind: StepProgress['kind'], summary: string, client: string | undefined): string {
  const of = client === undefined ? '' : ` of ${client}`
  if (kind === 'clock') return 'Waits to move the clock.'
  const flow = summary.split(/[ :]/, 1)[0] ?? ''
  return kind === 'decide'
    ? `Waits for the next ${flow} request${of}: it is decided by this step.`
    : `Waits until your app has made a ${flow} call${of} with success.`
}
