import type { Browser } from '../../agent/browser.ts'
import type { FlowRun } from '../../drive/flow-run.ts'
import { cookiesSet } from '../../drive/observation.ts'
import type { LearnedApp } from '../../learn/learn-app.ts'
import { readRun } from '../../learn/read-run.ts'
import { seeRun } from '../../learn/see-run.ts'
import type { Worker } from '../audit-run.ts'
import { runGoodFlow } from '../good-flow.ts'

/**
 * Ends the session that an answer opened: signs out, which keeps the request in the cookies, or
 * removes the cookies that the answer set.
 * @returns whether the session is over
 */
export async function endSession(
  run: FlowRun,
  worker: Worker,
  { use, signOut }: LearnedApp,
): Promise<boolean> {
  const { browser, visit } = run
  const hasProbes = use.probes.length > 0
  const byProbes = { ...use, rules: {}, page: undefined }
  const isSignedOut = async () =>
    readRun(await seeRun(run, byProbes, worker.driver), byProbes).says === 'out'
  for (const path of hasProbes ? signOut : []) {
    await worker.driver.open({ url: path }, browser)
    if (!(await isSignedOut())) continue
    // Signing out may also undo the requests of `before`, such as a sign-in.
    await worker.driver.prepare(browser)
    return true
  }
  const proof = cookiesSet(visit)
  browser.forget(proof)
  // No page shows who is in. If the answer set cookies, removing them ended the session.
  return hasProbes ? isSignedOut() : proof.length > 0
}

/**
 * A browser that has run a good flow and whose session is over; `undefined` if the app still knows
 * the user.
 */
export async function browserAfterFlow(
  worker: Worker,
  learned: LearnedApp,
): Promise<Browser | undefined> {
  const { use, personas } = learned
  const run = await runGoodFlow(personas.adult, worker)
  const { browser } = run
  const isOver = await endSession(run, worker, learned)
  if (use.probes.length > 0) return isOver ? browser : undefined
  // A denial contains no answer to replay.
  const denied = await worker.driver.run({ use: { outcome: 'access_denied' }, browser })
  const { says } = readRun(await seeRun(denied, use, worker.driver), use)
  return denied.request && says !== 'in' ? browser : undefined
}
