import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { startStopwatch } from '../../../sandbox/clock/clock.ts'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { readTextFile } from '../../../sandbox/files/text-file.ts'
import type { ExchangeOptions } from '../../../server/client/exchange.ts'
import { SandboxError } from '../../../server/client/sandbox-error.ts'
import type { Flow, FlowFilter } from '../../../server/client/shapes.ts'
import type { Settings } from '../../../server/config/load-settings.ts'
import type { Texts } from '../../../server/config/text-settings.ts'
import { certificateFileIn } from '../../../server/tls/kept-certificate.ts'
import { visible } from '../../../service/text/visible.ts'
import { paintError, print, printError, printJson } from '../terminal.ts'
import { type FilterFlags, filterInWords, readFilter, readTimeout } from './filter-flags.ts'
import { flowLine, flowPageUrl } from './print-flow.ts'
import {
  type AskFlags,
  callHttp,
  type ReachedSandbox,
  reachSandbox,
  readJson,
} from './reach-sandbox.ts'

interface WaitOptions extends AskFlags, FilterFlags {
  readonly since?: string
  readonly timeout?: string
}

const DEFAULT_TIMEOUT_SECONDS = 30
const BETWEEN_LOOKS_MS = 200
/** Milliseconds to wait for one health response. */
const MAX_WAIT_MS = 3000
/** Maximum number of seconds of one long poll. */
const MAX_POLL_SECONDS = 30

/**
 * Waits until a sandbox is healthy and, with a filter, until a matching flow has ended. Prints the
 * flow, or the flows that ended instead.
 * @returns whether this happened in time
 * @throws Error for a bad flag, or when the sandbox refuses or is not healthy in time
 */
export async function wait(flags: Texts, options: WaitOptions): Promise<boolean> {
  const { since, json = false } = options
  const timeoutSeconds = readTimeout(options.timeout, DEFAULT_TIMEOUT_SECONDS, { orZero: true })
  const filter = readFilter(options)
  if (filter.status === 'waiting')
    throw ConfigError.of(
      '--status: a flow that is waiting has not ended, and wait is for ended flows; give ok or error',
    )
  const sandbox = await reachSandbox(flags, options)
  const elapsed = startStopwatch()
  const secondsLeft = () => timeoutSeconds - elapsed() / 1000

  const isForHealth = Object.keys(filter).length === 0 && since === undefined
  const address = `${sandbox.url}/_sandbox/health`
  try {
    await untilHealthy(sandbox, { secondsLeft, timeoutSeconds })
  } catch (error) {
    if (!isForHealth || !json) throw error
    print(JSON.stringify({ url: address, healthy: false, reason: messageOf(error) }))
    return false
  }
  if (isForHealth) {
    print(json ? JSON.stringify({ url: address, healthy: true }) : `${visible(address)}: healthy`)
    return true
  }
  const mark = await sandbox.api.flows.mark()
  const flow = await untilFlow(
    sandbox,
    { ...filter, since: since === 'now' ? mark : since },
    secondsLeft,
  )
  if (flow) printFlow(await sandbox.api.flows.get(flow.id), sandbox.pages, json)
  else await reportNothing({ filter, timeoutSeconds, since: mark }, sandbox, json)
  return flow !== undefined
}

async function untilHealthy(
  sandbox: ReachedSandbox,
  { secondsLeft, timeoutSeconds }: { secondsLeft: () => number; timeoutSeconds: number },
): Promise<void> {
  for (;;) {
    try {
      return await requireHealthy(sandbox)
    } catch (cause) {
      if (timeoutSeconds === 0) throw cause
      if (secondsLeft() <= 0)
        throw new Error(
          `${messageOf(cause)}; it was not healthy within ${inSeconds(timeoutSeconds)}`,
          { cause },
        )
      await pause(BETWEEN_LOOKS_MS)
    }
  }
}

/**
 * Waits for the newest matching flow that has ended or, with `since`, for the first that ends after
 * that flow. Continues if the sandbox restarts meanwhile.
 */
