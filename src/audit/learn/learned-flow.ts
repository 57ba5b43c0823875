import type { Browser } from '../agent/browser.ts'
import { titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import {
  cookiesSet,
  describeFeatures,
  isServerError,
  type Observation,
  observe,
  sentenceOf,
} from '../drive/observation.ts'
import type { AcceptedRule, DeclaredRules } from './accepted-rule.ts'
import { type Likeness, learnLikeness } from './likeness.ts'

/** What pages show a browser that requests them again, by their paths. */
export type ShownPages = ReadonlyMap<string, Observation>

/** Everything seen of one run. Its reading may change when more of the app is known. */
export interface SeenRun {
  readonly run: FlowRun
  readonly accepted?: boolean | undefined
  readonly refused?: boolean | undefined
  readonly probes: ShownPages
  /** The same pages, requested again. */
  readonly again?: ShownPages
}

/** Probes: paths that show whether a browser is in, requested after the answer. */
export type Probe = { readonly path: string; readonly likeness: Likeness }

/** Runs of refusals that ended alike. */
export type SeenKind = { readonly label: string; readonly seen: readonly SeenRun[] }

export interface FlowParts {
  readonly rules: DeclaredRules
  readonly ins: readonly SeenRun[]
  readonly outs: readonly SeenKind[]
  /** What the pages show in a browser that did nothing. */
  readonly fresh?: ShownPages
  /** Pages that may tell; each run has requested them. */
  readonly paths?: readonly string[]
  /** The page on which a user begins, in a browser that proved nothing. */
  readonly first?: Observation | undefined
  /** An invented answer gets the page of a yes too, so this page proves nothing. */
  readonly isRefuted?: boolean
  /** Milliseconds from the answer until a probe shows who is in. */
  readonly waitMs?: number
}

/**
 * How the end of a flow is read: by declared rules, then by probes, then by the page of the answer.
 */
export type LearnedFlow = ReturnType<typeof learnFlow>

/** Probes of a flow, at most: each is one more request in each visit. */
const MAX_PROBES = 3

export const observed = (runs: readonly SeenRun[]): readonly Observation[] =>
  runs.map(({ run }) => run.observation)

export function findProbes({ ins, outs, fresh, paths = [] }: FlowParts): readonly Probe[] {
  return paths.flatMap((path) => {
    const isTold = ({ status }: Observation) => status !== 429
    const at = (runs: readonly SeenRun[]) =>
      runs
        .flatMap(({ probes, again }) => [probes.get(path) ?? [], again?.get(path) ?? []].flat())
        .filter(isTold)
    const stranger = { label: '', seen: [fresh?.get(path) ?? []].flat().filter(isTold) }
    const byStrangers = learnLikeness(at(ins), [stranger], { isProbe: true })
    // A refused user who gets the page of a yes, unlike others of that kind, was let in since.
    const kinds = kindsOf(outs, at).map(({ label, seen }) => {
      const stay = seen.filter((one) => byStrangers?.compare(one).as !== 'in')
      return { label, seen: stay.length > 0 ? stay : seen }
    })
    const likeness = learnLikeness(at(ins), [...kinds, stranger], { isProbe: true })
    return likeness ? [{ path, likeness }] : []
  })
}

const kindsOf = (kinds: readonly SeenKind[], see: typeof observed) =>
  kinds.map(({ label, seen }) => ({ label, seen: see(seen) }))

/** Learns how a flow is read, from runs that ended well and from kinds of refusals. */
export function learnFlow(parts: FlowParts) {
  const all = {
    fresh: new Map<string, Observation>(),
    paths: [],
    isRefuted: false,
    waitMs: 0,
    first: undefined,
    ...parts,
  }
  const { rules, ins, outs } = all
  const page = learnLikeness(observed(ins), kindsOf(outs, observed), { isProbe: false })
  const probes = findProbes(all).slice(0, MAX_PROBES)
  const tells = rules.accepted !== undefined || page !== undefined || probes.length > 0
  return { ...all, page, probes, tells }
}

export function describeLearnedFlow({ page, probes, ins, outs }: LearnedFlow) {
  const told = probes.map(
    ({ path, likeness }) => `asked again, ${path} is ${describeFeatures(likeness.marks)}`,
  )
  const yes = page
    ? [describeFeatures(page.marks)]
    : observed(ins.slice(0, 1)).map(({ summary }) => summary)
  const no = [...new Set(outs.flatMap(({ seen }) => observed(seen).map(({ summary }) => summary)))]
  return { yes: [...yes, ...told].join('; '), no }
}

export interface RunResult {
  readonly says: 'in' | 'out' | 'broke' | 'unknown'
  /** The kind of refusal that it resembles: `minor`. */
  readonly like?: string | undefined
  /** A sentence. */
  readonly evidence: string
  /** The app answers a telling page with 429. */
  readonly isLimited?: boolean
}

/**
 * How often undecided pages are requested again: a job of the app may be late, and news may hide
 * the difference.
 */
const MORE_LOOKS = 3
const BETWEEN_LOOKS_MS = 500

/** Reads a browser of a run by the rules and the probes. */
export async function seeRun(
  run: FlowRun,
  {
    rules,
    probes,
    waitMs,
  }: Pick<LearnedFlow, 'rules' | 'waitMs'> & { probes: readonly Pick<Probe, 'path'>[] },
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

/** Requests the pages of probes, as after a reload. */
export async function lookAt(
  paths: readonly string[],
  browser: Browser,
  driver: Driver,
): Promise<ShownPages> {
  const seen = new Map<string, Observation>()
  for (const path of paths) {
    const shown = observe(await driver.peek(path, browser))
    // A cookie for each new visitor tells nothing.
    const features = new Set([...shown.features].filter((feature) => !feature.startsWith('sets ')))
    if (shown.end === 'page' || shown.end === 'stopped') seen.set(path, { ...shown, features })
  }
  return seen
}

/**
 * Whether a probe shows a browser what it shows to users who are in; `undefined` when its page did
 * not come.
 */
export function showsIn({ path, likeness }: Probe, shown: ShownPages): boolean | undefined {
  const page = shown.get(path)
  return page && page.status !== 429 ? likeness.compare(page).as === 'in' : undefined
}

/** The pages resemble neither those of users who are in nor those of users who are out. */
function isSilent(
  shown: ShownPages,
  probes: readonly (Pick<Probe, 'path'> & Partial<Probe>)[],
): boolean {
  const told = probes.flatMap(({ path, likeness }) => {
    const page = shown.get(path)
    return page && likeness ? [likeness.compare(page).as] : []
  })
  return told.length > 0 && told.every((as) => as === 'unknown')
}

/**
 * Reads a run. An explicit sign goes before a page, and a page of a known user before the page of
 * the answer.
 */
export function readRun(
  { run, accepted, refused, probes: seen }: SeenRun,
  learned: LearnedFlow,
): RunResult {
  const { rules, probes } = learned
  const { end, status, text } = run.observation
  const shown = sentenceOf(run.observation)
  const page = learned.page?.compare(run.observation)
  const isCrash = ['timed_out', 'dropped', 'unreachable'].includes(end) || isServerError(status)
  const is = (says: RunResult['says'], evidence = shown): RunResult => {
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
      return [
        { ...likeness.compare(after), evidence: `${shown}; then ${path} shows ${after.summary}` },
      ]
    })
    const isAs = (side: 'in' | 'out') => found.find(({ as }) => as === side)?.evidence
    if (isAs('in')) return is('in', `${isAs('in')}, as to a user who is let in`)
    if (isAs('out') && page?.as !== 'in')
      return is('out', `${isAs('out')}, as to a user who is not`)
    const [limited] = [...seen].find(([, after]) => after.status === 429) ?? []
    if (limited !== undefined)
      return { ...is('unknown', `${shown}; then ${limited} answers 429`), isLimited: true }
    return is('unknown', found[0]?.evidence)
  }

  const { cookies = [] } = learned.page ?? {}
  const set = cookiesSet(run.visit)
  const isSet = cookies.length > 0 && cookies.every((name) => set.includes(name))
  if (page?.as !== 'in' && !isSet) {
    // The text of the first page, which a user who is in does not get.
    const isFirst = page?.as === 'unknown' && text !== undefined && text === learned.first?.text
    return is(isFirst ? 'out' : (page?.as ?? 'unknown'))
  }
  // A crash may also follow the proof.
  if (learned.isRefuted)
    return { says: 'unknown', evidence: `${shown}, as after an invented answer` }
  const proof = `; it set the cookie ${cookies.join(', ')}, as for a user who is let in`
  return is('in', page?.as === 'in' ? shown : shown + proof)
}

