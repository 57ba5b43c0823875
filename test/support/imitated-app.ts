import { expect } from 'vitest'
import type { Browser, BrowserVisit, PageRequest } from '../../src/audit/agent/browser.ts'
import type { Driver } from '../../src/audit/drive/driver.ts'
import type { FlowPlan, FlowRun } from '../../src/audit/drive/flow-run.ts'
import type { Observation } from '../../src/audit/drive/observation.ts'
import type { LearnedApp } from '../../src/audit/learn/learn-app.ts'
import type { AuditRun, Worker } from '../../src/audit/trials/audit-run.ts'
import { tryRows } from '../../src/audit/trials/rows/try-rows.ts'
import { AUDIT_ROWS, rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import type { SandboxApi } from '../../src/server/client/sandbox-api.ts'
import { SandboxError } from '../../src/server/client/sandbox-error.ts'
import type { CallRecord, ClockState, Expectation, Flow } from '../../src/server/client/shapes.ts'
import { flowShowing, learnedOf } from './imitated-learning.ts'
import {
  APP,
  browserOf,
  CREATE_HOPS,
  callOf,
  callsOf,
  ended,
  flowOf,
  NO,
  requestOf,
  runOf,
  SANDBOX,
  USE_HOPS,
  visitTo,
  YES,
} from './imitated-pages.ts'

// An audited app and its sandbox as data, so that learning and judging are tested without a server
// and a browser.

interface SandboxParts {
  readonly flows?: readonly Flow[]
  readonly clock?: Pick<ClockState, 'now' | 'frozen'>
  /** Decisions that are still queued. */
  left?(queued: Expectation): Partial<Expectation> | undefined
}

const AGES: Readonly<Record<string, number>> = {
  'adult-passport': 30,
  'teen-16': 16,
  'child-12': 12,
}

/**
 * A sandbox with an adult, a teenager, a minor and a persona without an age key, which returns the
 * given flows.
 */
export function sandboxOf({
  flows = [],
  clock = { frozen: false, now: new Date().toISOString() },
  left = () => undefined,
}: SandboxParts = {}): SandboxApi & { readonly queued: readonly Expectation[] } {
  const number = (id: string) => Number(id.slice(1))
  const personas = [
    ...Object.keys(AGES).map((name) => ({ name, age_key: {} })),
    { name: 'no-age-key' },
  ]
  const queued: Expectation[] = []
  return Object.create({
    baseUrl: SANDBOX,
    queued,
    flows: {
      get: async (id: string) =>
        flows.find((flow) => flow.id === id) ?? Promise.reject(new Error(`no flow ${id}`)),
      list: async ({ flow, after = 'f0' }: { flow?: string; after?: string } = {}) =>
        flows
          .filter((one) => one.flow === (flow ?? one.flow) && number(one.id) > number(after))
          .toReversed(),
    },
    personas: {
      list: async () => personas,
      get: async (name: string) => personas.find((persona) => persona.name === name),
      put: async (persona: { name: string }) => persona,
      remove: async () => undefined,
    },
    evaluate: async ({
      persona,
      claims,
    }: {
      persona: string
      claims: { age_thresholds: number[] }
    }) => ({
      age_thresholds: Object.fromEntries(
        claims.age_thresholds.map((age) => [age, (AGES[persona] ?? 0) >= age]),
      ),
    }),
    clock: { state: async () => clock },
    async next(decision: Omit<Expectation, 'id' | 'remaining' | 'times'> & { times?: number }) {
      const { times = 1 } = decision
      const expectation: Expectation = {
        ...decision,
        id: `x-${queued.length + 1}`,
        times,
        remaining: times,
      }
      queued.push(expectation)
      return expectation
    },
    expectations: {
      list: async () =>
        queued.flatMap((one) =>
          [left(one)].flatMap((changes) => (changes ? { ...one, ...changes } : [])),
        ),
      async remove(id: string) {
        const one = queued.find((other) => other.id === id)
        if (!one || !left(one))
          throw new SandboxError(`there is no ${id}`, { status: 404, error: 'not_found' })
      },
    },
  })
}

export interface Done {
  readonly shows: string | BrowserVisit | Observation
  /** Calls of its server: `E2`, `E4`, `E5`. */
  readonly calls?: readonly (string | CallRecord)[]
  /** Whether it sends the browser to Create. */
  readonly creates?: boolean
  readonly changes?: Partial<FlowRun>
}

export type ImitatedApp = ReturnType<typeof imitatedApp>

/** The browser that requests a page again. */
interface Looker {
  readonly browser: Browser
  /** The decision in the last run of this browser; absent in a browser that did nothing. */
  readonly plan?: FlowPlan | undefined
  /** Milliseconds of waiting since that run. */
  readonly waited: number
}

interface AppParts extends SandboxParts {
  /** What a page shows that is requested again. */
  peek?(path: string, looker: Looker): string | BrowserVisit
  /** What it shows to an answer that is brought by hand. */
  open?(request: PageRequest, browser: Browser): string | BrowserVisit
}

/** An app that behaves in each run like `act`. Time passes only when the driver must wait. */
export function imitatedApp(
  act: (plan: FlowPlan, run: number) => string | Done,
  parts: AppParts = {},
) {
  const { peek = (path) => `404 ${path} Not found.`, open = () => '400 /callback No answer.' } =
    parts
  const flows: Flow[] = []
  // The requested runs, what else was opened or requested, and how long was waited.
  const [plans, opened, peeked, waits]: [FlowPlan[], PageRequest[], string[], number[]] = [
    [],
    [],
    [],
    [],
  ]
  const last = new Map<Browser, { readonly plan: FlowPlan; readonly at: number }>()
  const spread = { times: 0 }
  const now = () => waits.reduce((sum, ms) => sum + ms, 0)
  const shownAs = (shown: string | BrowserVisit) =>
    typeof shown === 'string' ? visitTo(shown, { hops: [] }) : shown
  const add = (calls: Flow['calls'], changes: Partial<Flow>) =>
    `f${flows.push(flowOf(`f${flows.length + 1}`, calls, changes))}`
  const isOf = (endpoint: string | undefined) => (call: CallRecord) => call.endpoint === endpoint
  async function run(plan: FlowPlan): Promise<FlowRun> {
    plans.push(plan)
    const n = plans.length
    const done = act(plan, n)
    const {
      shows,
      creates = false,
      changes,
      calls: made = [],
    }: Done = typeof done === 'string' ? { shows: done } : done
    const calls = callsOf(made)
    const ofUse = calls.filter((call) => !isOf('E2')(call))
    const useFlow = add([callOf('E1'), ...ofUse], { outcome: plan.use.outcome })
    const ofCreate = [...calls.filter(isOf('E2')), ...(creates ? [callOf('E3')] : [])]
    if (ofCreate.length > 0) add(ofCreate, { flow: 'create', outcome: plan.create?.outcome })
    const hops = creates ? [...USE_HOPS, ...CREATE_HOPS] : USE_HOPS
    const visit =
      typeof shows === 'string'
        ? visitTo(shows, { hops })
        : 'hops' in shows
          ? shows
          : ended('page', { hops: [] })
    const endpoint = plan.later && { par: 'E2', token: 'E4', upgrade: 'E5' }[plan.later.flow]
    const found = runOf(visit, {
      browser: plan.browser ?? browserOf(),
      ...(typeof shows === 'object' && 'features' in shows && { observation: shows }),
      request: requestOf({ state: `s${n}` }),
      useFlow,
      createFlow: creates ? `f${flows.length}` : undefined,
      reachesCreate: creates,
      brought: { E1: true, E3: creates },
      isLaterMet: endpoint ? calls.some(isOf(endpoint)) : undefined,
      answer: { url: `${APP}/callback?state=s${n}`, isAnswer: true },
      ...changes,
    })
    last.set(found.browser, { plan, at: now() })
    return found
  }
  const driver: Driver = {
    run,
    newBrowser: async () => browserOf(),
    prepare: async () => {},
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
    spreadOut: () => void spread.times++,
  }
  return { driver, sandbox: sandboxOf({ ...parts, flows }), plans, opened, peeked, waits, spread }
}

export function workerOf({ driver, sandbox }: Pick<ImitatedApp, 'driver' | 'sandbox'>): Worker {
  return { name: 'your app', driver, sandbox }
}

type RunParts = Partial<Omit<AuditRun, 'learned'>> & { readonly learned?: Partial<LearnedApp> }

/** The verdicts on rows of an app, with the reported progress. */
export async function findByRows(
  ids: readonly string[],
  app: ImitatedApp,
  settings: RunParts = {},
) {
  const { signal = new AbortController().signal } = settings
  const rows = ids.map(
    (id) => AUDIT_ROWS.find((row) => rowId(row) === id) ?? expect.fail(`there is no row ${id}`),
  )
  const [heard, notes, planned]: [string[], string[], number[]] = [[], [], []]
  const judged = await tryRows(rows, {
    workers: [workerOf(app)],
    visitsEach: 1,
    signal,
    isVisited: false,
    notes,
    today: '2026-01-01',
    drive: (fresh) => fresh.drive({ timeoutSeconds: 1, signal }),
    ...settings,
    options: {
      repeat: 1,
      ...settings.options,
      onProgress(news) {
        if (news.stage === 'row')
          heard.push(`${news.done}/${news.total} ${news.row.row} ${news.row.verdict}`)
        if (news.stage === 'planned') planned.push(news.trials)
      },
    },
    learned: learnedOf(flowShowing(YES), settings.learned),
  })
  const told = judged.map(({ row, verdict, reason, evidence }) => ({
    row,
    verdict,
    reason,
    evidence,
  }))
  return { judged, told, heard, planned, notes }
}

/** An app that lets adults in by the right answer, and nobody else. */
export const right = ({ use: { outcome, persona } }: FlowPlan): string =>
  outcome === 'verified' && persona !== 'the minor' ? YES : NO
