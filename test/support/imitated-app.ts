import { expect } from 'vitest'
import type { AuthorizationRequest, Browser, Hop, Page, PageRequest, Visit } from '../../src/audit/agent/browser.ts'
import type { Cast } from '../../src/audit/drive/cast.ts'
import type { Driver, FlowPlan, FlowRun } from '../../src/audit/drive/driver.ts'
import type { LearnedApp } from '../../src/audit/learn/learn-app.ts'
import type { LearnedUse } from '../../src/audit/learn/learn-use.ts'
import { type Observation, observe } from '../../src/audit/learn/observation.ts'
import { learnSignature, type Signature } from '../../src/audit/learn/signature.ts'
import type { SandboxApi } from '../../src/client/sandbox-api.ts'
import type { Expectation } from '../../src/client/shapes/decision.ts'
import type { CallRecord, Flow } from '../../src/client/shapes/flow.ts'

// An audited app, its pages and its sandbox as data: what judges and learns is tested without a server and a browser.

export const APP = 'http://localhost:3000'
export const SANDBOX = 'http://localhost:4000'

/** What a good app shows after a right answer, and after any other. */
export const YES = '200 /members Welcome.'
export const NO = '403 /callback Sorry.'
export const SHOWED_YES = 'your app showed 200 at /members ("Welcome.")'
export const SHOWED_NO = 'your app showed 403 at /callback ("Sorry.")'

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
  return {
    forgotten,
    forget: (names) => void forgotten.push(...names),
    open: () => Promise.reject(new Error('only the driver opens pages')),
    peek: () => Promise.reject(new Error('only the driver opens pages')),
  }
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
  return { end: 'page', status: 200, features: new Set([result ? 'let in' : 'kept out']), summary: said, said }
}

const NOW = '2026-06-01T12:00:00.000Z'
const CALL = { at: NOW, method: 'POST', path: '/', status: 200, parameters: {}, findings: [], response: {} }
const FLOW = { tenant: 'default', flow: 'use', status: 'ok', summary: 'a summary', started_at: NOW } as const

export const callOf = (endpoint: string, changes: Partial<CallRecord> = {}): CallRecord => ({
  ...CALL,
  endpoint,
  ...changes,
})

const callsOf = (calls: readonly (string | CallRecord)[]) =>
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

/** A sandbox that has an adult, a minor and a persona without an age key, and that shows the flows it is given. */
export function sandboxOf({
  flows = [],
  clock = { frozen: false, advanced_seconds: 0 },
  left = () => undefined,
}: SandboxParts = {}): SandboxApi & { readonly queued: readonly Expectation[] } {
  const number = (id: string) => Number(id.slice(1))
  const personas = [{ name: 'adult-passport', age_key: {} }, { name: 'child-12', age_key: {} }, { name: 'no-age-key' }]
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
    evaluate: async ({ persona }: { persona: string }) => ({ age_thresholds: { 18: persona === 'adult-passport' } }),
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

export const CAST: Cast = { nameOf: (role) => `the ${role}`, as: (role, act) => act(role) }

export interface Done {
  readonly shows: string | Visit | Observation
  /** Calls of its server: `E2`, `E4`, `E5`. */
  readonly calls?: readonly (string | CallRecord)[]
  /** It sends the browser to Create. */
  readonly creates?: boolean
  readonly changes?: Partial<FlowRun>
}

export type ImitatedApp = ReturnType<typeof imitatedApp>

/** An app that does in each run what `act` says, and shows what `open` says for a page that is opened without a flow. */
export function imitatedApp(
  act: (plan: FlowPlan, run: number) => string | Done,
  open: (request: PageRequest, browser: Browser) => string | Visit = () => '400 /callback No answer.',
  parts: SandboxParts = {},
) {
  const flows: Flow[] = []
  // The runs that were asked for, and the pages that were opened beside them.
  const plans: FlowPlan[] = []
  const opened: PageRequest[] = []
  /** Browsers that `newBrowser` has made: no run has used them. */
  const fresh: Browser[] = []
  const add = (calls: Flow['calls'], changes: Partial<Flow>) => {
    const id = `f${flows.length + 1}`
    flows.push(flowOf(id, calls, changes))
    return id
  }
  const isOf = (endpoint: string) => (call: CallRecord) => call.endpoint === endpoint
  async function run(plan: FlowPlan): Promise<FlowRun> {
    plans.push(plan)
    const done = act(plan, plans.length)
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
    return runOf(visit, {
      browser: plan.browser ?? browserOf(),
      ...(typeof shows === 'object' && 'features' in shows && { observation: shows }),
      request: requestOf({ state: `s${plans.length}` }),
      useFlow,
      createFlow: creates ? createFlow : undefined,
      reachesCreate: creates,
      brought: { E1: true, E3: creates },
      isLaterMet: endpoint === undefined ? undefined : calls.some(isOf(endpoint)),
      ...changes,
    })
  }
  const driver: Driver = {
    run,
    async newBrowser() {
      const browser = browserOf()
      fresh.push(browser)
      return browser
    },
    async open(request, browser) {
      opened.push(request)
      const shown = open(request, browser)
      return typeof shown === 'string' ? { end: 'page', hops: [], page: pageOf(shown) } : shown
    },
  }
  return { driver, sandbox: sandboxOf({ ...parts, flows }), plans, opened, fresh }
}

/** How an app looks whose pages say `yes` after a right answer and each of `noes` after a wrong one. */
export function signatureOf(yes: string, ...noes: readonly string[]): Signature {
  const twice = (said: string) => [observe(visitTo(said)), observe(visitTo(said))]
  return learnSignature(
    twice(yes),
    noes.map((no) => ({ label: no, observations: twice(no) })),
  )
}

/** What was learned of an app that has no flow but Use, unless `changes` say otherwise. */
export function learnedOf(
  signature: Signature,
  { create, upgrade, cast = CAST, ...use }: Partial<LearnedUse & Pick<LearnedApp, 'create' | 'upgrade'>> = {},
): LearnedApp {
  const { claims } = ASKED
  const profile = { responseMode: 'query', canCreate: true, upgradeScope: true, repeatsState: false, claims } as const
  const seen = { signature, letsIn: [], denied: { label: 'access_denied', observations: [] }, strays: [] }
  return {
    use: { profile, cast, createsAfterDenial: false, ...seen, ...use },
    create: create ?? { kind: 'absent', reason: 'it has no Create' },
    upgrade: upgrade ?? { kind: 'absent', reason: 'it has no Upgrade' },
    reading: { signatures: { use: signature }, rules: { use: {}, create: {}, upgrade: {} }, createsAfterDenial: false },
    described: {},
    lines: [],
  }
}
