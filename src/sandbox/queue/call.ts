import { parseJson } from '../../oidc/request/json.ts'
import type { Mask } from '../clients/mask.ts'
import type { OutcomeFlow } from '../outcomes/outcome.ts'

/** What a request or call says of itself: expectations and scenarios are matched against it. */
export interface ReceivedCall {
  readonly flow: OutcomeFlow
  readonly client_id: string | undefined
  /** In Create the pushed one; of a token or upgrade call that of the Use request which its code or access token came from. */
  readonly state: string | undefined
  readonly nonce: string | undefined
  /** The outcome that it already has, such as `request_uri.expired`: only a decision for that outcome matches. */
  readonly endedAs?: string | undefined
  /** What was sent, by name. */
  sentParameters(): Readonly<Record<string, unknown>>
  /** Takes secrets out of what is shown of it. */
  readonly mask: Mask
}

/** Parameters that carry JSON text. */
const JSON_PARAMETERS = ['claims', 'authorization_details']

/** What was sent, with the values of parameters that carry JSON text parsed; text that is not JSON stays as it is. */
export const parsedParameters = (parameters: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      if (typeof value !== 'string' || !JSON_PARAMETERS.includes(name)) return [name, value]
      const json = parseJson(value)
      return [name, json.ok ? json.value : value]
    }),
  )
