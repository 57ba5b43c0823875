import type { SandboxOptions } from '../../../src/server/create-sandbox.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** The address of all replicas together. */
const BASE_URL = 'http://sandbox.localhost:2435'

/** The path of a control call. */
export const control = (path: string) => `/_sandbox/${path}`

/** A sandbox on a store that others share, and a relying party that calls the sandbox. */
export async function startReplica(store: string, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ store, baseUrl: BASE_URL, ...options })
  return { ...sandbox, party: createRelyingParty(sandbox) }
}

/** The statuses of answers that are under way. */
export const statuses = async (answers: readonly PromiseLike<{ readonly status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

export type Replica = Awaited<ReturnType<typeof startReplica>>
