import { consolePathOf } from '../http/console-page.ts'
import type { Handler, HttpHost, RouteRow } from '../http/handler.ts'
import { redirect } from '../http/reply.ts'
import { auditPage, showUploadedReport } from './audit/audit.ts'
import { outcomePage } from './catalogues/outcome.ts'
import { outcomesPage } from './catalogues/outcomes.ts'
import { readingsPage } from './catalogues/readings.ts'
import { rulesPage } from './catalogues/rules.ts'
import { clientsPage } from './clients.ts'
import { clockPage } from './clock.ts'
import { askForToken, type ConsoleRoute, showPage, takeBack, takeForm } from './console-route.ts'
import { coveragePage } from './coverage/coverage.ts'
import { expectationsPage } from './expectations.ts'
import { flowPage } from './flows/flow.ts'
import { flowsPage } from './flows/flows.ts'
import { personasPage } from './personas.ts'
import { playgroundPage } from './playground/playground.ts'
import { scenariosPage } from './scenarios.ts'
import { signIn } from './sign-in.ts'
import { tenantsPage } from './tenants.ts'

const PAGES: readonly ConsoleRoute[] = [
  flowsPage,
  flowPage,
  personasPage,
  auditPage,
  coveragePage,
  playgroundPage,
  outcomesPage,
  outcomePage,
  expectationsPage,
  scenariosPage,
  clockPage,
  clientsPage,
  readingsPage,
  rulesPage,
  tenantsPage,
]

const CONSOLE = '/_sandbox/console'

/** The console: pages by GET, forms by POST to the address of their page. */
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
      ...(act ? [{ path, method: 'post', handler: takeForm({ ...route, act }, host) } as const] : []),
    ]
  }),
]

const entrance =
  (host: HttpHost): Handler =>
  (request, tenant) => ({
    reply: askForToken(request, tenant, host) ?? redirect(302, `${consolePathOf(tenant)}/flows`),
  })
