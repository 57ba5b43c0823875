import { isJsonObject } from '../../age/json-object.ts'
import { createPause } from '../take-turn.ts'
import { shownResponse } from './call-record.ts'
import { type FlowStatus, summarizeFlow } from './explain-flow.ts'
import type { ListedFlow } from './journal.ts'

/** What can be asked about a flow only when its calls are read. */
export interface FlowSearch {
  readonly status?: FlowStatus | undefined
  /** Free text: each of its words stands somewhere in the flow, in whatever case. */
  readonly q?: string | undefined
}

/** The flows that a search finds, in the order of the list. They are read one by one, no more of them than the reader takes. */
export async function* searchFlows(
  flows: AsyncIterable<ListedFlow>,
  { status, q = '' }: FlowSearch,
): AsyncGenerator<ListedFlow> {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const pause = createPause()
  for await (const flow of flows) {
    const { status: had, summary } = summarizeFlow(flow)
    const isFound = status === undefined || had === status
    if (isFound && (words.length === 0 || holds(flow, summary, words))) yield flow
    await pause()
  }
}

function holds({ calls, ...facts }: ListedFlow, summary: string, words: readonly string[]): boolean {
  const shown = calls.map(({ response, ...call }) => [call, response, shownResponse(response)])
  const text = [summary, ...textsIn(facts), ...textsIn(shown)].join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The names and values of a JSON value, wherever they stand in it. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
  return value === undefined || value === null ? [] : [String(value)]
}
