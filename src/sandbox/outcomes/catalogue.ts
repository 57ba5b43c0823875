import { CALLS, type CallName, endpointOf, SERVER_CALLS } from '../../service/oidc/endpoints.ts'
import type { AuditRow, Outcome } from './outcome.ts'
import { completeRow, type OutcomeRow } from './outcome-row.ts'
import { BROUGHT_ANSWERS, CALLBACKS, USE_CALLBACKS } from './rows/callback.ts'
import { CONTROLS } from './rows/controls.ts'
import { DISCOVERY, JWKS } from './rows/documents.ts'
import { ENDINGS } from './rows/endings.ts'
import { ID_TOKEN_AGE_THRESHOLDS } from './rows/id-token-age-thresholds.ts'
import { ID_TOKEN_BINDING, ID_TOKEN_PARTIES, ID_TOKEN_TIMES } from './rows/id-token-claims.ts'
import { ID_TOKEN_SHAPE, ID_TOKEN_SIGNATURE } from './rows/id-token-form.ts'
import { PAR } from './rows/par.ts'
import { SERVER_FAILURES } from './rows/server-failures.ts'
import { TOKEN } from './rows/token.ts'
import { UPGRADE } from './rows/upgrade.ts'

const ROWS: readonly OutcomeRow[] = [
  ...ENDINGS,
  ...ID_TOKEN_SIGNATURE,
  ...ID_TOKEN_SHAPE,
  ...ID_TOKEN_PARTIES,
  ...ID_TOKEN_TIMES,
  ...ID_TOKEN_BINDING,
  ...ID_TOKEN_AGE_THRESHOLDS,
  ...CONTROLS,
  ...CALLBACKS,
  ...USE_CALLBACKS,
  ...SERVER_FAILURES,
  ...PAR,
  ...TOKEN,
  ...UPGRADE,
  ...DISCOVERY,
  ...JWKS,
]

/** All versions of the catalogue; a row names the version that added it. */
export const CATALOGUE_VERSIONS = ['0.1', '0.2', '0.3'] as const

/** The current version of the catalogue. */
export const CATALOGUE_VERSION = '0.3'

/** The catalogue of outcomes. Pages, documentation, scripts and tests read this table. */
export const OUTCOMES: readonly Outcome[] = ROWS.map(completeRow)

/** The id of a row, such as `use/id_token.expired`. Ids are unique in the catalogue. */
export const rowId = ({ flow, name }: Pick<Outcome, 'flow' | 'name'>): string => `${flow}/${name}`

const byId = new Map(OUTCOMES.map((outcome) => [rowId(outcome), outcome]))

/** Finds a row by its id: `use/id_token.expired`. */
export const findRow = (id: string): Outcome | undefined => byId.get(id)

/** Every row that an audit can try. */
export const AUDIT_ROWS: readonly AuditRow[] = [...OUTCOMES, ...BROUGHT_ANSWERS]

const auditRows = new Map(AUDIT_ROWS.map((row) => [rowId(row), row]))

/** Finds a row of an audit by its id, including answers that only a browser can bring. */
export const findAuditRow = (id: string): AuditRow | undefined => auditRows.get(id)

/** Whether only a browser can bring the answer of a row: no outcome of the sandbox makes it. */
export const isBroughtAnswer = (row: AuditRow): boolean => BROUGHT_ANSWERS.includes(row)

/** Finds an outcome by its flow and name. */
export const findOutcome = (flow: CallName, name: string): Outcome | undefined =>
  findRow(rowId({ flow, name }))

/**
 * The flow itself and the server-to-server calls that follow it. Calls that follow only this flow
 * come before calls that also follow another flow.
 */
const decidable = (flow: CallName): readonly CallName[] => {
  const followers = SERVER_CALLS.map((call) => ({ call, follows: endpointOf(call).follows ?? [] }))
  const own = followers.filter(({ follows }) => follows.some((one) => one === flow))
  return [
    flow,
    ...own
      .toSorted((one, other) => one.follows.length - other.follows.length)
      .map(({ call }) => call),
  ]
}

/** The outcomes that a request of `flow` may force; outcomes of the flow itself come first. */
export const outcomesFor = (flow: CallName): readonly Outcome[] => outcomesByFlow.get(flow) ?? []

const outcomesByFlow = new Map(
  CALLS.map((flow) => [
    flow,
    decidable(flow).flatMap((one) => OUTCOMES.filter((row) => row.flow === one)),
  ]),
)

/** A row in the shape of `GET catalog` and `agekey-sandbox outcomes --json`. */
export function describeOutcome(row: Outcome) {
  const { needs, prelude } = row
  return {
    name: row.name,
    flow: row.flow,
    seam: row.seam,
    summary: row.summary,
    rule: row.rule,
    correct_client: row.correctClient,
    family: row.family,
    level: row.level,
    severity: row.severity,
    cwe: row.cwe.map((id) => `CWE-${id}`),
    refs: row.refs,
    harm: row.harm,
    bait: row.bait,
    layer: row.layer,
    breaks: row.breaks,
    twin: row.twin,
    since: row.since,
    ...(needs ? { needs } : {}),
    ...(prelude ? { prelude } : {}),
  }
}
