import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import { AuditProblem } from '../audit-problem.ts'

export type TenantReadings = Awaited<ReturnType<typeof openReadings>>

/**
 * Reads the readings of a tenant, which can be changed and put back.
 * @throws AuditProblem in one line when the readings of the tenant cannot be read or set; so do its functions
 */
export async function openReadings(sandbox: SandboxApi) {
  const explain = (cause: unknown): never => {
    const advice = '--readings changes them for each flow and puts them back'
    throw new AuditProblem(`${sandbox.baseUrl}: its readings cannot be set: ${messageOf(cause)}; ${advice}`, { cause })
  }
  const { readings: own, grease = null } = await sandbox.readings().catch(explain)
  let changed: readonly string[] | undefined
  async function change(readings: Readings, seed: string | null) {
    // What was set before is taken back in the same call: two variants may exclude each other.
    const back = Object.fromEntries((changed ?? []).map((name) => [name, own[name] ?? null]))
    changed = Object.keys(readings)
    await sandbox.configure({ readings: { ...back, ...readings }, grease: seed }).catch(explain)
  }
  return {
    /** What every flow is compared with: what the tenant has set, else the default of the table. */
    usual: Object.fromEntries(READINGS.map((reading) => [reading.name, own[reading.name] ?? reading.default])),
    /** Sets these readings, and all others as usual. A seed would pick one more variant for each flow. */
    set: (readings: Readings) => change(readings, null),
    putBack: async () => changed && change({}, grease),
  }
}
