import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { Browser } from '../agent/browser.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { LearnedFlow } from '../learn/learned-flow.ts'
import { cookiesSet, observe } from '../learn/observation.ts'
import { readRun, seeRun } from '../learn/read-run.ts'
import { findingOfVisit, lookingAgain, type SeenVisit, worstOf } from './row-trial.ts'
import type { Stage, Trial } from './trial.ts'

const STAYS = 'the audit found no way to end the session of your app'

/** The trial of an own row. */
export function ownTrial(row: AuditRow, learned: LearnedApp): Trial<readonly SeenVisit[]> {
  const drive = row.name === 'callback.twice' ? bringTwice : bringToOther
  return {
    name: `${row.flow}/${row.name}`,
    runsAlone: false,
    drive: (stage) => drive(stage, learned),
    proof: (visits) => {
      const finding = worstOf(visits.map((visit) => findingOfVisit(row, visit, readRun(visit.seen, learned.use))))
      // Decision: where the session of an app cannot be ended, nobody says how it would take the same answer afterwards.
      const isOpen = row.name === 'callback.twice' && finding.reason === 'not_reached'
      return isOpen ? { ...finding, verdict: 'observed', reason: undefined, evidence: STAYS } : finding
    },
    ...lookingAgain(learned.use),
  }
}

/** A second browser begins a flow, and then opens the answer to the flow of the first one. */
async function bringToOther({ cast, driver }: Stage, { use }: LearnedApp): Promise<readonly SeenVisit[]> {
  return cast.as('adult', async (persona) => {
    const plan = { use: { persona, outcome: 'verified' }, holds: true } as const
    const first = await driver.run(plan)
    const second = await driver.run(plan)
    const visit = await bring(first, second.browser, { driver, use, as: persona })
    return [{ ...visit, flows: [...visit.flows, ...(second.useFlow === undefined ? [] : [second.useFlow])] }]
  })
}

/** An adult brings an answer again, when the session that it opened is over: its cookies are gone, or the user has signed out. */
async function bringTwice({ cast, driver }: Stage, { use, signOut }: LearnedApp): Promise<readonly SeenVisit[]> {
  return cast.as('adult', async (persona) => {
    const first = await driver.run({ use: { persona, outcome: 'verified' } })
    const proof = cookiesSet(first.visit)
    const isOver = async () => {
      // Where nothing shows who is in, the answer must have left something that is gone now.
      if (use.probes.length === 0) return proof.length > 0
      await driver.wait(use.waitMs)
      const byProbes = { ...use, rules: {}, probes: use.probes, page: undefined, waitMs: 0 }
      return readRun(await seeRun(first, byProbes, driver), byProbes).says === 'out'
    }
    first.browser.forget(proof)
    if (!(await isOver())) {
      for (const path of signOut) await driver.open({ url: path }, first.browser)
      const flows = first.useFlow === undefined ? [] : [first.useFlow]
      if (!(await isOver()))
        return [{ as: persona, flows, missing: 'not_reached', seen: { run: first, probes: new Map() } }]
    }
    return [await bring(first, first.browser, { driver, use, as: persona })]
  })
}

/** A browser opens the answer of a run. */
async function bring(
  run: FlowRun,
  browser: Browser,
  { driver, use, as }: { driver: Driver; use: LearnedFlow; as: string },
): Promise<SeenVisit> {
  const flows = run.useFlow === undefined ? [] : [run.useFlow]
  if (!run.answer) return { as, flows, missing: 'not_delivered', seen: { run, probes: new Map() } }
  const visit = await driver.open(run.answer, browser)
  const brought = { ...run, browser, visit, observation: observe(visit) }
  return { as, flows, seen: await seeRun(brought, use, driver) }
}
