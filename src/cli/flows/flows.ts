import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { visible } from '../../files/visible.ts'
import { isFlowId } from '../../sandbox/journal/journal.ts'
import { RECORDING_NAMES } from '../../sandbox/recordings/recording.ts'
import { quote } from '../../text/message-parts.ts'
import { type FilterFlags, filterInWords, oneOf, readFilter } from '../remote/filter-flags.ts'
import { findFlow, flowLine, flowPageUrl, printFlow } from '../remote/print-flow.ts'
import { type ReachedSandbox, reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { print, printJson, printText } from '../terminal.ts'

interface FlowsOptions extends SandboxAddress, FilterFlags {
  readonly follow?: boolean
  readonly as?: string
  readonly limit?: string
  readonly json?: boolean
}

/**
 * Lists flows; with an id, or `last`, shows one; with `--as` prints it as a file; with `--follow` prints calls as they come.
 * @throws ConfigError for a bad flag, SandboxError for an unknown flow
 */
export async function flows(id: string | undefined, flags: Texts, options: FlowsOptions): Promise<void> {
  if (options.follow) {
    const other = id === undefined ? ['as', 'limit'].find((name) => name in options) : quote(id)
    if (other !== undefined) throw ConfigError.of(`--follow: it prints calls as they come; leave ${other} out`)
    const { follow } = await import('./follow.ts')
    return follow(flags, options)
  }
  const as = oneOf(RECORDING_NAMES, options.as, { flag: '--as', kind: 'format' })
  const filter = readFilter(options)
  const limit = readLimit(options.limit)
  if (as !== undefined && id === undefined) throw ConfigError.of('--as: name a flow, for example f12 or last')
  if (as !== undefined && options.json) throw ConfigError.of('--json: --as says what is printed; give one of both')
  if (id !== undefined && id !== 'last' && !isFlowId(id))
    throw ConfigError.of(`flows: ${quote(id)} is not the id of a flow; give one like f12, or last`)
  const sandbox = await reachSandbox(flags, options)
  await sandbox.requireTenant()
  if (id === undefined) return listFlows(sandbox, { filter, limit, json: options.json ?? false })
  const found = id === 'last' ? await newest(sandbox, filter) : id
  if (as === undefined) return printFlow(found, sandbox, options)
  // Checked first, because the message names the newest flow.
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
    print(visible([`no flow${words === '' ? ' yet' : ` with ${words}`}`, problem].filter(Boolean).join('; ')))
  }
  for (const flow of found) print(`${flow.started_at.slice(0, 19).replace('T', ' ')}  ${flowLine(flow)}`)
}
