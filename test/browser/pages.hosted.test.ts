import type { Sandbox } from '../../src/server/create-sandbox.ts'
import type { Changes } from '../support/requests.ts'
import { testPages } from './pages.ts'
import { createUrl, useUrl, whyUrl } from './requests.ts'

const COLOURED = {
  primary_color: 'gold',
  secondary_color: '#b00',
  background_color: '#fffaf0',
  text_color: '#777',
  text_align: 'center',
  button_radius: '24',
  gradient: 'true',
  font: 'DejaVu Serif',
}

const use = (sandbox: Sandbox, changes: Changes) => useUrl(sandbox, { theme: 'system', ...changes })
const create = (sandbox: Sandbox, changes: Changes = {}) =>
  createUrl(sandbox, { theme: 'system', ...changes })
const HOSTED: Readonly<Record<string, (sandbox: Sandbox) => string | Promise<string>>> = {
  choose: (sandbox) =>
    use(sandbox, { can_create: 'true', scope: 'openid svc.upgrade', theme_colour: 'red' }),
  'choose-arabic': (sandbox) => use(sandbox, { language: 'ar' }),
  'choose-coloured': (sandbox) => use(sandbox, COLOURED),
  'choose-dark-background': (sandbox) =>
    use(sandbox, { background_color: '#222', primary_color: 'navy' }),
  'choose-web-view': (sandbox) => use(sandbox, { can_create: 'true', theme_colour: 'red' }),
  create: (sandbox) => create(sandbox),
  'create-web-view': (sandbox) => create(sandbox, { language: 'de' }),
  why: (sandbox) => whyUrl(sandbox, 'teen-16', { theme: 'system' }),
  closed: (sandbox) => use(sandbox, { sandbox_outcome: 'no_answer' }),
  error: (sandbox) => use(sandbox, { redirect_uri: 'https://elsewhere.example/' }),
  embedding: () => '/_sandbox/embedding',
}
const DOCUMENTS = ['docs', 'docs/readme', 'docs/agents', 'docs/rules', 'docs/search?q=redirect_uri']

testPages(
  [
    ...Object.entries(HOSTED).map(([name, address]) => ({
      name,
      kind: 'hosted' as const,
      address,
    })),
    ...DOCUMENTS.map((name) => ({
      name,
      kind: 'document' as const,
      address: () => `/_sandbox/${name}`,
    })),
  ],
  (sandbox) => sandbox.clock.advance(93_600),
)
