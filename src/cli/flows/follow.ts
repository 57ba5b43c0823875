import { setTimeout as pause } from 'node:timers/promises'
import type { FlowFilter } from '../../client/shapes.ts'
import type { Texts } from '../../config/text-settings.ts'
import { visible } from '../../files/visible.ts'
import { type FilterFlags, readFilter } from '../remote/filter-flags.ts'
import { type ReachedSandbox, reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { untilSignal } from '../start/until-signal.ts'
import { paintError, printError } from '../terminal.ts'
import { type SandboxEvent, streamEvents } from './event-stream.ts'
import { createFollowReport } from './follow-report.ts'

interface FollowOptions extends SandboxAddress, FilterFlags {
  readonly json?: boolean
}

const BETWEEN_TRIES_MS = 1000

/**
 * Prints each call as it is answered, with what became of its flow, until Ctrl-C. With a filter only calls of flows that fit.
 * When the connection is lost it connects again.
 * @throws Error for a bad flag, or when the sandbox cannot be reached in the beginning or refuses
 */
export async function follow(flags: Texts, { json = false, ...options }: FollowOptions): Promise<void> {
  const filter = readFilter(options)
  const sandbox = await reachSandbox(flags, options)
  const report = createFollowReport(sandbox.pages, json)
  const end = new AbortController()
  void untilSignal().then(() => end.abort())

  // Names that do not exist are refused here.
  await sandbox.call('listFlows', { query: { ...filter, limit: 1 } })
  const isFiltered = Object.keys(filter).length > 0
  let connections = 0
  let isLost = false
  while (!end.signal.aborted) {
    try {
      for await (const event of streamEvents(sandbox, end.signal)) {
        if (event.kind === 'open') {
          connections += 1
          if (isLost) warn(`${sandbox.url}: connected again`)
          isLost = false
          continue
        }
        const flow = await flowOf(event, filter, sandbox)
        // That of an audit is left out, as one that does not fit.
        if (!flow && (isFiltered || (event.kind === 'call' && event.flow !== undefined))) continue
        if (!report(event, flow)) return
      }
    } catch (error) {
      if (!end.signal.aborted && connections === 0) throw error
    }
    if (end.signal.aborted) return
    if (!isLost) warn(`${sandbox.url}: the connection is lost; trying again`)
    isLost = true
    await pause(BETWEEN_TRIES_MS, undefined, { signal: end.signal }).catch(() => undefined)
  }
}

const warn = (text: string) => printError(`${paintError('yellow', 'warning:')} ${visible(text)}`)

/** The flow of a call, when it fits the filter. */
async function flowOf(event: SandboxEvent, filter: FlowFilter, { call }: ReachedSandbox) {
  if (event.kind !== 'call' || event.flow === undefined) return undefined
  const number = Number(event.flow.slice(1))
  const place = { before: `f${number + 1}`, ...(number > 1 ? { after: `f${number - 1}` } : {}) }
  const { flows } = await call('listFlows', { query: { ...filter, ...place, limit: 1 } })
  return flows[0]
}
