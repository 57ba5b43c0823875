import { type ConsoleFrame, consoleFrame, renderConsolePage } from '../http/console-page.ts'
import { guardControl } from '../http/guard/guard.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Incoming } from '../http/incoming.ts'
import { page } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { showPage } from './console-route.ts'
import { flowsPage } from './flows/flows.ts'
import { type AppSettings, clientToShow, renderSettings } from './setup/settings.ts'

/** `/`: the list of flows; for a caller who may not drive the sandbox only the settings to paste. */
export function createHomeRoute(host: HttpHost): Handler {
  const showFlows = showPage(flowsPage, host)
  return async (request, tenant) => {
    if (mayDrive(request, host)) return showFlows(request, tenant)
    const settings = { provider: tenant.provider, client: clientToShow(request, host) }
    return { reply: page(200, renderClosedHome(await consoleFrame(request, tenant, host), settings)) }
  }
}

function mayDrive(request: Incoming, { guard }: HttpHost): boolean {
  try {
    guardControl(request, guard)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** The home page without flows, with a link to the sign-in of the console. */
export const renderClosedHome = (frame: ConsoleFrame, settings: AppSettings): RenderedPage =>
  renderConsolePage(frame, {
    title: 'Flows',
    current: 'flows',
    lead: html`Flows are shown on the machine of the sandbox, or after signing in. <a class="target" href="${frame.consolePath}/flows">Sign in to the console</a>`,
    scripts: ['copy.js'],
    body: renderSettings(settings, frame),
  })
