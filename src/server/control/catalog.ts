import { CATALOGUE_VERSION, describeOutcome, OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { describeReading, READINGS } from '../../sandbox/readings/readings.ts'
import { POLICY_POINTS } from '../../service/oidc/policy.ts'
import { levelOf, RULES } from '../../service/oidc/rules/rules.ts'
import { snakeCased } from '../../service/text/camel-case.ts'
import type { catalogOperations } from './contract/catalog.ts'
import type { Handlers } from './handler.ts'

export const catalogHandlers: Pick<Handlers, keyof typeof catalogOperations> = {
  async getHealth({ host }) {
    await host.checkStore()
    const uptime = Math.round(host.uptimeSeconds() * 1000) / 1000
    return { status: 200, body: { status: 'ok', version: host.version, uptime } }
  },
  async getCatalog({ tenant }) {
    const { profile, lifetimes } = tenant.provider
    const personas = await tenant.personas.list()
    const body = {
      personas: personas.map(({ name, title, purpose }) => ({ name, title, purpose })),
      catalogue: CATALOGUE_VERSION,
      outcomes: OUTCOMES.map(describeOutcome),
      rules: RULES.map((row) => ({
        id: row.id,
        section: row.section,
        level: levelOf(row, profile),
        sentence: row.sentence,
        hint: row.hint,
      })),
      lifetimes: snakeCased(lifetimes),
      decisions: POLICY_POINTS,
      readings: READINGS.map(describeReading),
    }
    return { status: 200, body }
  },
}
