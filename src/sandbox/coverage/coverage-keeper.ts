import type { Claims } from '../../service/age/claims.ts'
import { birthdaysAt, filterResults, filtersOf } from '../../service/age/claims-seen.ts'
import type { Callback } from '../../service/oidc/callback.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import {
  ENDPOINTS,
  type Endpoint,
  SERVER_CALLS,
  type ServerCall,
} from '../../service/oidc/endpoints.ts'
import type { UseEvaluation, UseTransaction } from '../../service/oidc/use.ts'
import type { RecordedIn } from '../journal/journal.ts'
import { findOutcome, rowId } from '../outcomes/catalogue.ts'
import type { Outcome, ServerReply } from '../outcomes/outcome.ts'
import {
  type Asked,
  type ClaimsCounters,
  type CoverageCounters,
  claimsKey,
  claimsRoom,
  type EndingName,
  emptyCounters,
  FILTER_SIDES,
  type HitsTable,
  MAX_TEST_NAME,
  MAX_TESTS,
  mergeCoverage,
} from './counters.ts'

/** What this process delivered, for each tenant. It survives a reset. */
export type CoverageKeeper = ReturnType<typeof createCoverageKeeper>

/** What was delivered to the clients of one tenant. */
export type TenantCoverage = ReturnType<CoverageKeeper['of']>

/** An answer that is about to be sent to a client. */
interface Delivered {
  readonly endpoint: Endpoint
  readonly answer: {
    readonly reply: Pick<ServerReply, 'status' | 'delayMs' | 'dropped'> & {
      readonly body: { readonly kind: string }
    }
    /** The valid authorization request that the call made or ends. */
    readonly asked?: UseTransaction | CreateTransaction | undefined
    readonly callback?: Callback | undefined
    /** The evaluation of a verified Use flow. */
    readonly evaluation?: UseEvaluation | undefined
    readonly decision?: { readonly outcome: Outcome } | undefined
    readonly endedAs?: string | undefined
    readonly forcedOutcome?: Outcome | undefined
  }
  readonly audit?: RecordedIn['audit']
}

/** The counters of one tenant, and a function that adds to them. */
interface Counting {
  readonly counters: CoverageCounters
  readonly tableOf: ReturnType<typeof createClaimsTables>
  hit(table: HitsTable, name: string): void
}

/** Deliveries that are not counted yet. */
const MAX_UNCOUNTED = 32

/**
 * Tenants with counters of their own; beyond this limit the least recently counted tenant is added
 * to the root tenant.
 */
const MAX_COUNTED_TENANTS = 200

/**
 * @param options.root the name of the root tenant
 * @param options.onChange called after each count
 */
export function createCoverageKeeper({
  version,
  root,
  onChange,
}: {
  version: string
  root: string
  onChange?: (() => void) | undefined
}) {
  /** The most recently counted tenant is the last one. */
  const kept = new Map<string, Counting>()
  const names = new Map<string, string>()
  const uncounted: { readonly tenant: string; readonly delivered: Delivered }[] = []
  const keep = (tenant: string, counters: CoverageCounters): Counting => {
    const hit = (table: HitsTable, name: string) =>
      addHit(table, name, names.get(tenant) ?? names.get(root))
    const made = { counters, tableOf: createClaimsTables(counters), hit }
    kept.set(tenant, made)
    return made
  }
  const forget = (tenant: string) => {
    const gone = kept.get(tenant)
    names.delete(tenant)
    if (!gone || tenant === root) return
    kept.delete(tenant)
    keep(root, mergeCoverage([keptOf(root).counters, gone.counters], version))
  }
  const keptOf = (tenant: string): Counting =>
    kept.get(tenant) ?? keep(tenant, emptyCounters(version))
  const makeRoom = () => {
    if (kept.size <= MAX_COUNTED_TENANTS) return
    const oldest = [...kept.keys()].find((tenant) => tenant !== root)
    if (oldest !== undefined) forget(oldest)
  }
  const countingOf = (tenant: string) => {
    const found = keptOf(tenant)
    if (tenant !== root) {
      kept.delete(tenant)
      kept.set(tenant, found)
      makeRoom()
    }
    return found
  }
  const countAll = () => {
    for (const { tenant, delivered } of uncounted.splice(0))
      countDelivery(delivered, countingOf(tenant))
  }
  const all = () =>
    mergeCoverage(
      [...kept.values()].map(({ counters }) => counters),
      version,
    )

  return {
    /** Adds the counters of a removed tenant to those of the root tenant. */
    forget(tenant: string) {
      countAll()
      forget(tenant)
    },
    of: (tenant: string) => ({
      /**
       * Queues a delivery. Deliveries are counted in batches, or when the counters are read, so
       * that no call waits.
       */
      delivered(delivered: Delivered) {
        uncounted.push({ tenant, delivered })
        if (uncounted.length >= MAX_UNCOUNTED) countAll()
        onChange?.()
      },
      /** The counters; for the root tenant those of all tenants. */
      counters() {
        countAll()
        return tenant === root
          ? all()
          : mergeCoverage([kept.get(tenant)?.counters ?? emptyCounters(version)], version)
      },
      /** Sets these counters to 0. */
      clear() {
        countAll()
        if (tenant === root) kept.clear()
        else kept.delete(tenant)
        onChange?.()
      },
      /**
       * Lists coming deliveries under this test; without a name under none. A name of the root
       * tenant also applies to tenants without their own.
       */
      name(test: string | undefined) {
        countAll()
        if (test === undefined) names.delete(tenant)
        else names.set(tenant, test.slice(0, MAX_TEST_NAME))
      },
    }),
  }
}

