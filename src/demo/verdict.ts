import * as z from 'zod'
import { type CheckedCallback, isTrusted } from './check-callback.ts'
import type { Session } from './sessions.ts'

/** The shop's conclusion on a flow: a few words, and a sentence that explains them. */
export interface Verdict {
  readonly title: string
  readonly sentence: string
}

const WAITING: Verdict = {
  title: 'The visitor has not come back',
  sentence: 'The shop sent the browser away and waits for its callback.',
}
const REFUSED_PUSH: Verdict = {
  title: 'The Create request was refused',
  sentence: 'The answer below says what to correct.',
}
const DISTRUSTED: Verdict = {
  title: 'The shop does not trust this callback',
  sentence: 'A check failed, so nothing of what came back counts.',
}
const CREATED: Verdict = {
  title: 'The age key is saved',
  sentence: 'A Create callback without error is a success: nothing else comes back.',
}
const UPGRADED: Verdict = {
  title: 'The age key is upgraded',
  sentence: 'It holds the new age signal: verify the age again as the same persona to see it.',
}
const NOT_UPGRADED: Verdict = {
  title: 'The upgrade was refused',
  sentence: 'The answer below says what to correct.',
}
const CREATE_REQUESTED: Verdict = {
  title: 'The visitor wants an age key first',
  sentence: 'No id_token came: the shop verifies the age in another way, then starts Create.',
}
const NO_TOKEN: Verdict = {
  title: 'No id_token came',
  sentence: 'A callback without error brings an id_token: this one cannot be used.',
}
const VERIFIED: Verdict = {
  title: 'Verified',
  sentence: 'Every check passed, so the answers count.',
}
const TOO_YOUNG: Verdict = {
  title: 'Verified',
  sentence: 'Every check passed, so the answers count: the visitor reaches none of these ages.',
}

/** The verdict on a flow as far as it has come. */
export function verdictOf({ flow, request, callback, exchanges }: Session): Verdict {
  if (!callback) return request ? WAITING : REFUSED_PUSH
  if (!isTrusted(callback)) return DISTRUSTED
  const { error, error_description: description, create_requested: createRequested } = callback.params
  if (error !== undefined) return { title: `Came back with ${error}`, sentence: description ?? 'There is no result.' }
  if (flow === 'create') return CREATED
  if (exchanges.length > 0) return isUpgraded(exchanges) ? UPGRADED : NOT_UPGRADED
  if (createRequested === 'true') return CREATE_REQUESTED
  if (!callback.claims) return NO_TOKEN
  return Object.values(answersOf(callback)).includes(true) ? VERIFIED : TOO_YOUNG
}

/** E4 and E5 both succeeded. */
const isUpgraded = (exchanges: Session['exchanges']) =>
  exchanges.length === 2 && exchanges.every(({ status }) => status === 200)

const answers = z.record(z.string(), z.boolean())

/** Each requested age with its answer; empty unless every check of the callback passed. */
export function answersOf(callback: CheckedCallback | undefined): Readonly<Record<string, boolean>> {
  if (!callback || !isTrusted(callback)) return {}
  return answers.safeParse(callback.claims?.['age_thresholds']).data ?? {}
}

/** What the shop offers to do next. */
export function offerOf({ flow, callback, exchanges }: Session): 'upgrade' | 'create' | undefined {
  if (flow === 'create' || !callback || !isTrusted(callback)) return undefined
  const { code, create_requested: createRequested } = callback.params
  if (code !== undefined && exchanges.length === 0) return 'upgrade'
  return createRequested === 'true' ? 'create' : undefined
}
