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
  /** The sources of persona and outcome: `request header X-Sandbox-Persona`. */
  decided_by: z.string().optional(),
  age_thresholds: z.record(z.string(), z.boolean()).readonly().optional(),
  /** The ids of the variants that differ from the default: `refused_token_status=403`. */
  readings: z.array(z.string()).readonly().optional(),
  /** Set for a flow of an audit. Lists leave it out, and coverage does not count it. */
  audit: z.literal(true).optional(),
})

/** Facts about a whole flow. Later calls may add facts. */
export type FlowFacts = Readonly<z.infer<typeof flowFactsSchema>>

/** A flow as a list shows it: all calls that belong together. */
export interface ListedFlow extends FlowFacts {
  readonly id: string
  readonly tenant: string
  readonly started_at: string
  /** Absent while the user has not decided. */
  readonly ended_at?: string | undefined
  /** Number of oldest calls that were removed; absent when all calls are kept. */
  readonly dropped_calls?: number | undefined
  readonly calls: readonly CallRecord[]
}

/** A flow with its trace, in the shape of `GET flows/ID`. */
export interface Flow extends ListedFlow {
  /** Why each threshold is true or false; only if the flow evaluated an age key. */
  readonly trace?: readonly ThresholdTrace[] | undefined
  /** The age signals at that time, with absolute dates; only for recordings. */
  readonly signals?: EvaluationInput['signals'] | undefined
}

export const journalEventSchema = z.object({
  type: z.enum(['call', 'flow', 'scenario', 'reset']),
  tenant: z.string(),
  /**
   * The id of the flow; absent for a scenario, for a reset, and for a call outside any flow
   * (discovery, key set).
   */
  flow: z.string().optional(),
  /** For a call or a flow, `data.flow` is the kind of the flow. */
  data: z.record(z.string(), z.unknown()),
})

/**
 * An event of `events`: a call was answered, a flow began or ended, a scenario advanced, or a
 * tenant was reset.
 */
export type JournalEvent = Readonly<z.infer<typeof journalEventSchema>>

/** Determines the flow of a call. */
export interface FlowOfCall {
  /**
   * Identifiers that earlier calls issued (`request_uri`, code, access token, transaction). The
   * first known identifier determines the flow.
   */
  readonly correlationIds: readonly string[]
  /** Whether the call begins a flow if it belongs to no known flow. */
  readonly begins: boolean
}

/** A call to record. */
export interface JournalEntry extends FlowOfCall {
  /** The id that `assign` reserved, if the answer names the flow. */
  readonly assigned?: string | undefined
  /** Identifiers that this call issues. */
  readonly issuedIds: readonly string[]
  readonly facts: FlowFacts
  /** The input of the evaluation, if this call evaluated an age key. */
  readonly evaluation?: EvaluationInput | undefined
  /** Whether the flow ends with this call. */
  readonly ends: boolean
  readonly call: KeptCall
  /** What the client sees by this call. It is not kept for a flow of an audit. */
  readonly seen: readonly SeenName[]
  /** Removes secrets from the events of the call. */
  readonly mask: Mask
}

/**
 * A name for something that a client sees, such as `['row use/id_token.expired', '']`. The text is
 * the claims object as JSON for a name of claims, otherwise empty.
 */
export type SeenName = readonly [name: string, text: string]

/**
 * What clients have seen, as a set of names for each tenant. The set of the root tenant holds the
 * names of all tenants, including removed tenants. Names are kept when their flows are removed, and
 * after a reset.
 */
export interface SeenNames {
  /**
   * Adds names. A known name keeps its first text. Beyond the limit, `NO_ROOM` is added instead of
   * a new name.
   */
  add(tenant: string, seen: readonly SeenName[]): Awaitable<void>
  /** The names with their texts. */
  read(tenant: string): Promise<ReadonlyMap<string, string>>
  /** Removes the names of a tenant; for the root tenant, the names of all tenants. */
  clear(tenant: string): Promise<void>
}

/** Maximum size of the names and texts of one tenant, in bytes. */
export const MAX_SEEN_BYTES = 200_000
/**
 * Maximum number of tenants whose names are kept, including the root tenant. The least recently
 * used tenant is removed.
 */
