import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { ROOT_TENANT } from '../../sandbox/tenants/tenants.ts'
import { type Html, html } from './html.ts'
import { type RenderedPage, renderPage, type Shell, shellOf } from './layout.ts'

/** The pages of the console, in the order of its menu; `path` is below the console's own. */
export const CONSOLE_PAGES = [
  { path: 'flows', title: 'Flows' },
  { path: 'personas', title: 'Personas' },
  { path: 'outcomes', title: 'Outcomes' },
  { path: 'expectations', title: 'Expectations' },
  { path: 'clock', title: 'Clock' },
  { path: 'rules', title: 'Rules' },
  { path: 'tenants', title: 'Tenants' },
] as const

export type ConsolePath = (typeof CONSOLE_PAGES)[number]['path']

/** What every page of the console and the demo needs. Paths are absolute and carry the prefix of a tenant. */
export interface ConsoleFrame {
  readonly shell: Shell
  /** Without a slash at the end: `/_sandbox/console`. */
  readonly consolePath: string
  readonly demoPath: string
  /** The control API, without a slash at the end: `/_sandbox`. */
  readonly controlPath: string
  /** The name of the tenant, unless it is the one at the base URL. */
  readonly tenant?: string
}

/** Where the console of a tenant begins, without a slash at the end. */
export const consolePathOf = ({ basePath }: Pick<Tenant, 'basePath'>) => `${basePath}/_sandbox/console`

export const consoleFrame = (tenant: Tenant, { version }: { readonly version: string }): ConsoleFrame => ({
  shell: shellOf(tenant, version),
  consolePath: consolePathOf(tenant),
  demoPath: `${tenant.basePath}/_sandbox/demo`,
  controlPath: `${tenant.basePath}/_sandbox`,
  ...(tenant.name === ROOT_TENANT ? {} : { tenant: tenant.name }),
})

/** One page of the console, below its menu. */
export interface ConsoleContent {
  readonly title: string
  readonly current: ConsolePath
  /** A sentence on what the page is for. */
  readonly lead: Html
  readonly body: Html
  /** Why a form was refused. */
  readonly problem?: string | undefined
  readonly scripts?: readonly string[]
}

/** A whole page of the console: menu, heading, content. */
export function renderConsolePage(frame: ConsoleFrame, content: ConsoleContent): RenderedPage {
  const { title, lead, body, problem, scripts = [] } = content
  return renderPage(frame.shell, {
    title: frame.tenant === undefined ? title : `${title} · ${frame.tenant}`,
    width: 'wide',
    styles: ['console.css'],
    scripts,
    main: html`${renderMenu(frame, content.current)}
<header class="card page-head">
${frame.tenant !== undefined && html`<p class="muted">Tenant <code>${frame.tenant}</code></p>`}
<h1>${title}</h1>
<p class="lead">${lead}</p>
${problem !== undefined && html`<p class="problem" role="alert" data-testid="problem"><strong>Not done.</strong> ${problem}</p>`}
</header>
${body}`,
  })
}

/** The menu of the console; the demo shows it too. */
export function renderMenu({ consolePath, demoPath }: ConsoleFrame, current: ConsolePath | 'demo'): Html {
  return html`<nav class="tabs" aria-label="Console"><ul>
${CONSOLE_PAGES.map(
  ({
    path,
    title,
  }) => html`<li><a href="${consolePath}/${path}"${path === current && html` aria-current="page"`}>${title}</a></li>
`,
)}<li><a href="${demoPath}"${current === 'demo' && html` aria-current="page"`}>Demo app</a></li>
</ul></nav>`
}
