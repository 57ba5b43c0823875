import type { SandboxApi } from '../../client/sandbox-api.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { AuditedApp } from '../drive/audited-app.ts'
import type { Cast } from '../drive/cast.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { asksTheApp, type DeclaredRules, holds } from './accepted-rule.ts'
import { requireValidRequest } from './describe-errors.ts'
import { learnFlow, type SeenRun } from './learned-flow.ts'
import { learnLikeness } from './likeness.ts'
import type { Observation } from './observation.ts'

/** A kind of refusal that an app takes for a yes. */
export type LetIn = 'access_denied' | 'minor'

interface Subject {
  readonly app: AuditedApp
  readonly cast: Cast
  readonly rules: DeclaredRules
}

const ADVICE = 'give --accepted "get=/a-page-for-members status=200"'

/** @throws AuditProblem when what is expired for the sandbox is not for the app of a test suite */
export async function checkRealTime({ clock }: SandboxApi): Promise<void> {
  const { frozen, advanced_seconds: ahead } = await clock.state()
  if (!frozen && ahead === 0) return
  throw new AuditProblem(
    `the clock of the sandbox ${frozen ? 'stands still' : `is moved by ${ahead} seconds`}, so that what is expired for it is not for your app; set it back by sandbox.clock.reset()`,
  )
}

/** @throws AuditProblem when a visit of a test suite said nothing, or brought no answer of the sandbox */
export async function checkVisit(run: FlowRun, sandbox: SandboxApi): Promise<void> {
  const { observation, request, brought } = run
  const flow = await requireValidRequest(run, sandbox)
  if (observation.end === 'visit failed') throw new AuditProblem(observation.summary)
  if (!request) {
    throw new AuditProblem(
      `${observation.summary}, and no Use request came to ${sandbox.baseUrl}; set your app's base URL to that address, and let visit follow redirects to it`,
    )
  }
  if (brought.E1) return
  throw new AuditProblem(
    `${observation.summary}, and the sandbox has answered its Use request otherwise than it was to (${flow?.summary}); visit has to leave the choice to the audit, without a persona or an outcome of its own`,
  )
}

/** @throws AuditProblem when the app does not take a right token, or not each time alike */
export function checkAdults(adults: readonly SeenRun[], { app, cast, rules }: Subject): void {
  const name = cast.nameOf('adult')
  const runs = adults.map(({ run }) => run)
  if (app.agent === 'function') {
    checkReturned(runs, name, app.sandbox.baseUrl)
    return
  }
  if (app.agent === 'http') checkFragmentPath(runs)
  const refused = runs.find(({ observation: { end, status } }) => end !== 'page' || status >= 400)
  if (refused?.observation.end === 'restless') {
    throw new AuditProblem(
      `after a right token of ${name} your app shows ${refused.observation.summary}; let its pages come to rest, or raise --timeout`,
    )
  }
  if (refused) {
    const issuer = refused.request?.url.replace(/\?.*/s, '') ?? ''
    // In production the form comes from another site.
    const cookies =
      refused.request?.parameters['response_mode'] === 'form_post'
        ? '; a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does'
        : ''
    throw new AuditProblem(
      `your app answers a right token of ${name} with ${refused.observation.summary}; run: agekey-sandbox doctor --issuer ${issuer}${cookies}`,
    )
  }
  const [first] = runs
  const other = runs.find(({ observation }) => observation.status !== first?.observation.status)
  if (first && other) {
    throw new AuditProblem(
      `your app answers a right token of ${name} differently each time: ${first.observation.summary}, then ${other.observation.summary}`,
    )
  }
  if (!rules.accepted || adults.every(({ accepted }) => accepted)) return
  throw new AuditProblem(
    `--accepted ${JSON.stringify(rules.accepted.text)} does not hold after ${name}: your app shows ${first?.observation.summary}`,
  )
}

function checkReturned(runs: readonly FlowRun[], name: string, baseUrl: string): void {
  const results = runs.map(isTrue)
  if (results.every(Boolean)) return
  throw new AuditProblem(
    results.some(Boolean)
      ? `visit returned ${results.join(', then ')} for a right token of ${name}: it has to be true each time`
      : `visit returned false for a right token of ${name}: your app refuses it, or visit does not bring the answer of the sandbox to your app; run: agekey-sandbox doctor --issuer ${baseUrl}/v1/oidc/use`,
  )
}

const isTrue = ({ observation }: FlowRun): boolean => observation.features.has('let in')

/** @throws AuditProblem when the app has no such path as `use.fragment` names, or takes another kind of body there */
function checkFragmentPath(runs: readonly FlowRun[]): void {
  for (const { visit } of runs) {
    const hop = visit.hops.at(-1)
    const callback = visit.hops.at(-2)
    if (hop?.method !== 'POST' || !callback || new URL(callback.url).hash === '') continue
    const place = `use.fragment: POST ${new URL(hop.url).pathname} answers ${hop.status}`
    if (hop.status === 404 || hop.status === 405) {
      throw new AuditProblem(`${place}; name the path of your app that the page of the callback sends the answer to`)
    }
    if (hop.status === 415) throw new AuditProblem(`${place}: it takes another kind of body; give as: form or as: json`)
  }
}

interface Controls extends Subject {
  readonly driver: Driver
  readonly fresh: readonly ReadonlyMap<string, Observation>[]
  readonly paths: readonly string[]
}

