import { expect } from 'vitest'
import type {
  AuthorizationRequest,
  Browser,
  BrowserVisit,
  Hop,
  ShownPage,
} from '../../src/audit/agent/browser.ts'
import type { FlowRun } from '../../src/audit/drive/flow-run.ts'
import { type Observation, observe } from '../../src/audit/drive/observation.ts'
import type { TestedPersonas } from '../../src/audit/drive/tested-personas.ts'
import type { CallRecord, Flow } from '../../src/server/client/shapes.ts'

// The pages, visits and calls of an audited app as data.

export const APP = 'http://localhost:3000'
export const SANDBOX = 'http://localhost:4000'

/** The pages of a good app after a right answer, and after any other. */
export const YES = '200 /members Welcome.'
export const NO = '403 /callback Sorry.'
/** A page in words: `200 at /members ("Welcome.")`. */
export const summaryOf = (said: string): string =>
  said.replace(/^(\S+) (\S+) (.*)$/, '$1 at $2 ("$3")')
export const showed = (said: string): string => `your app showed ${summaryOf(said)}`

const MISSING = { path: 'nonce', message: 'it is missing', hint: 'send one' }
export const FINDING = { rule: 'USE-08', level: 'error', ...MISSING } as const

/** An AuditProblem with a message, for `toThrow`. */
export const problem = (message: string): Error =>
  expect.objectContaining({ name: 'AuditProblem', message })

/** A page of the app: `200 /callback Welcome.` */
export function pageOf(said: string, mediaType = 'text/html'): ShownPage {
  const [, status = '', path = '', text = ''] = /^(\d+) (\S+) ?(.*)$/s.exec(said) ?? []
  return { url: `${APP}${path}`, status: Number(status), mediaType, text }
}

export function hopTo(url: string, changes: Partial<Hop> = {}): Hop {
  const party = url.startsWith(SANDBOX) ? 'sandbox' : 'app'
  return { party, method: 'GET', url, status: 200, isCallback: false, cookies: [], ...changes }
}

export const USE_HOPS: readonly Hop[] = [
  hopTo(`${SANDBOX}/v1/oidc/use?state=s1`, { status: 302, endpoint: 'E1', flow: 'f1' }),
  hopTo(`${APP}/callback?state=s1`, { isCallback: true }),
]
export const CREATE_HOPS: readonly Hop[] = [
  hopTo(`${SANDBOX}/v1/oidc/create?request_uri=urn:1`, { status: 302, endpoint: 'E3', flow: 'f2' }),
  hopTo(`${APP}/created?state=s2`, { isCallback: true }),
]

export const ended = (
  end: BrowserVisit['end'],
  changes: Partial<BrowserVisit> = {},
): BrowserVisit => ({
  end,
  hops: USE_HOPS,
  ...changes,
})

/** A visit to the sandbox and back to a page of the app. */
export const visitTo = (said: string, changes: Partial<BrowserVisit> = {}): BrowserVisit =>
  ended('page', { page: pageOf(said), ...changes })

const CALLBACK = { response_mode: 'query', redirect_uri: `${APP}/callback`, state: 's1' }
export const ASKED = { scope: 'openid', claims: '{"age_thresholds":[18]}' }

export const requestOf = (
  parameters: Readonly<Record<string, string>> = {},
): AuthorizationRequest => ({
  endpoint: 'E1',
  url: `${SANDBOX}/v1/oidc/use?state=s1`,
  parameters: { ...CALLBACK, ...ASKED, ...parameters },
})

/** A browser that notes which cookies it must forget. */
export function browserOf(): Browser & { readonly forgotten: string[] } {
  const forgotten: string[] = []
  const open = () => Promise.reject(new Error('only the driver opens pages'))
  return { forgotten, forget: (names) => void forgotten.push(...names), open }
}

/** A run of the app that ended with a visit, or at a page given as text. */
export function runOf(last: string | BrowserVisit, changes: Partial<FlowRun> = {}): FlowRun {
  const visit = typeof last === 'string' ? visitTo(last) : last
  const came = { useFlow: 'f1', reachesCreate: false, brought: { E1: true, E3: false } }
  return {
    browser: browserOf(),
    visit,
    observation: observe(visit),
    request: requestOf(),
    ...came,
    ...changes,
  }
}

/** The observation of a visit of a test suite: its result, or its failure. */
export function saidOf(result: boolean | string): Observation {
  if (typeof result === 'string')
    return { end: 'visit failed', status: 0, features: new Set(['visit failed']), summary: result }
  const said = `visit returned ${result}`
  return {
    end: 'page',
    status: 0,
    features: new Set([result ? 'let in' : 'kept out']),
    summary: said,
    said,
  }
}

const NOW = '2026-06-01T12:00:00.000Z'
const CALL = {
  at: NOW,
  method: 'POST',
  path: '/',
  status: 200,
  parameters: {},
  findings: [],
  response: {},
}
const FLOW = {
  tenant: 'default',
  flow: 'use',
  status: 'ok',
  summary: 'a summary',
  started_at: NOW,
} as const

export const callOf = (endpoint: string, changes: Partial<CallRecord> = {}) => ({
  ...CALL,
  endpoint,
  ...changes,
})
export const callsOf = (calls: readonly (string | CallRecord)[]): CallRecord[] =>
  calls.map((call) => (typeof call === 'string' ? callOf(call) : call))

/** A flow of the journal with calls at some endpoints. */
export const flowOf = (
  id: string,
  calls: readonly (string | CallRecord)[],
  changes: Partial<Flow> = {},
): Flow => ({
  ...FLOW,
  id,
  calls: callsOf(calls),
  ...changes,
})

export const PERSONAS: TestedPersonas = {
  adult: 'the adult',
  minor: 'the minor',
  newcomer: 'the newcomer',
  between: [],
}
