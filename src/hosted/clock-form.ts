import { type Html, html } from '../http/html/html.ts'
import type { Translate } from '../http/html/messages.ts'
import { type PendingView, renderPendingFields } from './pending-fields.ts'

/** One second more than a `request_uri` lives (specification, "Limits"). */
const STEP_SECONDS = 91

export interface ClockFormView extends PendingView {
  /** The path that lets time pass and shows the page again. */
  readonly clockAction: string
  /** The time of the sandbox, ISO 8601 in UTC. */
  readonly sandboxTime: string
}

/** A button that lets 91 seconds pass while the request waits: it posts `advance`. */
export function renderClockForm(view: ClockFormView, t: Translate): Html {
  return html`<form class="clock" method="post" action="${view.clockAction}#endings-title">${renderPendingFields(view)}
<p><strong>${t('clock.title')}</strong> <code data-testid="sandbox-time">${view.sandboxTime}</code></p>
<button class="secondary" name="advance" value="${STEP_SECONDS}" data-testid="advance" aria-describedby="clock-hint">${t('clock.advance', { seconds: STEP_SECONDS })}</button>
<p class="hint" id="clock-hint">${t('clock.hint')}</p>
</form>`
}
