import * as z from 'zod'
import { camelCased } from '../files/camel-case.ts'
import { BUILTIN_CLIENT } from '../sandbox/clients/clients.ts'
import { keyOf, SETTING_ROWS, type SettingValues } from './settings.ts'

/** The schema of the config file, also for flags and environment variables. */
export const configSchema = z
  .strictObject(Object.fromEntries(SETTING_ROWS.map(([name, { schema }]) => [keyOf(name), schema])))
  .partial()
  // The schema of each setting has checked its value, whose type SettingValues names.
  .transform((values) => camelCased(values) as SettingValues)
  .check(refuseTakenClientIds)

function refuseTakenClientIds({
  value: { clients = [], builtinClient },
  issues,
}: z.core.ParsePayload<SettingValues>): void {
  const taken = new Set<string>()
  for (const [index, { clientId }] of clients.entries()) {
    const path = ['clients', index, 'client_id']
    if (clientId === BUILTIN_CLIENT.clientId && builtinClient !== false) {
      const message = `"${clientId}" is the built-in client; choose another id or set builtin_client: false`
      issues.push({ code: 'custom', path, message, input: clientId })
    }
    if (taken.has(clientId)) {
      const message = `"${clientId}" is declared twice; give each client an id of its own`
      issues.push({ code: 'custom', path, message, input: clientId })
    }
    taken.add(clientId)
  }
}
