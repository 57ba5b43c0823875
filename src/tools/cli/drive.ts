import { ConfigError } from '../../sandbox/files/config-error.ts'
import { OUTCOME_FLOWS } from '../../sandbox/outcomes/outcome.ts'
import type { ClockState, Expectation, NextDecision } from '../../server/client/shapes.ts'
import type { Texts } from '../../server/config/text-settings.ts'
import { quote } from '../../service/text/message-parts.ts'
import { flagWord } from '../../service/text/shell-word.ts'
import { visible } from '../../service/text/visible.ts'
import { oneOf } from './remote/filter-flags.ts'
import {
  type AskFlags,
  flagsAsTyped,
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
 * Queues a decision in a running sandbox, lists waiting decisions, or with `clear` removes all.
 * @throws ConfigError for a bad flag, SandboxError for an unknown name
 */
export async function nextDecision(
  flags: Texts,
  { clear = false, json = false, ...options }: NextOptions,
): Promise<void> {
  const { flow, persona, outcome, client, times } = options
  const decision: NextDecision = {
    flow: oneOf(OUTCOME_FLOWS, flow, { flag: '--flow', kind: 'flow' }),
    persona,
    outcome,
    match: client === undefined ? undefined : { client_id: client },
    times: times === undefined ? undefined : readNumber(times, '--times'),
  }
  const isDecided = persona !== undefined || outcome !== undefined
  if (clear && isDecided)
    throw ConfigError.of('--clear: it takes decisions back; leave --persona and --outcome out')
  if (!isDecided && [flow, client, times].some((given) => given !== undefined))
    throw ConfigError.of(
      'next: name who the user is with --persona, or how the flow ends with --outcome, or both',
    )

  const { api, inTenant, requireTenant, clientProblem } = await reachSandbox(flags, options)
  if (!isDecided) await requireTenant()
  const problem = client === undefined ? undefined : await clientProblem(client)
  if (problem !== undefined) throw ConfigError.of(`--client: ${problem}`)
  const added = isDecided ? await api.next(decision) : undefined
  if (added && json) return printJson(added)
  if (added) {
    print(describeExpectation(added, inTenant))
    print(`Take it back: ${commandFor('next --clear', flags, options)}`)
    return
  }
  const waiting = await api.expectations.list()
  if (clear) await api.expectations.clear()
  if (json) return printJson({ expectations: clear ? [] : waiting })
  if (waiting.length === 0) print(`No decision waits${inTenant}.`)
  else if (clear)
    print(
      `Taken back${inTenant}: ${waiting.length} ${waiting.length === 1 ? 'decision' : 'decisions'}.`,
    )
  else for (const one of waiting) print(describeExpectation(one, inTenant))
}

/** A command, as it is typed to reach the same sandbox. */
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
  const decided = [persona && `persona ${persona}`, outcome && `outcome ${outcome}`].filter(
    (part) => part,
  )
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
