import type { HomeView } from '../../src/console/home-page.ts'
import type { CallbackFormView } from '../../src/hosted/callback-form.ts'
import type { ChooseView } from '../../src/hosted/choose-page.ts'
import type { CreateView } from '../../src/hosted/create-page.ts'
import type { Shell } from '../../src/http/html/layout.ts'

export const shell: Shell = { assetsPath: '/_sandbox/assets', homePath: '/', version: '1.2.3' }

const advice = {
  rule: 'CLM-04',
  level: 'advice',
  path: 'claims.age_thresholds',
  message: 'the thresholds are not ascending',
  hint: 'Send them in ascending order: [13, 18].',
} as const

const outcomes = [
  { name: 'verified', summary: 'A valid id_token.', group: 'Endings' },
  { name: 'access_denied', summary: 'The user goes back.', group: 'Endings' },
  { name: 'id_token.expired', summary: 'exp lies an hour in the past.', group: 'Spoiled tokens' },
  { name: 'server_error', summary: 'error=server_error in the callback.' },
]

/** A choice page on which everything that can appear does. */
export function chooseView(changes: Partial<ChooseView> = {}): ChooseView {
  return {
    shell,
    action: '/_sandbox/choose',
    languageAction: '/_sandbox/language',
    clockAction: '/_sandbox/clock',
    sandboxTime: '2026-01-02T03:04:05Z',
    transaction: 'tx-1',
    chosenLanguage: 'en',
    embedding: { permission: 'publickey-credentials-get', framed: true, insteadOfWebView: ['Custom Tabs'] },
    client: { name: 'Web shop', logoPath: '/_sandbox/logos/web-shop' },
    asked: { thresholds: [13, 18], filters: ['verified after 2025-01-01', 'methods: id_doc_scan'] },
    canCreate: true,
    upgrade: true,
    learnMore: true,
    personas: [
      {
        name: 'adult-passport',
        title: 'Adult with a passport',
        purpose: 'Passes every common threshold.',
        group: 'Adults',
        hasAgeKey: true,
        answers: [
          { threshold: 13, satisfied: true },
          { threshold: 18, satisfied: true },
        ],
        reasoning: ['18: id_doc_scan is 40 years old, at least 18'],
      },
      {
        name: 'teen-16',
        title: 'Teenager',
        purpose: 'Between 13 and 18.',
        group: 'Minors',
        hasAgeKey: true,
        answers: [
          { threshold: 13, satisfied: true },
          { threshold: 18, satisfied: false },
        ],
      },
      {
        name: 'no-age-key',
        title: 'Nobody yet',
        purpose: 'Has nothing to answer with.',
        hasAgeKey: false,
        answers: [],
      },
    ],
    outcomes,
    defaultPersona: 'adult-passport',
    findings: [advice],
    ...changes,
  }
}

export function createView(changes: Partial<CreateView> = {}): CreateView {
  return {
    shell,
    action: '/_sandbox/create',
    languageAction: '/_sandbox/language',
    clockAction: '/_sandbox/clock',
    sandboxTime: '2026-01-02T03:04:05Z',
    transaction: 'tx-2',
    embedding: { permission: 'publickey-credentials-create', framed: false },
    client: { name: 'Web shop' },
    signals: [
      {
        method: 'id_doc_scan',
        age: { date_of_birth: '2001-05-17' },
        verifiedAt: '2025-06-01',
        provenance: '/veratad/roc',
        attributes: ['issuing_country: US'],
      },
    ],
    personas: [
      { name: 'adult-passport', title: 'Adult with a passport' },
      { name: 'no-age-key', title: 'Nobody yet' },
    ],
    outcomes,
    defaultPersona: 'no-age-key',
    findings: [advice],
    ...changes,
  }
}

export function callbackFormView(changes: Partial<CallbackFormView> = {}): CallbackFormView {
  return {
    shell,
    redirectUri: 'https://shop.example/callback?tab=age&x=1',
    params: [
      ['id_token', 'aaa.bbb.ccc'],
      ['state', 'af0ifjsldkj'],
    ],
    ...changes,
  }
}

export function errorView(changes: Partial<Shell> = {}) {
  return {
    shell: { ...shell, ...changes },
    refusal: {
      status: 400,
      title: 'Unknown persona',
      code: 'invalid_request' as const,
      message: 'sandbox_persona: there is no persona teen-61',
      findings: [{ ...advice, level: 'error' as const }],
      suggestions: ['teen-16', 'teen-17'],
      restartHint: 'Start again from the app.',
    },
  }
}

export function homeView(changes: Partial<HomeView> = {}): HomeView {
  return {
    shell,
    baseUrl: 'http://localhost:2435',
    issuer: 'http://localhost:2435/v1/oidc/use',
    jwksUri: 'http://localhost:2435/.well-known/jwks.json',
    parUrl: 'http://localhost:2435/v1/oidc/create/par',
    client: { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' },
    discoveryUrls: [
      { title: 'Discovery, Use', url: 'http://localhost:2435/v1/oidc/use/.well-known/openid-configuration' },
      { title: 'Discovery, Create', url: 'http://localhost:2435/v1/oidc/create/.well-known/openid-configuration' },
    ],
    endpoints: [
      { id: 'E1', method: 'GET', url: 'http://localhost:2435/v1/oidc/use', purpose: 'Use: proves age thresholds' },
      { id: 'E5', method: 'POST', url: 'http://localhost:2435/v1/svc/upgrade', purpose: 'Upgrade: adds age signals' },
    ],
    personaCount: 24,
    outcomeCount: 50,
    tryItUrl: 'http://localhost:2435/v1/oidc/use?scope=openid&state=home',
    consolePages: [
      { title: 'Flows', path: '/_sandbox/console/flows' },
      { title: 'Personas', path: '/_sandbox/console/personas' },
    ],
    furtherPages: [{ title: 'The flow in an iframe', path: '/_sandbox/embedding' }],
    ...changes,
  }
}
