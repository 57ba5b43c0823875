import type { Client, Clients } from '../ports.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'

/**
 * The client and the address that an authorization request may be answered to, or `undefined` with findings:
 * then nothing may be redirected and the user sees an error page.
 */
export function readRedirectTarget(
  clients: Clients,
  parameters: { readonly client_id: string | undefined; readonly redirect_uri: string | undefined },
  rules: { client: RuleId; redirectUri: RuleId; findings: Findings },
): { client: Client; redirectUri: string } | undefined {
  const { findings } = rules
  const client = readClient(clients, parameters.client_id, rules)
  const redirectUri = parameters.redirect_uri
  if (redirectUri === undefined) {
    findings.missing(rules.redirectUri, 'redirect_uri')
    return undefined
  }
  if (!client) return undefined
  if (!client.allowsRedirectTo(redirectUri)) {
    const message = `redirect_uri is not registered for client ${client.clientId}`
    findings.add(rules.redirectUri, { path: 'redirect_uri', message })
    return undefined
  }
  return { client, redirectUri }
}

function readClient(
  clients: Clients,
  clientId: string | undefined,
  { client: rule, findings }: { client: RuleId; findings: Findings },
): Client | undefined {
  if (clientId === undefined) {
    findings.missing(rule, 'client_id')
    return undefined
  }
  const client = clients.find(clientId)
  if (!client) findings.add(rule, { path: 'client_id', message: 'client_id is not registered here' })
  return client
}