/**
 * Which kinds of refusals the app takes for a yes.
 * @throws AuditProblem when yes and no cannot be told apart, or when the app lets a user in only because an adult came before
 */
export async function checkControls(
  seen: Readonly<Record<LetIn | 'adult', readonly SeenRun[]>>,
  subject: Controls,
): Promise<readonly LetIn[]> {
  const { app, cast, rules } = subject
  const adult = cast.nameOf('adult')
  const isVisited = app.agent === 'function'
  const shown = seen.adult[0]?.run.observation.summary
  const found = (['minor', 'access_denied'] as const).map((kind) => ({ kind, ...look(kind, seen, subject) }))
  for (const { kind, before, after } of found) {
    if (before || !after) continue
    const name = kind === 'minor' ? cast.nameOf('minor') : kind
    throw new AuditProblem(
      isVisited
        ? `visit returned true for ${name} after ${adult} was let in: your app remembers the user; begin each visit in a fresh session, and as another user by n`
        : `${name} is let in after ${adult} was: your app remembers the user; use {n} in before:, or give reset:`,
    )
  }
  const letsIn = found.filter(({ before, after }) => before && after).map(({ kind }) => kind)
  if (isVisited && letsIn.length === 2) {
    throw new AuditProblem(
      `visit returned true for ${adult}, for ${cast.nameOf('minor')} and for access_denied; return false when the app refuses`,
    )
  }
  if (rules.accepted) {
    if (!letsIn.includes('access_denied') || (await tellsSomething(subject))) return letsIn
    throw new AuditProblem(
      `yes and no look alike: --accepted ${JSON.stringify(rules.accepted.text)} holds after ${adult} and after access_denied; give one that holds for members only, such as "get=/a-page-for-members status=200"`,
    )
  }
  const outs = found.filter(({ kind }) => !letsIn.includes(kind)).map(({ kind }) => ({ label: kind, seen: seen[kind] }))
  const { tells, probes } = learnFlow({ ...subject, ins: seen.adult, outs })
  if (letsIn.length === 2 && probes.length === 0)
    throw new AuditProblem(`yes and no look alike: ${shown} after ${adult} and after access_denied; ${ADVICE}`)
  if (tells) return letsIn
  const [first, ...more] = seen.adult.map(({ run }) => run.observation)
  const other = more.find(({ features }) => ![...features].some((one) => /^says/.test(one) && first?.features.has(one)))
  if (first && other && !isVisited) {
    throw new AuditProblem(
      `your app answers a right token of ${adult} differently each time: ${first.summary}, then ${other.summary}; ${ADVICE}`,
    )
  }
  const like = outs.find((kind) => !learnFlow({ ...subject, ins: seen.adult, outs: [kind] }).tells)?.label
  const poor = like === 'minor' ? cast.nameOf('minor') : (like ?? 'a refusal')
  throw new AuditProblem(
    `yes and no look alike: after ${adult} your app shows nothing that it does not show after ${poor}: ${shown}; ${ADVICE}`,
  )
}

/** Whether a kind of refusal looked like a yes before the first adult was there, and after. */
function look(
  kind: LetIn,
  seen: Readonly<Record<LetIn | 'adult', readonly SeenRun[]>>,
  { rules, fresh, paths }: Controls,
): { before: boolean; after: boolean } {
  const [first, second] = seen[kind]
  if (!first || !second) throw new Error('each kind of refusal is seen twice')
  if (rules.accepted) return { before: first.accepted === true, after: second.accepted === true }
  const { probes } = learnFlow({ rules: {}, ins: seen.adult, outs: [], fresh, paths })
  if (probes.length > 0) {
    // A page that shows a refused user something else than one who is in tells more than one that shows both the same.
    const isIn = ({ probes: shown }: SeenRun) =>
      probes.every(({ path, likeness }) => {
        const page = shown.get(path)
        return page !== undefined && likeness.compare(page).as === 'in'
      })
    return { before: isIn(first), after: isIn(second) }
  }
  const observed = (runs: readonly SeenRun[]) => runs.map(({ run }) => run.observation)
  const likeness = (outs: readonly SeenRun[]) =>
    learnLikeness(observed(seen.adult), [{ label: kind, seen: observed(outs) }], { isProbe: false })
  const isAlike = !likeness([first, second]) && !isPoorer(observed([first, second]), observed(seen.adult))
  const before = likeness([first])
  if (!before) return { before: isAlike, after: isAlike }
  return { before: false, after: before.compare(second.run.observation).as === 'in' }
}

/** Whether a yes has nothing that a kind of refusal lacks, although that has something of its own. */
function isPoorer(outs: readonly Observation[], ins: readonly Observation[]): boolean {
  const [first, ...rest] = outs
  const always = [...(first?.features ?? [])].filter((one) => rest.every(({ features }) => features.has(one)))
  return always.some((one) => !ins.some(({ features }) => features.has(one)))
}

/** Whether the rule that the user gave asks the app, and does not hold in a browser that has proved nothing. */
async function tellsSomething({ driver, rules: { accepted } }: Controls): Promise<boolean> {
  if (!accepted || !asksTheApp(accepted)) return false
  return !(await holds(accepted, { browser: await driver.newBrowser() }, driver))
}