function addHit(table: HitsTable, name: string, test: string | undefined): void {
  table[name] ??= { count: 0 }
  const hits = table[name]
  hits.count++
  if (test === undefined) return
  hits.tests ??= []
  if (hits.tests.length < MAX_TESTS && !hits.tests.includes(test)) hits.tests.push(test)
}

/** A flow whose callback was sent to the client. */
interface Ended {
  readonly flow: 'use' | 'create'
  readonly callback: Callback
  /** The flow; absent when the request itself was refused. */
  readonly transaction?: UseTransaction | CreateTransaction | undefined
  readonly evaluation?: UseEvaluation | undefined
  /** The outcome of the flow. */
  readonly outcome?: Outcome | undefined
}

/**
 * Counts what was sent to a client. A waiting page, an iframe and an audit deliver nothing to it.
 */
function countDelivery({ endpoint, answer, audit }: Delivered, counting: Counting): void {
  const called = SERVER_CALLS.find((call) => call === endpoint.call)
  if (audit) {
    const pushed = counting.counters.calls.par?.['success']
    // Only the browser used the request: the pushed request was counted before.
    if (audit === 'late' && endpoint === ENDPOINTS.create && pushed && pushed.count > 0)
      pushed.count--
    return
  }
  if (called) {
    countReplied(called, answer, counting)
    return
  }
  const { asked: transaction, callback, evaluation, decision, endedAs } = answer
  const { flow } = endpoint
  if (flow !== 'use' && flow !== 'create') return
  // The choice on a page ends a request that was counted before.
  if (transaction && endpoint.correlation !== 'transaction') countAsked(transaction, counting)
  if (!callback) return
  const outcome =
    decision?.outcome ?? (endedAs === undefined ? undefined : findOutcome(flow, endedAs))
  countEnded({ flow, callback, transaction, evaluation, outcome }, counting)
}

function countAsked(
  transaction: UseTransaction | CreateTransaction,
  { counters, tableOf, hit }: Counting,
): void {
  const ask = (what: Asked) => hit(counters.asked, what)
  ask(transaction.flow)
  if (transaction.flow !== 'use') return
  ask(transaction.mode)
  ask(transaction.canCreate ? 'can_create' : 'no_can_create')
  if (transaction.upgrade) ask('upgrade')
  // What a request asked for is a gap until it is answered.
  tableOf(transaction)
}

function countEnded(ended: Ended, counting: Counting): void {
  const { callback, evaluation, outcome, transaction } = ended
  const { counters, hit } = counting
  if (outcome) hit(counters.rows, rowId(outcome))
  if (isSpoiled(outcome)) return
  const hasCode = evaluation !== undefined && callback.params.some(([name]) => name === 'code')
  // The forced outcome gives the usual answer.
  if (hasCode && outcome?.name !== 'code_issued') hit(counters.rows, 'use/code_issued')
  for (const name of endingsOf(ended, hasCode)) hit(counters.endings, name)
  if (transaction?.flow === 'use' && evaluation) countAnswers(transaction, evaluation, counting)
}

