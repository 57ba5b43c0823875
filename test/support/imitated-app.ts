import { expect } from 'vitest'
import type { AuthorizationRequest, Browser, Hop, Page, PageRequest, Visit } from '../../src/audit/agent/browser.ts'
import type { Cast } from '../../src/audit/drive/cast.ts'
import type { Driver, FlowPlan, FlowRun } from '../../src/audit/drive/driver.ts'
import type { LearnedApp } from '../../src/audit/learn/learn-app.ts'
import type { SeenRun } from '../../src/audit/learn/learned-flow.ts'
import { type FlowParts, type LearnedFlow, learnFlow, type SeenKind } from '../../src/audit/learn/learned-flow.ts'
import { type Observation, observe } from '../../src/audit/learn/observation.ts'
import type { Stage } from '../../src/audit/trials/trial.ts'
import { tryRows } from '../../src/audit/trials/try-rows.ts'
import type { SandboxApi } from '../../src/client/sandbox-api.ts'
import type { Expectation } from '../../src/client/shapes/decision.ts'
import type { CallRecord, Flow } from '../../src/client/shapes/flow.ts'
import { AUDIT_ROWS, rowId } from '../../src/sandbox/outcomes/catalogue.ts'

// An audited app, its pages and its sandbox as data: what judges and learns is tested without a server and a browser.

export const APP = 'http://localhost:3000'
export const SANDBOX = 'http://localhost:4000'

/** What a good app shows after a right answer, and after any other. */
export const YES = '200 /members Welcome.'
export const NO = '403 /callback Sorry.'
/** What a page is told as: `200 at /members ("Welcome.")`. */
export const summaryOf = (said: string): string => said.replace(/^(\S+) (\S+) (.*)$/, '$1 at $2 ("$3")')
export const showed = (said: string): string => `your app showed ${summaryOf(said)}`

const MISSING = { path: 'nonce', message: 'it is missing', hint: 'send one' }
export const FINDING = { rule: 'USE-08', level: 'error', ...MISSING } as const

/** An AuditProblem with a message, for `toThrow`. */
export const problem = (message: string): Error => expect.objectContaining({ name: 'AuditProblem', message })

/** A page of the app: `200 /callback Welcome.` */
export function pageOf(said: string, mediaType = 'text/html'): Page {
  const [, status = '', path = '', text = ''] = /^(\d+) (\S+) ?(.*)$/s.exec(said) ?? []
  return { url: `${APP}${path}`, status: Number(status), mediaType, text }
}

export function hopTo(url: string, changes: Partial<Hop> = {}): Hop {
  const party = url.startsWith(SANDBOX) ? 'sandbox' : 'app'
  return { party, method: 'GET', url, status: 200, isCallback: false, cookies: [], ...changes }
}

const USE_HOPS: readonly Hop[] = [
  hopTo(`${SANDBOX}/v1/oidc/use?state=s1`, { status: 302, endpoint: 'E1', flow: 'f1' }),
  hopTo(`${APP}/callback?state=s1`, { isCallback: true }),
]
const CREATE_HOPS: readonly Hop[] = [
  hopTo(`${SANDBOX}/v1/oidc/create?request_uri=urn:1`, { status: 302, endpoint: 'E3', flow: 'f2' }),
  hopTo(`${APP}/created?state=s2`, { isCallback: true }),
]

export const ended = (end: Visit['end'], changes: Partial<Visit> = {}): Visit => ({ end, hops: USE_HOPS, ...changes })

/** A visit that went to the sandbox and came back to a page of the app. */
export const visitTo = (said: string, changes: Partial<Visit> = {}): Visit =>
  ended('page', { page: pageOf(said), ...changes })

const CALLBACK = { response_mode: 'query', redirect_uri: `${APP}/callback`, state: 's1' }
const ASKED = { scope: 'openid', claims: '{"age_thresholds":[18]}' }

export const requestOf = (parameters: Readonly<Record<string, string>> = {}): AuthorizationRequest => ({
  endpoint: 'E1',
  url: `${SANDBOX}/v1/oidc/use?state=s1`,
  parameters: { ...CALLBACK, ...ASKED, ...parameters },
})

