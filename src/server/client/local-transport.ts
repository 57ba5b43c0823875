import { Refusal } from '../../service/oidc/refusal.ts'
import type { Transport } from './sandbox-api.ts'
import { SandboxError } from './sandbox-error.ts'

/**
 * Calls a sandbox in this process.
 * @param perform carries out an operation or throws a Refusal
 * @param lastEnded looks before it returns
 */
export function createLocalTransport(
  perform: Transport['call'],
  lastEnded: Transport['lastEnded'],
): Transport {
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

/** The result of `act`. @throws SandboxError when the call is refused */
export function withSandboxErrors<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw asSandboxError(error)
  }
}

/** Turns a refusal into the error of the library; a bug stays as it is. */
function asSandboxError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { message, status, code, suggestions } = error
  return new SandboxError(message, { status, error: code, suggestions })
}
