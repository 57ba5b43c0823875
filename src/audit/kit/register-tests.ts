import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import type { VisitFunction } from '../drive/call-visit.ts'
import { auditTestsOf } from './audit-tests.ts'
import { checkChoices } from './check-choices.ts'
import { createRowAudit } from './row-audit.ts'

/** The `test` of a test runner; those of Vitest, Jest and node:test fit. */
export type RegisterTest = (
  name: string,
  run: (...context: readonly unknown[]) => Promise<void>,
  timeoutMs: number,
) => unknown

/** Visits of the longest test: what is learned first, a right answer, and a finding looked at twice. */
const MAX_VISITS = 40
const TIMEOUT_SECONDS = 10

/** Makes one test for each row; visits begin with the first of them that runs. @throws ConfigError with one line */
export function registerTests(
  { sandbox, visit, test }: { sandbox: SandboxApi; visit: VisitFunction; test: RegisterTest },
  choices: AuditChoices,
): void {
  checkChoices('auditTests', visit, choices)
  const audit = createRowAudit({ sandbox, visit }, choices)
  const { timeoutSeconds = TIMEOUT_SECONDS } = choices
  for (const { name, run } of auditTestsOf(choices)) {
    // A rest parameter: Jest gives a function with a named one a callback, and waits for it.
    const body = async (...[context]: readonly unknown[]) => {
      const reason = await run(audit, sandbox)
      if (reason !== undefined) skip(context, reason)
    }
    test(name, body, timeoutSeconds * MAX_VISITS * 1000)
  }
}

/** Decision: Jest cannot skip a test that runs; there it passes. */
function skip(context: unknown, reason: string): void {
  // That of Vitest is a function with members.
  const hasMembers = (typeof context === 'object' && context !== null) || typeof context === 'function'
  if (hasMembers && 'skip' in context && typeof context.skip === 'function') context.skip(reason)
}
