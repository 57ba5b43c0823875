import { expect } from 'vitest'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import type { Persona } from '../../../src/sandbox/personas/persona-schema.ts'
import { READINGS } from '../../../src/sandbox/readings/readings.ts'
import { ROOT_TENANT } from '../../../src/sandbox/tenants/tenants.ts'
import type { ConsoleFrame } from '../../../src/server/http/console-page.ts'
import { renderError } from '../../../src/server/http/html/error-page.ts'
import type { RenderedPage, Shell } from '../../../src/server/http/html/layout.ts'
import { renderChoose } from '../../../src/server/pages/choose-page.ts'
import { renderCreate } from '../../../src/server/pages/create-page.ts'
import { renderCallbackForm } from '../../../src/server/pages/ending.ts'
import { renderEndingsPage } from '../../../src/server/pages/routes.ts'
import { explainEvaluation } from '../../../src/service/age/evaluate.ts'
import type { ThresholdTrace } from '../../../src/service/age/trace.ts'
import { RULES } from '../../../src/service/oidc/rules/rules.ts'
import { renderAudit } from '../../../src/workbench/console/audit/audit-page.ts'
import { renderSignIn } from '../../../src/workbench/console/console-route.ts'
import { renderCoverage } from '../../../src/workbench/console/coverage.ts'
import { renderFlow, renderUnknown } from '../../../src/workbench/console/flows/flow.ts'
import { renderFlowList } from '../../../src/workbench/console/flows/flows.ts'
import { renderForce } from '../../../src/workbench/console/force/force.ts'
import { renderOutcome, renderOutcomes } from '../../../src/workbench/console/force/outcomes.ts'
import { renderPersonas } from '../../../src/workbench/console/personas.ts'
import { renderPlayground } from '../../../src/workbench/console/playground/playground.ts'
import { renderClosedHome } from '../../../src/workbench/console/routes.ts'
import { renderRules } from '../../../src/workbench/console/rules.ts'
import { renderReadings } from '../../../src/workbench/console/setup/readings.ts'
import { renderSetup } from '../../../src/workbench/console/setup/setup.ts'
import { renderTenants } from '../../../src/workbench/console/setup/tenants.ts'
import { renderFragment } from '../../../src/workbench/demo/callback.ts'
import { renderDemoResult } from '../../../src/workbench/demo/result.ts'
import { renderDemoStart } from '../../../src/workbench/demo/start.ts'
import { MIXED } from '../../audit/report/sample-report.ts'
import {
  advice,
  chooseView,
  createView,
  errorView,
  formPostCallback,
  shell,
} from '../../server/pages/views.ts'
import { listedFlow, recordedCall } from '../../support/journal-entries.ts'
import { ADULT_SEEN, described } from '../../tools/cli/coverage/sample-coverage.ts'
import { check, exchange, useSession } from '../demo/sessions.ts'

export const frame: ConsoleFrame = {
  shell: { ...shell, theme: 'system' },
  consolePath: '/t/qa/_sandbox/console',
  demoPath: '/t/qa/_sandbox/demo',
  controlPath: '/t/qa/_sandbox',
  tenant: 'qa',
  status: {
    modes: [
      { id: 'tenant', title: 'Tenant', value: 'qa', href: '/t/qa/_sandbox/console/tenants' },
      {
        id: 'clock',
        title: 'Clock',
        value: '+1 day',
        href: '/t/qa/_sandbox/console/force#clock',
        takeBack: 'Real time',
      },
    ],
    here: '/t/qa/_sandbox/console/flows?q=x',
  },
}

const finding = { ...advice, level: 'error' } as const
const at = '2026-01-31T12:00:00.000Z'
const clock = { now: Date.parse(at), frozen: false, requestUriSeconds: 90 }
/** A part of an unsigned token; a page only decodes it. */
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const idToken = [
  { alg: 'RS256', kid: 'sandbox-1' },
  { iss: 'http://localhost:2435/v1/oidc/use', iat: 1_767_225_600, exp: 1e300, '<i>': ['x'] },
].map(encode)
const params = { id_token: `${idToken.join('.')}.s`, state: 'abc', code: 'c' }
const TEEN_SIGNAL = {
  method: 'id_doc_scan',
  age: { years: 16 },
  verified_at: at,
  provenance: '/yoti',
} as const

