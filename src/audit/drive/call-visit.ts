import { quote } from '../../age/quote.ts'
import { messageOf } from '../../files/caught.ts'
import { AuditProblem } from '../audit-problem.ts'
import { startDeadline } from './deadline.ts'
import type { DriveLimits } from './driver.ts'
import { createOpenPage, type OpenPage } from './open-page.ts'

/** What a visit is for. A function that drives Use alone needs nothing of it. */
export interface VisitDetails {
  /** The row that the sandbox answers with: `use/id_token.expired`. */
  readonly row: string
  /** The persona that the user is; absent where it makes no difference. */
  readonly persona?: string | undefined
  /** The name of the row without its flow. */
  readonly outcome: string
  /** The flow whose end is asked for: `create` after `create_requested`, `upgrade` after a code. */
  readonly flow: 'use' | 'create' | 'upgrade'
  /** Another number for each visit, for apps in which each visit has to be another user. */
  readonly n: number
  /** Aborted when the visit takes too long, or the audit ends. */
  readonly signal: AbortSignal
  /** A small browser for apps that answer at an address: `(await open('http://localhost:3000/verify')).status`. */
  readonly open: OpenPage
}

/**
 * Drives one flow of an app from its beginning to its end, in a fresh session.
 * @returns true when the app let the user in, or when the flow of `details.flow` ended well; false when the app refused
 */
export type VisitFunction = (details: VisitDetails) => boolean | Promise<boolean>

/** What is known of a visit before it begins. */
export type VisitPlan = Omit<VisitDetails, 'n' | 'signal' | 'open'>

/** What a visit returned, or why it returned nothing. */
export type VisitResult = boolean | { readonly failure: string }

/** Calls a visit, one at a time. */
export type VisitCaller = (plan: VisitPlan) => Promise<VisitResult>

/**
 * Makes the caller of a function. A visit that did not end in time may still send requests, which would take the decisions of the
 * next one: that waits for it, and does not begin when it goes on.
 */
export function createVisitCaller(
  visit: VisitFunction,
  { timeoutSeconds, signal, sandboxUrl }: DriveLimits & { readonly sandboxUrl: string },
): VisitCaller {
  let visits = 0
  let running: { readonly row: string; readonly ended: Promise<unknown> } | undefined

  return async (plan) => {
    if (running && (await endsInTime(running.ended, { timeoutSeconds, signal })) === 'late') {
      return { failure: `visit was not called: that for ${running.row} goes on` }
    }
    visits += 1
    const deadline = startDeadline(timeoutSeconds, signal)
    const { row } = plan
    const tools = { signal: deadline.signal, open: createOpenPage({ sandboxUrl, signal: deadline.signal }) }
    const returned = Promise.resolve({ ...plan, ...tools, n: visits }).then(visit)
    const settled = returned.then(
      (value: unknown) => ({ value }),
      (error: unknown) => ({ failure: `visit failed: ${firstLine(messageOf(error))}` }),
    )
    running = { row, ended: settled }
    const result = await Promise.race([settled, aborted(deadline.signal)]).finally(deadline.clear)
    if (result === 'late') {
      return { failure: signal.aborted ? 'visit was interrupted' : `visit did not end within ${timeoutSeconds} s` }
    }
    running = undefined
    return 'failure' in result ? result : requireBoolean(result.value, row)
  }
}

async function endsInTime(ended: Promise<unknown>, { timeoutSeconds, signal }: DriveLimits): Promise<unknown> {
  const deadline = startDeadline(timeoutSeconds, signal)
  return Promise.race([ended, aborted(deadline.signal)]).finally(deadline.clear)
}

const aborted = (signal: AbortSignal): Promise<'late'> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('late')
    signal.addEventListener('abort', () => resolve('late'), { once: true })
  })

/** @throws AuditProblem that says what came */
function requireBoolean(value: unknown, row: string): boolean {
  if (typeof value === 'boolean') return value
  throw new AuditProblem(
    `visit returned ${describe(value)} for ${row}; return true when the app let the user in, and false when it refused`,
  )
}

function describe(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  if (typeof value !== 'object' || value === null) return String(value)
  const name = value.constructor?.name
  return name ? `a value of ${name}` : 'an object'
}

const firstLine = (text: string): string =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? 'without a message'