/** A browser that notes which cookies it was told to forget. */
export function browserOf(): Browser & { readonly forgotten: string[] } {
  const forgotten: string[] = []
  const open = () => Promise.reject(new Error('only the driver opens pages'))
  return { forgotten, forget: (names) => void forgotten.push(...names), open, peek: open }
}

/** A run of the app that ended with a visit, or at a page that is given as text. */
export function runOf(last: string | Visit, changes: Partial<FlowRun> = {}): FlowRun {
  const visit = typeof last === 'string' ? visitTo(last) : last
  const came = { useFlow: 'f1', reachesCreate: false, brought: { E1: true, E3: false } }
  return { browser: browserOf(), visit, observation: observe(visit), request: requestOf(), ...came, ...changes }
}

/** What a visit of a test suite shows: what it returned, or how it failed. */
export function saidOf(result: boolean | string): Observation {
  if (typeof result === 'string')
    return { end: 'visit failed', status: 0, features: new Set(['visit failed']), summary: result }
  const said = `visit returned ${result}`
  return { end: 'page', status: 0, features: new Set([result ? 'let in' : 'kept out']), summary: said, said }
}

const NOW = '2026-06-01T12:00:00.000Z'
const CALL = { at: NOW, method: 'POST', path: '/', status: 200, parameters: {}, findings: [], response: {} }
const FLOW = { tenant: 'default', flow: 'use', status: 'ok', summary: 'a summary', started_at: NOW } as const

export const callOf = (endpoint: string, changes: Partial<CallRecord> = {}) => ({ ...CALL, endpoint, ...changes })
const callsOf = (calls: readonly (string | CallRecord)[]): CallRecord[] =>
  calls.map((call) => (typeof call === 'string' ? callOf(call) : call))

/** A flow of the journal with calls at some endpoints. */
export const flowOf = (id: string, calls: readonly (string | CallRecord)[], changes: Partial<Flow> = {}): Flow => ({
  ...FLOW,
  id,
  calls: callsOf(calls),
  ...changes,
})

interface SandboxParts {
  readonly flows?: readonly Flow[]
  readonly clock?: { readonly frozen: boolean; readonly advanced_seconds: number }
  /** What is left of what was queued. */
  left?(queued: Expectation): Partial<Expectation> | undefined
}

const AGES: Readonly<Record<string, number>> = { 'adult-passport': 30, 'teen-16': 16, 'child-12': 12 }

/** A sandbox that has an adult, a teenager, a minor and a persona without an age key, and that shows the flows it is given. */
export function sandboxOf({
  flows = [],
  clock = { frozen: false, advanced_seconds: 0 },
  left = () => undefined,
}: SandboxParts = {}): SandboxApi & { readonly queued: readonly Expectation[] } {
  const number = (id: string) => Number(id.slice(1))
  const personas = [...Object.keys(AGES).map((name) => ({ name, age_key: {} })), { name: 'no-age-key' }]
  const queued: Expectation[] = []
  return Object.create({
    baseUrl: SANDBOX,
    queued,
    flows: {
      get: async (id: string) => flows.find((flow) => flow.id === id) ?? Promise.reject(new Error(`no flow ${id}`)),
      list: async ({ flow, after = 'f0' }: { flow?: string; after?: string } = {}) =>
        flows.filter((one) => one.flow === (flow ?? one.flow) && number(one.id) > number(after)).toReversed(),
    },
    personas: {
      list: async () => personas,
      get: async (name: string) => personas.find((persona) => persona.name === name),
      put: async (persona: { name: string }) => persona,
      remove: async () => undefined,
    },
    evaluate: async ({ persona, claims }: { persona: string; claims: { age_thresholds: number[] } }) => ({
      age_thresholds: Object.fromEntries(claims.age_thresholds.map((age) => [age, (AGES[persona] ?? 0) >= age])),
    }),
    clock: { state: async () => clock },
    async next(decision: Omit<Expectation, 'id' | 'remaining' | 'times'> & { times?: number }) {
      const { times = 1 } = decision
      const expectation: Expectation = { ...decision, id: `x-${queued.length + 1}`, times, remaining: times }
      queued.push(expectation)
      return expectation
    },
    expectations: {
      list: async () =>
        queued.flatMap((one) => [left(one)].flatMap((changes) => (changes ? { ...one, ...changes } : []))),
    },
  })
}

