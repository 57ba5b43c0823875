import { expect } from 'vitest'
import { renderAudit } from '../../src/console/audit/audit-page.ts'
import { renderOutcome } from '../../src/console/catalogues/outcome.ts'
import { renderOutcomes } from '../../src/console/catalogues/outcomes.ts'
import { renderReadings } from '../../src/console/catalogues/readings.ts'
import { renderRules } from '../../src/console/catalogues/rules.ts'
import { renderClients } from '../../src/console/clients.ts'
import { renderClock } from '../../src/console/clock.ts'
import { renderCoverage } from '../../src/console/coverage/coverage.ts'
import { renderExpectations } from '../../src/console/expectations.ts'
import { renderComparison } from '../../src/console/flows/compare/compare.ts'
import { renderFlow } from '../../src/console/flows/flow.ts'
import { renderFlowGroups, renderFlowList } from '../../src/console/flows/flows.ts'
import { renderHome } from '../../src/console/home/home.ts'
import { renderPersonas } from '../../src/console/personas.ts'
import { renderPlayground } from '../../src/console/playground/playground-page.ts'
import { renderScenarios } from '../../src/console/scenarios.ts'
import { renderSignIn } from '../../src/console/sign-in.ts'
import { renderTenants } from '../../src/console/tenants.ts'
import { renderFragment } from '../../src/demo/callback.ts'
import { renderDemoResult } from '../../src/demo/result.ts'
import type { UseSession } from '../../src/demo/sessions.ts'
import { renderDemoStart } from '../../src/demo/start.ts'
import type { ConsoleFrame } from '../../src/http/html/console-page.ts'
import type { RenderedPage } from '../../src/http/html/layout.ts'
import { RULES } from '../../src/oidc/rules/rules.ts'
import { emptyCounters } from '../../src/sandbox/coverage/counters.ts'
import type { Coverage } from '../../src/sandbox/coverage/coverage.ts'
import type { Flow } from '../../src/sandbox/journal/journal.ts'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Persona } from '../../src/sandbox/personas/persona-schema.ts'
import { READINGS } from '../../src/sandbox/readings/readings.ts'
import { ROOT_TENANT } from '../../src/sandbox/tenants/tenants.ts'
import { MIXED } from '../cli/audit/reports/sample-report.ts'
import { shell } from '../hosted/views.ts'

export const frame: ConsoleFrame = {
  shell: { ...shell, theme: 'system' },
  consolePath: '/t/qa/_sandbox/console',
  demoPath: '/t/qa/_sandbox/demo',
  controlPath: '/t/qa/_sandbox',
  tenant: 'qa',
  status: {
    modes: [
      { id: 'tenant', title: 'Tenant', value: 'qa', href: '/t/qa/_sandbox/console/tenants' },
      { id: 'clock', title: 'Clock', value: '+1 day', href: '/t/qa/_sandbox/console/clock', takeBack: 'Real time' },
    ],
    here: '/t/qa/_sandbox/console/flows?q=x',
  },
}

const finding = {
  rule: 'USE-08' as const,
  level: 'error' as const,
  path: 'nonce',
  message: 'nonce is missing',
  hint: 'Send a nonce.',
}
const at = '2026-01-31T12:00:00.000Z'
const pageClock = { now: Date.parse(at), frozen: false, requestUriSeconds: 90 }
const seen = { count: 2, tests: ['a suite > a test'] }
const gap = { count: 0, closes: 'run a Use flow', persona: 'teen-16' }
const dimension = { covered: 1, total: 2, percent: 50 }
const none = { covered: 0, total: 0, percent: 100, items: [] }
const asked = {
  id: 'a/18',
  title: 'age_thresholds 18',
  state: 'half',
  flow: 'use',
  claims: '{"age_thresholds":[18]}',
} as const
const forced = { id: 'use/id_token.expired', title: 'Expired', state: 'missing', flow: 'use' } as const
const coverage: Coverage = {
  ...emptyCounters('0.1.0'),
  claims: [{ claims: { age_thresholds: [18] }, thresholds: { 18: { true: seen } }, filters: {}, boundaries: {} }],
  omitted: { claims: 1 },
  dimensions: {
    answers: { ...dimension, items: [{ ...asked, sides: { true: seen, false: gap } }] },
    filters: none,
    boundaries: none,
    endings: { ...dimension, items: [{ ...forced, sides: { seen: gap } }] },
    must: { ...dimension, items: [{ ...forced, sides: { seen: { ...gap, outcome: 'id_token.expired' } } }] },
    calls: { ...dimension, items: [{ ...forced, flow: 'par', sides: { success: { count: 0, closes: 'push' } } }] },
  },
  unused: [{ flow: 'create', reason: 'no Create request was pushed (E2)' }],
}

