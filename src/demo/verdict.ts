import * as z from 'zod'
import { allPassed } from './checks/check.ts'
import { type CheckedCallback, isTrusted } from './checks/check-callback.ts'
import type { Session } from './sessions.ts'

/** The shop's conclusion about a flow: a few words, and a sentence that explains them. */
export interface ShopVerdict {
  readonly title: string
  readonly sentence: string
}

const verdict = (title: string, sentence: string): ShopVerdict => ({ title, sentence })

const VERDICTS = {
  waiting: verdict('The visitor has not come back', 'The shop sent the browser away and waits for its callback.'),
  refusedPush: verdict('The Create request was refused', 'The answer below says what to correct.'),
  distrusted: verdict('The shop does not trust this callback', 'A check failed, so nothing of what came back counts.'),
  created: verdict('The age key is saved', 'A Create callback without error is a success: nothing else comes back.'),
  upgraded: verdict(
    'The age key is upgraded',
    'It holds the new age signal: verify the age again as the same persona to see it.',
  ),
  notUpgraded: verdict('The upgrade was refused', 'The answer below says what to correct.'),
  createRequested: verdict(
    'The visitor wants an age key first',
    'No id_token came: the shop verifies the age in another way, then starts Create.',
  ),
  noToken: verdict('No id_token came', 'A callback without error brings an id_token: this one cannot be used.'),
  verified: verdict('Verified', 'Every check passed, so the answers count.'),
  tooYoung: verdict('Verified', 'Every check passed, so the answers count: the visitor reaches none of these ages.'),
}

/** The verdict on a flow so far. */
export function verdictOf({ flow, request, callback, exchanges }: Session): ShopVerdict {
  if (!callback) return request ? VERDICTS.waiting : VERDICTS.refusedPush
  const { error, error_description: description, create_requested: createRequested } = callback.params
  if (error && isOnlyError(callback))
    return { title: `Came back with ${error}`, sentence: description ?? 'There is no result.' }
  if (!isTrusted(callback)) return VERDICTS.distrusted
  if (flow === 'create') return VERDICTS.created
  if (exchanges.length > 0) return isUpgraded(exchanges) ? VERDICTS.upgraded : VERDICTS.notUpgraded
  if (createRequested === 'true') return VERDICTS.createRequested
  if (!callback.claims) return VERDICTS.noToken
  return Object.values(shownAnswers(callback)).includes(true) ? VERDICTS.verified : VERDICTS.tooYoung
}

/** The error is the answer, and nothing else is wrong. */
const isOnlyError = ({ params, checks }: CheckedCallback) =>
  params['id_token'] === undefined && checks.every(({ name, passed }) => passed || name === 'error')

/** E4 and E5 both succeeded. */
const isUpgraded = (exchanges: Session['exchanges']) =>
  exchanges.length === 2 && exchanges.every(({ checks }) => allPassed(checks))

const answers = z.record(z.string(), z.boolean())

/** Each requested age with its answer; empty unless all checks of the callback passed. */
export function shownAnswers(callback: CheckedCallback | undefined): Readonly<Record<string, boolean>> {
  if (!callback || !isTrusted(callback)) return {}
  return answers.safeParse(callback.claims?.['age_thresholds']).data ?? {}
}

/** What the shop offers next. */
export function offerOf({ flow, callback, exchanges }: Session): 'upgrade' | 'create' | undefined {
  if (flow === 'create' || !callback || !isTrusted(callback)) return undefined
  const { code, create_requested: createRequested } = callback.params
  if (code !== undefined && exchanges.length === 0) return 'upgrade'
  return createRequested === 'true' ? 'create' : undefined
}
