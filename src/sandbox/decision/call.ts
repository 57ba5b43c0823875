import type { OutcomeFlow } from '../outcomes/outcome.ts'

/** What a request or call says of itself: expectations and scenarios are matched against it. */
export interface ReceivedCall {
  readonly flow: OutcomeFlow
  readonly client_id: string | undefined
  /** In Create the pushed one. */
  readonly state: string | undefined
  readonly nonce: string | undefined
  /** The outcome that it already has, such as `request_uri.expired`: only a decision for that outcome matches. */
  readonly endedAs?: string | undefined
  /** What was sent, by name; `claims` and `authorization_details` are parsed. */
  sentParameters(): Readonly<Record<string, unknown>>
}