/**
 * Decision: an outcome that changes an answer counts for its row alone. An outcome that a correct
 * client accepts counts for both, because it changes none of the answers.
 */
const isSpoiled = (outcome: Outcome | undefined) =>
  outcome?.apply !== undefined && outcome.correctClient !== 'accept'

function endingsOf(
  { flow, callback, evaluation, outcome }: Ended,
  hasCode: boolean,
): readonly EndingName[] {
  if (evaluation) {
    if (Object.values(evaluation.ageThresholds).some((met) => met)) return ['verified']
    return hasCode ? ['none_met', 'code_issued'] : ['none_met']
  }
  const has = (name: string, value: string) =>
    callback.params.some(([sent, as]) => sent === name && as === value)
  if (has('create_requested', 'true')) return ['create_requested']
  if (has('error', 'access_denied')) return [flow === 'use' ? 'access_denied' : 'create_denied']
  if (outcome?.name === 'request_uri.expired') return ['request_uri_expired']
  return callback.params.some(([name]) => name === 'error') ? ['other_error'] : ['created']
}

function countAnswers(
  transaction: UseTransaction,
  evaluation: UseEvaluation,
  { tableOf, hit }: Counting,
): void {
  const table = tableOf(transaction)
  if (!table) return
  const { seen, hasFilters } = table
  const { ageThresholds, claims, signals, now } = evaluation
  const hitSide = (sides: Record<string, HitsTable>, name: string, side: string) => {
    sides[name] ??= {}
    hit(sides[name], side)
  }
  for (const [threshold, met] of Object.entries(ageThresholds))
    hitSide(seen.thresholds, threshold, String(met))
  for (const { threshold, day } of birthdaysAt(signals, claims, now))
    hitSide(seen.boundaries, String(threshold), day)
  if (!hasFilters) return
  // Counted once for an answer, whatever the number of signals.
  const sides = { passed: new Set<string>(), failed: new Set<string>() }
  for (const { member, passed } of filterResults(signals, claims, now))
    sides[passed ? 'passed' : 'failed'].add(member)
  for (const side of FILTER_SIDES)
    for (const member of sides[side]) hitSide(seen.filters, member, side)
}

function countReplied(
  called: ServerCall,
  { reply, forcedOutcome: outcome }: Delivered['answer'],
  { counters, hit }: Counting,
): void {
  if (outcome) hit(counters.rows, rowId(outcome))
  const side = sideOf(reply, outcome)
  counters.calls[called] ??= {}
  if (side) hit(counters.calls[called], side)
}

/**
 * Decision: a timeout is a reply that an outcome delays. A failure is a status from 500, a closed
 * connection, or a body that is cut off. A refusal is a status from 400. Any other changed reply
 * counts only for its row.
 */
function sideOf(
  { status, delayMs, dropped, body }: Delivered['answer']['reply'],
  outcome: Outcome | undefined,
) {
  if (delayMs) return 'timeout'
  if (dropped || body.kind === 'truncated' || status >= 500) return 'failure'
  if (status >= 400) return 'refusal'
  return isSpoiled(outcome) ? undefined : 'success'
}

interface ClaimsTable {
  readonly seen: ClaimsCounters
  readonly hasFilters: boolean
}

/**
 * Texts of claims that are remembered, without their instants: an app that sends the present time
 * sends a new text each time.
 */
const MAX_TEXTS = 200
const INSTANTS = /"verified_after"\s*:\s*"[^"]*"/g

/**
 * Creates a function that finds the counters of claims, or adds them; `undefined` when there are
 * too many distinct claims. `claimsText` is the JSON as it was sent.
 */
function createClaimsTables({ claims: all, omitted }: CoverageCounters) {
  const tableOf = (seen: ClaimsCounters): ClaimsTable => ({
    seen,
    hasFilters: filtersOf(seen.claims).length > 0,
  })
  const byKey = new Map(all.map((seen) => [claimsKey(seen.claims), tableOf(seen)]))
  // A known text is not parsed again for each answer.
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
  const find = ({ claims, claimsText }: Pick<UseTransaction, 'claims' | 'claimsText'>) => {
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
  return (sent: Pick<UseTransaction, 'claims' | 'claimsText'>) => {
    if (last?.claims !== sent.claims) last = { claims: sent.claims, table: find(sent) }
    return last.table
  }
}
