import type { Claims } from '../../age/claims.ts'
import { filtersOf } from '../../age/claims-seen.ts'
import { type ClaimsCounters, type CoverageCounters, claimsKey, claimsRoom } from './counters.ts'

interface ClaimsTable {
  readonly seen: ClaimsCounters
  readonly hasFilters: boolean
}

/** Finds the counters of claims. */
export interface ClaimsTables {
  /** `undefined` when there are too many distinct claims. @param sent `claimsText` is the JSON as it was sent */
  of(sent: { readonly claims: Claims; readonly claimsText: string }): ClaimsTable | undefined
}

/** Texts that are remembered, without their instants: an app that sends the present time sends another text each time. */
const MAX_TEXTS = 200
const INSTANTS = /"verified_after"\s*:\s*"[^"]*"/g

/** The counters of claims in `counters`; those of new claims are added there. */
export function createClaimsTables({ claims: all, omitted }: CoverageCounters): ClaimsTables {
  const tableOf = (seen: ClaimsCounters): ClaimsTable => ({ seen, hasFilters: filtersOf(seen.claims).length > 0 })
  const byKey = new Map(all.map((seen) => [claimsKey(seen.claims), tableOf(seen)]))
  // The same text is not parsed and written again for each answer.
  const byText = new Map<string, ClaimsTable>()
  const hasRoom = claimsRoom(all)
  const add = (key: string, claims: Claims) => {
    if (!hasRoom(claims)) {
      omitted.claims++
      return undefined
    }
    const table = tableOf({ claims, thresholds: {}, filters: {}, boundaries: {} })
    byKey.set(key, table)
    all.push(table.seen)
    return table
  }
  const find: ClaimsTables['of'] = ({ claims, claimsText }) => {
    const text = claimsText.replace(INSTANTS, '"verified_after":true')
    const known = byText.get(text)
    if (known) return known
    const key = claimsKey(claims)
    const table = byKey.get(key) ?? add(key, claims)
    if (byText.size >= MAX_TEXTS) byText.clear()
    if (table) byText.set(text, table)
    return table
  }
  /** A request that is answered at once asks twice. */
  let last: { readonly claims: Claims; readonly table: ClaimsTable | undefined } | undefined
  return {
    of(sent) {
      if (last?.claims !== sent.claims) last = { claims: sent.claims, table: find(sent) }
      return last.table
    },
  }
}