/**
 * A page leaves out the checks that the request does not ask for, which it knows by their reason:
 * the reasons are changed.
 */
const askedFor = ({ signals, ...threshold }: ThresholdTrace): ThresholdTrace => ({
  ...threshold,
  signals: signals.map(({ checks, ...signal }) => ({
    ...signal,
    checks: checks.filter(({ filter }) => filter === 'age'),
  })),
})

/** A flow of which everything is known; its outcome is one of the catalogue. */
const flow = listedFlow({
  id: 'f7',
  client_id: 'web-shop',
  state: 'abc',
  persona: 'teen-16',
  outcome: 'id_token.expired',
  age_thresholds: { 13: true, 18: false },
  trace: explainEvaluation([TEEN_SIGNAL], { age_thresholds: [13, 18] }, clock.now).map(askedFor),
  calls: [
    recordedCall({
      parameters: { scope: 'openid', claims: { age_thresholds: [18] }, '"><b>': 'x' },
      findings: [finding],
      response: { kind: 'page', title: 'Back to the app', params: { id_token: params.id_token } },
    }),
    recordedCall({
      endpoint: 'E4',
      method: 'POST',
      status: 401,
      parameters: { client_id: 'web-shop' },
      response: {
        kind: 'json',
        value: { error: 'invalid_client', error_description: 'it did not authenticate' },
      },
    }),
  ],
})

/**
 * One persona with all that a signal can hold, one with several signals, and one without an age
 * key.
 */
const personas: readonly Persona[] = [
  ...(await loadPersonas()).filter(({ name }) =>
    ['iso-strict', 'adult-six-methods'].includes(name),
  ),
  { name: 'nobody', title: 'Nobody', purpose: 'Has none.' },
]
const coverage = { ...(await described(ADULT_SEEN)), omitted: true }

/** A coverage whose items name their claims by another id than before: the id is a key, too. */
function renderCoverageOf(shown: ConsoleFrame, changed: typeof coverage) {
  const items = Object.values(changed.dimensions).flatMap((dimension) => dimension.items)
  const ids = new Set(items.map((item) => item.claims))
  const [claims = { age_thresholds: [] }] = Object.values(changed.claims)
  const byId = Object.fromEntries([...ids].map((id) => [id ?? '', claims]))
  return renderCoverage(shown, { ...changed, claims: byId })
}
const baseUrl = 'http://localhost:2435'
const lifetimes = { requestUri: 90, code: 600, idToken: 600, accessToken: 10_800 }
const clockState = { now: at, base: at, advanced_seconds: 91, frozen: true }
const tenant = { basePath: '/t/qa', provider: { baseUrl: `${baseUrl}/t/qa` } }

