import type { RecordedResponse } from '../sandbox/journal/call-record.ts'
import type { Flow } from '../sandbox/journal/journal.ts'

/** What the browser brought back to the relying party at the end of a flow; `undefined` when it has not. */
export const callbackOf = ({ calls }: Pick<Flow, 'calls'>): Readonly<Record<string, string>> | undefined =>
  calls.map(({ response }) => paramsOf(response)).findLast((params) => params !== undefined)

function paramsOf(response: RecordedResponse): Readonly<Record<string, string>> | undefined {
  if (response.kind === 'callback') return Object.fromEntries(response.callback.params)
  return response.kind === 'page' ? response.params : undefined
}