export const CAST: Cast = { between: [], nameOf: (role) => `the ${role}`, as: (role, act) => act(role) }

export interface Done {
  readonly shows: string | Visit | Observation
  /** Calls of its server: `E2`, `E4`, `E5`. */
  readonly calls?: readonly (string | CallRecord)[]
  /** It sends the browser to Create. */
  readonly creates?: boolean
  readonly changes?: Partial<FlowRun>
}

export type ImitatedApp = ReturnType<typeof imitatedApp>

/** Who asks for a page again. */
interface Looker {
  readonly browser: Browser
  /** What the sandbox was made to do in the last run of this browser; absent in one that has done nothing. */
  readonly plan?: FlowPlan | undefined
  /** Milliseconds that were waited since that run. */
  readonly waited: number
}

interface AppParts extends SandboxParts {
  /** What a page shows that is asked for again. */
  peek?(path: string, looker: Looker): string | Visit
  /** What it shows to an answer that is brought by hand. */
  open?(request: PageRequest, browser: Browser): string | Visit
}

/** An app that does in each run what `act` says. Time passes only when the driver is told to wait. */
export function imitatedApp(act: (plan: FlowPlan, run: number) => string | Done, parts: AppParts = {}) {
  const { peek = (path) => `404 ${path} Not found.`, open = () => '400 /callback No answer.' } = parts
  const flows: Flow[] = []
  // The runs that were asked for, what was opened or asked for beside them, and how long was waited.
  const plans: FlowPlan[] = []
  const opened: PageRequest[] = []
  const peeked: string[] = []
  const waits: number[] = []
  const last = new Map<Browser, { readonly plan: FlowPlan; readonly at: number }>()
  const spread = { times: 0 }
  const now = () => waits.reduce((sum, ms) => sum + ms, 0)
  const shownAs = (shown: string | Visit): Visit =>
    typeof shown === 'string' ? { end: 'page', hops: [], page: pageOf(shown) } : shown
  const add = (calls: Flow['calls'], changes: Partial<Flow>) => {
    const id = `f${flows.length + 1}`
    flows.push(flowOf(id, calls, changes))
    return id
  }
  const isOf = (endpoint: string) => (call: CallRecord) => call.endpoint === endpoint
  async function run(plan: FlowPlan): Promise<FlowRun> {
    plans.push(plan)
    const n = plans.length
    const done = act(plan, n)
    const given: Done = typeof done === 'string' ? { shows: done } : done
    const { shows, creates = false, changes, calls: made = [] } = given
    const calls = callsOf(made)
    const beside = calls.filter((call) => !isOf('E2')(call))
    const useFlow = add([callOf('E1'), ...beside], { outcome: plan.use.outcome })
    const createCalls = [...calls.filter(isOf('E2')), ...(creates ? [callOf('E3')] : [])]
    const createFlow =
      createCalls.length > 0 ? add(createCalls, { flow: 'create', outcome: plan.create?.outcome }) : undefined
    const hops = creates ? [...USE_HOPS, ...CREATE_HOPS] : USE_HOPS
    const visit =
      typeof shows === 'string' ? visitTo(shows, { hops }) : 'hops' in shows ? shows : ended('page', { hops: [] })
    const endpoint = plan.later && { par: 'E2', token: 'E4', upgrade: 'E5' }[plan.later.flow]
    const found = runOf(visit, {
      browser: plan.browser ?? browserOf(),
      ...(typeof shows === 'object' && 'features' in shows && { observation: shows }),
      request: requestOf({ state: `s${n}` }),
      useFlow,
      createFlow: creates ? createFlow : undefined,
      reachesCreate: creates,
      brought: { E1: true, E3: creates },
      isLaterMet: endpoint === undefined ? undefined : calls.some(isOf(endpoint)),
      answer: { url: `${APP}/callback?state=s${n}`, isAnswer: true },
      ...changes,
    })
    last.set(found.browser, { plan, at: now() })
    return found
  }
  const driver: Driver = {
    run,
    newBrowser: async () => browserOf(),
    async open(request, browser) {
      opened.push(request)
      return shownAs(open(request, browser))
    },
    async peek(path, browser) {
      peeked.push(path)
      const { plan, at = now() } = last.get(browser) ?? {}
      return shownAs(peek(path, { browser, plan, waited: now() - at }))
    },
    wait: async (ms) => void waits.push(ms),
    spreadOut() {
      spread.times += 1
    },
  }
  return { driver, sandbox: sandboxOf({ ...parts, flows }), plans, opened, peeked, waits, spread }
}

