import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { asksTheApp } from './accepted-rule.ts'
import { type DeclaredRules, holds } from './flow-reader.ts'
import { constantOf, differenceTo, looksLikeYes } from './signature.ts'

/** The app that is audited, and how its Use flow is read. */
export interface Subject {
  readonly sandbox: SandboxApi
  readonly agent: AuditReport['agent']
  readonly driver: Driver
  /** Where a user begins. */
  readonly page: string
  /** An answer in the fragment gets to the app, by a browser with scripts or by what is known of its page. */
  readonly readsFragments: boolean
  readonly rules: DeclaredRules
}

/** A run, and whether the rule held after it that the user gave. */
export interface SeenRun {
  readonly run: FlowRun
  readonly accepted: boolean | undefined
}

/** What is learned is seen twice: for a kind of no before the first adult was there, and after. */
export type SeenTwice = readonly [first: SeenRun, second: SeenRun]

/** A kind of no that an app takes for a yes. */
export type LetIn = 'access_denied' | 'minor'

interface Names {
  readonly adult: string
  readonly minor: string
}

/** @throws AuditProblem when the app does not take a right token, or not each time alike */
export function checkGoodAnswers(adults: SeenTwice, name: string): void {
  const runs = adults.map(({ run }) => run)
  const refused = runs.find(({ observation: { end, status } }) => end !== 'page' || status >= 400)
  if (refused?.observation.end === 'restless') {
    throw new AuditProblem(
      `after a right token of ${name} your app shows ${refused.observation.summary}; let its pages come to rest, or raise --timeout`,
    )
  }
  if (refused) {
    throw new AuditProblem(
      `your app answers a right token of ${name} with ${refused.observation.summary}; run: agekey-sandbox doctor --issuer ${issuerOf(refused)}${aboutCookies(refused)}`,
    )
  }
  const [first, second] = [adults[0].run.observation, adults[1].run.observation]
  if (first.status !== second.status) {
    throw new AuditProblem(
      `your app answers a right token of ${name} differently each time: ${first.summary}, then ${second.summary}`,
    )
  }
}

/** @throws AuditProblem when the app has no such path as `use.fragment` names, or takes another kind of body there */
export function checkFragmentPath(adults: readonly SeenRun[]): void {
  for (const { run } of adults) {
    const hop = run.visit.hops.at(-1)
    const callback = run.visit.hops.at(-2)
    if (hop?.method !== 'POST' || !callback || new URL(callback.url).hash === '') continue
    const place = `use.fragment: POST ${new URL(hop.url).pathname} answers ${hop.status}`
    if (hop.status === 404 || hop.status === 405) {
      throw new AuditProblem(`${place}; name the path of your app that the page of the callback sends the answer to`)
    }
    if (hop.status === 415) throw new AuditProblem(`${place}: it takes another kind of body; give as: form or as: json`)
  }
}

/** In production the form comes from another site. */
const aboutCookies = ({ request }: FlowRun) =>
  request?.parameters['response_mode'] === 'form_post'
    ? '; a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does'
    : ''

const issuerOf = ({ request }: FlowRun) => (request ? request.url.replace(/\?.*/s, '') : '')

/**
 * Which kinds of no the app takes for a yes.
 * @throws AuditProblem when yes and no cannot be told apart, or when the app lets a user in only because an adult came before
 */
export async function findLetIn(
  { adults, minors, denied }: Readonly<Record<'adults' | 'minors' | 'denied', SeenTwice>>,
  { names, subject }: { names: Names; subject: Subject },
): Promise<readonly LetIn[]> {
  const { accepted } = subject.rules
  const shown = adults[0].run.observation.summary
  if (accepted && adults.some((one) => !one.accepted)) {
    throw new AuditProblem(
      `--accepted ${JSON.stringify(accepted.text)} does not hold after ${names.adult}: your app shows ${shown}`,
    )
  }
  const isLetIn = { minor: look(minors, adults), access_denied: look(denied, adults) }
  const poorer = [isPoorer(minors, adults) && names.minor, isPoorer(denied, adults) && 'access_denied'].find(Boolean)
  if (!accepted && poorer) {
    throw new AuditProblem(
      `yes and no look alike: after ${names.adult} your app shows nothing that it does not show after ${poorer}: ${shown}; give --accepted "get=/a-page-for-members status=200"`,
    )
  }
  for (const [kind, { before, after }] of Object.entries(isLetIn)) {
    if (before || !after) continue
    const name = kind === 'minor' ? names.minor : kind
    throw new AuditProblem(
      `${name} is let in after ${names.adult} was: your app remembers the user; use {n} in before:, or give reset:`,
    )
  }
  const letsIn = (['minor', 'access_denied'] as const).filter((kind) => isLetIn[kind].after)
  if (accepted && letsIn.includes('access_denied') && !(await tellsSomething(subject))) {
    throw new AuditProblem(
      `yes and no look alike: --accepted ${JSON.stringify(accepted.text)} holds after ${names.adult} and after access_denied; give one that holds for members only, such as "get=/a-page-for-members status=200"`,
    )
  }
  if (!accepted && letsIn.length === 2) {
    throw new AuditProblem(
      `yes and no look alike: ${shown} after ${names.adult} and after access_denied; give --accepted "get=/a-page-for-members status=200"`,
    )
  }
  return letsIn
}

/** Whether a kind of no looked like a yes before the first adult was there, and after. */
function look([first, second]: SeenTwice, adults: SeenTwice): { before: boolean; after: boolean } {
  if (first.accepted !== undefined) return { before: first.accepted, after: second.accepted === true }
  const yes = constantOf(observed(adults))
  const difference = differenceTo(yes, observed([first]))
  if (difference.size === 0) return { before: true, after: true }
  const isAlike = differenceTo(yes, observed([first, second])).size === 0
  return {
    before: isAlike && looksLikeYes([{ lacks: yes }], first.run.observation),
    after: looksLikeYes([{ lacks: difference }], second.run.observation),
  }
}

/**
 * Whether a yes has nothing that a kind of no lacks, although they differ: an empty page, or one with a script alone. Then a yes cannot be
 * known.
 */
function isPoorer(noes: SeenTwice, adults: SeenTwice): boolean {
  if (differenceTo(constantOf(observed(adults)), observed(noes)).size > 0) return false
  return differenceTo(constantOf(observed(noes)), observed(adults)).size > 0
}

const observed = (seen: readonly SeenRun[]) => seen.map(({ run }) => run.observation)

/** Whether the rule that the user gave asks the app, and does not hold in a browser that has proved nothing. */
async function tellsSomething({ driver, rules: { accepted } }: Subject): Promise<boolean> {
  if (!accepted || !asksTheApp(accepted)) return false
  return !(await holds(accepted, { browser: await driver.newBrowser() }, driver))
}
