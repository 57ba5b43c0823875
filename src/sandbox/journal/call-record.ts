import * as z from 'zod'
import { callbackSchema, callbackUrl } from '../../oidc/callback.ts'
import { findingSchema } from '../../oidc/rules/finding.ts'
import { MASKED } from '../clients/mask.ts'
import { recordedClockSchema } from '../clock/clock.ts'
import { parametersOf, sentSchema } from './sent.ts'

/** The response as data. */
export const recordedResponseSchema = z.discriminatedUnion('kind', [
  /** The browser was sent back to the relying party. */
  z.object({ kind: z.literal('callback'), callback: callbackSchema }),
  z.object({ kind: z.literal('redirect'), location: z.string() }),
  /** `params`: the fields of a form that posts the callback. `error`: of an error page. `transaction`: what waits on the page. */
  z.object({
    kind: z.literal('page'),
    title: z.string(),
    params: z.record(z.string(), z.string()).optional(),
    error: z.object({ code: z.string(), description: z.string() }).optional(),
    transaction: z.string().optional(),
  }),
  /** A JSON body. Secrets are masked. */
  z.object({ kind: z.literal('json'), value: z.unknown() }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** The connection was closed without a response. */
  z.object({ kind: z.literal('dropped') }),
])

export type RecordedResponse = Readonly<z.infer<typeof recordedResponseSchema>>

const recordedDecisionSchema = z.object({
  persona: z.string().optional(),
  outcome: z.string().optional(),
  decided_by: z.string().optional(),
})

/** What was decided for one call, and what decided it. */
export type RecordedDecision = Readonly<z.infer<typeof recordedDecisionSchema>>

/** One call of a flow, as readers see it. */
export const callRecordSchema = z.object({
  /** ISO 8601, by the clock of the tenant. */
  at: z.string(),
  endpoint: z
    .string()
    .describe(
      '`E1` to `E5`, `choice` for the form of a hosted page, or `trap` for an address that no client may follow',
    ),
  method: z.string(),
  path: z.string(),
  status: z.int().describe('0: the connection was closed without a response'),
  parameters: z
    .record(z.string(), z.unknown())
    .readonly()
    .describe('What was sent; `claims` and `authorization_details` read as JSON'),
  findings: z.array(findingSchema).readonly(),
  response: recordedResponseSchema,
  decision: recordedDecisionSchema.optional().describe('What was decided for this call, and what decided it'),
  clock: recordedClockSchema.optional().describe('How the clock was moved when the call came; absent in real time'),
  traceparent: z.string().optional().describe('The header of a call by a server (W3C Trace Context)'),
  accept: z.string().optional().describe('The header `Accept`, of a call that was refused'),
})

export type CallRecord = Readonly<z.infer<typeof callRecordSchema>>

const keptCallSchema = callRecordSchema.omit({ parameters: true }).extend({
  sent: sentSchema,
  /** Whether the call sent an `Authorization` header to a trap. */
  authorized: z.literal(true).optional(),
})

/** One call of a flow as the journal keeps it: with the request as it came, secrets included. */
export type KeptCall = Readonly<z.infer<typeof keptCallSchema>>

/** Parses a kept call. Its parameters are decoded here, when somebody reads the flow. */
export function readCall(text: string): CallRecord {
  const { at, endpoint, method, path, status, sent, authorized, ...answer } = keptCallSchema.parse(JSON.parse(text))
  const parameters = { ...parametersOf(sent), ...(authorized && { authorization: MASKED }) }
  return { at, endpoint, method, path, status, parameters, ...answer }
}

/** What `GET flows` shows of a response: the location, the page or the body itself. */
export function shownResponse(response: RecordedResponse): unknown {
  switch (response.kind) {
    case 'callback': {
      const { callback } = response
      // The address may contain a masked secret.
      return { location: URL.canParse(callback.redirectUri) ? callbackUrl(callback) : callback.redirectUri }
    }
    case 'redirect':
      return { location: response.location }
    case 'page': {
      const { title: page, params, error } = response
      if (params) return { page, params }
      return error ? { page, error: error.code, error_description: error.description } : { page }
    }
    case 'json':
      return response.value
    case 'text':
      return response.text
    case 'dropped':
      return { dropped: true }
  }
}
