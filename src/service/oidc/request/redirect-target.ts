import { excerpt, listed } from '../../text/message-parts.ts'
import type { Client, Clients } from '../ports.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'
import { repairedAddresses } from './address-mistakes.ts'
import { percentDecoded, unknownClient } from './client-mistakes.ts'

/**
 * The client and the redirect URI of a request; `undefined`, with findings, when the service must
 * not redirect there.
 */
export function readRedirectTarget(
  client: Client | undefined,
  redirectUri: string | undefined,
  { rule, findings }: { rule: RuleId; findings: Findings },
): { readonly client: Client; readonly redirectUri: string } | undefined {
  if (redirectUri === undefined) findings.missing(rule, 'redirect_uri')
  if (redirectUri === undefined || !client) return undefined
  const problem = redirectProblem(redirectUri, client)
  if (problem === undefined) return { client, redirectUri }
  findings.add(rule, { path: 'redirect_uri', message: problem })
  return undefined
}

/** Why the client cannot use this redirect URI; `undefined` if it can. */
export function redirectProblem(redirectUri: string, client: Client): string | undefined {
  if (client.allowsRedirectTo(redirectUri)) return undefined
  const { clientId, redirectUris, allowsLoopback } = client
  const difference = differenceFrom(redirectUri, redirectUris)
  const registered = [
    ...(redirectUris.length === 0 ? [] : [`${addresses(redirectUris)}${difference}`]),
    ...(allowsLoopback
      ? [`${ANY_LOOPBACK}${difference === '' ? foreignHost(redirectUri, client) : ''}`]
      : []),
  ]
  return `redirect_uri ${excerpt(redirectUri)} is not registered for client ${clientId}; registered: ${registered.join(', and ')}`
}

const ANY_LOOPBACK =
  'any path and port on localhost, *.localhost, 127.0.0.0/8 and [::1] (http or https, no fragment)'

/** Says which part of an address keeps it from being a loopback address. */
function foreignHost(redirectUri: string, client: Client): string {
  const candidates = repairedAddresses(redirectUri)
  const allowed = candidates.find(({ address }) => client.allowsRedirectTo(address))
  if (allowed) return ` (differs by ${allowed.mistakes.join(' and ')})`
  const { address, mistakes } = candidates.at(-1) ?? { address: redirectUri, mistakes: [] }
  if (!URL.canParse(address)) return ' (differs: what was received is no absolute URL)'
  return ` (differs by ${[...mistakes, foreignPart(address)].join(' and ')})`
}

function foreignPart(address: string): string {
  const { protocol, username, hostname, hash } = new URL(address)
  if (!['http:', 'https:'].includes(protocol)) return `the scheme: ${excerpt(protocol)}`
  if (hash !== '') return 'the fragment'
  return username === '' ? `the host: ${excerpt(hostname)}` : 'the credentials in it'
}

/** The client of an authorization request; `undefined`, with a finding, when it is unknown. */
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

/**
 * Says how an address differs from the most similar registered address: ` (differs by the final
 * slash)`; empty when no registered address is similar.
 */
export function differenceFrom(received: string, registered: readonly string[]): string {
  const [nearest] = registered
    .map((address) => ({ address, parts: differingParts(received, address) }))
    .filter(
      ({ parts }) =>
        parts.length === 1 || (parts.length === 2 && !parts.some((part) => part.startsWith(HOST))),
    )
    .sort((one, other) => one.parts.length - other.parts.length)
  if (nearest === undefined) return ''
  const from = registered.length > 1 ? ` from ${excerpt(nearest.address)}` : ''
  return ` (differs${from} by ${nearest.parts.join(' and ')})`
}

/** Lists addresses for a message: `http://a/x, http://b/y and 3 more`. */
export const addresses = (all: readonly string[]): string => listed(all.map(excerpt))

const HOST = 'the host'

/** The parts in which two addresses differ; empty when one of them is not a URL. */
function differingParts(received: string, registered: string): readonly string[] {
  const repaired = repairedAddresses(received).find(({ address }) => address === registered)
  if (repaired !== undefined && repaired.mistakes.length > 0) return repaired.mistakes
  if (withoutSlash(received) === withoutSlash(registered)) return ['the final slash']
  if (received.toLowerCase() === registered.toLowerCase()) return ['upper and lower case']
  if (!URL.canParse(received) || !URL.canParse(registered)) return []
  const parts = differingUrlParts(new URL(received), new URL(registered))
  return parts.length === 0 ? ['its spelling: it is compared character by character'] : parts
}

function differingUrlParts(sent: URL, known: URL): string[] {
  const parts: string[] = []
  if (sent.protocol !== known.protocol)
    parts.push(`the scheme: ${other(sent.protocol, known.protocol)}`)
  if (sent.hostname !== known.hostname)
    parts.push(`${HOST}: ${other(sent.hostname, known.hostname)}`)
  if (sent.port !== known.port)
    parts.push(`the port: ${other(sent.port || 'none', known.port || 'none')}`)
  if (sent.pathname !== known.pathname) parts.push(pathDifference(sent.pathname, known.pathname))
  if (sent.search !== known.search)
    parts.push(`the query: ${other(sent.search || 'none', known.search || 'none')}`)
  if (sent.hash !== known.hash) parts.push('the fragment')
  return parts
}

function pathDifference(sent: string, known: string): string {
  if (percentDecoded(sent) === percentDecoded(known))
    return `percent-encoding: ${other(sent, known)}`
  if (withoutSlash(sent) === withoutSlash(known)) return 'the final slash'
  return sent.toLowerCase() === known.toLowerCase()
    ? 'upper and lower case'
    : `the path: ${other(sent, known)}`
}

const other = (sent: string, known: string) => `${excerpt(sent)} is not ${excerpt(known)}`

const withoutSlash = (text: string) => text.replace(/\/$/, '')