async function untilFlow(
  { call }: ReachedSandbox,
  filter: FlowFilter & { since: string | undefined },
  secondsLeft: () => number,
): Promise<Flow | undefined> {
  let left = secondsLeft()
  do {
    try {
      const wait = Math.max(0, Math.min(left, MAX_POLL_SECONDS))
      const { flows } = await call('listFlows', { query: { ...filter, wait, limit: 1 } })
      if (flows[0]) return flows[0]
    } catch (error) {
      if (!(error instanceof SandboxError) || error.status !== 0) throw error
      await pause(BETWEEN_LOOKS_MS)
    }
    left = secondsLeft()
  } while (left > 0)
  return undefined
}

function printFlow(flow: Flow, pages: string, json: boolean): void {
  const page = flowPageUrl(flow, pages)
  const text = json
    ? JSON.stringify({ matched: true, flow: { ...flow, page } }, undefined, 2)
    : `${flowLine(flow)}\n${visible(page)}`
  print(text)
}

/** Maximum number of other flows to print if no flow matched. */
const MAX_SEEN = 10

async function reportNothing(
  { filter, timeoutSeconds, since }: { filter: FlowFilter; timeoutSeconds: number; since: string },
  { pages, call }: ReachedSandbox,
  json: boolean,
): Promise<void> {
  const words = filterInWords(filter)
  const { flows: seen } = await call('listFlows', { query: { since, limit: MAX_SEEN } })
  const waited = `no flow${words === '' ? '' : ` with ${words}`} ended within ${inSeconds(timeoutSeconds)}`
  const meanwhile = seen.length === 0 ? 'no other flow ended meanwhile' : 'meanwhile ended:'
  printError(`${paintError('red', 'error:')} ${visible(waited)}; ${meanwhile}`)
  if (json) {
    const shown = seen.map((flow) => ({ ...flow, page: flowPageUrl(flow, pages) }))
    printJson({ matched: false, filter, timeout_seconds: timeoutSeconds, seen: shown })
  } else for (const flow of seen) printError(`  ${flowLine(flow)}`)
}

const inSeconds = (seconds: number) => `${seconds} second${seconds === 1 ? '' : 's'}`

/**
 * Checks the health of a sandbox. Over https, trusts the certificate of the settings too.
 * @throws Error with one line when no sandbox answers within three seconds, or when the sandbox is
 * unhealthy
 */
async function requireHealthy({ url, settings, isLocal }: ReachedSandbox): Promise<void> {
  const address = `${url}/_sandbox/health`
  const trust = address.startsWith('https:') ? trustOf(settings, isLocal) : {}
  const answer = await callHttp(address, { timeoutMs: MAX_WAIT_MS, ...trust }).catch(
    (cause: unknown) => {
      throw new Error(`${address}: ${reasonOf(cause)}`, { cause })
    },
  )
  if (answer.headers['x-agekey-sandbox'] === undefined)
    throw new Error(`${address}: something answers, but no agekey-sandbox`)
  if (answer.status === 200) return
  const said = readJson(answer, z.object({ error_description: z.string() }))
  throw new Error(
    `${address}: unhealthy, status ${answer.status}${said ? `: ${said.error_description}` : ''}`,
  )
}

/** How to trust the certificate of a sandbox with these settings. */
function trustOf({ httpsCert, stateDir }: Settings['sandbox'], isLocal: boolean): ExchangeOptions {
  const file = httpsCert ?? (stateDir === undefined ? undefined : certificateFileIn(stateDir))
  const read = file === undefined ? undefined : readTextFile(file)
  // Trusts the certificate if its file exists.
  if (read?.ok) return { certificate: read.text }
  // Without a file, the certificate exists only in the memory of the server. On this machine, only
  // the sandbox can listen at its address, so any certificate is accepted.
  return { anyCertificate: isLocal }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${MAX_WAIT_MS / 1000} seconds`
  return codeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error)
}
