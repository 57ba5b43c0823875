import type { Command } from 'commander'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import type { FlowFilter, FlowKind, FlowStatus } from '../../../server/client/shapes.ts'
import { unknownName } from '../../../service/text/message-parts.ts'

/** The flags that select flows. */
export interface FilterFlags {
  readonly flow?: string
  readonly persona?: string
  readonly outcome?: string
  readonly client?: string
  readonly state?: string
  readonly status?: string
  readonly query?: string
  readonly audit?: string
}

const FLOWS = ['use', 'create', 'upgrade'] as const satisfies readonly FlowKind[]
const AUDITS = ['also', 'only'] as const
const STATUSES = ['waiting', 'ok', 'declined', 'error'] as const satisfies readonly FlowStatus[]

export const addFilterFlags = (command: Command): Command =>
  command
    .option('--flow <flow>', 'only flows of this kind: use, create or upgrade')
    .option('--persona <name>', 'only flows as this persona')
    .option('--outcome <name>', 'only flows that end this way')
    .option('--client <id>', 'only flows of this client_id')
    .option('--state <state>', 'only flows with this state')
    .option('--status <status>', 'only flows that went this way: ok, declined, error or waiting')
    .option('--query <text>', 'only flows in which each word of this text stands somewhere')
    .option('--audit <which>', 'flows of audits: also or only; left out without it')

/**
 * Reads the filter from the flags. The sandbox checks the names of personas and outcomes.
 * @throws ConfigError for an unknown value of a flag
 */
export function readFilter({
  flow,
  persona,
  outcome,
  client,
  state,
  status,
  query,
  audit,
}: FilterFlags): FlowFilter {
  const given = {
    flow: oneOf(FLOWS, flow, { flag: '--flow', kind: 'flow' }),
    persona,
    outcome,
    client_id: client,
    state,
    status: oneOf(STATUSES, status, { flag: '--status', kind: 'status' }),
    q: query,
    audit: oneOf(AUDITS, audit, { flag: '--audit', kind: 'choice' }),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** The filter in words: `persona teen-16 and status error`; empty without a filter. */
export const filterInWords = (filter: FlowFilter): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name === 'q' ? 'text' : name} ${value}`)
    .join(' and ')

/**
 * Checks that the value of a flag is in `known`; `undefined` without the flag.
 * @throws ConfigError with similar names
 */
export function oneOf<Value extends string>(
  known: readonly Value[],
  text: string | undefined,
  { flag, kind }: { flag: string; kind: string },
): Value | undefined {
  if (text === undefined) return undefined
  const value = known.find((one) => one === text)
  if (value === undefined) throw ConfigError.of(`${flag}: ${unknownName(kind, text, known)}`)
  return value
}

/**
 * Reads the value of `--timeout` in seconds.
 * @throws ConfigError for anything but a number above 0; with `orZero`, 0 is allowed too
 */
export function readTimeout(
  text: string | undefined,
  defaultSeconds: number,
  { orZero = false } = {},
): number {
  if (text === undefined) return defaultSeconds
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : -1
  if (seconds > 0 || (orZero && seconds === 0)) return seconds
  throw ConfigError.of(
    `--timeout: ${JSON.stringify(text)} is not a number of seconds ${orZero ? 'from 0 up' : 'above 0'}`,
  )
}
