import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { isFlowId } from '../../sandbox/journal/journal.ts'
import { SandboxError, unreachable } from '../../server/client/sandbox-error.ts'
import type { Flow, FlowFilter } from '../../server/client/shapes.ts'
import type { Texts } from '../../server/config/text-settings.ts'
import { RECORDING_NAMES } from '../../server/control/contract/recording-formats.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import { quote } from '../../service/text/message-parts.ts'
import { visible } from '../../service/text/visible.ts'
import { type FilterFlags, filterInWords, oneOf, readFilter } from './remote/filter-flags.ts'
import { findFlow, flowLine, flowPageUrl, printFlow, STATUS_COLORS } from './remote/print-flow.ts'
import { type AskFlags, type ReachedSandbox, reachSandbox } from './remote/reach-sandbox.ts'
import { untilSignal } from './start/until-signal.ts'
import { paint, paintError, print, printError, printJson, printText, writeOut } from './terminal.ts'

interface FlowsOptions extends AskFlags, FilterFlags {
  readonly follow?: boolean
  readonly as?: string
  readonly limit?: string
}

/**
 * Lists flows. With an id or `last`, shows this flow; with `--as`, prints it as a file. With
 * `--follow`, prints calls as they happen.
 * @throws ConfigError for a bad flag, SandboxError for an unknown flow
 */
export async function flows(
  id: string | undefined,
  flags: Texts,
  options: FlowsOptions,
): Promise<void> {
  if (options.follow) {
    const other = id === undefined ? ['as', 'limit'].find((name) => name in options) : quote(id)
    if (other !== undefined)
      throw ConfigError.of(`--follow: it prints calls as they come; leave ${other} out`)
    return follow(flags, options)
  }
  const as = oneOf(RECORDING_NAMES, options.as, { flag: '--as', kind: 'format' })
  const filter = readFilter(options)
  const limit = readLimit(options.limit)
  if (as !== undefined && id === undefined)
    throw ConfigError.of('--as: name a flow, for example f12 or last')
  if (as !== undefined && options.json)
    throw ConfigError.of('--json: --as says what is printed; give one of both')
  if (id !== undefined && id !== 'last' && !isFlowId(id))
    throw ConfigError.of(`flows: ${quote(id)} is not the id of a flow; give one like f12, or last`)
  const sandbox = await reachSandbox(flags, options)
  await sandbox.requireTenant()
  if (id === undefined) return listFlows(sandbox, { filter, limit, json: options.json ?? false })
  const found = id === 'last' ? await newest(sandbox, filter) : id
  if (as === undefined) return printFlow(found, sandbox, options)
  // Looked up first, because the error of `findFlow` names the newest flow.
  await findFlow(found, sandbox.api)
  const { text } = await sandbox.api.flows.export(found, as)
  printText(text)
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 2_000

function readLimit(text = String(DEFAULT_LIMIT)): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw ConfigError.of(`--limit: ${quote(text)} is not a whole number from 1 to ${MAX_LIMIT}`)
}

type Filter = ReturnType<typeof readFilter>

async function newest({ api }: ReachedSandbox, filter: Filter): Promise<string> {
  const [flow] = await api.flows.list({ ...filter, limit: 1 })
  if (flow) return flow.id
  const words = filterInWords(filter)
  throw ConfigError.of(`flows: there is no flow${words === '' ? '' : ` with ${words}`} yet`)
}

async function listFlows(
  { api, pages, clientProblem }: ReachedSandbox,
  { filter, limit, json }: { filter: Filter; limit: number; json: boolean },
): Promise<void> {
  const found = await api.flows.list({ ...filter, limit })
  const withPages = found.map((flow) => ({ ...flow, page: flowPageUrl(flow, pages) }))
  if (json) return printJson({ flows: withPages })
  const words = filterInWords(filter)
  if (found.length === 0) {
    const { client_id: client } = filter
    const problem = client === undefined ? undefined : await clientProblem(client)
    print(
      visible(
        [`no flow${words === '' ? ' yet' : ` with ${words}`}`, problem].filter(Boolean).join('; '),
      ),
    )
  }
  for (const flow of found)
    print(`${flow.started_at.slice(0, 19).replace('T', ' ')}  ${flowLine(flow)}`)
}

const BETWEEN_TRIES_MS = 1000

/**
 * Prints each answered call with the state of its flow, until Ctrl-C. A filter selects calls by
 * their flows. Reconnects if the connection is lost.
 * @throws ConfigError for a bad flag, SandboxError when the first connection fails
 */
async function follow(flags: Texts, { json = false, ...options }: FlowsOptions): Promise<void> {
  const filter = readFilter(options)
  const sandbox = await reachSandbox(flags, options)
  const end = new AbortController()
  void untilSignal().then(() => end.abort())

  // The sandbox checks the names in the filter with this call.
  await sandbox.call('listFlows', { query: { ...filter, limit: 1 } })
  const connection = watchConnection(sandbox.url)
  while (!end.signal.aborted) {
    try {
      for await (const event of streamEvents(sandbox, end.signal)) {
        if (event.kind === 'open') {
          connection.opened()
          continue
        }
        const line = await lineOf(event, { sandbox, filter, json })
        if (line !== undefined && writeOut(`${line}\n`) !== undefined) return
      }
    } catch (error) {
      if (!end.signal.aborted && !connection.wasOpen()) throw error
    }
    if (end.signal.aborted) return
    connection.lost()
    await pause(BETWEEN_TRIES_MS, undefined, { signal: end.signal }).catch(() => undefined)
  }
}

