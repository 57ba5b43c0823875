import type { ThresholdTrace } from './claims.ts'
import type { KnownOutcome, KnownPersona } from './names.ts'

/** What a user does: a flow of the journal. */
export type FlowKind = 'use' | 'create' | 'upgrade'

/** `error`: a call was refused or got no response, or the callback carries `error`. */
export type FlowStatus = 'waiting' | 'ok' | 'error'

/** All calls that belong together, as the journal shows them. */
export interface Flow {
  /** `f12`. They count from `f1` in each tenant, whatever is reset. */
  id: string
  tenant: string
  flow: FlowKind
  client_id?: string | undefined
  state?: string | undefined
  persona?: string | undefined
  outcome?: string | undefined
  /** What named the persona and the outcome: `request header X-Sandbox-Persona`. */
  decided_by?: string | undefined
  /** How the service read what the specification leaves open, where not as usual: `par_status=200`. */
  readings?: readonly string[] | undefined
  /** The flow is one of an audit. */
  audit?: true | undefined
  status: FlowStatus
  /** One sentence: the first broken rule, else the refusal, else the answer. */
  summary: string
  /** What decided, then a line for each threshold and signal; absent in a list. */
  reasons?: string[] | undefined
  /** What a correct client does after the last call, a sentence each; absent in a list. */
  next_steps?: string[] | undefined
  /** ISO 8601, by the clock of the sandbox. */
  started_at: string
  /** Absent while the user is still choosing. */
  ended_at?: string | undefined
  /** What the id_token says, by threshold: `{ 18: true }`. */
  age_thresholds?: Record<string, boolean> | undefined
  /** Why; only of a flow whose age key was evaluated. */
  trace?: ThresholdTrace[] | undefined
  /** How many calls of its beginning are kept no longer; absent when all are. */
  dropped_calls?: number | undefined
  /** At most the last 100. */
  calls: CallRecord[]
}

/** One call of a flow. Secrets are masked. */
export interface CallRecord {
  /** ISO 8601, by the clock of the sandbox. */
  at: string
  /** `E1` to `E5`, `choice` for the form of a hosted page, or `trap` for an address that no client may follow. */
  endpoint: string
  method: string
  path: string
  /** 0: the connection was closed without a response. */
  status: number
  /** What was sent; `claims` and `authorization_details` read as JSON. */
  parameters: Readonly<Record<string, unknown>>
  findings: readonly Finding[]
  /** Where a redirect leads, the title of a page with the fields of its form, or the body. */
  response: unknown
  /** What was decided for this call, and what decided it. */
  decision?: { persona?: string | undefined; outcome?: string | undefined; decided_by?: string | undefined } | undefined
  /** How the clock was moved when the call came; absent in real time. */
  clock?: { base?: string | undefined; advanced_seconds?: number | undefined; frozen?: true | undefined } | undefined
  /** The header of a call by a server (W3C Trace Context), when it was valid. */
  traceparent?: string | undefined
  /** The header `Accept`, of a call that was refused. */
  accept?: string | undefined
}

/** A rule that a request broke: what is wrong, where, and what to do about it. */
export interface Finding {
  /** The id of the rule: `PAR-07`. */
  rule: string
  /** `error`: the request is refused. `advice`: it is legal but risky. */
  level: 'error' | 'advice'
  /** `nonce`, `claims.age_thresholds[1]`. */
  path: string
  message: string
  hint: string
}

/** Which flows to look for. */
export interface FlowFilter {
  readonly flow?: FlowKind | undefined
  readonly client_id?: string | undefined
  readonly state?: string | undefined
  readonly persona?: KnownPersona | undefined
  readonly outcome?: KnownOutcome | undefined
  readonly status?: FlowStatus | undefined
  /** Free text: each of its words stands somewhere in the flow, in whatever case. */
  readonly q?: string | undefined
  /** Flows of audits: also or only these; left out when absent. */
  readonly audit?: 'also' | 'only' | undefined
  /** The id of a flow: only flows that began after it. */
  readonly after?: string | undefined
  /** The id of a flow: only flows that began before it. */
  readonly before?: string | undefined
}

/** What a flow can be taken along as. */
export type RecordingName = 'scenario' | 'vitest' | 'playwright' | 'pytest' | 'mermaid' | 'har' | 'curl'

/** A flow as a file. */
export interface FlowRecording {
  /** `f12.test.ts` */
  file_name: string
  media_type: string
  text: string
}
