import type { Claims } from '../../age/claims.ts'
import type { Provider } from '../../oidc/provider.ts'
import type { Finding } from '../../oidc/rules/finding.ts'
import { Findings } from '../../oidc/rules/findings.ts'
import { readClaims } from '../../oidc/use.ts'

/** What was pasted: a text for the field, and the claims unless the service would refuse them. */
export interface Pasted {
  readonly text: string
  readonly claims?: Claims | undefined
  readonly findings: readonly Finding[]
}

/** Reads claims as JSON, as percent-encoded JSON, or from the URL or the query of an E1 request, and checks them as E1 does. */
export function readPasted(pasted: string, provider: Pick<Provider, 'profile' | 'vocabulary' | 'decisions'>): Pasted {
  const json = findJson(pasted.trim())
  const findings = new Findings(provider.profile)
  const claims = readClaims(json, provider, findings)
  if (findings.refusal || !claims) return { text: pasted, findings: findings.all }
  // Of a URL only the claims are shown, with which the user continues.
  return { text: json === pasted.trim() ? pasted : formatClaims(claims), claims, findings: findings.all }
}

/** @returns `undefined` for a URL or a query without claims */
function findJson(text: string): string | undefined {
  const query = queryOf(text)
  if (query !== undefined) return new URLSearchParams(query).get('claims') ?? undefined
  return /^%7B/i.test(text) ? (new URLSearchParams(`claims=${text}`).get('claims') ?? text) : text
}

function queryOf(text: string): string | undefined {
  if (/^https?:\/\//i.test(text)) return text.split('#', 1)[0]?.split('?').slice(1).join('?')
  return /^\??[a-z_]+=/.test(text) ? text : undefined
}

/** Claims as readable JSON: each member, and each list, on one line. */
export function formatClaims(claims: Claims): string {
  return JSON.stringify(claims, undefined, 2).replace(
    /\[\n\s*([^[\]{}]*?)\n\s*\]/g,
    (_, items: string) => `[${items.replace(/\n\s*/g, ' ')}]`,
  )
}
