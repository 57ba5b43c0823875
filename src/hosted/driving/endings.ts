import { type Html, html } from '../../http/html/html.ts'
import type { Translate } from '../../http/html/messages.ts'
import { renderPendingFields, type WaitingPage } from '../waiting-page.ts'
import type { DrivingBar } from './driving-bar.ts'
import { possibleOutcomes } from './outcome-list.ts'

/** The step of the clock: one second more than the lifetime of a `request_uri` (specification, "Limits"). */
const STEP_SECONDS = 91

/**
 * The section "Force an ending": the clock, and the way to the endings, of which there are too many for this page. A script
 * shows them in place when the section opens, inside of the form; without it the link leads to a page of their own. The section is
 * open after the clock was moved, else closed.
 */
export function renderEndings(page: WaitingPage, t: Translate): Html {
  const count = possibleOutcomes(page).length
  return html`<details class="card endings" data-load data-passkey${page.clockMoved && html` open`}>
<summary data-testid="endings"><h2 id="endings-title">${t('ending.title')}</h2> <span class="count">${count}</span></summary>
<p class="muted">${t('ending.lead')}</p>
${page.drivingBar === undefined ? renderClockForm(page, t) : renderDrivingBar(page.drivingBar, page, t)}
<form id="endings" method="post" action="${page.path}/choice">${renderPendingFields(page)}<a class="links" href="${endingsPath(page)}">${t('ending.all', { count })}</a></form>
</details>`
}

/** The address of the endings. A request for them need not show that their page is in a frame, so the address says it. */
function endingsPath({ path, id, chosenLanguage, continued, embedding, drivingBar }: WaitingPage): string {
  const isFramed = embedding.framed || drivingBar?.by === 'frame'
  const query = new URLSearchParams({
    transaction: id,
    ...(chosenLanguage === undefined ? {} : { chosen_language: chosenLanguage }),
    ...(continued ? { continued: 'true' } : {}),
    ...(isFramed ? { framed: 'true' } : {}),
  })
  return `${path}/endings?${query}`
}

/** A button that moves the clock while the request waits: it posts `advance`. */
function renderClockForm(page: WaitingPage, t: Translate): Html {
  const time = new Date(page.now).toISOString().replace(/\.\d+Z$/, 'Z')
  return html`<form class="clock" method="post" action="${page.path}/clock#endings-title">${renderPendingFields(page)}
<p><strong>${t('clock.title')}</strong> <code data-testid="sandbox-time">${time}</code></p>
<button class="secondary" name="advance" value="${STEP_SECONDS}" data-testid="advance" aria-describedby="clock-hint">${t('clock.advance', { seconds: STEP_SECONDS })}</button>
<p class="hint" id="clock-hint">${t('clock.hint')}</p>
</form>`
}

/** Says why the clock and the outcomes of later calls are missing, and where the control token is asked for. */
function renderDrivingBar({ by, consolePath }: DrivingBar, page: WaitingPage, t: Translate): Html {
  if (by === 'frame') return html`<p class="notice" data-testid="driving-bar">${t('driving.frame')}</p>`
  // A form, because a browser that came from another site sends the cookie of the console with none of its reloads.
  return html`<form class="clock" method="post" action="${page.path}/continue#endings-title" data-testid="driving-bar">${renderPendingFields(page)}
<p>${t('driving.token')} <a href="${consolePath}/clock" target="_blank" rel="noopener">${t('driving.signIn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>
<button class="secondary" data-testid="driving-again">${t('driving.again')}</button>
</form>`
}
