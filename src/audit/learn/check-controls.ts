import { AuditProblem } from '../audit-problem.ts'
import type { AuditedApp, Driver } from '../drive/driver.ts'
import type { TestedPersonas } from '../drive/tested-personas.ts'
import { type AcceptedRule, asksTheApp } from './accepted-rule.ts'
import { type FlowParts, type LearnedFlow, learnFlow, type Probe } from './learned-flow.ts'
import { learnLikeness } from './likeness.ts'
import { ruleHolds } from './rule-holds.ts'
import { observed, type SeenRun, showsIn } from './see-run.ts'

/** Kinds of refusals that an app may mistake for a yes. */
const KINDS = ['access_denied', 'minor'] as const
export type RefusalKind = (typeof KINDS)[number]

export interface Controls extends Required<Pick<FlowParts, 'rules' | 'fresh' | 'paths'>> {
  readonly app: AuditedApp
  readonly driver: Driver
  readonly personas: TestedPersonas
}

type PositiveControls = Pick<Controls, 'app' | 'personas' | 'rules'>

/**
 * Checks the positive controls: adults with a right answer.
 * @throws AuditProblem with one line when the app refuses a right token, or reacts differently each
 * time
 */
export function checkAdults(adults: readonly SeenRun[], subject: PositiveControls): void {
  const [first] = observed(adults)
  for (const adult of adults) {
    const problem =
      problemOfFunction(adult, subject) ??
      problemOfFragment(adult, subject) ??
      problemOfPage(adult, subject) ??
      problemOfStatus(adult, first?.status, first?.summary, subject) ??
      problemOfRule(adult, subject)
    if (problem) throw new AuditProblem(problem)
  }
}

const tokenOf = ({ personas }: PositiveControls) => `a right token of ${personas.adult}`
const doctorOf = ({ app }: PositiveControls) =>
  `run: agekey-sandbox doctor --issuer ${app.sandbox.baseUrl}/v1/oidc/use`

function problemOfFunction({ run }: SeenRun, subject: PositiveControls): string | undefined {
  const { features, summary } = run.observation
  if (subject.app.agent !== 'function' || features.has('let in')) return undefined
  return `${summary} for ${tokenOf(subject)}, and has to return true each time: your app refuses it, or visit does not bring the answer of the sandbox to your app; ${doctorOf(subject)}`
}

function problemOfFragment({ run }: SeenRun, { app }: PositiveControls): string | undefined {
  const [hop, callback] = run.visit.hops.toReversed()
  const isPassedOn = app.agent === 'http' && hop?.method === 'POST' && callback?.url.includes('#')
  if (!isPassedOn || ![404, 405, 415].includes(hop.status)) return undefined
  return `use.fragment: POST ${new URL(hop.url).pathname} answers ${hop.status}; name the path that the page of the callback sends the answer to, and its kind of body by as: form or as: json`
}

function problemOfPage({ run }: SeenRun, subject: PositiveControls): string | undefined {
  const { end, status, features, summary } = run.observation
  const answers = `your app answers ${tokenOf(subject)} with ${summary}`
  if (end === 'restless') return `${answers}; let its pages come to rest, or raise --timeout`
  // By convention, apps put the reason of a refusal into the parameter `error` of their redirect.
  const isError =
    !subject.rules.accepted && [...features].some((feature) => feature.startsWith('with error='))
  if (end === 'page' && status < 400 && !isError) return undefined
  // The form of form_post is a cross-site POST, so the browser omits cookies with SameSite=Lax.
  const isPosted = run.request?.parameters['response_mode'] === 'form_post'
  const cookies = isPosted
    ? '; a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does'
    : ''
  return `${answers}; ${doctorOf(subject)}${cookies}`
}

function problemOfStatus(
  { run }: SeenRun,
  usualStatus: number | undefined,
  usualSummary: string | undefined,
  subject: PositiveControls,
): string | undefined {
  const { status, summary } = run.observation
  if (status === usualStatus) return undefined
  return `your app answers ${tokenOf(subject)} differently each time: ${usualSummary}, then ${summary}`
}

function problemOfRule(
  { run, accepted }: SeenRun,
  { rules, personas }: PositiveControls,
): string | undefined {
  if (!rules.accepted || accepted) return undefined
  return `--accepted ${JSON.stringify(rules.accepted.text)} does not hold after ${personas.adult}: your app shows ${run.observation.summary}`
}

