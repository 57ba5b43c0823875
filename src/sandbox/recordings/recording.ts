import type { Endpoint } from '../../oidc/endpoints.ts'
import type { Lifetimes, SigningAlgorithm } from '../../oidc/ports.ts'
import type { Profile } from '../../oidc/rules/profile.ts'
import type { ClockMove } from '../clock/clock-move.ts'
import type { CallRecord, RecordedDecision } from '../journal/call-record.ts'
import type { Flow } from '../journal/journal.ts'
import type { OutcomeFlow } from '../outcomes/outcome.ts'
import type { Persona } from '../personas/persona-schema.ts'

/** A flow as a list of what to do again, one thing after the other: every text on it is made of this. */
export interface Recording {
  readonly flow: Flow
  /** Of the sandbox, or the tenant, that recorded it. */
  readonly baseUrl: string
  readonly version: string
  /** What a sandbox needs to answer the same. */
  readonly needs: Needs
  /** Calls that cannot be made again, and why, a sentence each. */
  readonly leftOut: readonly string[]
  readonly steps: readonly RecordedStep[]
}

export interface Needs {
  /** Absent when the flow named none that is registered. */
  readonly client: RecordedClient | undefined
  readonly personas: readonly Persona[]
  /** Only what differs from the defaults. */
  readonly profile: Profile | undefined
  readonly lifetimes: Partial<Lifetimes> | undefined
  readonly slowReplySeconds: number | undefined
  /** Those that the flow was answered by: variants by the names of their readings. */
  readonly readings?: Readonly<Record<string, string>> | undefined
}

/** Without its secret: a test declares one of its own. */
export interface RecordedClient {
  readonly clientId: string
  readonly redirectUris: readonly string[]
  readonly signingAlg: SigningAlgorithm | undefined
}

export type RecordedStep = { readonly kind: 'clock'; readonly move: ClockMove } | RecordedRequest

/** A call that the app makes, or its user's browser. */
export interface RecordedRequest {
  readonly kind: 'request'
  /** `use1`: unique in the recording, a name in every language. */
  readonly name: string
  /** `E1 Use authorization`. */
  readonly title: string
  readonly flow: OutcomeFlow
  readonly caller: 'browser' | 'server'
  readonly call: CallRecord
  /** What decided it; the usual outcome of its persona is left out. */
  readonly decision: RecordedDecision | undefined
  /** The parameters of the query, or the fields of the form, without those of the sandbox itself. */
  readonly fields: readonly (readonly [name: string, value: FieldValue])[]
  /** The JSON body of E5. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The header of a request by the browser that is refused as JSON instead of by a page. */
  readonly accept: string | undefined
  readonly credentials: 'none' | 'basic' | 'wrong_basic' | 'bearer' | 'wrong_bearer'
  readonly issues: IssuedValue | undefined
  readonly expected: ExpectedAnswer
}

/** What one call issues and a later one sends. */
export type IssuedValue = NonNullable<Endpoint['issues']>

/** A text as it was sent, or what takes its place in a new run. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'issued'; readonly issued: IssuedValue }
  | { readonly kind: 'client_secret'; readonly isRight: boolean }

export type ExpectedAnswer =
  /** The connection is closed without a response. */
  | { readonly kind: 'dropped' }
  | ExpectedCallback
  /** `error`: of a JSON body. */
  | { readonly kind: 'reply'; readonly status: number; readonly error: string | undefined }
  /** It depends on what a recording does not hold. */
  | { readonly kind: 'any' }

export interface ExpectedCallback {
  readonly kind: 'callback'
  readonly status: number
  /** Where the parameters stand: in the address of a redirect, or in the fields of a page. */
  readonly place: 'fragment' | 'query' | 'form'
  readonly names: readonly string[]
  readonly error: string | undefined
  /** What the id_token says, by threshold; absent without a readable one. */
  readonly thresholds: Readonly<Record<string, boolean>> | undefined
}

export const isRequest = (step: RecordedStep): step is RecordedRequest => step.kind === 'request'
