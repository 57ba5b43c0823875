import { endpointOf } from '../oidc/endpoints.ts'
import type { Bait, Outcome, OutcomeFlow } from '../sandbox/outcomes/outcome.ts'

/** How to give one request or call an outcome; one of the ways is enough. */
export interface ForcedBy {
  /** The endpoint whose request ends that way: `E1, Use authorization`. */
  readonly endpoint: string
  readonly query: string
  readonly header: string
  /** The body of `POST /_sandbox/expectations`, and the argument of `sandbox.next`. */
  readonly expectation: { readonly flow: OutcomeFlow; readonly outcome: string; readonly persona?: string }
  /** The same expectation by a shell. */
  readonly curl: string
}

/** The ways to force a row of the catalogue, as data and as lines of text. */
export function waysToForce(
  { flow, name, bait, correctClient }: Outcome,
  baseUrl: string,
): ForcedBy & { readonly lines: readonly string[] } {
  const { number, title } = endpointOf(flow)
  const endpoint = `${number}, ${title}`
  const persona = correctClient === 'refuse' ? PERSONA_OF[bait] : PERSONA_OF.adult
  const expectation = { flow, ...(flow === 'use' ? { persona } : {}), outcome: name }
  const query = `sandbox_outcome=${encodeURIComponent(name)}`
  const header = `X-Sandbox-Outcome: ${name}`
  const curl = `curl '${baseUrl}/_sandbox/expectations' --json '${JSON.stringify(expectation)}'`
  const lines = [
    `To force it once, for a request to ${endpoint}, one of:`,
    `  query parameter  ${query}`,
    `  request header   ${header}`,
    `  in a test        await sandbox.next(${JSON.stringify(expectation)})`,
    `  in a shell       ${curl}`,
  ]
  return { endpoint, query, header, expectation, curl, lines }
}

/** A persona for whom a client that does not check shows it. */
const PERSONA_OF: Readonly<Record<Bait, string>> = { adult: 'adult-passport', minor: 'teen-16', both: 'adult-passport' }
