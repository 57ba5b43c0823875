import { consolePathOf } from '../../http/html/console-page.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { Translate } from '../../http/html/messages.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { endsInFrame } from '../embedding/embedding.ts'
import { requireDriver, type Visitor } from './driving.ts'

/** What keeps a visitor from driving the sandbox: the page is in a frame, or the control API asks for its token. */
export interface DrivingBar {
  readonly by: 'frame' | 'token'
  /** Where the console asks for the token. */
  readonly consolePath: string
}

/** `undefined` for a visitor that may drive the sandbox. */
export function drivingBar(visitor: Visitor, tenant: Tenant): DrivingBar | undefined {
  try {
    requireDriver(visitor)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { by: endsInFrame(visitor) ? 'frame' : 'token', consolePath: consolePathOf(tenant) }
  }
}

/** Says why the clock and the outcomes of later calls are missing, and where the control token is asked for. */
export function renderDrivingBar({ by, consolePath }: DrivingBar, t: Translate): Html {
  if (by === 'frame') return html`<p class="notice" data-testid="driving-bar">${t('driving.frame')}</p>`
  return html`<p class="notice" data-testid="driving-bar">${t('driving.token')} <a href="${consolePath}/clock" target="_blank" rel="noopener">${t('driving.signIn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>`
}
