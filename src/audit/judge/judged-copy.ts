import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { AppProgram, AuditedApp } from '../drive/audited-app.ts'
import { chooseCast } from '../drive/cast.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { readRun } from '../learn/flow-reader.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { Judge } from './judge-row.ts'

/** A copy of the app that is given rows. */
export interface JudgedCopy {
  readonly judge: Judge
  readonly program: AppProgram | undefined
  /** `your app`, or which copy of it, for messages. */
  readonly name: string
  /** The rows that it was given since its last plain good flow. */
  since: Outcome[]
  /** It no longer lets an adult in. */
  isLost: boolean
  wasRestarted: boolean
}

/**
 * Prepares the copies of an app: what was learned on the first one is true of all, sandbox, driver and personas are of each.
 * @param options.repeat how often a finding is looked at
 */
export async function prepareCopies(
  apps: readonly (Pick<AuditedApp, 'sandbox' | 'program'> & { driver: Driver })[],
  { learned: { use, reading }, repeat }: { learned: LearnedApp; repeat: number },
): Promise<readonly JudgedCopy[]> {
  return Promise.all(
    apps.map(async ({ sandbox, program, driver }, index) => {
      const cast = index === 0 ? use.cast : await chooseCast(sandbox, use.profile.claims)
      return {
        judge: { readers: { ...reading, sandbox, driver }, driver, cast, repeat },
        program,
        name: apps.length === 1 ? 'your app' : `copy ${index + 1} of your app`,
        since: [],
        isLost: false,
        wasRestarted: false,
      }
    }),
  )
}

/** What a copy shows that does not let an adult in any more; `undefined` when it does. */
export async function findLoss({ judge: { readers, cast, driver } }: JudgedCopy): Promise<string | undefined> {
  const { signatures, rules } = readers
  const read = (run: FlowRun) => readRun(run, { signature: signatures.use, rules: rules.use, driver })
  const beAdult = () => cast.as('adult', (persona) => driver.run({ use: { persona, outcome: 'verified' } }))
  const first = await beAdult()
  // A crash by one of the rows before may have ended it.
  const run = (await read(first)) === 'broke' ? await beAdult() : first
  return (await read(run)) === 'yes' ? undefined : run.observation.summary
}
