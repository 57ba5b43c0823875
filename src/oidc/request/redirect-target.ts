import { excerpt } from '../../text/message-parts.ts'
import type { Client, Clients } from '../ports.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'
import { unknownClient } from './client-mistakes.ts'
import { addresses, differenceFrom } from './redirect-difference.ts'

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
  const problem = redirectProblem(redirectUri, client)
  if (problem === undefined) return { client, redirectUri }
  findings.add(rule, { path: 'redirect_uri', message: problem })
  return undefined
}

/** Why the client may not be answered at this address, or `undefined`. */
export function redirectProblem(redirectUri: string, client: Client): string | undefined {
  if (client.allowsRedirectTo(redirectUri)) return undefined
  const { clientId, redirectUris } = client
  const registered =
    redirectUris.length === 0
      ? `any path and port on localhost, 127.0.0.1 and [::1] (http or https, no fragment)${foreignHost(redirectUri)}`
      : `${addresses(redirectUris)}${differenceFrom(redirectUri, redirectUris)}`
  return `redirect_uri ${excerpt(redirectUri)} is not registered for client ${clientId}; registered: ${registered}`
}

/** What keeps an address from being one of this machine. */
function foreignHost(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return ' (differs: what was received is no absolute URL)'
  const { protocol, username, hostname, hash } = new URL(redirectUri)
  if (!['http:', 'https:'].includes(protocol)) return ` (differs by the scheme: ${excerpt(protocol)})`
  if (hash !== '') return ' (differs by the fragment)'
  return username === '' ? ` (differs by the host: ${excerpt(hostname)})` : ' (differs by the credentials in it)'
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
  if (!client) findings.add(rule, { path: 'client_id', message: unknownClient(clientId, clients) })
  return client
}
