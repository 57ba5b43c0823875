import { isJsonObject } from '../../age/json-object.ts'
import type { CallRecord, RecordedResponse } from './call-record.ts'
import { withoutEnding } from './flow-link.ts'
import type { ListedFlow } from './journal.ts'

/** The parameters that the browser brought back to the relying party; `undefined` when it has not come back. */
export const callbackOf = ({ calls }: Pick<ListedFlow, 'calls'>): Readonly<Record<string, string>> | undefined =>
  calls.map(({ response }) => paramsOf(response)).findLast((params) => params !== undefined)

function paramsOf(response: RecordedResponse): Readonly<Record<string, string>> | undefined {
  if (response.kind === 'callback') return Object.fromEntries(response.callback.params)
  return response.kind === 'page' ? response.params : undefined
}

/**
 * Whether a call failed for the app, whatever its status: a broken rule, an error status, an error page, a callback with
 * `error`, a broken connection, a fetched trap.
 */
export function isRefused({ endpoint, status, findings, response }: CallRecord): boolean {
  if (status >= 400 || status === 0 || endpoint === 'trap') return true
  if (findings.some(({ level }) => level === 'error')) return true
  return paramsOf(response)?.['error'] !== undefined || (response.kind === 'page' && response.error !== undefined)
}

interface RefusedCall {
  readonly status: number
  readonly description: string | undefined
}

/** Why a call was refused, when no finding says it: an unknown persona, a client that did not authenticate, a broken connection. */
export function refusalOf({ status, findings, response }: CallRecord): RefusedCall | undefined {
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