/** A run that ended at a page, and what probes showed then. */
export const seenOf = (last: string | Visit, probes: Readonly<Record<string, string>> = {}): SeenRun => ({
  run: runOf(last),
  probes: new Map(Object.entries(probes).map(([path, said]) => [path, observe(visitTo(said, { hops: [] }))])),
})

/** Kinds of refusals by their labels, each with the page that was seen twice. */
export const kindsOf = (pages: Readonly<Record<string, string | Visit>>): readonly SeenKind[] =>
  Object.entries(pages).map(([label, page]) => ({ label, seen: [seenOf(page), seenOf(page)] }))

/** How a flow is read that shows `yes` after a right answer and each of `noes` after a wrong one. */
export const flowShowing = (
  yes: string,
  noes: Readonly<Record<string, string | Visit>> = { access_denied: NO },
  parts: Partial<FlowParts> = {},
): LearnedFlow => learnFlow({ rules: {}, ins: [seenOf(yes), seenOf(yes)], outs: kindsOf(noes), ...parts })

export const [ME_IN, ME_OUT] = ['200 /me In.', '401 /me No.']

/** How a flow is read whose app shows at /me who is in. */
export const flowProbed = (yes: string, no: string): LearnedFlow => {
  const outs = [{ label: 'access_denied', seen: [seenOf(no, { '/me': ME_OUT })] }]
  return learnFlow({ rules: {}, ins: [seenOf(yes, { '/me': ME_IN })], outs, paths: ['/me'] })
}

/** What was learned of an app that has no flow but Use, unless `changes` say otherwise. */
export function learnedOf(use: LearnedFlow, changes: Partial<LearnedApp> = {}): LearnedApp {
  const { claims } = ASKED
  const profile = { responseMode: 'query', canCreate: true, upgradeScope: true, repeatsState: false, claims } as const
  return {
    profile,
    cast: CAST,
    use,
    create: { kind: 'absent', reason: 'it has no Create' },
    upgrade: { kind: 'absent', reason: 'it has no Upgrade' },
    letsIn: [],
    between: [],
    createsAfterDenial: false,
    signOut: [],
    visitSeconds: 0,
    described: {},
    lines: [],
    ...changes,
  }
}

export const stageOf = ({ driver, sandbox }: Pick<ImitatedApp, 'driver' | 'sandbox'>): Stage => ({
  name: 'your app',
  cast: CAST,
  driver,
  sandbox,
})

type RowSettings = Partial<Omit<Parameters<typeof tryRows>[1], 'learned'>> & { readonly learned?: Partial<LearnedApp> }

/** What is found of an app by rows, with what is heard meanwhile. */
export async function findByRows(ids: readonly string[], app: ImitatedApp, settings: RowSettings = {}) {
  const { signal = new AbortController().signal } = settings
  const rows = ids.map((id) => AUDIT_ROWS.find((row) => rowId(row) === id) ?? expect.fail(`there is no row ${id}`))
  const heard: string[] = []
  const { judged, notes } = await tryRows(rows, {
    stages: [stageOf(app)],
    visitsEach: 1,
    signal,
    pages: {},
    counting: { failOn: 'must', catalogue: '0.2', known: [], today: '2026-01-01' },
    slow: false,
    repeat: 1,
    isVisited: false,
    drive: (fresh) => fresh.drive({ timeoutSeconds: 1, signal }),
    onRow: ({ done, total, row }) => heard.push(`${done}/${total} ${row.row} ${row.verdict}`),
    ...settings,
    learned: learnedOf(flowShowing(YES), settings.learned),
  })
  const told = judged.map(({ row, verdict, reason, evidence }) => ({ row, verdict, reason, evidence }))
  return { judged, told, heard, notes }
}

/** What an app shows that lets in adults by the right answer, and nobody else. */
export const right = ({ use: { outcome, persona } }: FlowPlan): string =>
  outcome === 'verified' && persona !== 'minor' ? YES : NO
