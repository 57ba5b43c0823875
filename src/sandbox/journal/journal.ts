import * as z from 'zod'
import type { ThresholdTrace } from '../../service/age/trace.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import type { Mask } from '../clients/mask.ts'
import type { CallRecord, KeptCall } from './call-record.ts'
import type { EvaluationInput } from './evaluation.ts'

export const flowFactsSchema = z.object({
  flow: z.enum(['use', 'create', 'upgrade']),
  client_id: z.string().optional(),
  state: z.string().optional(),
  persona: z.string().optional(),
  outcome: z.string().optional(),
  /** What named the persona and the outcome: `request header X-Sandbox-Persona`. */
  decided_by: z.string().optional(),
  age_thresholds: z.record(z.string(), z.boolean()).readonly().optional(),
  /** The variants that differ from the default: `refused_token_status=403`. */
  readings: z.array(z.string()).readonly().optional(),
  /** The flow is one of an audit: lists leave it out, and coverage counts nothing of it. */
  audit: z.literal(true).optional(),
})

/** Facts about a whole flow; later calls may add to them. */
export type FlowFacts = Readonly<z.infer<typeof flowFactsSchema>>

/** All calls that belong together, as a list shows them. */
export interface ListedFlow extends FlowFacts {
  readonly id: string
  readonly tenant: string
  readonly started_at: string
  /** Absent while the user is still choosing. */
  readonly ended_at?: string | undefined
  /** Number of oldest calls that were dropped; absent when all calls are kept. */
  readonly dropped_calls?: number | undefined
  readonly calls: readonly CallRecord[]
}

/** One flow with its trace: the shape of `GET flows/ID`. */
export interface Flow extends ListedFlow {
  /** Why each threshold is true or false; only of a flow whose age key was evaluated. */
  readonly trace?: readonly ThresholdTrace[] | undefined
  /** What the age key held then, with plain dates; only for recordings. */
  readonly signals?: EvaluationInput['signals'] | undefined
}

export const journalEventSchema = z.object({
  type: z.enum(['call', 'flow', 'scenario', 'reset']),
  tenant: z.string(),
  /**
   * The id of the flow; absent for a call outside any flow (discovery, key set), a scenario and a
   * reset.
   */
  flow: z.string().optional(),
  /** Of a call and a flow: `flow` is the kind of the flow, as everywhere beside its id. */
  data: z.record(z.string(), z.unknown()),
})

/**
 * What `events` sends: a call was answered, a flow began or ended, a scenario advanced, a tenant
 * was reset.
 */
export type JournalEvent = Readonly<z.infer<typeof journalEventSchema>>

/** What decides to which flow a call belongs. */
export interface FlowOfCall {
  /**
   * Identifiers that earlier calls issued (`request_uri`, code, token, transaction): the first
   * known one names the flow.
   */
  readonly correlationIds: readonly string[]
  /** Whether the call begins a flow when it belongs to none that is known. */
  readonly begins: boolean
}

/** A call to record, with what decides its flow. */
export interface JournalEntry extends FlowOfCall {
  /** The id that `assign` gave to the call, because its answer names it. */
  readonly assigned?: string | undefined
  /** Identifiers that this call issues. */
  readonly issuedIds: readonly string[]
  readonly facts: FlowFacts
  /** The input of the evaluation, if this call evaluated an age key. */
  readonly evaluation?: EvaluationInput | undefined
  /** The flow ended with this call. */
  readonly ends: boolean
  readonly call: KeptCall
  /** What the client sees by this call; kept unless the flow is one of an audit. */
  readonly seen: readonly SeenName[]
  /** Masks the events of the call. */
  readonly mask: Mask
}

/**
 * The name of something that a client sees, with the text for which the name stands: the claims as
 * JSON, otherwise empty. `['row use/id_token.expired', '']`
 */
export type SeenName = readonly [name: string, text: string]

/**
 * What clients have seen, as a set of names for each tenant. The set of the root tenant has the
 * names of all tenants, removed ones included. The names outlive their flows and a reset.
 */
export interface SeenNames {
  /** A known name keeps its first text. A name beyond the limit is replaced by `NO_ROOM`. */
  add(tenant: string, seen: readonly SeenName[]): Awaitable<void>
  /** The names with their texts. */
  read(tenant: string): Promise<ReadonlyMap<string, string>>
  /** Removes the names of a tenant; of the root tenant those of all tenants. */
  clear(tenant: string): Promise<void>
}

/** Bytes of the names and texts of one tenant. */
export const MAX_SEEN_BYTES = 200_000
/** Tenants whose names are kept, the root tenant included; the least recently used one goes. */
export const MAX_SEEN_TENANTS = 200
/** The name that is kept when there is no room for another one. */
export const NO_ROOM = 'no room'

