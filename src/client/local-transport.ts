import { Refusal } from '../oidc/refusal.ts'
import type { Transport } from './sandbox-api.ts'
import { SandboxError } from './sandbox-error.ts'

/**
 * Calls a sandbox in this process.
 * @param perform does an operation or throws a Refusal
 * @param lastEnded looks before it returns
 */
export function createLocalTransport(perform: Transport['call'], lastEnded: Transport['lastEnded']): Transport {
  return {
    lastEnded,
    async call(operationId, input) {
      try {
        return await perform(operationId, input)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { message, status, code, suggestions } = error
        throw new SandboxError(message, { status, error: code, suggestions })
      }
    },
  }
}
