import { isJsonObject } from '../../service/age/json-object.ts'
import { createPause } from '../take-turn.ts'
import { shownResponse } from './call-record.ts'
import { type FlowStatus, summarizeFlow } from './explain-flow.ts'
import type { ListedFlow } from './journal.ts'

/** Criteria that need the calls of a flow. */
export interface FlowSearch {
  readonly status?: FlowStatus | undefined
  /** Free text: each word must occur in the flow, in upper or lower case. */
  readonly q?: string | undefined
}

/**
 * Finds matching flows, in the order of the input. Flows are read one by one, only as the caller
 * consumes them.
 */
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

function holds(
  { calls, ...facts }: ListedFlow,
  summary: string,
  words: readonly string[],
): boolean {
  const shown = calls.map(({ response, ...call }) => [call, response, shownResponse(response)])
  const text = [summary, ...textsIn(facts), ...textsIn(shown)].join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

/** All names and values in a JSON value. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
  return value === undefined || value === null ? [] : [String(value)]
}
