import { Refusal } from '../../service/oidc/refusal.ts'
import type { Transport } from './sandbox-api.ts'
import { SandboxError } from './sandbox-error.ts'

/**
 * Creates the transport to a sandbox in this process.
 * @param perform carries out an operation or throws a Refusal
 * @param lastEnded reads the journal before it first awaits
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

/**
 * Calls `act` and returns its result.
 * @throws SandboxError in place of a Refusal
 */
export function withSandboxErrors<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw asSandboxError(error)
  }
}

/** Converts a refusal to a SandboxError. Other errors are bugs and stay unchanged. */
function asSandboxError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { message, status, code, suggestions } = error
  return new SandboxError(message, { status, error: code, suggestions })
}