export const settings = {
  provider: { baseUrl, brand: 'svc' as const },
  client: { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' },
}
export const WEB_SHOP = {
  clientId: 'web-shop',
  clientSecret: 'the-secret-of-the-shop',
  name: 'Web shop',
  redirectUris: ['https://shop.example/callback'],
  signingAlg: 'ES256' as const,
  persona: 'teen-16',
}

/** A session of the demo whose callback brought answers and a code. */
const answered = useSession({
  params,
  checks: [check(true)],
  reads: [exchange(503)],
  claims: { iss: `${baseUrl}/v1/oidc/use`, age_thresholds: { 13: false, 18: false } },
})
const distrusted = useSession(
  { params: { error: 'access_denied' }, checks: [check(false)], reads: [] },
  [400, 200],
)
const reasons = ['18 no: id_doc_scan: needs 18, has 16', '13 yes: id_doc_scan: needs 13, has 16']
/** A persona whose answer differs from the one before. */
const sixteen = {
  name: 'sixteen',
  title: 'Sixteen',
  answers: { 13: true, 18: false },
  before: { 18: true },
  reasons,
}
const nobody = { name: 'nobody', title: 'Nobody', reasons: ['no age key'] }
const table = {
  thresholds: [13, 18],
  filter: { q: 'x', answers: 'changed' },
  groups: ['changed', 'none'].map((key) => ({ key, title: `Title of ${key}`, count: 1 })),
  rows: [sixteen, nobody].map((answer) => ({
    group: answer === sixteen ? 'changed' : 'none',
    answer,
  })),
  total: 3,
  found: 3,
  next: 'nobody',
}

const decide = { kind: 'decide', summary: 'use as teen-16: access_denied' } as const
const step = (index: number, status: 'passed' | 'failed' | 'waiting' | 'current', detail = {}) => ({
  ...decide,
  index,
  status,
  ...detail,
})
const steps = [
  step(0, 'passed'),
  step(1, 'failed', { detail: 'nonce: came nothing' }),
  step(2, 'waiting'),
]
const current = step(0, 'current', { detail: 'a call came' })
const scenarios = [
  { id: 's-1', name: 'Sign up', client: 'web-shop', status: 'failed' as const, revision: 3, steps },
  { id: 's-2', name: 'Come back', status: 'running' as const, revision: 0, steps: [current] },
]

const decided = {
  flow: 'use',
  persona: 'teen-16',
  outcome: 'verified',
  match: { state: 'abc' },
} as const
const twice = { id: 'x-1', ...decided, times: 2, remaining: 1 } as const
const queue = [twice, { id: 'x-2', flow: 'par', times: 1, remaining: 1 } as const]

type Change = (text: string) => string
const unchanged: Change = (text) => text

/** Renders a page with every string of its data passed through `change`. */
type Render = (change?: Change) => string

const oneOfEachFamily = [...new Map(OUTCOMES.map((row) => [row.family, row])).values()]
const outcomeRow =
  OUTCOMES.find(({ name }) => name === 'id_token.expired') ?? expect.fail('there is no such row')

/** Each hosted page with all its parts, in the given shell. */
export const HOSTED_PAGES = [
  hostedPage('choice', chooseView(), (view) => renderChoose(view, view)),
  hostedPage('web view', chooseView({ continued: undefined }), (view) => renderChoose(view, view)),
  hostedPage('create', createView({ issuing_country: 'US' }), (view) => renderCreate(view, view)),
  hostedPage('endings', chooseView(), (view) =>
    renderEndingsPage(view, ['teen-16', view.client.name]),
  ),
  hostedPage('callback form', { ...formPostCallback, shell }, (sent) =>
    renderCallbackForm(sent, sent.shell),
  ),
  hostedPage('error', errorView(), ({ refusal, shell }) => renderError(refusal, { shell })),
] as const

/** Every page with all that it can show. */
export const PAGES: readonly (readonly [name: string, render: Render])[] = [
  ...HOSTED_PAGES,
  pageOf('flows', renderFlowList, frame, [flow], {
    query: { flow: 'use', state: 'abc', q: 'x' },
    before: 'f7',
    clock,
  }),
  pageOf('flow', renderFlow, frame, flow, {
    basePath: '/t/qa',
    baseUrl,
    lifetimes,
    story: { before: 'f6', after: 'f8' },
    clock,
    waiting: 't-1',
  }),
  pageOf('unknown flow', renderUnknown, frame, [flow], { id: 'f99', clock }),
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
      problem: 'there is no "x"',
    },
  ),
  pageOf('audit', renderAudit, frame, {
    // A row that is explained by the name of another one has no place here: the names are changed.
    opened: {
      name: 'report.json',
      report: {
        ...MIXED,
        rows: MIXED.rows.filter(({ row }) => row !== 'use/id_token.typ_other'),
        version: '9.9.9',
        catalogue: '9.9',
      },
      linked: ['f2'],
    },
    problem: 'no file came',
  }),
  pageOf('empty audit', renderAudit, frame, {}),
  pageOf('coverage', renderCoverageOf, frame, coverage),
  pageOf('playground', renderPlayground, frame, {
    text: '{"age_thresholds":[18]}',
    findings: [finding],
    before: '{"age_thresholds":[18]}',
    answered: {
      table,
      changed: [sixteen],
      effects: [
        { label: 'without verified_after', claims: { age_thresholds: [18] }, flips: ['teen-16'] },
      ],
      compared: undefined,
      copied: { persona: 'teen-16', copies: [{ title: 'Persona as YAML', text: 'name: teen-16' }] },
    },
  }),
  pageOf('outcomes', renderOutcomes, frame, oneOfEachFamily, {
    flow: 'use',
    level: 'must',
    q: 'expired',
  }),
  pageOf('outcome', renderOutcome, frame, outcomeRow, baseUrl),
  pageOf('force', renderForce, frame, {
    expectations: queue,
    scenarios,
    personas: ['teen-16'],
    clock: clockState,
    fields: { flow: 'use', persona: 'teen-16', state: 'abc', yaml: 'name: x', set: 'tomorrow' },
    problem: 'use has no "x"',
  }),
  pageOf('empty force', renderForce, frame, {
    expectations: [],
    scenarios: [],
    personas: [],
    clock: clockState,
    fields: {},
  }),
  pageOf('setup', renderSetup, frame, {
    settings,
    clients: [
      WEB_SHOP,
      {
        ...WEB_SHOP,
        ...settings.client,
        redirectUris: [],
        allowsLoopback: true,
        signingAlg: undefined,
        persona: undefined,
      },
    ],
    showsSecrets: true,
    signingAlg: 'RS256',
    keys: { published: [{ kid: 'sandbox-1', alg: 'RS256' }], signing: 'sandbox-1' },
    fields: {},
    problem: 'use: the newest key signs already',
  }),
  pageOf('readings', renderReadings, frame, READINGS.slice(1, 4), {
    readings: { refused_token_status: '403' },
    problem: 'readings: there is no reading',
  }),
  pageOf('rules', renderRules, frame, [{ title: 'E1', rules: RULES }], {
    profile: 'spec',
    search: 'nonce',
    level: 'error',
  }),
  pageOf(
    'tenants',
    (framed, tenants, state, rest) => {
      const withClock = tenants.map((one) => ({ ...one, clock: { state: () => state } }))
      return renderTenants(framed, withClock, rest)
    },
    frame,
    ['qa', ROOT_TENANT].map((name) => ({ ...tenant, name })),
    clockState,
    {
      total: 3,
      next: 'qa',
      search: 'q',
      name: 'Bad Name',
      problem: 'tenant "Bad Name" is not a name',
    },
  ),
  pageOf('sign-in', renderSignIn, frame, 'Token: this is not it.'),
  pageOf('closed home', renderClosedHome, frame, settings),
  pageOf('demo', renderDemoStart, frame, 'http://localhost:1/'),
  pageOf('fragment', renderFragment, frame),
  pageOf('result', renderDemoResult, frame, answered),
  pageOf('distrusted result', renderDemoResult, frame, distrusted),
]

