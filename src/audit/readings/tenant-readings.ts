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
  const all = Object.fromEntries(READINGS.map(({ name }) => [name, own[name] ?? null]))
  return {
    /** What every flow is compared with: what the tenant has set, else the default of the table. */
    usual: Object.fromEntries(READINGS.map((reading) => [reading.name, own[reading.name] ?? reading.default])),
    /** Sets these readings, and all others as usual. A seed would pick one more variant for each flow. */
    set: (readings: Readings) => sandbox.configure({ readings: { ...all, ...readings }, grease: null }).catch(explain),
    putBack: () => sandbox.configure({ readings: all, grease }).catch(explain),
  }
}