const FILTERED_FACTS = [
  'flow',
  'client_id',
  'state',
  'persona',
  'outcome',
] as const satisfies (keyof FlowFacts)[]

export interface FlowFilter
  extends Readonly<Partial<Record<(typeof FILTERED_FACTS)[number], string | undefined>>> {
  /** Only flows that began after this one. */
  readonly after?: string | undefined
  /** Only flows that began before this one. */
  readonly before?: string | undefined
  readonly isEnded?: true | undefined
  /** Flows of audits: left out when absent. */
  readonly audit?: 'also' | 'only' | undefined
}

/** Where a call was recorded. */
export interface RecordedIn {
  readonly id: string
}

/**
 * The journal of all tenants. Flows share one budget; flows of audits have half as much beside it,
 * so that they never push out others. Several processes may share one journal.
 */
export interface Journal {
  /**
   * Reserves the id of the flow in which a call will be recorded. A new id is given to no other
   * flow.
   */
  assign(tenant: string, call: FlowOfCall): Awaitable<string | undefined>
  /** Records a call; `undefined` when it belongs to no flow and begins none. */
  record(tenant: string, entry: JournalEntry): Awaitable<RecordedIn | undefined>
  /** Sends an event that belongs to no flow. */
  announce(event: JournalEvent): void
  /** What clients have seen. `record` adds to it; `add` is for calls outside any flow. */
  readonly seen: SeenNames
  /** Newest first. Each flow is parsed when it is asked for, which can take milliseconds. */
  list(tenant: string, filter?: FlowFilter): AsyncIterable<ListedFlow>
  /**
   * Flows that ended after the flow `since` did, in the order in which they ended; all ended flows
   * when `since` is unknown.
   */
  listEnded(tenant: string, since: string, filter?: FlowFilter): AsyncIterable<ListedFlow>
  /**
   * The id of the flow that ended last, or `NONE_ENDED`. It is looked up before the call returns.
   */
  lastEnded(tenant: string): Promise<string>
  find(tenant: string, id: string): Promise<Flow | undefined>
  /** How many flows of audits the journal holds. */
  countAudited(tenant: string): Promise<number>
  /** Removes the flows of a tenant. Its count goes on, so that ids stay in order. */
  clear(tenant: string): Promise<void>
  /**
   * Removes everything about a tenant, its count included: tenants may have any number of names.
   */
  forget(tenant: string): Promise<void>
  /** Calls `listener` for each event until the returned function is called. */
  subscribe(listener: (event: JournalEvent) => void): () => void
}

/** How much a journal keeps: the oldest flows go. */
export interface JournalBudget {
  readonly maxFlows?: number
  /** Characters of all kept flows as JSON: calls, facts, identifiers and inputs of evaluations. */
  readonly maxCharacters?: number
}

export const JOURNAL_BUDGET = {
  maxFlows: 2_000,
  maxCharacters: 12_000_000,
} as const satisfies JournalBudget

/**
 * Calls that one flow keeps; beyond this limit its oldest calls go. The flow keeps as many
 * identifiers: the first, which is the `request_uri` of a Create flow, and the newest.
 */
export const MAX_FLOW_CALLS = 100
/**
 * Characters of the calls that one flow keeps, as JSON; beyond this limit its oldest calls go, but
 * never the last.
 */
export const MAX_FLOW_CHARACTERS = 1_000_000

/** The share of the budget that flows of audits have beside it. */
export const AUDIT_SHARE = 0.5

/** What `lastEnded` returns before any flow has ended. */
export const NONE_ENDED = 'f0'

/**
 * Whether `id` has the shape of a flow's id: they count from `f1` in each tenant, whatever is
 * reset.
 */
export const isFlowId = (id: string) => /^f[1-9]\d{0,14}$/.test(id)

export const flowId = (count: number) => `f${count}`

/** The number in the id of a flow. */
export const flowNumber = (id: string) => Number(id.slice(1))

/**
 * Whether a flow matches a filter.
 * @param summary the facts of the flow and, when it has ended, `ended_at`
 */
export const fitsFilter = (
  id: string,
  summary: Readonly<Record<string, unknown>>,
  filter: FlowFilter,
): boolean =>
  (filter.after === undefined || flowNumber(id) > flowNumber(filter.after)) &&
  (filter.before === undefined || flowNumber(id) < flowNumber(filter.before)) &&
  (filter.isEnded === undefined || summary['ended_at'] !== undefined) &&
  (filter.audit === 'also' || (summary['audit'] === true) === (filter.audit === 'only')) &&
  FILTERED_FACTS.every((name) => filter[name] === undefined || filter[name] === summary[name])