/** Whether all parts of a rule hold in a browser, after a run or before any. */
export async function holds(
  rule: AcceptedRule,
  run: Partial<FlowRun> & Pick<FlowRun, 'browser'>,
  driver: Driver,
) {
  const { browser, visit, observation } = run
  const { get, status, text, url, cookie, json } = rule.parts
  const fetchPage = async (path: string) => (await driver.peek(path, browser)).page
  const page = get === undefined ? visit?.page : await fetchPage(get)
  const address = page?.url ?? visit?.url
  if (get !== undefined && !page) return false
  if (status !== undefined && page?.status !== Number(status)) return false
  if (text !== undefined && !(page && `${titleOf(page)}\n${visibleText(page)}`.includes(text)))
    return false
  if (url !== undefined && (address === undefined || !addressPattern(url).test(address)))
    return false
  if (cookie !== undefined && !observation?.features.has(`sets ${cookie}`)) return false
  if (json === undefined) return true
  const [path = '', ...member] = json.split('#')
  const answer = await fetchPage(path)
  return answer !== undefined && wordsOf(answer).includes(member.join('#').toLowerCase())
}

/** Whether the rule asks the app: its answer then is an explicit sign, also when it is a no. */
export const asksTheApp = ({ parts }: AcceptedRule): boolean =>
  parts.get !== undefined || parts.json !== undefined

function addressPattern(glob: string): RegExp {
  const wild: Readonly<Record<string, string>> = { '*': '[^/]*', '**': '.*' }
  return new RegExp(
    `^${glob.replace(/\*\*?|[.+?^${}()|[\]\\]/g, (sign) => wild[sign] ?? `\\${sign}`)}$`,
    's',
  )
}
