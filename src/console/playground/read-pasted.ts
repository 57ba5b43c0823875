import type { Claims } from '../../age/claims.ts'
import type { Provider } from '../../oidc/provider.ts'
import type { Finding } from '../../oidc/rules/finding.ts'
import { Findings } from '../../oidc/rules/findings.ts'
import { readClaims } from '../../oidc/use.ts'

/** What was pasted: the text to show in the field, and the claims in it unless the service would refuse them. */
export interface Pasted {
  readonly text: string
  readonly claims?: Claims | undefined
  readonly findings: readonly Finding[]
}

/** Reads claims as JSON, as percent-encoded JSON, or from the address or the query of an E1 request, and checks them as E1 does. */
export function readPasted(pasted: string, provider: Pick<Provider, 'profile' | 'vocabulary' | 'decisions'>): Pasted {
  const json = findJson(pasted.trim())
  const findings = new Findings(provider.profile)
  const claims = readClaims(json, provider, findings)
  if (findings.refusal || !claims) return { text: pasted, findings: findings.all }
  // Of an address only the claims are shown: they are what the user goes on with.
  return { text: json === pasted.trim() ? pasted : formatClaims(claims), claims, findings: findings.all }
}

/** @returns `undefined` for an address or a query without claims */
function findJson(text: string): string | undefined {
  const query = queryOf(text)
  if (query !== undefined) return new URLSearchParams(query).get('claims') ?? undefined
  return /^%7B/i.test(text) ? (new URLSearchParams(`claims=${text}`).get('claims') ?? text) : text
}

function queryOf(text: string): string | undefined {
  if (/^https?:\/\//i.test(text)) return text.split('#', 1)[0]?.split('?').slice(1).join('?')
  return /^\??[a-z_]+=/.test(text) ? text : undefined
}

/** Claims as JSON that is read easily: each member on a line, and each list on one. */
export function formatClaims(claims: Claims): string {
  return JSON.stringify(claims, undefined, 2).replace(
    /\[\n\s*([^[\]{}]*?)\n\s*\]/g,
    (_, items: string) => `[${items.replace(/\n\s*/g, ' ')}]`,
  )
}
