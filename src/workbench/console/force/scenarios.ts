import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { parseYamlDocument } from '../../../sandbox/files/yaml-document.ts'
import type { ScenarioProgress, StepProgress } from '../../../sandbox/queue/queued.ts'
import {
  checkScenario,
  type Scenario,
  scenarioSchema,
} from '../../../sandbox/queue/scenario-schema.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { ConsolePlace } from '../../../server/http/console-page.ts'
import { breakable, counted } from '../../../server/http/html/elements.ts'
import { renderTextArea } from '../../../server/http/html/fields.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { requireShortYaml } from '../../../server/http/read-body.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { FormState } from '../console-route.ts'

/** Maximum number of steps shown for a scenario, around the current one. */
const MAX_STEPS_SHOWN = 30

/**
 * Arms the scenario of a form.
 * @throws Refusal 400 for an invalid scenario, 413 for a long one
 */
export async function armScenario(yaml: string | undefined, tenant: Tenant): Promise<void> {
  if (yaml === undefined) throw Refusal.invalidRequest('Scenario: paste its YAML')
  requireShortYaml(Buffer.byteLength(yaml))
  const scenario = readScenario(yaml)
  await checkScenario(scenario, tenant)
  if (scenario.personas) await tenant.personas.putAll(scenario.personas)
  await tenant.scenarios.arm(scenario)
}

/**
 * Parses a scenario.
 * @throws Refusal 400 with the line of each problem
 */
function readScenario(text: string): Scenario {
  try {
    return parseYamlDocument(text, { file: 'scenario', schema: scenarioSchema })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = error.problems.map(({ line, message }) =>
      line === undefined ? message : `line ${line}: ${message}`,
    )
    throw Refusal.invalidRequest(lines.join('; '))
  }
}

const EXAMPLE = `name: A teen gives up, and an adult comes back
steps:
  - decide: { flow: use, persona: teen-16, outcome: access_denied }
  - decide: { flow: use, persona: adult-passport }
`

/** Renders the form that arms a scenario. */
export const renderScenarioForm = (
  { controlPath }: Pick<ConsolePlace, 'controlPath'>,
  { fields: { yaml = EXAMPLE }, action }: FormState,
): Html => html`<section class="card" aria-labelledby="arm-title">
<h2 id="arm-title">Arm a scenario</h2>
<form class="stack" method="post" action="${action}">
${renderTextArea({ name: 'yaml', label: 'YAML', value: yaml, hint: 'A name and steps: decide, await or clock; expect says what a request must have sent.' })}
<div class="row"><button class="primary" name="arm" value="true" data-testid="arm">Arm it</button></div>
</form>
<p class="row links"><a href="${controlPath}/docs/driving#scenarios">What a scenario can say</a></p>
</section>`

/**
 * Renders scenarios step by step. An armed scenario is matched with every request until it has
 * passed or failed.
 * @param scenarios newest first
 */
export const renderScenarios = (
  scenarios: readonly ScenarioProgress[],
  { action }: FormState,
): Html =>
  html`<div id="scenarios">${
    scenarios.length === 0
      ? html`<p class="notice muted" data-testid="no-scenarios">No scenario is armed. Paste one, or run a file: <code>agekey-sandbox run FILE</code>.</p>`
      : html`<form class="stack" method="post" action="${action}">${scenarios.map(renderScenario)}</form>`
  }</div>`

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
<div class="row spread"><h3>${name}</h3> <button class="secondary" name="remove" value="${id}" aria-label="Remove ${name}">Remove</button></div>
<p><span class="mark ${mark}">${text}</span> <span class="muted">${done} of ${counted(steps.length, 'step')}${client !== undefined && html`, only for client <code>${breakable(client)}</code>`}</span></p>
<ol class="steps scenario-steps" start="${first + 1}">
${shown.map((step) => renderStep(step, client))}</ol>
</article>
`
}

const STEP_MARKS = { passed: 'yes', current: 'now', failed: 'no', waiting: 'none' } as const

function renderStep(
  { kind, summary, status, detail }: StepProgress,
  client: string | undefined,
): Html {
  return html`<li class="${STEP_MARKS[status]}"${status === 'current' && html` aria-current="step"`}><b>${kind}</b> <code>${breakable(summary)}</code>${status === 'current' && html`<p>${awaited(kind, summary, client)}</p>`}${detail !== undefined && html`<p class="${status === 'failed' ? 'no' : 'muted'}">${status === 'failed' ? 'Failed: ' : 'Last: '}${detail}</p>`}</li>
`
}

/** Says what the current step waits for. */
function awaited(kind: StepProgress['kind'], summary: string, client: string | undefined): string {
  const of = client === undefined ? '' : ` of ${client}`
  if (kind === 'clock') return 'Waits to move the clock.'
  const flow = summary.split(/[ :]/, 1)[0] ?? ''
  return kind === 'decide'
    ? `Waits for the next ${flow} request${of}: it is decided by this step.`
    : `Waits for a successful ${flow} call${of === '' ? ' of your app' : of}.`
}
