import type { ClockMove } from '../../sandbox/clock/clock.ts'
import type { CallRecord, RecordedDecision } from '../../sandbox/journal/call-record.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import type { Persona } from '../../sandbox/personas/persona-schema.ts'
import type { CallName, Endpoint } from '../../service/oidc/endpoints.ts'
import type { SigningAlgorithm } from '../../service/oidc/ports.ts'
import type { Profile } from '../../service/oidc/rules/profile.ts'

/** A flow as a list of steps to repeat, from which every format is written. */
export interface Recording {
  readonly flow: Flow
  /** The base URL of the sandbox, or the tenant, that recorded the flow. */
  readonly baseUrl: string
  readonly version: string
  /** What a sandbox needs to give the same answers. */
  readonly needs: Needs
  /** Calls that cannot be repeated and why, a sentence each. */
  readonly leftOut: readonly string[]
  readonly steps: readonly RecordedStep[]
}

export interface Needs {
  /**
   * The client without its secret, since a test declares its own; absent when the flow named no
   * registered one.
   */
  readonly client:
    | {
        readonly clientId: string
        readonly redirectUris: readonly string[]
        readonly signingAlg: SigningAlgorithm | undefined
      }
    | undefined
  readonly personas: readonly Persona[]
  /** Settings that differ from the defaults. */
  readonly profile: Profile | undefined
  readonly lifetimes: Readonly<Record<string, number>> | undefined
  readonly slowReplySeconds: number | undefined
  /** The readings under which the flow was answered: variants by the names of their readings. */
  readonly readings?: Readonly<Record<string, string>> | undefined
}

export type RecordedStep = { readonly kind: 'clock'; readonly move: ClockMove } | RecordedRequest

/** A call of the app or of its user's browser. */
export interface RecordedRequest {
  readonly kind: 'request'
  /** `use1`: unique in the recording, and a name in each language. */
  readonly name: string
  /** `E1 Use authorization`. */
  readonly title: string
  readonly flow: CallName
  readonly caller: 'browser' | 'server'
  readonly call: CallRecord
  /** What decided the call; the usual outcome of a persona is left out. */
  readonly decision: RecordedDecision | undefined
  /**
   * The parameters of the query, or the fields of the form, without those of the sandbox itself.
   */
  readonly fields: readonly (readonly [name: string, value: FieldValue])[]
  /** The JSON body of E5. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** `Accept` of a browser request whose refusal was JSON instead of a page. */
  readonly accept: string | undefined
  readonly credentials: 'none' | 'basic' | 'wrong_basic' | 'bearer' | 'wrong_bearer'
  readonly issues: IssuedValue | undefined
  readonly expected: ExpectedAnswer
}

/** A value that one call issues and a later call sends. */
export type IssuedValue = NonNullable<Endpoint['issues']>

/** A text as it was sent, or a value of the new run. */
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
  /** An answer that depends on what the recording does not hold. */
  | { readonly kind: 'any' }

export interface ExpectedCallback {
  readonly kind: 'callback'
  readonly status: number
  /** The place of the parameters: the address of a redirect, or the fields of a page. */
  readonly place: 'fragment' | 'query' | 'form'
  readonly names: readonly string[]
  readonly error: string | undefined
  /** The answers in the id_token, by threshold; absent without a readable id_token. */
  readonly thresholds: Readonly<Record<string, boolean>> | undefined
}

export const isRequest = (step: RecordedStep): step is RecordedRequest => step.kind === 'request'