type SeenControls = Readonly<Record<RefusalKind | 'adult', readonly SeenRun[]>>

interface CheckedControls {
  /** The kinds of refusals that the app mistakes for a yes. */
  readonly letsIn: readonly RefusalKind[]
  /** The learned flow, which recognises the other refusals. */
  readonly known: LearnedFlow
}

/**
 * Checks the negative controls: users whom the app has to refuse. The first run of each kind
 * precedes every adult; the second run follows an adult.
 * @throws AuditProblem with one line when the app remembers users, or when refusals look like a yes
 */
export async function checkControls(
  seen: SeenControls,
  subject: Controls,
): Promise<CheckedControls> {
  const { rules, fresh, paths } = subject
  const learn = (labels: readonly RefusalKind[]) => {
    const outs = labels.map((label) => ({ label, seen: seen[label] }))
    return learnFlow({ rules, ins: seen.adult, outs, fresh, paths })
  }
  const { probes } = learn([])
  const letsIn: RefusalKind[] = []
  for (const kind of KINDS) {
    const [before, after] = looksIn(kind, seen, { rules, probes })
    if (before && after) letsIn.push(kind)
    if (after && !before) throw new AuditProblem(rememberingApp(kind, subject))
  }
  const known = learn(KINDS.filter((kind) => !letsIn.includes(kind)))
  const isTold = rules.accepted ? await ruleTells(rules.accepted, letsIn, subject) : known.tells
  if (isTold) return { letsIn, known }
  const alike = KINDS.find((kind) => !learn([kind]).tells)
  throw new AuditProblem(alikePages(alike, seen, subject))
}

/** Whether each refusal of a kind looks like a yes. */
function looksIn(
  label: RefusalKind,
  seen: SeenControls,
  { rules, probes }: Pick<Controls, 'rules'> & { readonly probes: readonly Probe[] },
): readonly boolean[] {
  const runs = seen[label]
  if (rules.accepted) return runs.map(({ accepted }) => accepted === true)
  // Probes show different pages to refused and to accepted users, so they are the best evidence.
  if (probes.length > 0)
    return runs.map((run) => probes.every((probe) => showsIn(probe, run.probes)))
  const learnFrom = (some: readonly SeenRun[], isProbe: boolean) =>
    learnLikeness(observed(seen.adult), [{ label, seen: observed(some) }], { isProbe })
  const page = learnFrom(runs.slice(0, 1), false)
  // Neither kind of page has features of its own.
  const isAlike = !learnFrom(runs, true)
  return observed(runs).map((one) => (page ? page.compare(one).as === 'in' : isAlike))
}

/**
 * Whether a rule tells a yes from a refusal. If the rule also holds after a denial, it must request
 * a page of the app and must not hold in a fresh browser.
 */
const ruleTells = async (
  rule: AcceptedRule,
  letsIn: readonly RefusalKind[],
  { driver }: Controls,
): Promise<boolean> =>
  !letsIn.includes('access_denied') ||
  (asksTheApp(rule) && !(await ruleHolds(rule, { browser: await driver.newBrowser() }, driver)))

const nameOf = (kind: RefusalKind, { minor }: TestedPersonas): string =>
  kind === 'minor' ? minor : kind

function rememberingApp(kind: RefusalKind, { app, personas }: Controls): string {
  const remedy =
    app.agent === 'function'
      ? 'begin each visit in a fresh session, and as another user by n'
      : 'use {n} in before:, or give reset:'
  return `${nameOf(kind, personas)} is let in after ${personas.adult} was: your app remembers the user; ${remedy}`
}

/**
 * The problem that yes and no look alike, with the remedy.
 * @param alike a kind of refusal that looks like a yes
 */
function alikePages(
  alike: RefusalKind | undefined,
  { adult }: SeenControls,
  { app, personas, rules: { accepted } }: Controls,
): string {
  const advice =
    app.agent === 'function'
      ? 'return false when the app refuses'
      : 'give --accepted "get=/a-page-for-members status=200"'
  if (accepted)
    return `yes and no look alike: --accepted ${JSON.stringify(accepted.text)} holds after ${personas.adult} and after access_denied; ${advice}`
  const [first] = observed(adult)
  const refusal = alike ? nameOf(alike, personas) : 'a refusal'
  return `yes and no look alike: after ${personas.adult} your app shows nothing that it does not show after ${refusal}: ${first?.summary}; ${advice}`
}