/** A flow of which everything is known; its outcome is one of the catalogue. */
const flow = (change: (text: string) => string): Flow => ({
  outcome: 'id_token.expired',
  ...everyString(
    {
      id: 'f7',
      tenant: 'qa',
      flow: 'use',
      client_id: 'web-shop',
      state: 'abc',
      persona: 'teen-16',
      started_at: at,
      ended_at: at,
      age_thresholds: { 13: true, 18: false },
      trace: [
        {
          threshold: 18,
          satisfied: false,
          signals: [
            {
              method: 'id_doc_scan',
              passed: false,
              checks: [{ filter: 'age', passed: false, reason: 'needs 18, has 16' }],
            },
          ],
        },
      ],
      calls: [
        {
          at,
          endpoint: 'E1',
          method: 'GET',
          path: '/v1/oidc/use',
          status: 302,
          parameters: { scope: 'openid', claims: { age_thresholds: [18] }, '"><b>': 'x' },
          findings: [finding],
          response: { kind: 'page', title: 'Back to the app', params: { id_token: idToken(change) } },
        },
        {
          at,
          endpoint: 'E4',
          method: 'POST',
          path: '/v1/oidc/use/token',
          status: 401,
          parameters: { client_id: 'web-shop' },
          findings: [],
          response: {
            kind: 'json',
            value: { error: 'invalid_client', error_description: 'the client did not authenticate' },
          },
        },
      ],
    },
    change,
  ),
})

