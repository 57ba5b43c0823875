import { Refusal } from '../oidc/refusal.ts'
import type { Transport } from './create-sandbox-api.ts'
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
        throw asSandboxError(error)
      }
    },
  }
}

/** What `act` returns. @throws SandboxError when it is refused */
export function withSandboxErrors<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw asSandboxError(error)
  }
}

/** A refusal as callers of the library see it; a defect stays what it is. */
function asSandboxError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { message, status, code, suggestions } = error
  return new SandboxError(message, { status, error: code, suggestions })
}
