import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import { AuditProblem } from '../audit-problem.ts'

/** The readings of one tenant, which are put back in the end. */
export interface TenantReadings {
  /** What every flow is compared with: what the tenant has set, else the default of the table. */
  readonly usual: Readings
  /** Reads so from now on, and all else as usual. */
  set(readings: Readings): Promise<void>
  /** As it was before. */
  putBack(): Promise<void>
}

/** @throws AuditProblem in one line when the readings of the tenant cannot be read, or not be set */
export async function openReadings(sandbox: SandboxApi): Promise<TenantReadings> {
  const explained = <Result>(asked: Promise<Result>): Promise<Result> =>
    asked.catch((cause: unknown) => {
      throw new AuditProblem(
        `${sandbox.baseUrl}: its readings cannot be set: ${messageOf(cause)}; --readings changes them for each flow and puts them back`,
        { cause },
      )
    })
  const { readings: own, grease = null } = await explained(sandbox.readings())
  let changed: readonly string[] | undefined
  const change = (readings: Readings, seed: string | null) => {
    // Those of before are taken back in the same call: with them others may exclude each other.
    const back = (changed ?? []).map((name) => [name, own[name] ?? null] as const)
    changed = Object.keys(readings)
    return sandbox.configure({ readings: { ...Object.fromEntries(back), ...readings }, grease: seed })
  }
  return {
    usual: Object.fromEntries(READINGS.map((reading) => [reading.name, own[reading.name] ?? reading.default])),
    // A seed would pick one more variant for each flow.
    set: (readings) => explained(change(readings, null)),
    putBack: async () => {
      if (changed) await explained(change({}, grease))
    },
  }
}
