import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { CallRecord, Flow } from '../../client/shapes/flow.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { FlowRun } from '../drive/driver.ts'

/** What the sandbox found wrong with calls of an app: rule, problem and remedy of each error. Empty without an error. */
export const describeErrors = (calls: readonly CallRecord[]): string =>
  calls
    .flatMap(({ findings }) => findings)
    .filter(({ level }) => level === 'error')
    .map(({ rule, message, hint }) => `${rule}: ${message}; ${hint}`)
    .join(' ')

/** The Use flow of a run, when it came to one. @throws AuditProblem with what the sandbox found wrong with the request of the app */
export async function requireValidRequest({ useFlow }: FlowRun, sandbox: SandboxApi): Promise<Flow | undefined> {
  if (useFlow === undefined) return undefined
  const flow = await sandbox.flows.get(useFlow)
  const errors = describeErrors(flow.calls)
  if (errors !== '') throw new AuditProblem(`the sandbox refuses the Use request of your app: ${errors}`)
  return flow
}