/** An unsigned token; a page only decodes it. */
function idToken(change: (text: string) => string): string {
  const parts = [
    { alg: 'RS256', kid: change('sandbox-1') },
    { iss: change('http://localhost:2435/v1/oidc/use'), iat: 1_767_225_600, exp: 1e300, '<i>': [change('x')] },
  ]
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.s`
}

const personas: readonly Persona[] = [
  {
    name: 'teen-16',
    title: 'Sixteen',
    purpose: 'Between 13 and 18.',
    group: 'Minors',
    age_key: {
      signals: [
        {
          method: 'id_doc_scan',
          age: { date_of_birth: '2010-01-01' },
          verified_at: at,
          provenance: '/veratad/roc',
          attributes: { issuing_country: 'US' },
          iso_27566_1: 'strict',
        },
      ],
    },
  },
  { name: 'no-age-key', title: 'Nobody', purpose: 'Has none.' },
]

const tenant = (name: string, change: (text: string) => string) => ({
  name,
  basePath: change('/t/qa'),
  provider: { baseUrl: change('http://localhost:2435/t/qa') },
  clock: { state: () => ({ now: change(at), base: change(at), advanced_seconds: 0, frozen: true }) },
})

const provider = {
  baseUrl: 'http://localhost:2435',
  lifetimes: { requestUri: 90, code: 600, idToken: 600, accessToken: 10_800 },
}

export const home = {
  provider: { baseUrl: 'http://localhost:2435', brand: 'svc' as const },
  client: { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' },
  personaCount: 24,
}

/** A session of the demo whose callback brought answers and a code. */
const session = (changes: Partial<UseSession> = {}): UseSession => ({
  flow: 'use',
  state: 'abc',
  startedAt: Date.parse(at),
  request: { scope: 'openid', claims: '{"age_thresholds":[18]}' },
  callback: {
    params: { id_token: 'aaa.bbb.ccc', state: 'abc', code: 'c' },
    checks: [{ name: 'nonce', rule: 'the one of the session', passed: true, found: 'n' }],
    reads: [
      {
        title: 'E6',
        method: 'GET',
        url: 'http://x/jwks.json',
        sent: {},
        status: 200,
        answer: { keys: [] },
        checks: [{ name: 'keys', rule: 'an array of keys', passed: false, found: '0 keys' }],
      },
    ],
    claims: { iss: 'http://localhost:2435/v1/oidc/use', age_thresholds: { 13: false, 18: false } },
  },
  exchanges: [],
  ...changes,
})

/** A persona whose answer differs from the one before. */
const flippedAnswer = {
  name: 'teen-16',
  title: 'Sixteen',
  answers: { 13: true, 18: false },
  before: { 18: true },
  reasons: ['18 no: id_doc_scan: needs 18, has 16', '13 yes: id_doc_scan: needs 13, has 16'],
}

/** Renders a page with every string of its data passed through `change`. */
type Render = (change?: (text: string) => string) => string

const outcomeRow = OUTCOMES.find(({ name }) => name === 'id_token.expired') ?? expect.fail('there is no such row')

/** Every page of console and demo with all that it can show. */
export const PAGES: readonly (readonly [name: string, render: Render])[] = [
  [
    'flows',
    (change = same) =>
      renderFlowList(everyString(frame, change), [flow(change)], {
        query: everyString({ flow: 'use', state: 'abc', q: 'x' }, change),
        before: change('f7'),
        clock: pageClock,
      }).html,
  ],
  [
    'flows by rule',
    (change = same) =>
      renderFlowGroups(
        everyString(frame, change),
        {
          groups: [{ finding, count: 7, newest: [{ flow: flow(change), text: change('nonce is missing') }] }],
          total: 8,
          sound: { count: 2, newest: [flow(change)] },
        },
        { query: { group: 'rule', ...everyString({ q: 'x', state: 'abc' }, change) }, clock: pageClock },
      ).html,
  ],
  [
    'flow',
    (change = same) =>
      renderFlow(everyString(frame, change), flow(change), {
        basePath: change('/t/qa'),
        provider: everyString(provider, change),
        story: { before: change('f6'), after: change('f8') },
        clock: pageClock,
        waiting: change('t-1'),
        previous: change('f5'),
      }).html,
  ],
  [
    'two flows',
    (change = same) =>
      renderComparison(everyString(frame, change), {
        a: change('f1'),
        b: change('f2'),
        problem: change('3 flows are chosen'),
        flows: [
          flow(change),
          { ...flow(change), persona: change('adult-passport'), calls: flow(change).calls.slice(1) },
        ],
      }).html,
  ],
  pageOf(
    'personas',
    renderPersonas,
    frame,
    personas.map((persona) => ({ persona, yaml: `name: ${persona.name}` })),
    {
      total: 41,
      next: 'teen-16',
      search: 'teen',
      group: 'Minors',
      acting: 'teen-16',
      problem: 'persona: there is no persona "x"',
    },
  ),
  pageOf('audit', renderAudit, frame, {
    opened: { name: 'report.json', report: { ...MIXED, version: '9.9.9', catalogue: '9.9' }, linked: ['f2'] },
    problem: 'no file came',
  }),
  pageOf('empty audit', renderAudit, frame, {}),
  pageOf('coverage', renderCoverage, frame, coverage),
  pageOf('playground', renderPlayground, frame, {
    text: '{"age_thresholds":[18]}',
    findings: [finding],
    before: '{"age_thresholds":[18]}',
    answered: {
      table: {
        thresholds: [13, 18],
        filter: { q: 'x', answers: 'changed', after: 'a' },
        groups: [
          { key: 'changed', title: 'Changed', count: 1 },
          { key: 'none', title: 'No age key', count: 1 },
        ],
        rows: [
          { group: 'changed', answer: flippedAnswer },
          { group: 'none', answer: { name: 'no-age-key', title: 'Nobody', reasons: ['no age key'] } },
        ],
        total: 3,
        found: 3,
        next: 'no-age-key',
      },
      changed: [flippedAnswer],
      effects: [{ label: 'without verified_after', flips: ['teen-16'] }],
      copied: { persona: 'teen-16', copies: [{ title: 'Persona as YAML', text: 'name: teen-16' }] },
    },
  }),
  pageOf('outcomes', renderOutcomes, frame, OUTCOMES, { flow: 'use', level: 'must', q: 'expired' }),
  pageOf('outcome', renderOutcome, frame, outcomeRow, 'http://localhost:2435'),
  pageOf(
    'scenarios',
    renderScenarios,
    frame,
    [
      {
        id: 's-1',
        name: 'Sign up',
        client: 'web-shop',
        status: 'failed',
        revision: 3,
        steps: [
          { index: 0, kind: 'clock', summary: 'advance 60', status: 'passed' },
          {
            index: 1,
            kind: 'decide',
            summary: 'use as teen-16: access_denied',
            status: 'failed',
            detail: 'nonce: came nothing',
          },
          { index: 2, kind: 'await', summary: 'token', status: 'waiting' },
        ],
      },
      {
        id: 's-2',
        name: 'Come back',
        status: 'running',
        revision: 0,
        steps: [{ index: 0, kind: 'await', summary: 'token', status: 'current', detail: 'a token call came' }],
      },
    ],
    { yaml: 'name: x', problem: 'line 1: steps is missing' },
  ),
  pageOf(
    'clients',
    renderClients,
    frame,
    [
      {
        clientId: 'web-shop',
        clientSecret: 'a-secret',
        name: 'Web shop',
        redirectUris: ['https://shop.example/callback'],
        signingAlg: 'ES256',
        persona: 'teen-16',
      },
      { clientId: 'ak_test_sandbox', clientSecret: 'sk', name: 'Your app', redirectUris: [], persona: undefined },
    ],
    { total: 60, next: 'web-shop', showsSecrets: true, signingAlg: 'RS256' },
  ),
  pageOf(
    'expectations',
    renderExpectations,
    frame,
    [
      {
        id: 'x-1',
        flow: 'use',
        persona: 'teen-16',
        outcome: 'verified',
        match: { state: 'abc' },
        times: 2,
        remaining: 1,
      },
      { id: 'x-2', flow: 'par', times: 1, remaining: 1 },
    ],
    {
      personas: ['teen-16'],
      fields: { flow: 'use', persona: 'teen-16', state: 'abc' },
      problem: 'outcome: use has none called "x"',
    },
  ),
  pageOf(
    'clock',
    renderClock,
    frame,
    { now: at, base: at, advanced_seconds: 91, frozen: true },
    { set: 'tomorrow', problem: 'set: must be an ISO 8601 date' },
  ),
  pageOf('readings', renderReadings, frame, READINGS.slice(1, 4), {
    readings: { par_status: '200' },
    grease: '7',
    problem: 'readings: there is no reading',
  }),
  pageOf('rules', renderRules, frame, RULES, { profile: 'spec', search: 'nonce', level: 'error', section: '' }),
  [
    'tenants',
    (change = same) =>
      renderTenants(
        everyString(frame, change),
        [tenant(change('qa'), change), tenant(ROOT_TENANT, change)],
        everyString(
          { total: 3, next: 'qa', search: 'q', name: 'Bad Name', problem: 'tenant "Bad Name" is not a name' },
          change,
        ),
      ).html,
  ],
  pageOf('sign-in', renderSignIn, frame, 'Token: this is not it.'),
  pageOf('home', renderHome, frame, home),
  pageOf('demo', renderDemoStart, frame, 'http://localhost:1/'),
  pageOf('fragment', renderFragment, frame),
  pageOf('result', renderDemoResult, frame, session()),
  pageOf(
    'distrusted result',
    renderDemoResult,
    frame,
    session({
      callback: {
        params: { error: 'access_denied', state: 'abc' },
        checks: [{ name: 'nonce', rule: 'the one of the session', passed: false, found: 'absent; must be n' }],
        reads: [],
      },
      exchanges: [
        {
          title: 'E4',
          method: 'POST',
          url: 'http://x/token',
          sent: { code: 'c' },
          status: 400,
          answer: { error: 'x' },
          checks: [{ name: 'status', rule: '200', passed: false, found: '400' }],
        },
        { title: 'E5', method: 'POST', url: 'http://x/upgrade', sent: {}, status: 200, answer: 'OK', checks: [] },
      ],
    }),
  ),
]

function pageOf<Args extends readonly unknown[]>(
  name: string,
  render: (...args: Args) => RenderedPage,
  ...args: Args
): readonly [string, Render] {
  return [name, (change = same) => render(...everyString(args, change)).html]
}

const same = (text: string) => text

/** Words of a fixed set, and what a test sets itself; everything else in the data may be any text. */
const FIXED = [
  'level',
  'correctClient',
  'flow',
  'profile',
  'endpoint',
  'kind',
  'id_token',
  'status',
  'signingAlg',
  'row',
  'verdict',
  'family',
]

function everyString<T>(value: T, change: (text: string) => string): T {
  const json = JSON.stringify(value, (key, item: unknown) =>
    typeof item === 'string' && !FIXED.includes(key) ? change(item) : item,
  )
  return JSON.parse(json)
}
