import { createClock } from '../../sandbox/clock/clock.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { CallRecord, Flow } from '../../server/client/shapes.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { FlowRun } from '../drive/flow-run.ts'

/** Maximum clock difference in seconds. Some rows have a token that expired a minute ago. */
const MAX_DIFFERENCE_SECONDS = 10

/**
 * Checks that the clock of the sandbox shows real time.
 * @throws AuditProblem with one line when the clock is frozen or more than 10 seconds off
 */
export async function checkRealTime({ baseUrl, clock }: SandboxApi): Promise<void> {
  const { now, frozen } = await clock.state()
  const seconds = Math.round((Date.parse(now) - createClock().now()) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS && !frozen) return
  const how = frozen
    ? 'stands still'
    : `is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`
  throw new AuditProblem(
    `${baseUrl}: the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back by sandbox.clock.reset(), in the console, or by POST ${baseUrl}/_sandbox/clock with {"reset": true}`,
  )
}

/**
 * Checks a run by a visit function.
 * @throws AuditProblem with one line when the function failed or did not bring the answer to the
 * app
 */
export async function checkVisit(run: FlowRun, sandbox: SandboxApi): Promise<void> {
  const { observation, request, brought } = run
  const flow = await requireValidRequest(run, sandbox)
  if (observation.end === 'visit failed') throw new AuditProblem(observation.summary)
  if (request && brought.E1) return
  const problem = request
    ? `the sandbox has answered its Use request otherwise than it was to (${flow?.summary}); visit has to leave the choice to the audit, without a persona or an outcome of its own`
    : `no Use request came to ${sandbox.baseUrl}; set your app's base URL to that address, and let visit follow redirects to it`
  throw new AuditProblem(`${observation.summary}, and ${problem}`)
}

/**
 * Returns the Use flow of a run; `undefined` if the app began no flow.
 * @throws AuditProblem with the errors of the Use request
 */
export async function requireValidRequest(
  { useFlow }: FlowRun,
  sandbox: SandboxApi,
): Promise<Flow | undefined> {
  if (useFlow === undefined) return undefined
  const flow = await sandbox.flows.get(useFlow)
  const errors = describeErrors(flow.calls)
  if (errors !== '')
    throw new AuditProblem(`the sandbox refuses the Use request of your app: ${errors}`)
  return flow
}

/** Rule, problem and hint of each error that the sandbox found in calls; empty without errors. */
export const describeErrors = (calls: readonly CallRecord[]): string =>
  calls
    .flatMap(({ findings }) => findings)
    .filter(({ level }) => level === 'error')
    .map(({ rule, message, hint }) => `${rule}: ${message}; ${hint}`)
    .join(' ')
