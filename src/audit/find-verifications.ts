import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import * as z from 'zod'
import { messageOf } from '../sandbox/files/caught.ts'
import { findOutcome } from '../sandbox/outcomes/catalogue.ts'
import type { SandboxApi } from '../server/client/sandbox-api.ts'
import type { Flow } from '../server/client/shapes.ts'
import { found } from '../service/text/message-parts.ts'

/**
 * Whether an app can find the verification of each user it let in. A revoked age signal makes this
 * necessary.
 */
export interface FoundAgain {
  /** `undetermined` when the app could not be judged; `evidence` gives the reason. */
  readonly verdict: 'holds' | 'missing' | 'undetermined'
  /** A sentence. */
  readonly evidence: string
  readonly found: number
  readonly total: number
  readonly missing: readonly MissingVerification[]
}

export interface MissingVerification {
  /** Id of the flow: `f12`. */
  readonly flow: string
  readonly sub: string
  readonly reason: string
}

/** `found`, or a reason. `isAnswer`: the app answered that it does not know the `sub`. */
export type FindAnswer = 'found' | { readonly reason: string; readonly isAnswer: boolean }

/** The minimum age in years, or whether `any` or `every` threshold must be true. */
type Age = number | 'any' | 'every'

/** A copy of an app that can be asked. */
export interface AskedCopy {
  readonly sandbox: SandboxApi
  /** Ids of flows whose answer the app accepted. */
  readonly flows: readonly string[]
  ask(sub: string): Promise<FindAnswer>
}

/**
 * Asks each copy of an app for the `sub` of each id_token that confirms an age. Only right answers
 * that the app accepted count. As a control, the app must not find an invented `sub`.
 */
export async function findVerifications(
  copies: readonly AskedCopy[],
  age: Age,
): Promise<FoundAgain> {
  const missing: MissingVerification[] = []
  let total = 0
  const undetermined = (evidence: string) =>
    ({ verdict: 'undetermined', evidence, found: 0, total, missing: [] }) as const
  for (const { sandbox, ask, flows } of copies) {
    const known = await Promise.all(flows.map((id) => sandbox.flows.get(id)))
    const received = known.flatMap((flow) => subOf(flow, age))
    const [first] = received
    if (!first) continue
    total += received.length
    const control = await ask(neverReceived(first.sub))
    if (control === 'found') return undetermined(FINDS_ALL)
    if (!control.isAnswer)
      return undetermined(`your app could not be asked for a sub: ${control.reason}`)
    for (const { flow, sub } of received) {
      const asked = await ask(sub)
      if (asked !== 'found') missing.push({ flow, sub, reason: asked.reason })
    }
  }
  if (total === 0)
    return undetermined('your app received no id_token unchanged that says yes to an age')
  const found = total - missing.length
  const [lost] = missing
  const evidence = `your app found ${found} of ${total} verifications that it let a user in by`
  const why = lost ? `; ${lost.flow}: ${lost.reason}` : ''
  return { verdict: lost ? 'missing' : 'holds', evidence: evidence + why, found, total, missing }
}

/** Invents a `sub` of the same length. */
const neverReceived = (sub: string): string =>
  randomBytes(Buffer.from(sub, 'base64url').length).toString('base64url')

const FINDS_ALL =
  'your app also finds a sub that it never received, so its yes proves nothing; let it answer 404, or without the sub, for a sub that it does not know'

/** The maximum number of flows in a journal. */
export const MAX_FLOWS = 2_000

/** Claims of an id_token. The token comes from the sandbox, so its signature is not verified. */
const idTokenSchema = z.object({
  sub: z.string().min(1),
  age_thresholds: z.record(z.string(), z.boolean()),
})

/**
 * The `sub` of a right answer that confirms the age, from the redirect or the form of the answer.
 * Empty for a wrong answer, and for an answer that does not confirm the age.
 */
function subOf({ id, flow, calls }: Flow, age: Age): { flow: string; sub: string }[] {
  // The outcome of a flow may come from a later call, so the outcome of each call is checked.
  const rows = calls.map(({ decision }) => findOutcome('use', decision?.outcome ?? ''))
  if (flow !== 'use' || rows.some((row) => row && row.correctClient !== 'accept')) return []
  const responses = JSON.stringify(calls.map(({ response }) => response))
  const [, token] = /[?&#"]id_token(?:=|":")([\w.-]+)/.exec(responses) ?? []
  const claims = token === undefined ? undefined : idTokenSchema.safeParse(decodeJwt(token)).data
  if (!claims) return []
  const answers =
    typeof age === 'number' ? [claims.age_thresholds[age]] : Object.values(claims.age_thresholds)
  const isYes = age === 'every' ? !answers.includes(false) : answers.includes(true)
  return isYes ? [{ flow: id, sub: claims.sub }] : []
}

/** Asks whether an app knows a `sub`. */
export type FindFunction = (sub: string) => boolean | Promise<boolean>

/** Wraps `find`. An error or a result that is not a boolean becomes a reason; it never rejects. */
export const askByFunction =
  (find: FindFunction) =>
  async (sub: string): Promise<FindAnswer> => {
    try {
      const known: unknown = await find(sub)
      if (known === true) return 'found'
      if (known === false) return { reason: 'find returned false', isAnswer: true }
      return { reason: `find must return true or false, ${found(known)}`, isAnswer: false }
    } catch (error) {
      return { reason: `find threw ${JSON.stringify(messageOf(error))}`, isAnswer: false }
    }
  }
