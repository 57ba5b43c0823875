import type { Seams } from '../../service/oidc/callback.ts'
import type { CallName } from '../../service/oidc/endpoints.ts'
import type { AnswerChange, Seam, SeamChange, ValueAt } from './outcome.ts'
import type { TamperTools } from './tamper-tools.ts'

/** The changes to the answers of one flow: the readings that are set, then a forced outcome. */
export interface Changing {
  readonly flow: CallName
  readonly changes: readonly AnswerChange[]
  readonly tools: TamperTools
}

/** Applies the changes of one seam, in order. */
export async function applyChanges<S extends Seam>(
  seam: S,
  value: ValueAt<S>,
  { flow, changes, tools }: Changing,
): Promise<ValueAt<S>> {
  let changed = value
  for (const change of changes) {
    if (change.flow === flow && isAt(seam, change))
      changed = (await change.apply?.(changed, tools)) ?? changed
  }
  return changed
}

const isAt = <S extends Seam>(
  seam: S,
  change: AnswerChange,
): change is AnswerChange & SeamChange<S> => change.seam === seam

/**
 * The seams of an authorization request. A forced outcome does not change a refusal; readings do.
 */
export function seamsOf(changing: Changing, readings: readonly AnswerChange[]): Seams {
  return {
    claims: (claims) => applyChanges('claims', claims, changing),
    token: (idToken) => applyChanges('token', idToken, changing),
    callback: (callback) => applyChanges('callback', callback, changing),
    refusal: (callback) => applyChanges('callback', callback, { ...changing, changes: readings }),
  }
}
