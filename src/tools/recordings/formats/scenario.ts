import { Document, isMap } from 'yaml'
import { MASKED } from '../../../sandbox/clients/mask.ts'
import { parsedParameters } from '../../../sandbox/queue/mismatches.ts'
import type { Scenario } from '../../../sandbox/queue/scenario-schema.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { type CallName, SERVER_CALLS, type ServerCall } from '../../../service/oidc/endpoints.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { RecordedRequest, RecordedStep, Recording } from '../recording.ts'
import { fileHeading, recordingTitle } from './file-heading.ts'

type ScenarioStep = Scenario['steps'][number]

/**
 * Writes a flow as a scenario file. The scenario passes if the app makes the same calls again.
 * @throws Refusal with status 409 when the scenario would have no step
 */
export function scenarioText(recording: Recording): string {
  const { flow, needs } = recording
  const read = recording.steps.map((step) => scenarioSteps(step))
  const steps = read.filter((step) => typeof step !== 'string')
  const leftOut = [...recording.leftOut, ...read.filter((step) => typeof step === 'string')]
  if (!steps.some(({ clock }) => clock === undefined)) {
    throw Refusal.conflict(
      `flow: ${flow.id} makes no scenario, because a scenario has steps for what was decided and for calls that went well, and the flow has neither; take as=vitest`,
    )
  }
  const scenario = {
    name: recordingTitle(recording),
    ...(needs.client && { client: needs.client.clientId }),
    ...(needs.personas.length > 0 && { personas: needs.personas }),
    steps,
  }
  const heading = fileHeading(
    { ...recording, leftOut },
    {
      use: [
        `Run it beside your app: npx agekey-sandbox run ${flow.id}.yaml`,
        'What an app makes for each run is not expected: state, nonce, addresses, ids and instants.',
      ],
    },
  )
  const document = new Document(scenario, { aliasDuplicateObjects: false })
  // Writes each decision and each move of the clock on one line.
  for (const index of steps.keys()) {
    for (const kind of ['decide', 'clock']) {
      const node: unknown = document.getIn(['steps', index, kind], true)
      if (isMap(node)) node.flow = true
    }
  }
  return `${heading.map((line) => `# ${line}\n`).join('')}${document.toString({ lineWidth: 0 })}`
}

/** The step for a call or a move, or a sentence that says why there is no step. */
function scenarioSteps(step: RecordedStep): ScenarioStep | string {
  if (step.kind === 'clock') return { clock: step.move }
  const { title, call, flow } = step
  const expected = expectedOf(step)
  const expect = Object.keys(expected).length === 0 ? {} : { expect: expected }
  const decided = decisionOf(step)
  if (decided) return { decide: decided, ...expect }
  if (step.caller === 'server' && call.status > 0 && call.status < 400 && isAwaited(flow))
    return { await: flow, ...expect }
  return `${title} at ${call.at}, answered with ${call.status}: ${step.decision ? 'it names its decision itself' : 'a scenario has no step for it'}.`
}

const isAwaited = (flow: CallName): flow is ServerCall => SERVER_CALLS.some((call) => call === flow)

/**
 * The decision of a step; `undefined` if nothing was decided, or if the request itself overrides
 * the decision.
 */
function decisionOf({ decision, flow, call }: RecordedRequest): ScenarioStep['decide'] {
  if (!decision) return undefined
  const { persona, outcome, decided_by: by = '' } = decision
  const own = by
    .split('; ')
    .filter((source) => /^(?:outcome by )?(?:query parameter|request header) /.test(source))
  const isOfServer = flow !== 'use' && flow !== 'create'
  // Decision: a request takes precedence over a scenario. If the request names only the persona,
  // the step names persona and outcome, and decides the outcome.
  if (own.length > 0 && (isOfServer || own.some((source) => source.startsWith('outcome by '))))
    return undefined
  const said = call.decision?.outcome ?? outcome
  return {
    flow,
    ...(persona !== undefined && !isOfServer && { persona }),
    ...(own.length > 0 && said !== undefined
      ? { outcome: said }
      : outcome !== undefined && { outcome }),
  }
}

/**
 * Parameters that a step does not expect: they differ between runs or machines, are secret, name
 * the client, or force a decision.
 */
const NOT_EXPECTED =
  /^(?:state|nonce|redirect_uri|request_uri|code|client_id|client_secret|sandbox_.*|verification_id|verified_at|verified_after)$/

/** Maximum number of expected values in one step. A scenario accepts 200. */
const MAX_VALUES = 150

function expectedOf({ call }: RecordedRequest): Record<string, unknown> {
  const lasting = lastingPart(parsedParameters(call.parameters))
  const parts = isJsonObject(lasting) ? Object.entries(lasting) : []
  let room = MAX_VALUES
  return Object.fromEntries(
    parts.filter(([, value]) => {
      const count = valuesIn(value)
      if (count > room) return false
      room -= count
      return true
    }),
  )
}

function lastingPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lastingPart)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, member]) =>
          !NOT_EXPECTED.test(name) && !JSON.stringify(member ?? null).includes(MASKED),
      )
      .map(([name, member]) => [name, lastingPart(member)]),
  )
}

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 1)
    : 1
