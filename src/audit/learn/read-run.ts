import type { Browser } from '../agent/browser.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { asksTheApp, holds } from './accepted-rule.ts'
import type { LearnedFlow, Probe, SeenRun, ShownPages } from './learned-flow.ts'
import { cookiesSet, isServerError, type Observation, observe, sentenceOf } from './observation.ts'

/** What a run says about the answer that the app was given. */
export interface Reading {
  readonly says: 'in' | 'out' | 'broke' | 'unknown'
  /** A kind of refusal that it is like: `minor`. */
  readonly like?: string | undefined
  /** A sentence. */
  readonly evidence: string
  /** The app answers a page that tells with 429. */
  readonly isLimited?: boolean
}

/** So often pages that tell nothing are asked for again: a job of the app may be late, and news may hide what a page tells. */
const MORE_LOOKS = 3
const BETWEEN_LOOKS_MS = 500

/** Looks at the browser of a run: what the rules say, and what the probes show. */
export async function seeRun(
  run: FlowRun,
  { rules, probes, waitMs }: Pick<LearnedFlow, 'rules' | 'waitMs'> & { probes: readonly Pick<Probe, 'path'>[] },
  driver: Driver,
): Promise<SeenRun> {
  if (probes.length > 0 && waitMs > 0) await driver.wait(waitMs)
  const accepted = rules.accepted && (await holds(rules.accepted, run, driver))
  const refused = rules.refused && (await holds(rules.refused, run, driver))
  const paths = probes.map(({ path }) => path)
  let shown = await lookAt(paths, run.browser, driver)
  for (let looks = 0; looks < MORE_LOOKS && isSilent(shown, probes); looks++) {
    await driver.wait(Math.max(waitMs, BETWEEN_LOOKS_MS))
    shown = await lookAt(paths, run.browser, driver)
  }
  return { run, accepted, refused, probes: shown }
}

/** Asks for the pages of probes, as after a reload. */
export async function lookAt(paths: readonly string[], browser: Browser, driver: Driver): Promise<ShownPages> {
  const seen = new Map<string, Observation>()
  for (const path of paths) {
    const shown = observe(await driver.peek(path, browser))
    // A cookie for each new visitor tells nothing.
    const features = new Set([...shown.features].filter((feature) => !feature.startsWith('sets ')))
    if (shown.end === 'page' || shown.end === 'stopped') seen.set(path, { ...shown, features })
  }
  return seen
}

/** Whether a probe shows a browser what it shows to users who are in; `undefined` when its page did not come. */
export function showsIn({ path, likeness }: Probe, shown: ShownPages): boolean | undefined {
  const page = shown.get(path)
  return page && page.status !== 429 ? likeness.compare(page).as === 'in' : undefined
}

/** Pages were shown that are like neither those of users who are in nor those of users who are out. */
function isSilent(shown: ShownPages, probes: readonly (Pick<Probe, 'path'> & Partial<Probe>)[]): boolean {
  const told = probes.flatMap(({ path, likeness }) => {
    const page = shown.get(path)
    return page && likeness ? [likeness.compare(page).as] : []
  })
  return told.length > 0 && told.every((as) => as === 'unknown')
}

/** Reads a run. An explicit sign goes before a page, and a page of a known user before what the page of the answer says. */
export function readRun({ run, accepted, refused, probes: seen }: SeenRun, learned: LearnedFlow): Reading {
  const { rules, probes } = learned
  const { end, status, text } = run.observation
  const shown = sentenceOf(run.observation)
  const page = learned.page?.compare(run.observation)
  const isCrash = ['timed_out', 'dropped', 'unreachable'].includes(end) || isServerError(status)
  const is = (says: Reading['says'], evidence = shown): Reading => {
    if (isCrash && says !== 'in') return { says: 'broke', evidence }
    return { says, evidence, ...(says === 'out' && { like: page?.label }) }
  }

  if (end === 'visit failed' || status === 429) return is('unknown')
  if (accepted) return is('in', `${shown}; ${JSON.stringify(rules.accepted?.text)} holds`)
  if (refused) return is('out')
  if (rules.accepted) return is(asksTheApp(rules.accepted) || end === 'page' ? 'out' : 'unknown')

  if (probes.length > 0) {
    const found = probes.flatMap(({ path, likeness }) => {
      const after = seen.get(path)
      if (!after || after.status === 429) return []
      return [{ ...likeness.compare(after), evidence: `${shown}; then ${path} shows ${after.summary}` }]
    })
    const isAs = (side: 'in' | 'out') => found.find(({ as }) => as === side)?.evidence
    if (isAs('in')) return is('in', `${isAs('in')}, as to a user who is let in`)
    if (isAs('out') && page?.as !== 'in') return is('out', `${isAs('out')}, as to a user who is not`)
    const [limited] = [...seen].find(([, after]) => after.status === 429) ?? []
    if (limited !== undefined) return { ...is('unknown', `${shown}; then ${limited} answers 429`), isLimited: true }
    return is('unknown', found[0]?.evidence)
  }

  const { cookies = [] } = learned.page ?? {}
  const set = cookiesSet(run.visit)
  const isSet = cookies.length > 0 && cookies.every((name) => set.includes(name))
  if (page?.as !== 'in' && !isSet) {
    // The text of the first page, which a user who is in is not shown.
    const isFirst = page?.as === 'unknown' && text !== undefined && text === learned.first?.text
    return is(isFirst ? 'out' : (page?.as ?? 'unknown'))
  }
  // Also a crash may follow the proof that the app left.
  if (learned.isRefuted) return { says: 'unknown', evidence: `${shown}, as after an invented answer` }
  const proof = `; it set the cookie ${cookies.join(', ')}, as for a user who is let in`
  return is('in', page?.as === 'in' ? shown : shown + proof)
}
