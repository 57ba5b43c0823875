import {
  type ConsoleFrame,
  consoleFrame,
  consolePathOf,
  renderConsolePage,
} from '../../server/http/console-page.ts'
import type { Handler, HttpHost, RouteRow } from '../../server/http/handler.ts'
import { html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import { page, redirect } from '../../server/http/reply.ts'
import { auditPage, showUploadedReport } from './audit/audit.ts'
import {
  askForToken,
  type ConsoleRoute,
  refusalToDrive,
  showPage,
  signIn,
  takeBack,
  takeForm,
} from './console-route.ts'
import { coveragePage } from './coverage.ts'
import { flowPage } from './flows/flow.ts'
import { flowsPage } from './flows/flows.ts'
import { forcePage } from './force/force.ts'
import { outcomePage, outcomesPage } from './force/outcomes.ts'
import { personasPage } from './personas.ts'
import { playgroundPage } from './playground/playground.ts'
import { rulesPage } from './rules.ts'
import { readingsPage } from './setup/readings.ts'
import { type AppSettings, clientToShow, renderSettings, setupPage } from './setup/setup.ts'
import { tenantsPage } from './setup/tenants.ts'

const PAGES: readonly ConsoleRoute[] = [
  flowsPage,
  flowPage,
  personasPage,
  auditPage,
  coveragePage,
  playgroundPage,
  outcomesPage,
  outcomePage,
  forcePage,
  setupPage,
  readingsPage,
  rulesPage,
  tenantsPage,
]

const CONSOLE = '/_sandbox/console'

/** The routes of the console: pages by GET, forms by POST to the path of their page. */
export const createConsoleRoutes = (host: HttpHost): readonly RouteRow[] => [
  { path: CONSOLE, method: 'get', handler: entrance(host) },
  { path: `${CONSOLE}/sign-in`, method: 'post', handler: signIn(host), errors: 'page' },
  { path: `${CONSOLE}/audit`, method: 'post', handler: showUploadedReport(host) },
  { path: `${CONSOLE}/status`, method: 'post', handler: takeBack(host) },
  ...PAGES.flatMap((route): RouteRow[] => {
    const { act, name, below = '' } = route
    const path = `${CONSOLE}/${name}${below}`
    return [
      { path, method: 'get', handler: showPage(route, host) },
      ...(act
        ? [{ path, method: 'post', handler: takeForm({ ...route, act }, host) } as const]
        : []),
    ]
  }),
]

const entrance =
  (host: HttpHost): Handler =>
  (request, tenant) => ({
    reply: askForToken(request, tenant, host) ?? redirect(302, `${consolePathOf(tenant)}/flows`),
  })

/**
 * `/`: shows the list of flows. A caller who may not drive the sandbox sees only the settings to
 * paste.
 */
export function createHomeRoute(host: HttpHost): Handler {
  const showFlows = showPage(flowsPage, host)
  return async (request, tenant, reserveFlow) => {
    if (!refusalToDrive(request, host)) return showFlows(request, tenant, reserveFlow)
    const settings = { provider: tenant.provider, client: clientToShow(request, host) }
    return {
      reply: page(200, renderClosedHome(await consoleFrame(request, tenant, host), settings)),
    }
  }
}

/** Renders the home page without flows, with a link to sign in. */
export const renderClosedHome = (frame: ConsoleFrame, settings: AppSettings): RenderedPage =>
  renderConsolePage(frame, {
    title: 'Flows',
    current: 'flows',
    lead: html`Flows are shown on the machine of the sandbox, or after signing in. <a class="target" href="${frame.consolePath}/flows">Sign in to the console</a>`,
    scripts: ['copy.js'],
    body: renderSettings(settings, frame),
  })
