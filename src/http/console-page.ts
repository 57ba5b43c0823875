import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { ROOT_TENANT } from '../sandbox/tenants/tenants.ts'
import { reasonBeyondMachine } from './guard/guard.ts'
import type { HttpHost } from './handler.ts'
import { grouped } from './html/elements.ts'
import { type Html, html, type Renderable } from './html/html.ts'
import { type Page, type RenderedPage, renderPage, type Shell, shellOf } from './html/layout.ts'
import type { Incoming } from './incoming.ts'
import { readModes } from './status/modes.ts'
import { renderStrip, type Status } from './status/strip.ts'

/** The pages of the console, in the order of its menu, which leaves a gap between two groups; `path` is below the console's own. */
export const CONSOLE_PAGES = [
  { path: 'flows', title: 'Flows', group: 'Watch' },
  { path: 'audit', title: 'Audit', group: 'Watch' },
  { path: 'coverage', title: 'Coverage', group: 'Watch' },
  { path: 'playground', title: 'Playground', group: 'Watch' },
  { path: 'personas', title: 'Personas', group: 'Decide' },
  { path: 'outcomes', title: 'Outcomes', group: 'Decide' },
  { path: 'expectations', title: 'Expectations', group: 'Decide' },
  { path: 'scenarios', title: 'Scenarios', group: 'Decide' },
  { path: 'clock', title: 'Clock', group: 'Decide' },
  { path: 'clients', title: 'Clients', group: 'Sandbox' },
  { path: 'readings', title: 'Readings', group: 'Sandbox' },
  { path: 'rules', title: 'Rules', group: 'Sandbox' },
  { path: 'tenants', title: 'Tenants', group: 'Sandbox' },
] as const

export type ConsolePath = (typeof CONSOLE_PAGES)[number]['path']

/** Where the pages of a tenant are. Paths are absolute and carry the prefix of the tenant. */
export interface ConsolePlace {
  readonly shell: Shell
  /** Without a slash at the end: `/_sandbox/console`. */
  readonly consolePath: string
  readonly demoPath: string
  /** The control API, without a slash at the end: `/_sandbox`. */
  readonly controlPath: string
  /** The name of the tenant, unless it is the one at the base URL. */
  readonly tenant?: string
}

/** What every page of the console and the demo, and the home page, needs. */
export interface ConsoleFrame extends ConsolePlace {
  readonly status: Status
}

/** Where the console of a tenant begins, without a slash at the end. */
export const consolePathOf = ({ basePath }: Pick<Tenant, 'basePath'>) => `${basePath}/_sandbox/console`

export const consolePlace = (tenant: Tenant, { version }: { readonly version: string }): ConsolePlace => ({
  shell: shellOf(tenant, version),
  consolePath: consolePathOf(tenant),
  demoPath: `${tenant.basePath}/_sandbox/demo`,
  controlPath: `${tenant.basePath}/_sandbox`,
  ...(tenant.name === ROOT_TENANT ? {} : { tenant: tenant.name }),
})

/** The frame of the page that `request` asks for. Beyond this machine only the console itself shows all that is set. */
export async function consoleFrame(
  request: Incoming,
  tenant: Tenant,
  host: Pick<HttpHost, 'version' | 'guard'>,
): Promise<ConsoleFrame> {
  const place = consolePlace(tenant, host)
  const { path, query } = request
  const here = `${tenant.basePath}${path}${query === '' ? '' : `?${query}`}`
  const isOpen = reasonBeyondMachine(request, host.guard) !== undefined && !path.startsWith('/_sandbox/console')
  const modes = await readModes({ request, tenant }, { consolePath: place.consolePath, isOpen })
  return { ...place, status: { modes, here } }
}

/** The entry of the menu that a page belongs to; the home page has none. */
type MenuEntry = ConsolePath | 'demo' | 'docs' | undefined

/** A page with the menu and the status strip: every page of the console and the demo, and the home page. */
export function renderFramedPage(
  frame: ConsoleFrame,
  {
    current,
    title,
    styles = [],
    scripts = [],
    ...page
  }: Omit<Page, 'width' | 'menu' | 'strip'> & { current: MenuEntry },
): RenderedPage {
  return renderPage(frame.shell, {
    ...page,
    title: frame.tenant === undefined ? title : `${title} · ${frame.tenant}`,
    width: 'wide',
    menu: renderMenu(frame, current),
    strip: renderStrip(frame.status, `${frame.consolePath}/status`),
    styles: ['console.css', ...styles],
    scripts: ['console-time.js', 'console-strip.js', ...scripts],
  })
}

/** One page of the console, below its menu. */
export interface ConsoleContent {
  readonly title: string
  /** The title on the page, where it may break; `title` when absent. */
  readonly heading?: Renderable
  readonly current: ConsolePath | 'docs'
  /** A sentence on what the page is for. */
  readonly lead: Html
  readonly body: Html
  /** Why a form was refused. */
  readonly problem?: string | undefined
  /** Style sheets in `public/` beside `console.css`. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
}

/** A whole page of the console: menu, strip, title, content. */
export function renderConsolePage(frame: ConsoleFrame, content: ConsoleContent): RenderedPage {
  const { title, heading = title, current, lead, body, problem, styles = [], scripts = [] } = content
  return renderFramedPage(frame, {
    title,
    current,
    styles,
    scripts,
    main: html`<div class="page-title"><h1>${heading}</h1> <p>${lead}</p></div>
${problem !== undefined && html`<p class="problem" role="alert" data-testid="problem"><strong>Not done.</strong> ${problem}</p>`}
${body}`,
  })
}

/** Below 60rem a button opens the list. */
function renderMenu({ consolePath, demoPath, controlPath }: ConsolePlace, current: MenuEntry): Html {
  const entries = [
    ...CONSOLE_PAGES.map(({ path, ...entry }) => ({ ...entry, id: path, href: `${consolePath}/${path}` })),
    { id: 'demo', title: 'Demo app', group: 'Learn', href: demoPath },
    { id: 'docs', title: 'Docs', group: 'Learn', href: `${controlPath}/docs` },
  ]
  return html`<button class="menu-button" type="button" popovertarget="menu">Menu</button>
<nav class="menu" id="menu" aria-label="Console" popover>
${grouped(entries, ({ group }) => group).map(
  ([group, members]) => html`<ul aria-label="${group}">${members.map(
    ({ id, title, href }) =>
      html`<li><a href="${href}"${id === current && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul>
`,
)}</nav>`
}
