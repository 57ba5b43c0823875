import { renderClock } from '../../src/console/clock-page.ts'
import { renderExpectations } from '../../src/console/expectations-page.ts'
import { type FlowView, renderFlow } from '../../src/console/flow-page.ts'
import { renderFlowList } from '../../src/console/flows-page.ts'
import { renderOutcomes } from '../../src/console/outcomes-page.ts'
import { renderPersonas } from '../../src/console/personas-page.ts'
import { renderRules } from '../../src/console/rules-page.ts'
import { renderSignIn } from '../../src/console/sign-in-page.ts'
import { renderTenants } from '../../src/console/tenants-page.ts'
import { renderFragment } from '../../src/demo/callback.ts'
import { renderDemoResult } from '../../src/demo/result.ts'
import type { UseSession } from '../../src/demo/sessions.ts'
import { renderDemoStart } from '../../src/demo/start.ts'
import type { ConsoleFrame } from '../../src/http/html/console-page.ts'
import type { RenderedPage } from '../../src/http/html/layout.ts'
import { shell } from '../hosted/views.ts'

export const frame: ConsoleFrame = {
  shell: { ...shell, theme: 'system' },
  consolePath: '/t/qa/_sandbox/console',
  demoPath: '/t/qa/_sandbox/demo',
  controlPath: '/t/qa/_sandbox',
  tenant: 'qa',
}

const finding = {
  rule: 'USE-08' as const,
  level: 'error' as const,
  path: 'nonce',
  message: 'nonce is missing',
  hint: 'Send a nonce.',
}
const at = '2026-01-31T12:00:00.000Z'
const answers = { 13: true, 18: false }
const outcome = {
  name: 'id_token.expired',
  summary: 'exp lies in the past.',
  rule: 'Check exp.',
  correctClient: 'refuse' as const,
}

export const flowView = (changes: Partial<FlowView> = {}): FlowView => ({
  ...frame,
  id: 'f7',
  flow: 'use',
  clientId: 'web-shop',
  state: 'abc',
  persona: 'teen-16',
  outcome,
  startedAt: at,
  endedAt: at,
  answers,
  calls: [
    {
      at,
      endpoint: 'E1',
      method: 'GET',
      path: '/v1/oidc/use',
      status: 302,
      parameters: { scope: 'openid', claims: { age_thresholds: [18] }, '"><b>': 'x' },
      findings: [finding],
      response: { location: 'http://localhost:3000/callback#state=abc' },
      curl: "curl -i 'http://localhost:2435/v1/oidc/use'",
    },
  ],
  idToken: {
    token: 'aaa.bbb.ccc',
    header: { alg: 'RS256', kid: 'sandbox-1' },
    payload: { iss: 'http://localhost:2435/v1/oidc/use', iat: 1_767_225_600, exp: 1e300, '<i>': ['x'] },
  },
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
  jsonPath: '/t/qa/_sandbox/flows/f7',
  next: ['Compare state.'],
  ...changes,
})

/** A session of the demo whose callback brought answers and a code. */
const session = (changes: Partial<UseSession> = {}): UseSession => ({
  flow: 'use',
  state: 'abc',
  startedAt: Date.parse(at),
  request: { scope: 'openid', claims: '{"age_thresholds":[18]}' },
  callback: {
    params: { id_token: 'aaa.bbb.ccc', state: 'abc', code: 'c' },
    checks: [{ name: 'nonce', rule: 'the one of the session', passed: true, found: 'n' }],
    claims: { iss: 'http://localhost:2435/v1/oidc/use', age_thresholds: { 13: false, 18: false } },
  },
  exchanges: [],
  ...changes,
})

/** Renders a page with every string of its data passed through `change`. */
type Render = (change?: (text: string) => string) => string

