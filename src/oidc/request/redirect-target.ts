import type { Client, Clients } from '../ports.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'

/** The client and the address that an authorization request may be answered to. */
interface RedirectTarget {
  readonly client: Client
  readonly redirectUri: string
}

/** `undefined` with findings: then nothing may be redirected and the user sees an error page. */
export function readRedirectTarget(
  client: Client | undefined,
  redirectUri: string | undefined,
  { rule, findings }: { rule: RuleId; findings: Findings },
): RedirectTarget | undefined {
  if (redirectUri === undefined) {
    findings.missing(rule, 'redirect_uri')
    return undefined
  }
  if (!client) return undefined
  if (!client.allowsRedirectTo(redirectUri)) {
    const message = `redirect_uri is not registered for client ${client.clientId}`
    findings.add(rule, { path: 'redirect_uri', message })
    return undefined
  }
  return { client, redirectUri }
}

/** The client of an authorization request; `undefined` with a finding. */
export function readClient(
  clients: Clients,
  clientId: string | undefined,
  { rule, findings }: { rule: RuleId; findings: Findings },
): Client | undefined {
  if (clientId === undefined) {
    findings.missing(rule, 'client_id')
    return undefined
  }
  const client = clients.find(clientId)
  if (!client) findings.add(rule, { path: 'client_id', message: 'client_id is not registered here' })
  return client
}
