import type { Persona } from '../../../src/sandbox/personas/persona-schema.ts'
import type { RenderedPage, Shell } from '../../../src/server/http/html/layout.ts'
import { renderChoose } from '../../../src/server/pages/choose-page.ts'
import type { renderCreate } from '../../../src/server/pages/create-page.ts'
import { type BriefEvaluation, evaluateBriefly } from '../../../src/service/age/evaluate.ts'

export const shell: Shell = { assetsPath: '/_sandbox/assets', homePath: '/', version: '1.2.3' }

export const advice = {
  rule: 'CLM-04',
  level: 'advice',
  path: 'claims.age_thresholds',
  message: 'the thresholds are not ascending',
  hint: 'Send them in ascending order: [13, 18].',
} as const

const named = (name: string, title: string) => ({ name, title, purpose: 'For a test.' })
const ADULT: Persona = {
  ...named('adult-passport', 'Adult with a passport'),
  group: 'Adults',
  age_key: { signals: [] },
}
const NOBODY_YET: Persona = named('no-age-key', 'Nobody yet')

const presentation = { theme: 'light', learnMore: true, appearance: {} } as const
const claims = {
  age_thresholds: [13, 18],
  verified_after: '2025-01-01',
  allowed_methods: ['id_doc_scan' as const],
}
const NOW = Date.parse('2026-01-02T03:04:05Z')
const SIGNAL = {
  method: 'id_doc_scan',
  verified_at: '2025-06-01',
  provenance: '/veratad/roc',
} as const
const answersAt = (years: number): BriefEvaluation =>
  evaluateBriefly([{ ...SIGNAL, age: { years } }], claims, NOW)

const SHOP = {
  clientId: 'web-shop',
  redirectUri: 'https://shop.example/callback',
  state: 'af0ifjsldkj',
  presentation,
}

type Page<Render extends (page: never, choices: never) => RenderedPage> = Parameters<Render>[0] &
  Parameters<Render>[1]
type ChoosePage = Page<typeof renderChoose>

export const chooseView = (
  changes: Partial<ChoosePage> = {},
  transactionChanges: Partial<ChoosePage['transaction']> = {},
): ChoosePage => ({
  shell,
  id: 'tx-1',
  transaction: {
    ...SHOP,
    flow: 'use',
    mode: 'fragment',
    nonce: 'n-0S6_WzA2Mj',
    claims,
    claimsText: JSON.stringify(claims),
    upgrade: true,
    canCreate: true,
    ...transactionChanges,
  },
  findings: [advice],
  path: '/v1/oidc/use',
  client: { name: 'Web shop', logoPath: '/_sandbox/logos/web-shop' },
  brand: 'svc',
  embedding: { framed: true, insteadOfWebView: ['Custom Tabs'] },
  now: NOW,
  chosenLanguage: 'en',
  continued: true,
  choices: [
    { persona: ADULT, evaluation: answersAt(40) },
    { persona: { ...named('teen-16', 'Teenager'), group: 'Minors' }, evaluation: answersAt(16) },
    { persona: NOBODY_YET },
  ],
  ...changes,
})

export const choosePage = (...changes: Parameters<typeof chooseView>): RenderedPage => {
  const view = chooseView(...changes)
  return renderChoose(view, view)
}

export const createView = (
  ...attributes: Readonly<Record<string, string | boolean>>[]
): Page<typeof renderCreate> => ({
  shell,
  id: 'tx-2',
  transaction: {
    ...SHOP,
    flow: 'create',
    mode: 'query',
    pushedRequestId: 'pushed-1',
    signals: attributes.map((one) => ({
      ...SIGNAL,
      age: { date_of_birth: '2001-05-17' },
      attributes: one,
    })),
  },
  findings: [advice],
  path: '/v1/oidc/create',
  client: { name: 'Web shop' },
  brand: 'svc',
  embedding: { framed: false, insteadOfWebView: [] },
  now: NOW,
  personas: [ADULT, NOBODY_YET],
  selected: 'no-age-key',
})

export const formPostCallback = {
  redirectUri: 'https://shop.example/callback?tab=age&x=1',
  params: [
    ['id_token', 'aaa.bbb.ccc'],
    ['state', 'af0ifjsldkj'],
  ],
} as const

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
