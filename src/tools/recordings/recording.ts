import type { ClockMove } from '../../sandbox/clock/clock.ts'
import type { CallRecord, RecordedDecision } from '../../sandbox/journal/call-record.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import type { Persona } from '../../sandbox/personas/persona-schema.ts'
import type { CallName, Endpoint } from '../../service/oidc/endpoints.ts'
import type { SigningAlgorithm } from '../../service/oidc/ports.ts'
import type { Profile } from '../../service/oidc/rules/profile.ts'

/** A flow as a list of steps to repeat. Every format is written from a recording. */
export interface Recording {
  readonly flow: Flow
  /** The base URL of the sandbox, or the tenant, that recorded the flow. */
  readonly baseUrl: string
  readonly version: string
  /** What a sandbox needs to give the same answers. */
  readonly needs: Needs
  /** Calls that cannot be repeated, each with the reason in a sentence. */
  readonly leftOut: readonly string[]
  readonly steps: readonly RecordedStep[]
}

export interface Needs {
  /**
   * The client without its secret, because a test declares its own secret; `undefined` if the flow
   * named no registered client.
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
  /** The readings of the flow: the variant by the name of the reading. */
  readonly readings?: Readonly<Record<string, string>> | undefined
}

export type RecordedStep = { readonly kind: 'clock'; readonly move: ClockMove } | RecordedRequest

/** A call of the app or of its user's browser. */
export interface RecordedRequest {
  readonly kind: 'request'
  /** A name that is unique in the recording and valid as an identifier in each language: `use1`. */
  readonly name: string
  /** Endpoint and title: `E1 Use authorization`. */
  readonly title: string
  readonly flow: CallName
  readonly caller: 'browser' | 'server'
  readonly call: CallRecord
  /** The decision for the call. The usual outcome of a persona is left out. */
  readonly decision: RecordedDecision | undefined
  /**
   * The parameters of the query or the fields of the form, without parameters of the sandbox.
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

/** A text as recorded, or a value that the new run provides. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'issued'; readonly issued: IssuedValue }
  | { readonly kind: 'client_secret'; readonly isRight: boolean }

export type ExpectedAnswer =
  /** The connection is closed without a response. */
  | { readonly kind: 'dropped' }
  | ExpectedCallback
  /** A response with this status. `error` is the member of the JSON body. */
  | { readonly kind: 'reply'; readonly status: number; readonly error: string | undefined }
  /** An answer that depends on more than the recording contains. */
  | { readonly kind: 'any' }

export interface ExpectedCallback {
  readonly kind: 'callback'
  readonly status: number
  /** Where the parameters are: in the URL of a redirect, or in the form of a page. */
  readonly place: 'fragment' | 'query' | 'form'
  readonly names: readonly string[]
  readonly error: string | undefined
  /** `age_thresholds` of the id_token; `undefined` without a readable id_token. */
  readonly thresholds: Readonly<Record<string, boolean>> | undefined
}

export const isRequest = (step: RecordedStep): step is RecordedRequest => step.kind === 'request'