function pageOf<Args extends readonly unknown[]>(
  name: string,
  render: (...args: Args) => RenderedPage,
  ...args: Args
): readonly [string, Render] {
  return [name, (change = unchanged) => render(...everyString(args, change)).html]
}

function hostedPage<View extends { readonly shell: Shell }>(
  name: string,
  view: View,
  render: (view: View) => RenderedPage,
) {
  const rendered = (change = unchanged, changes: Partial<Shell> = {}) =>
    render(everyString({ ...view, shell: { ...shell, ...changes } }, change)).html
  return [name, rendered] as const
}

/**
 * Words of a fixed set, what a test sets itself, and names by which the choice page finds its usual
 * personas.
 */
const FIXED = new Set(
  `level correctClient flow profile endpoint kind status signingAlg row verdict family group=Adults
  group=Minors name=adult-passport name=teen-16 name=no-age-key outcome=id_token.expired name=${ROOT_TENANT}`.split(
    /\s+/,
  ),
)

function everyString<T>(value: T, change: Change): T {
  const changed = (key: string, item: string) => {
    if (FIXED.has(key) || FIXED.has(`${key}=${item}`)) return item
    if (key !== 'id_token') return change(item)
    const decoded = item
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    return `${everyString(decoded, change).map(encode).join('.')}.s`
  }
  const json = JSON.stringify(value, (key, item: unknown) =>
    typeof item === 'string' ? changed(key, item) : item,
  )
  return JSON.parse(json)
}
