import { runAudit } from './audit/audit.ts'
import { AuditProblem } from './audit/audit-problem.ts'
import type { AuditChoices } from './audit/choices.ts'
import { type VisitFunction, visitedBy } from './audit/drive/visited-by.ts'
import {
  askByFunction,
  type FindFunction,
  type FoundAgain,
  findVerifications,
  MAX_FLOWS,
} from './audit/find-verifications.ts'
import { checkChoices, type RegisterTest, registerTests } from './audit/kit/audit-tests.ts'
import type { AuditedRow, AuditReport } from './audit/report/published-report.ts'
import { DEMO_CLIENT_ID } from './sandbox/clients/clients.ts'
import { ConfigError } from './sandbox/files/config-error.ts'
import type { SandboxApi } from './server/client/sandbox-api.ts'
import { found } from './service/text/message-parts.ts'

export { AuditProblem } from './audit/audit-problem.ts'
export type { AuditChoices, KnownFinding } from './audit/choices.ts'
export type {
  OpenedPage,
  OpenPage,
  OpenRequest,
  VisitDetails,
  VisitFunction,
} from './audit/drive/visited-by.ts'
export type {
  FindFunction,
  FoundAgain,
  MissingVerification,
} from './audit/find-verifications.ts'
export { AuditFinding, type RegisterTest } from './audit/kit/audit-tests.ts'
export type { AuditedRow, AuditReport } from './audit/report/published-report.ts'

/** Options of `audit`. */
export interface AuditOptions extends AuditChoices {
  /** Drives one flow of the app and says whether it let the user in. */
  readonly visit: VisitFunction
  /** Seconds for the whole audit (default 600). */
  readonly budgetSeconds?: number | undefined
  /** Ends the audit early. */
  readonly signal?: AbortSignal | undefined
  /** Called after each judged row. */
  onProgress?(progress: {
    readonly done: number
    readonly total: number
    readonly row: AuditedRow
  }): void
}

const BUDGET_SECONDS = 600

/**
 * Sends an app every wrong answer of the catalogue that applies to the app, and reports which of
 * these answers the app accepts. `visit` drives one flow at a time. The audit queues the answer of
 * each visit in the sandbox, so nothing else may use the sandbox during the audit.
 * @example
 * ```ts
 * const visit = async ({ open }) => (await open('http://localhost:3000/verify')).status === 200
 * const { exit_code, rows } = await audit(sandbox, { visit })
 * ```
 * @throws ConfigError with one line for invalid options
 * @throws AuditProblem with one line when the app cannot be judged: it refuses right answers, for
 * example
 */
export async function audit(
  sandbox: SandboxApi,
  { visit, onProgress, budgetSeconds = BUDGET_SECONDS, signal, ...choices }: AuditOptions,
): Promise<AuditReport> {
  checkChoices('audit', visit, { ...choices, budgetSeconds, signal, onProgress })
  return runAudit(visitedBy(sandbox, visit), {
    ...choices,
    signal,
    jobs: 1,
    budgetSeconds,
    onProgress(news) {
      if (news.stage === 'row') onProgress?.({ done: news.done, total: news.total, row: news.row })
    },
  })
}

/** Options of `auditTests`. */
export interface AuditTestsOptions extends AuditChoices {
  /** The `test` function of the test runner, such as Vitest, Jest or node:test. */
  readonly test: RegisterTest
}

/**
 * Registers one test for each row of the catalogue. Three controls come first: the app lets an
 * adult in, and keeps out a minor and a user who declines. Unusual right answers follow, then wrong
 * answers. Without `only`, the tests cover rows of level `failOn` (default `must`) and above.
 * @example
 * ```ts
 * const visit = async ({ open }) => (await open('http://localhost:3000/verify')).status === 200
 * auditTests(sandbox, visit, { test })
 * ```
 * @throws ConfigError with one line for invalid options
 */
export function auditTests(
  sandbox: SandboxApi,
  visit: VisitFunction,
  { test, ...choices }: AuditTestsOptions,
): void {
  if (typeof test !== 'function')
    throw ConfigError.of(`auditTests: test must be a function, ${found(test)}`)
  registerTests({ sandbox, visit, test }, choices)
}

/** Options of `drill`. */
export interface DrillOptions {
  /** Says whether the app knows a `sub`. */
  readonly find: FindFunction
  /**
   * Ids of flows whose answer the app accepted (default: all flows of the sandbox except flows of
   * its demo).
   */
  readonly flows?: readonly string[] | undefined
  /**
   * The minimum age that the app requires, in years. `find` is called for id_tokens that confirm
   * this age (default: any age).
   */
  readonly age?: number | undefined
}

/**
 * Asks an app for the `sub` of each id_token that the app received from the sandbox. A team needs
 * this lookup when an age signal is revoked.
 * @example
 * ```ts
 * const { found, total } = await drill(sandbox, { find: (sub) => verifications.has(sub) })
 * ```
 * @throws ConfigError with one line when `find` is not a function
 * @throws AuditProblem with one line when there is no `sub` to ask for, when `find` fails, or when
 * `find` also finds a `sub` that the app never received
 */
export async function drill(
  sandbox: SandboxApi,
  { find, flows, age }: DrillOptions,
): Promise<FoundAgain> {
  if (typeof find !== 'function')
    throw ConfigError.of(`drill: find must be a function, ${found(find)}`)
  const own = (await sandbox.flows.list({ limit: MAX_FLOWS })).filter(
    (flow) => flow.client_id !== DEMO_CLIENT_ID,
  )
  const known = flows ?? own.map(({ id }) => id).reverse()
  const report = await findVerifications(
    [{ sandbox, ask: askByFunction(find), flows: known }],
    age ?? 'any',
  )
  if (report.verdict === 'undetermined') throw new AuditProblem(`find: ${report.evidence}`)
  return report
}
