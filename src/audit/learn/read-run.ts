import type { Browser } from '../agent/browser.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { asksTheApp, type DeclaredRules, holds } from './accepted-rule.ts'
import type { LearnedFlow, Probe, SeenRun } from './learned-flow.ts'
import { cookiesSet, isServerError, type Observation, observe, sentenceOf } from './observation.ts'

/** What a run says about the answer that the app was given. */
export interface Reading {
  readonly says: 'in' | 'out' | 'broke' | 'unknown'
  /** A kind of refusal that it is like: `minor`. */
  readonly like?: string | undefined
  /** By the page alone, which a message of the app might imitate. */
  readonly isByPage: boolean
  /** A sentence. */
  readonly evidence: string
}

/** Looks at the browser of a run: what the rules say, and what the probes show. */
export async function seeRun(run: FlowRun, { rules, probes, waitMs }: LearnedFlow, driver: Driver): Promise<SeenRun> {
  if (probes.length > 0 && waitMs > 0) await driver.wait(waitMs)
  return { run, ...(await askRules(rules, run, driver)), probes: await lookAt(pathsOf(probes), run.browser, driver) }
}

export const pathsOf = (probes: readonly Probe[]): readonly string[] => probes.map(({ path }) => path)

/** Asks what the user declared. */
export async function askRules(
  rules: DeclaredRules,
  run: FlowRun,
  driver: Driver,
): Promise<Omit<SeenRun, 'run' | 'probes'>> {
  const { accepted, refused } = rules
  return {
    accepted: accepted && (await holds(accepted, run, driver)),
    refused: refused && (await holds(refused, run, driver)),
  }
}

/** Asks for the pages of probes, as after a reload. */
export async function lookAt(
  paths: readonly string[],
  browser: Browser,
  driver: Driver,
): Promise<ReadonlyMap<string, Observation>> {
  const seen = new Map<string, Observation>()
  for (const path of paths) {
    const shown = observe(await driver.peek(path, browser))
    // A cookie for each new visitor tells nothing.
    const features = [...shown.features].filter((feature) => !feature.startsWith('sets '))
    const isShown = shown.end === 'page' || shown.end === 'begins again'
    if (isShown && shown.status !== 429) seen.set(path, { ...shown, features: new Set(features) })
  }
  return seen
}

/** Reads a run. An explicit sign goes before a page, and a page of a known user before what the page of the answer says. */
export function readRun({ run, accepted, refused, probes: seen }: SeenRun, learned: LearnedFlow): Reading {
  const { observation } = run
  const { end, status } = observation
  const shown = sentenceOf(observation)
  const is = (says: Reading['says'], evidence = shown, more: Partial<Reading> = {}): Reading => ({
    says,
    evidence,
    isByPage: false,
    ...more,
  })
  const isCrash = ['timed out', 'dropped', 'unreachable'].includes(end) || isServerError(status)
  const page = learned.page?.compare(observation) ?? { as: 'unknown' }
  const like = page.as === 'out' ? page.label : undefined
  const out = (evidence = shown) => is(isCrash ? 'broke' : 'out', evidence, { like })

  if (end === 'visit failed' || status === 429) return is('unknown')
  const { rules, probes } = learned
  if (accepted) return is('in', `${shown}; ${JSON.stringify(rules.accepted?.text)} holds`)
  if (refused) return out()
  if (rules.accepted) return asksTheApp(rules.accepted) || end === 'page' || isCrash ? out() : is('unknown')

  if (probes.length > 0) {
    const found = probes.flatMap(({ path, likeness }) => {
      const after = seen.get(path)
      return after ? [{ ...likeness.compare(after), evidence: `${shown}; then ${path} shows ${after.summary}` }] : []
    })
    const isIn = found.find(({ as }) => as === 'in')
    if (isIn) return is('in', `${isIn.evidence}, as to a user who is let in`)
    const isOut = found.find(({ as }) => as === 'out')
    if (isOut && page.as !== 'in') return out(`${isOut.evidence}, as to a user who is not`)
    return is(isCrash ? 'broke' : 'unknown', found[0]?.evidence)
  }
  if (learned.page) {
    const { cookies } = learned.page
    const set = new Set(cookiesSet(run.visit))
    const isSet = cookies.length > 0 && cookies.every((name) => set.has(name))
    const evidence =
      page.as === 'in' ? shown : `${shown}; it set the cookie ${cookies.join(', ')}, as for a user who is let in`
    if ((page.as === 'in' || isSet) && learned.isRefuted) return is('unknown', `${shown}, as after an invented answer`)
    if (page.as === 'in' || isSet) return is('in', evidence, { isByPage: true })
  }
  if (isCrash) return is('broke')
  return page.as === 'out' ? is('out', shown, { like, isByPage: true }) : is('unknown')
}