/** Every page of console and demo with all that it can show. */
export const PAGES: readonly (readonly [name: string, render: Render])[] = [
  pageOf('flows', renderFlowList, {
    ...frame,
    flows: [
      {
        id: 'f7',
        flow: 'use',
        clientId: 'web-shop',
        state: 'abc',
        persona: 'teen-16',
        outcome: 'verified',
        startedAt: at,
        isOver: false,
        answers,
        endpoints: ['E1', 'choice'],
        errors: 1,
        advice: 2,
      },
    ],
    filter: { flow: 'use', state: 'abc' },
    olderPath: '?before=f7',
  }),
  pageOf('flow', renderFlow, flowView()),
  pageOf('personas', renderPersonas, {
    ...frame,
    personas: [
      {
        name: 'teen-16',
        title: 'Sixteen',
        purpose: 'Between 13 and 18.',
        group: 'Minors',
        signals: [
          {
            method: 'id_doc_scan',
            age: 'born 2010-01-01',
            verifiedAt: at,
            provenance: '/veratad/roc',
            level: 'strict',
            attributes: ['issuing_country: US'],
          },
        ],
      },
      { name: 'no-age-key', title: 'Nobody', purpose: 'Has none.', group: 'Edge cases' },
    ],
    total: 41,
    search: 'teen',
    action: '/t/qa/_sandbox/console/personas',
    acting: 'teen-16',
    problem: 'persona: there is none called "x"',
  }),
  pageOf('outcomes', renderOutcomes, {
    ...frame,
    outcomes: [{ ...outcome, flow: 'use', seam: 'claims' }],
    total: 90,
    nextPath: '?skip=60',
    flows: ['use', 'create'],
    filter: { flow: 'use', q: 'expired' },
  }),
  pageOf('expectations', renderExpectations, {
    ...frame,
    expectations: [
      {
        id: 'x-1',
        flow: 'use',
        persona: 'teen-16',
        outcome: 'verified',
        match: ['state: abc'],
        times: 2,
        remaining: 1,
      },
      { id: 'x-2', flow: 'par', match: [], times: 1, remaining: 1 },
    ],
    total: 3,
    flows: ['use', 'par'],
    personas: ['teen-16'],
    outcomes: ['verified'],
    fields: { flow: 'use', persona: 'teen-16', state: 'abc' },
    action: '/t/qa/_sandbox/console/expectations',
    problem: 'outcome: use has none called "x"',
  }),
  pageOf('clock', renderClock, {
    ...frame,
    now: at,
    base: at,
    advancedSeconds: 91,
    isFrozen: true,
    action: '/t/qa/_sandbox/console/clock',
    set: 'tomorrow',
    problem: 'set: must be an ISO 8601 date',
  }),
  pageOf('rules', renderRules, {
    ...frame,
    profile: 'spec',
    rules: [
      { id: 'USE-08', section: 'E1', level: 'error' as const, sentence: 'nonce is required.', hint: 'Send one.' },
    ],
    search: 'nonce',
  }),
  pageOf('tenants', renderTenants, {
    ...frame,
    tenants: [
      { name: 'qa', baseUrl: 'http://localhost:2435/t/qa', path: '/t/qa', now: at, isFrozen: true, isRoot: false },
      { name: 'default', baseUrl: 'http://localhost:2435', path: '/x', now: at, isFrozen: false, isRoot: true },
    ],
    total: 3,
    search: 'q',
    action: '/t/qa/_sandbox/console/tenants',
    name: 'Bad Name',
    problem: 'tenant "Bad Name" is not a name',
  }),
  pageOf('sign-in', renderSignIn, { shell: frame.shell, action: '/x', problem: 'Token: this is not it.' }),
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
      },
      exchanges: [
        {
          title: 'E4',
          method: 'POST',
          url: 'http://x/token',
          sent: { code: 'c' },
          status: 400,
          answer: { error: 'x' },
        },
        { title: 'E5', method: 'POST', url: 'http://x/upgrade', sent: {}, status: 200, answer: 'OK' },
      ],
    }),
  ),
]

function pageOf<Args extends readonly unknown[]>(
  name: string,
  render: (...args: Args) => RenderedPage,
  ...args: Args
): readonly [string, Render] {
  return [name, (change = (text) => text) => render(...everyString(args, change)).html]
}

/** Words of a fixed set by their type; everything else in the data may be any text. */
const FIXED = ['level', 'correctClient']

function everyString<T>(value: T, change: (text: string) => string): T {
  const json = JSON.stringify(value, (key, item: unknown) =>
    typeof item === 'string' && !FIXED.includes(key) ? change(item) : item,
  )
  return JSON.parse(json)
}
