import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { ROOT_TENANT } from '../../sandbox/tenants/tenants.ts'
import { browserAddress } from './guard/browser-address.ts'
import { reasonBeyondMachine } from './guard/guard.ts'
import type { HttpHost } from './handler.ts'
import { grouped } from './html/elements.ts'
import { type Html, html, type Renderable } from './html/html.ts'
import { type Page, type RenderedPage, renderPage, type Shell, shellOf } from './html/layout.ts'
import type { Incoming } from './incoming.ts'
import { readModes, renderStrip, type Status } from './status.ts'

/**
 * The pages of the console. A menu entry leads to the first page of its group; a row of links on
 * the pages leads to the other pages of the group.
 */
export const CONSOLE_PAGES = [
  { path: 'flows', title: 'Flows', entry: 'Flows' },
  { path: 'personas', title: 'Personas', entry: 'Personas' },
  { path: 'playground', title: 'Playground', entry: 'Personas' },
  { path: 'force', title: 'Queue, scenarios, clock', entry: 'Force' },
  { path: 'outcomes', title: 'Outcomes', entry: 'Force' },
  { path: 'audit', title: 'Audit', entry: 'Audit' },
  { path: 'coverage', title: 'Coverage', entry: 'Audit' },
  { path: 'setup', title: 'App and clients', entry: 'Setup' },
  { path: 'tenants', title: 'Tenants', entry: 'Setup' },
  { path: 'readings', title: 'Readings', entry: 'Setup' },
  { path: 'docs', title: 'Documents', entry: 'Docs' },
  { path: 'rules', title: 'Rules', entry: 'Docs' },
] as const

/** The path of a page below the path of the console; the documents have a path of their own. */
export type ConsolePath = (typeof CONSOLE_PAGES)[number]['path']

/**
 * The paths of a tenant's pages. Each path is absolute, begins with the path of the tenant, and has
 * no slash at the end.
 */
export interface ConsolePlace {
  readonly shell: Shell
  readonly consolePath: string
  readonly demoPath: string
  /** The control API. */
  readonly controlPath: string
  /** The name of the tenant; absent for the tenant at the base URL. */
  readonly tenant: string | undefined
}

/** The paths of a tenant's pages, with what the status strip shows. */
export interface ConsoleFrame extends ConsolePlace {
  readonly status: Status
}

/** The path of a tenant's console, without a slash at the end. */
export const consolePathOf = ({ basePath }: Pick<Tenant, 'basePath'>) =>
  `${basePath}/_sandbox/console`

export const consolePlace = (
  tenant: Tenant,
  { version }: { readonly version: string },
): ConsolePlace => ({
  shell: shellOf(tenant, version),
  consolePath: consolePathOf(tenant),
  demoPath: `${tenant.basePath}/_sandbox/demo`,
  controlPath: `${tenant.basePath}/_sandbox`,
  tenant: tenant.name === ROOT_TENANT ? undefined : tenant.name,
})

/**
 * The frame of the requested page. For a visitor from another machine, only pages of the console
 * show all settings.
 */
export async function consoleFrame(
  request: Incoming,
  tenant: Tenant,
  host: Pick<HttpHost, 'version' | 'guard'>,
): Promise<ConsoleFrame> {
  const paths = consolePlace(tenant, host)
  const { path, query } = request
  const here = `${tenant.basePath}${path}${query === '' ? '' : `?${query}`}`
  const isOpen =
    reasonBeyondMachine(request, host.guard) !== undefined && !path.startsWith('/_sandbox/console')
  const modes = await readModes({ request, tenant }, { consolePath: paths.consolePath, isOpen })
  const shell: Shell = { ...paths.shell, browserAddress: browserAddress(request, host.guard) }
  return { ...paths, shell, status: { modes, here } }
}

/**
 * Renders a page of the console or the demo: menu, links to the other pages of its menu entry,
 * status strip, content.
 */
export function renderFramedPage(
  frame: ConsoleFrame,
  { current, ...page }: Omit<Page, 'width' | 'menu' | 'strip'> & { current?: ConsolePath },
): RenderedPage {
  const { title, main, styles = [], scripts = [] } = page
  return renderPage(frame.shell, {
    ...page,
    title: frame.tenant === undefined ? title : `${title} · ${frame.tenant}`,
    width: 'wide',
    menu: renderMenu(frame, current),
    strip: renderStrip(frame.status, `${frame.consolePath}/status`),
    main: html`${renderPagesOfEntry(frame, current)}${main}`,
    styles: ['console.css', ...styles],
    scripts: ['console-time.js', 'console-strip.js', ...scripts],
  })
}

interface ConsoleContent extends Pick<Page, 'title' | 'styles' | 'scripts'> {
  /** The heading with line-break opportunities; `title` when absent. */
  readonly heading?: Renderable
  readonly current: ConsolePath
  readonly lead: Html
  readonly body: Html
  readonly problem?: string | undefined
}

export function renderConsolePage(frame: ConsoleFrame, content: ConsoleContent): RenderedPage {
  const { heading = content.title, lead, body, problem, ...page } = content
  return renderFramedPage(frame, {
    ...page,
    main: html`<div class="row page-title"><h1>${heading}</h1> <p>${lead}</p></div>
${problem !== undefined && html`<p class="notice no" role="alert" data-testid="problem"><strong>Not done.</strong> ${problem}</p>`}
${body}`,
  })
}

const entryOf = (current: ConsolePath | undefined) =>
  CONSOLE_PAGES.find(({ path }) => path === current)?.entry

const addressOf = ({ consolePath, controlPath }: ConsolePlace, path: ConsolePath) =>
  path === 'docs' ? `${controlPath}/docs` : `${consolePath}/${path}`

/** @param current the page that is shown; absent for a page outside the menu */
export function renderMenu(paths: ConsolePlace, current?: ConsolePath): Html {
  const entries = grouped(CONSOLE_PAGES, ({ entry }) => entry)
  return html`<nav class="menu" aria-label="Console">${entries.map(
    ([entry, [first]]) =>
      first &&
      html`<a href="${addressOf(paths, first.path)}"${entry === entryOf(current) && html` aria-current="true"`}>${entry}</a>`,
  )}</nav>`
}

/** Links to the pages of a menu entry; nothing for an entry with one page. */
function renderPagesOfEntry(paths: ConsolePlace, current?: ConsolePath): Html | false {
  const entry = entryOf(current)
  const pages = CONSOLE_PAGES.filter((page) => page.entry === entry)
  return (
    pages.length > 1 &&
    html`<nav class="row tabs" aria-label="${entry}">${pages.map(
      ({ path, title }) =>
        html`<a href="${addressOf(paths, path)}"${path === current && html` aria-current="page"`}>${title}</a>`,
    )}</nav>
`
  )
}
