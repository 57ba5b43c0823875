import type { Browser } from '../../agent/browser.ts'
import type { FlowRun } from '../../drive/flow-run.ts'
import { cookiesSet } from '../../drive/observation.ts'
import type { LearnedApp } from '../../learn/learn-app.ts'
import { readRun } from '../../learn/read-run.ts'
import { seeRun } from '../../learn/see-run.ts'
import type { Worker } from '../audit-run.ts'
import { runGoodFlow } from '../good-flow.ts'

/**
 * Ends the session that an answer opened: by signing out, which leaves the request in the cookies,
 * otherwise by removing the cookies of the answer.
 * @returns whether the app no longer knows the user
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
    // The effect of `before` may be gone too, such as a sign-in.
    await worker.driver.prepare(browser)
    return true
  }
  const proof = cookiesSet(visit)
  browser.forget(proof)
  // Without a page that shows who is in, the answer must have set cookies, which are gone now.
  return hasProbes ? isSignedOut() : proof.length > 0
}

/**
 * A browser after a good flow whose session is over; `undefined` when the app still knows the user.
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
