import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { SandboxError } from '../../server/client/sandbox-error.ts'

/** Removes a queued decision. @returns false if the decision has already decided a call */
export async function takeBackDecision(id: string, { expectations }: SandboxApi): Promise<boolean> {
  try {
    await expectations.remove(id)
    return true
  } catch (error) {
    if (error instanceof SandboxError && error.status === 404) return false
    throw error
  }
}
