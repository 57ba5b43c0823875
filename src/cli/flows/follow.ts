import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { SandboxError, unreachable } from '../../client/sandbox-error.ts'
import type { Flow, FlowFilter } from '../../client/shapes.ts'
import type { Texts } from '../../config/text-settings.ts'
import { visible } from '../../files/visible.ts'
import { parseJson } from '../../oidc/request/json.ts'
import { type FilterFlags, readFilter } from '../remote/filter-flags.ts'
import { flowPageUrl, STATUS_COLORS } from '../remote/print-flow.ts'
import { type ReachedSandbox, reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { untilSignal } from '../start/until-signal.ts'
import { paint, paintError, printError, writeOut } from '../terminal.ts'

interface FollowOptions extends SandboxAddress, FilterFlags {
  readonly json?: boolean
}

const BETWEEN_TRIES_MS = 1000

/**
 * Prints each answered call, with the state of its flow, until Ctrl-C. A filter selects calls by their flows. A lost connection is opened
 * again.
 * @throws Error for a bad flag, or when the sandbox cannot be reached at the start or refuses
 */
export async function follow(flags: Texts, { json = false, ...options }: FollowOptions): Promise<void> {
  const filter = readFilter(options)
  const sandbox = await reachSandbox(flags, options)
  const end = new AbortController()
  void untilSignal().then(() => end.abort())

  // The sandbox refuses unknown names here.
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
        // A flow of an audit is left out, like one that does not match.
        if (!flow && (isFiltered || (event.kind === 'call' && event.flow !== undefined))) continue
        const line = json ? jsonLine(event, flow, sandbox.pages) : prettyLine(event, flow)
        if (writeOut(`${line}\n`) !== undefined) return
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

/** The flow of a call, if it matches the filter. */
async function flowOf(event: SandboxEvent, filter: FlowFilter, { call }: ReachedSandbox) {
  if (event.kind !== 'call' || event.flow === undefined) return undefined
  const number = Number(event.flow.slice(1))
  const place = { before: `f${number + 1}`, ...(number > 1 ? { after: `f${number - 1}` } : {}) }
  const { flows } = await call('listFlows', { query: { ...filter, ...place, limit: 1 } })
  return flows[0]
}

/** Events of the sandbox: a call was answered, a scenario advanced, the tenant was reset. `open`: the connection is open. */
type SandboxEvent =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'call'; readonly flow: string | undefined } & Readonly<z.infer<typeof callSchema>>)
  | { readonly kind: 'scenario'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'reset' }

const callSchema = z.object({
  id: z.string().nullish(),
  at: z.string(),
  endpoint: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
})

/**
 * The events of a sandbox from now on, until the connection ends.
 * @throws SandboxError when it cannot be reached, refuses, or the connection is lost
 */
export async function* streamEvents(
  { url, controlToken }: Pick<ReachedSandbox, 'url' | 'controlToken'>,
  signal: AbortSignal,
): AsyncGenerator<SandboxEvent> {
  const headers = controlToken === undefined ? {} : { Authorization: `Bearer ${controlToken}` }
  const response = await fetch(`${url}/_sandbox/events`, { headers, signal }).catch((cause: unknown) => {
    throw unreachable(url, cause)
  })
  if (!response.ok || response.body === null) {
    const message = `the sandbox answered ${response.status} to GET /_sandbox/events`
    throw new SandboxError(message, { status: response.status, error: 'server_error' })
  }
  yield { kind: 'open' }
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readEvent(block)
      if (event) yield event
    }
  }
}

/** `undefined` for a comment, and for an event of a flow: its calls say the same. */
function readEvent(block: string): SandboxEvent | undefined {
  const fieldOf = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const data = parseJson(fieldOf('data') ?? '')
  if (!data.ok) return undefined
  switch (fieldOf('event')) {
    case 'call': {
      const call = callSchema.safeParse(data.value).data
      return call && { kind: 'call', ...call, flow: call.id ?? undefined }
    }
    case 'scenario':
      return { kind: 'scenario', data: z.record(z.string(), z.unknown()).parse(data.value) }
    case 'reset':
      return { kind: 'reset' }
    default:
      return undefined
  }
}

type ReportedEvent = Exclude<SandboxEvent, { kind: 'open' }>

/** @param pages where a browser finds the sandbox or tenant */
function jsonLine(event: ReportedEvent, flow: Flow | undefined, pages: string): string {
  switch (event.kind) {
    case 'call': {
      const { at, endpoint, method, path, status } = event
      return JSON.stringify({ event: 'call', at, endpoint, method, path, status, flow: flow && factsOf(flow, pages) })
    }
    case 'scenario':
      return JSON.stringify({ event: 'scenario', ...event.data })
    case 'reset':
      return JSON.stringify({ event: 'reset' })
  }
}

function factsOf({ id, flow, status, summary, persona, outcome, client_id, state }: Flow, pages: string) {
  return { id, flow, status, summary, persona, outcome, client_id, state, page: flowPageUrl({ id }, pages) }
}

function prettyLine(event: ReportedEvent, flow: Flow | undefined): string {
  switch (event.kind) {
    case 'call': {
      const { at, endpoint, method, path, status } = event
      const isFine = status > 0 && status < 400
      const cells = [
        paint('dim', at.slice(11, 19)),
        (flow?.id ?? '-').padEnd(5),
        (flow?.flow ?? '-').padEnd(7),
        endpoint.padEnd(6),
        paint(isFine ? 'green' : 'red', status === 0 ? 'dropped' : String(status)),
      ]
      if (!flow) return [...cells, `${method} ${visible(path)}`].join('  ')
      const text = visible(flow.summary)
      return [
        ...cells,
        paint(STATUS_COLORS[flow.status], flow.status.padEnd(8)),
        flow.status === 'error' ? paint('red', text) : text,
      ].join('  ')
    }
    case 'scenario': {
      const { name, status, step } = event.data
      const place = typeof step === 'number' ? `, step ${step + 1}` : ''
      return paint('dim', visible(`scenario ${String(name)}: ${String(status)}${place}`))
    }
    case 'reset':
      return paint('dim', 'reset')
  }
}