/** Warns once when a connection is lost, and once when the connection is open again. */
interface WatchedConnection {
  opened(): void
  lost(): void
  wasOpen(): boolean
}

function watchConnection(url: string): WatchedConnection {
  let wasOpen = false
  let isLost = false
  return {
    opened() {
      if (isLost) warn(`${url}: connected again`)
      wasOpen = true
      isLost = false
    },
    lost() {
      if (!isLost) warn(`${url}: the connection is lost; trying again`)
      isLost = true
    },
    wasOpen: () => wasOpen,
  }
}

interface FollowOptions {
  readonly sandbox: ReachedSandbox
  readonly filter: Filter
  readonly json: boolean
}

/** The line about an event; `undefined` if the filter excludes its flow or an audit made it. */
async function lineOf(
  event: SandboxEvent,
  { sandbox, filter, json }: FollowOptions,
): Promise<string | undefined> {
  const flow = await flowOf(event, filter, sandbox)
  const isFiltered = Object.keys(filter).length > 0
  const isOfFlow = event.kind === 'call' && event.id != null
  if (!flow && (isFiltered || isOfFlow)) return undefined
  return json ? jsonLine(event, flow, sandbox.pages) : prettyLine(event, flow)
}

const warn = (text: string) => printError(`${paintError('yellow', 'warning:')} ${visible(text)}`)

/** The flow of a call, if it matches the filter. */
async function flowOf(event: SandboxEvent, filter: FlowFilter, { call }: ReachedSandbox) {
  if (event.kind !== 'call' || event.id == null) return undefined
  const number = Number(event.id.slice(1))
  const place = { before: `f${number + 1}`, ...(number > 1 ? { after: `f${number - 1}` } : {}) }
  const { flows } = await call('listFlows', { query: { ...filter, ...place, limit: 1 } })
  return flows[0]
}

/** An event of the sandbox: a call was answered, a scenario advanced, or the tenant was reset. */
const eventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('call'),
    /** The id of the flow; absent for a call outside a flow. */
    id: z.string().nullish(),
    at: z.string(),
    endpoint: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.number(),
  }),
  z.looseObject({ kind: z.literal('scenario') }),
  z.object({ kind: z.literal('reset') }),
])

type SandboxEvent = z.infer<typeof eventSchema>

/**
 * Yields `open`, then the events of a sandbox until the connection ends.
 * @throws SandboxError when the sandbox cannot be reached or refuses; an error of `fetch` when the
 * connection breaks
 */
export async function* streamEvents(
  { url, controlToken }: Pick<ReachedSandbox, 'url' | 'controlToken'>,
  signal: AbortSignal,
): AsyncGenerator<SandboxEvent | { readonly kind: 'open' }> {
  const headers = controlToken === undefined ? {} : { Authorization: `Bearer ${controlToken}` }
  const response = await fetch(`${url}/_sandbox/events`, { headers, signal }).catch(
    (cause: unknown) => {
      throw unreachable(url, cause)
    },
  )
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

/**
 * Parses an event; `undefined` for a comment, and for an event of a flow, which repeats its calls.
 */
function readEvent(block: string): SandboxEvent | undefined {
  const fieldOf = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const json = parseJson(fieldOf('data') ?? '')
  const data = z.record(z.string(), z.unknown()).safeParse(json.ok && json.value).data
  return data && eventSchema.safeParse({ ...data, kind: fieldOf('event') }).data
}

/** @param pages the URL of the sandbox or tenant for browsers */
function jsonLine(event: SandboxEvent, found: Flow | undefined, pages: string): string {
  const { kind, ...data } = event
  if (event.kind !== 'call') return JSON.stringify({ event: kind, ...data })
  const { at, endpoint, method, path, status } = event
  return JSON.stringify({
    event: kind,
    at,
    endpoint,
    method,
    path,
    status,
    flow: found && factsOf(found, pages),
  })
}

function factsOf(
  { id, flow, status, summary, persona, outcome, client_id, state }: Flow,
  pages: string,
) {
  return {
    id,
    flow,
    status,
    summary,
    persona,
    outcome,
    client_id,
    state,
    page: flowPageUrl({ id }, pages),
  }
}

function prettyLine(event: SandboxEvent, flow: Flow | undefined): string {
  if (event.kind === 'reset') return paint('dim', 'reset')
  if (event.kind === 'scenario') {
    const { name, status, step } = event
    const place = typeof step === 'number' ? `, step ${step + 1}` : ''
    return paint('dim', visible(`scenario ${String(name)}: ${String(status)}${place}`))
  }
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
  const state = paint(STATUS_COLORS[flow.status], flow.status.padEnd(8))
  return [...cells, state, flow.status === 'error' ? paint('red', text) : text].join('  ')
}
