import { CALLBACKS } from './outcomes/callback.ts'
import { CONTROLS } from './outcomes/controls.ts'
import { DISCOVERY } from './outcomes/discovery.ts'
import { ENDINGS } from './outcomes/endings.ts'
import { ID_TOKEN_AGE_THRESHOLDS } from './outcomes/id-token-age-thresholds.ts'
import { ID_TOKEN_BINDING } from './outcomes/id-token-binding.ts'
import { ID_TOKEN_PARTIES } from './outcomes/id-token-parties.ts'
import { ID_TOKEN_SHAPE } from './outcomes/id-token-shape.ts'
import { ID_TOKEN_SIGNATURE } from './outcomes/id-token-signature.ts'
import { ID_TOKEN_TIMES } from './outcomes/id-token-times.ts'
import { JWKS } from './outcomes/jwks.ts'
import { OUTCOME_FLOWS, type Outcome, type OutcomeFlow } from './outcomes/outcome.ts'
import { PAR } from './outcomes/par.ts'
import { SERVER_FAILURES } from './outcomes/server-failures.ts'
import { TOKEN } from './outcomes/token.ts'
import { UPGRADE } from './outcomes/upgrade.ts'

/** Every named ending of a flow. The page, the documentation, the scripts and the tests read this table. */
export const OUTCOMES: readonly Outcome[] = [
  ...ENDINGS,
  ...ID_TOKEN_SIGNATURE,
  ...ID_TOKEN_SHAPE,
  ...ID_TOKEN_PARTIES,
  ...ID_TOKEN_TIMES,
  ...ID_TOKEN_BINDING,
  ...ID_TOKEN_AGE_THRESHOLDS,
  ...CONTROLS,
  ...CALLBACKS,
  ...SERVER_FAILURES,
  ...PAR,
  ...TOKEN,
  ...UPGRADE,
  ...DISCOVERY,
  ...JWKS,
]

const byFlowAndName = new Map(OUTCOMES.map((outcome) => [`${outcome.flow} ${outcome.name}`, outcome]))

/** The row of an outcome, by its flow and name. */
export const findOutcome = (flow: OutcomeFlow, name: string): Outcome | undefined =>
  byFlowAndName.get(`${flow} ${name}`)

/** What an authorization request may be told: besides its own endings what a later server-to-server call does. */
const DECIDABLE: Readonly<Record<OutcomeFlow, readonly OutcomeFlow[]>> = {
  use: ['use', 'token', 'upgrade', 'par', 'discovery', 'jwks'],
  create: ['create', 'par', 'discovery', 'jwks'],
  par: ['par'],
  token: ['token'],
  upgrade: ['upgrade'],
  discovery: ['discovery'],
  jwks: ['jwks'],
}

/** The outcomes that a request or call of `flow` may be told to have; its own come first. */
export const outcomesFor = (flow: OutcomeFlow): readonly Outcome[] => outcomesByFlow.get(flow) ?? []

const outcomesByFlow = new Map(
  OUTCOME_FLOWS.map((flow) => [flow, DECIDABLE[flow].flatMap((one) => OUTCOMES.filter((row) => row.flow === one))]),
)
