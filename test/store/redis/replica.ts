import type { SandboxOptions } from '../../../src/server/create-sandbox.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** A sandbox on a store that others share, with one address for all, and a relying party that calls the sandbox. */
export async function startReplica(store: string, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ store, baseUrl: 'http://sandbox.localhost:2435', ...options })
  return { ...sandbox, party: createRelyingParty(sandbox) }
}

/** The statuses of answers that are under way. */
export const statuses = async (answers: readonly PromiseLike<{ readonly status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

export type Replica = Awaited<ReturnType<typeof startReplica>>
