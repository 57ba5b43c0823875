import type { Fields } from '../http/form.ts'
import { consolePathOf } from '../http/html/console-page.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { parseWith } from '../http/parse.ts'
import { checkExpectation, type Expectation, newExpectationSchema } from '../sandbox/decision/expectations.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS } from '../sandbox/outcomes/outcome.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { EXPECTATION_FIELDS, type ExpectationRow, renderExpectations } from './expectations-page.ts'

/** Expectations on one page. */
const MOST_SHOWN = 100

/** `console/expectations`: the queue, and a form that adds to it. */
export const expectationsPage: ConsoleRoute = { name: 'expectations', render: renderQueue, act: change }

async function renderQueue({ tenant, frame, fields, problem }: ConsoleCall): Promise<RenderedPage> {
  const all = await tenant.expectations.list()
  const personas = await tenant.personas.list()
  return renderExpectations({
    ...frame,
    expectations: all.slice(0, MOST_SHOWN).map(rowOf),
    total: all.length,
    flows: OUTCOME_FLOWS,
    personas: personas.slice(0, MOST_SHOWN).map(({ name }) => name),
    outcomes: [...new Set(OUTCOMES.map(({ name }) => name))],
    fields: Object.fromEntries(
      EXPECTATION_FIELDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    ),
    action: `${consolePathOf(tenant)}/expectations`,
    problem,
  })
}

async function change({ tenant, fields }: ConsoleCall): Promise<undefined> {
  if (fields['clear'] === 'true') return tenant.expectations.clear().then(() => undefined)
  const wanted = parseWith(newExpectationSchema, readExpectation(fields), 'body')
  await checkExpectation(wanted, tenant)
  await tenant.expectations.add(wanted)
}

/** The form as the JSON that the control API would take. */
function readExpectation({ flow, persona, outcome, times, client_id, state, nonce }: Fields) {
  const match = { client_id, state, nonce }
  const isAny = Object.values(match).every((value) => value === undefined)
  return {
    flow,
    persona,
    outcome,
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(isAny ? {} : { match }),
  }
}

const rowOf = ({ match = {}, ...expectation }: Expectation): ExpectationRow => ({
  ...expectation,
  match: Object.entries(match).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
})