export const MAX_SEEN_TENANTS = 200
/** The name that stands for all names beyond the limit. */
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
  /** Only flows that began after the flow with this id. */
  readonly after?: string | undefined
  /** Only flows that began before the flow with this id. */
  readonly before?: string | undefined
  readonly isEnded?: true | undefined
  /** Flows of audits: `also` includes them, `only` selects them. By default they are left out. */
  readonly audit?: 'also' | 'only' | undefined
}

/** The flow in which a call was recorded. */
export interface RecordedIn {
  readonly id: string
}

/**
 * The journal of all tenants. Flows share one budget. Flows of audits have an additional budget of
 * half the size, so that they never push out other flows. Several processes may share one journal.
 */
export interface Journal {
  /**
   * Reserves the id of the flow in which a call will be recorded. No other flow receives a new id
   * that was reserved.
   */
  assign(tenant: string, call: FlowOfCall): Awaitable<string | undefined>
  /** Records a call; `undefined` when it belongs to no flow and begins none. */
  record(tenant: string, entry: JournalEntry): Awaitable<RecordedIn | undefined>
  /** Sends an event that belongs to no flow. */
  announce(event: JournalEvent): void
  /** What clients have seen. `record` adds names; call `add` only for calls outside any flow. */
  readonly seen: SeenNames
  /**
   * Lists flows, newest first. Each flow is parsed when the caller reaches it, which can take
   * milliseconds.
   */
  list(tenant: string, filter?: FlowFilter): AsyncIterable<ListedFlow>
  /**
   * Lists flows that ended after the flow `since`, in the order of their ends; all ended flows when
   * `since` is unknown.
   */
  listEnded(tenant: string, since: string, filter?: FlowFilter): AsyncIterable<ListedFlow>
  /**
   * The id of the flow that ended last, or `NONE_ENDED`. The journal looks it up before this call
   * returns.
   */
  lastEnded(tenant: string): Promise<string>
  find(tenant: string, id: string): Promise<Flow | undefined>
  /** The number of flows of audits in the journal. */
  countAudited(tenant: string): Promise<number>
  /** Removes the flows of a tenant. The count of flows continues, so that ids keep their order. */
  clear(tenant: string): Promise<void>
  /**
   * Removes everything about a tenant, including its count of flows. Without this, the counts would
   * grow with the number of tenant names.
   */
  forget(tenant: string): Promise<void>
  /** Calls `listener` for each event. The returned function ends the subscription. */
  subscribe(listener: (event: JournalEvent) => void): () => void
}

/** The size of a journal. Beyond it the oldest flows are removed. */
export interface JournalBudget {
  readonly maxFlows?: number
  /**
   * Maximum size of all flows as JSON, in characters: calls, facts, identifiers and inputs of
   * evaluations.
   */
  readonly maxCharacters?: number
}

export const JOURNAL_BUDGET = {
  maxFlows: 2_000,
  maxCharacters: 12_000_000,
} as const satisfies JournalBudget

/**
 * Maximum number of calls in one flow; beyond it the oldest calls are removed. A flow keeps the
 * same number of identifiers: the first, which is the `request_uri` of a Create flow, and the
 * newest.
 */
export const MAX_FLOW_CALLS = 100
/**
 * Maximum size of the calls in one flow as JSON, in characters. Beyond it the oldest calls are
 * removed, but never the last call.
 */
export const MAX_FLOW_CHARACTERS = 1_000_000

/** The additional budget for flows of audits, as a share of the budget. */
export const AUDIT_SHARE = 0.5

/** The result of `lastEnded` before any flow has ended. */
export const NONE_ENDED = 'f0'

/**
 * Whether a text is the id of a flow. Ids count from `f1` in each tenant; a reset does not restart
 * them.
 */
export const isFlowId = (id: string) => /^f[1-9]\d{0,14}$/.test(id)

export const flowId = (count: number) => `f${count}`

/** The number in the id of a flow. */
export const flowNumber = (id: string) => Number(id.slice(1))

/**
 * Whether a flow matches a filter.
 * @param summary the facts of the flow, and `ended_at` when it has ended
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
