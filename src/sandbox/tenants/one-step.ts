import { isUnavailable, Refusal } from '../../oidc/refusal.ts'
import type { TenantRecords } from './shared-parts.ts'
import { type StagedRecords, stageRecords } from './staged-records.ts'

/** Runs a call, whose changes are written when it has its answer. */
export type InOneStep<View> = <Result>(act: (view: View) => Result | Promise<Result>) => Promise<Result>

/**
 * Makes each call one step: all that it changes is written at its end, or nothing. A call is run again, on what is kept by
 * then, when another call was faster. So `act` does nothing but read and change what it is given.
 * @param options.open what a call sees of the records; `afterwards` takes what is to happen once they are written
 * @param options.refresh called when changes were written
 */
export function createOneStep<View>(
  records: TenantRecords,
  { open, refresh }: { open(staged: StagedRecords, afterwards: (() => void)[]): View; refresh(): Promise<void> },
): InOneStep<View> {
  let lastRepeat: Promise<unknown> = Promise.resolve()

  /** `undefined` when another call was faster. */
  const attempt = async <Result>(act: (view: View) => Result | Promise<Result>) => {
    const staged = stageRecords(records)
    const afterwards: (() => void)[] = []
    const [outcome] = await Promise.allSettled([(async () => act(open(staged, afterwards)))()])
    if (outcome.status === 'rejected' && !isAnswer(outcome.reason)) throw outcome.reason
    const changes = staged.changes()
    if (changes.length === 0) return outcome
    if (!(await records.commit(changes))) return undefined
    // Written is written: each call refreshes at its beginning, too.
    await refresh().catch(() => {})
    for (const happen of afterwards) happen()
    return outcome
  }

  return async (act) => {
    // Repeats take turns: of a hundred calls for one expectation each is repeated once, not a hundred times.
    const repeat = async () => {
      for (;;) {
        const outcome = await attempt(act)
        if (outcome) return outcome
      }
    }
    let outcome = await attempt(act)
    if (!outcome) {
      const repeated = lastRepeat.then(repeat, repeat)
      lastRepeat = repeated
      outcome = await repeated
    }
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
}

/** A refusal may change something, too: a code that is sent again ends its access token. */
const isAnswer = (error: unknown) => error instanceof Refusal && !isUnavailable(error)
