import * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import { type Callback, callbackSchema, callbackUrl } from '../../service/oidc/callback.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { looksLikeJson, parseJson } from '../../service/oidc/request/json.ts'
import {
  decodePairs,
  type Pairs,
  refuseManyParameters,
} from '../../service/oidc/request/parameters.ts'
import { findingSchema } from '../../service/oidc/rules/finding.ts'
import { MASKED } from '../clients/mask.ts'
import { recordedClockSchema } from '../clock/clock.ts'
import { withoutEnding } from './flow-link.ts'

/** The response to a call as data. */
export const recordedResponseSchema = z.discriminatedUnion('kind', [
  /** The browser was redirected to the relying party. */
  z.object({ kind: z.literal('callback'), callback: callbackSchema }),
  z.object({ kind: z.literal('redirect'), location: z.string() }),
  /**
   * `params`: the fields of the form that posts a callback. `error`: the error of an error page.
   * `transaction`: the id of the request that waits on the page.
   */
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

/** The decision about one call, and its source. */
export type RecordedDecision = Readonly<z.infer<typeof recordedDecisionSchema>>

/** One call of a flow, in the shape of the control API. */
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
  decision: recordedDecisionSchema
    .optional()
    .describe('What was decided for this call, and what decided it'),
  clock: recordedClockSchema
    .optional()
    .describe('How the clock was moved when the call came; absent in real time'),
  traceparent: z
    .string()
    .optional()
    .describe('The header of a call by a server (W3C Trace Context)'),
  accept: z.string().optional().describe('The header `Accept`, of a call that was refused'),
})

export type CallRecord = Readonly<z.infer<typeof callRecordSchema>>

const sentSchema = z.object({
  kind: z.enum(['query', 'form', 'json']),
  text: z.string(),
})

/** The request as received: the query string, or the body and its kind. */
export type Sent = Readonly<z.infer<typeof sentSchema>>

const keptCallSchema = callRecordSchema.omit({ parameters: true }).extend({
  sent: sentSchema,
  /** Whether an `Authorization` header was sent to a trap. */
  authorized: z.literal(true).optional(),
})

/** One call as the journal stores it: the request as received, including secrets. */
export type KeptCall = Readonly<z.infer<typeof keptCallSchema>>

/** Parses a stored call. Parameters are decoded here, when a reader asks for the flow. */
export function readCall(text: string): CallRecord {
  const { at, endpoint, method, path, status, sent, authorized, ...answer } = keptCallSchema.parse(
    JSON.parse(text),
  )
  const parameters = { ...parametersOf(sent), ...(authorized && { authorization: MASKED }) }
  return { at, endpoint, method, path, status, parameters, ...answer }
}

/** The kind of a body by its media type. Any type except JSON is read as a form. */
export const bodyKind = (contentType: string | undefined): Sent['kind'] =>
  contentType?.startsWith('application/json') ? 'json' : 'form'

/**
 * The parameters of a call by name. An unreadable body may hold a secret, so only its problem or
 * its length is recorded.
 * @param pairs decodes a query or form
 */
export function parametersOf(
  sent: Sent,
  pairs: () => Pairs = () => decodePairs(sent.text),
): Readonly<Record<string, unknown>> {
  try {
    return readParameters(sent, pairs)
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message }
    throw error
  }
}

function readParameters(
  { kind, text }: Sent,
  pairs: () => Pairs,
): Readonly<Record<string, unknown>> {
  if (kind === 'query') return byName(pairs())
  if (kind === 'form') {
    return looksLikeJson(text)
      ? { body: `${text.length} characters that are JSON, not a form` }
      : byName(pairs())
  }
  const json = parseJson(text)
  if (
    !json.ok ||
    typeof json.value !== 'object' ||
    json.value === null ||
    Array.isArray(json.value)
  )
    return { body: `${text.length} characters that are not a JSON object` }
  refuseManyParameters(Object.keys(json.value).length)
  return { ...json.value }
}

/** Parameters by name. A value that is not well-formed UTF-8 is replaced by U+FFFD. */
function byName(pairs: Pairs): Record<string, unknown> {
  const named: Record<string, unknown> = Object.create(null)
  for (const [name, value = '\ufffd'] of pairs) named[name] = value
  return named
}

/** A response in the shape of `GET flows`: the location, the page or the body itself. */
export function shownResponse(response: RecordedResponse): unknown {
  switch (response.kind) {
    case 'callback':
      return { location: shownAddress(response.callback) }
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

/**
 * The URL of a callback. A masked secret can make the redirect URI invalid; the redirect URI itself
 * is returned then.
 */
export const shownAddress = (callback: Callback): string =>
  URL.canParse(callback.redirectUri) ? callbackUrl(callback) : callback.redirectUri

/**
 * The parameters of the last callback; `undefined` when the browser has not returned to the relying
 * party.
 */
export const callbackOf = ({ calls }: { readonly calls: readonly CallRecord[] }) =>
  calls.map(({ response }) => paramsOf(response)).findLast((params) => params !== undefined)

function paramsOf(response: RecordedResponse): Readonly<Record<string, string>> | undefined {
  if (response.kind === 'callback') return Object.fromEntries(response.callback.params)
  return response.kind === 'page' ? response.params : undefined
}

/**
 * Whether a call failed for the app, whatever its status: a broken rule, an error status, an error
 * page, a callback with `error`, a broken connection, or a fetched trap.
 */
export function isRefused({ endpoint, status, findings, response }: CallRecord): boolean {
  if (status >= 400 || status === 0 || endpoint === 'trap') return true
  if (findings.some(({ level }) => level === 'error')) return true
  return (
    paramsOf(response)?.['error'] !== undefined ||
    (response.kind === 'page' && response.error !== undefined)
  )
}

/**
 * Why a call was refused if no finding explains it: an unknown persona, a failed authentication, a
 * broken connection.
 */
export function refusalOf({ status, findings, response }: CallRecord) {
  if (status === 0) return { status, description: 'the connection was closed without a response' }
  if (status < 400 || findings.some(({ level }) => level === 'error')) return undefined
  return { status, description: descriptionOf(response) }
}

function descriptionOf(response: RecordedResponse): string | undefined {
  if (response.kind === 'page') return response.error?.description
  if (response.kind !== 'json' || !isJsonObject(response.value)) return undefined
  const { error_description: description } = response.value
  return typeof description === 'string' ? withoutEnding(description) : undefined
}
