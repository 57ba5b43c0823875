import { ConfigError } from '../../sandbox/files/config-error.ts'
import type { ClockState, Expectation, NextDecision } from '../../server/client/shapes.ts'
import type { Texts } from '../../server/config/text-settings.ts'
import { CALLS } from '../../service/oidc/endpoints.ts'
import { quote } from '../../service/text/message-parts.ts'
import { flagWord } from '../../service/text/shell-word.ts'
import { visible } from '../../service/text/visible.ts'
import { oneOf } from './remote/filter-flags.ts'
import {
  type AskFlags,
  flagsAsTyped,
  type ReachedSandbox,
  reachSandbox,
  type SandboxAddress,
} from './remote/reach-sandbox.ts'
import { print, printJson } from './terminal.ts'

interface NextOptions extends AskFlags {
  readonly flow?: string
  readonly persona?: string
  readonly outcome?: string
  readonly client?: string
  readonly times?: string
  readonly clear?: boolean
}

/**
 * Queues a decision in a running sandbox. Without a decision, lists the queued decisions; with
 * `clear`, removes them.
 * @throws ConfigError for a bad flag, SandboxError for an unknown name
 */
export async function nextDecision(flags: Texts, options: NextOptions): Promise<void> {
  const decision = readDecision(options)
  const { client, clear = false, json = false } = options
  const sandbox = await reachSandbox(flags, options)
  if (!decision) await sandbox.requireTenant()
  const problem = client === undefined ? undefined : await sandbox.clientProblem(client)
  if (problem !== undefined) throw ConfigError.of(`--client: ${problem}`)
  if (clear) return clearDecisions(sandbox, json)
  if (!decision) return listDecisions(sandbox, json)
  const added = await sandbox.api.next(decision)
  if (json) return printJson(added)
  print(describeExpectation(added, sandbox.inTenant))
  print(`Take it back: ${commandFor('next --clear', flags, options)}`)
}

/**
 * The decision that the flags name; `undefined` if they name neither persona nor outcome.
 * @throws ConfigError for a bad flag, or a flag that needs a decision
 */
function readDecision({
  flow,
  persona,
  outcome,
  client,
  times,
  clear = false,
}: NextOptions): NextDecision | undefined {
  const decision = {
    flow: oneOf(CALLS, flow, { flag: '--flow', kind: 'flow' }),
    persona,
    outcome,
    match: client === undefined ? undefined : { client_id: client },
    times: times === undefined ? undefined : readNumber(times, '--times'),
  }
  const isDecided = persona !== undefined || outcome !== undefined
  if (clear && isDecided) {
    throw ConfigError.of('--clear: it takes decisions back; leave --persona and --outcome out')
  }
  if (isDecided) return decision
  if (flow !== undefined || client !== undefined || times !== undefined) {
    throw ConfigError.of(
      'next: name who the user is with --persona, or how the flow ends with --outcome, or both',
    )
  }
  return undefined
}

async function listDecisions({ api, inTenant }: ReachedSandbox, json: boolean): Promise<void> {
  const waiting = await api.expectations.list()
  if (json) return printJson({ expectations: waiting })
  if (waiting.length === 0) print(noDecision(inTenant))
  for (const expectation of waiting) print(describeExpectation(expectation, inTenant))
}

async function clearDecisions({ api, inTenant }: ReachedSandbox, json: boolean): Promise<void> {
  const { length } = await api.expectations.list()
  await api.expectations.clear()
  if (json) return printJson({ expectations: [] })
  if (length === 0) return print(noDecision(inTenant))
  print(`Taken back${inTenant}: ${length} ${length === 1 ? 'decision' : 'decisions'}.`)
}

const noDecision = (inTenant: string) => `No decision waits${inTenant}.`

/** A command line that reaches the same sandbox. */
function commandFor(
  command: string,
  { persona: _persona, outcome: _outcome, ...flags }: Texts,
  { url, tenant }: SandboxAddress,
): string {
  const address = Object.entries({ url, tenant }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, flagWord(value)],
  )
  return visible(['agekey-sandbox', command, ...flagsAsTyped(flags), ...address].join(' '))
}

/**
 * `Decides the next use request with client_id web-shop: persona teen-16, outcome access_denied`
 */
function describeExpectation(
  { flow, persona, outcome, match, remaining }: Expectation,
  inTenant: string,
): string {
  const requests =
    remaining === 1 ? `the next ${flow} request` : `the next ${remaining} ${flow} requests`
  const matched = Object.entries(match ?? {}).map(([name, value]) => ` with ${name} ${value}`)
  const decided: string[] = []
  if (persona !== undefined) decided.push(`persona ${persona}`)
  if (outcome !== undefined) decided.push(`outcome ${outcome}`)
  return visible(`Decides ${requests}${inTenant}${matched.join('')}: ${decided.join(', ')}`)
}

interface ClockOptions extends AskFlags {
  readonly change: 'advance' | 'set' | 'freeze' | 'reset' | 'show'
  readonly text?: string | undefined
}

/**
 * Shows or moves the clock of a running sandbox.
 * @throws ConfigError for a bad number, SandboxError for a bad instant
 */
export async function driveClock(
  flags: Texts,
  { change, text = '', json = false, ...address }: ClockOptions,
): Promise<void> {
  const { api, inTenant, requireTenant } = await reachSandbox(flags, address)
  const { clock } = api
  if (change === 'reset' || change === 'show') await requireTenant()
  const changes = {
    advance: () => clock.advance(readNumber(text, 'clock advance')),
    set: () => clock.set(text),
    freeze: () => clock.freeze(),
    reset: () => clock.reset(),
    show: () => clock.state(),
  }
  const state = await changes[change]()
  if (json) return printJson(state)
  print(describeClock(state, inTenant))
  if (change !== 'reset' && change !== 'show')
    print(`Back to real time: ${commandFor('clock reset', flags, address)}`)
}

function describeClock(
  { now, base, advanced_seconds: advanced, frozen }: ClockState,
  inTenant: string,
): string {
  const moved = advanced === 0 ? '' : `, ${advanced} seconds after ${base}`
  return `It is ${now}${inTenant || ' in the sandbox'}${moved}${frozen ? '; the clock stands still' : ''}.`
}

/** Resets a running sandbox to its declared state. */
export async function reset(flags: Texts, { json = false, ...address }: AskFlags): Promise<void> {
  const { api, url, requireTenant } = await reachSandbox(flags, address)
  await requireTenant()
  await api.reset()
  if (json) return print(JSON.stringify({ url, reset: true }))
  print(
    `${visible(url)} is back to how it was declared: personas, decisions, scenarios, clock, flows, codes and tokens.\nClients and keys stay. A reset cannot be taken back.`,
  )
}

function readNumber(text: string, source: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw ConfigError.of(`${source}: ${quote(text)} is not a number from 0 up`)
}
