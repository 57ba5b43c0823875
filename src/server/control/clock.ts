import type { clockOperations } from './contract/clock.ts'
import type { Handlers } from './handler.ts'

export const clockHandlers: Pick<Handlers, keyof typeof clockOperations> = {
  getClock: ({ tenant }) => ({ status: 200, body: tenant.clock.state() }),
  async moveClock({ tenant, body }) {
    await tenant.moveClock(body)
    return { status: 200, body: tenant.clock.state() }
  },
}
