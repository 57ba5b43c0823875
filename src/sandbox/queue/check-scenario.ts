import { Refusal } from '../../oidc/refusal.ts'
import { problemLines, reportOf } from '../../text/schema-problems.ts'
import type { SandboxClients } from '../clients/clients.ts'
import type { Personas } from '../personas/personas.ts'
import { type Scenario, unknownPersonas } from './scenario-schema.ts'

/** Checks the names of personas and of the client, which the schema cannot know. @throws Refusal with all that are unknown */
export async function checkScenario(
  scenario: Scenario,
  { personas, clients }: { personas: Personas; clients: SandboxClients },
): Promise<void> {
  const known = (await personas.list()).map(({ name }) => name)
  const problems = problemLines(reportOf(unknownPersonas(scenario, known)), 'steps')
  const { client } = scenario
  if (client !== undefined && !clients.find(client)) {
    problems.push(
      `client: no client ${JSON.stringify(client)} is registered; declare it in the config, or leave it out`,
    )
  }
  if (problems.length > 0) throw Refusal.invalidRequest(problems.join('; '))
}
