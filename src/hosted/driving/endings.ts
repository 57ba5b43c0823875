import { type Html, html } from '../../http/html/html.ts'
import type { Translate } from '../../http/html/messages.ts'
import { endingsPath } from '../form.ts'
import { renderPendingFields, type WaitingPage } from '../waiting-page.ts'
import type { DrivingBar } from './driving-bar.ts'
import { forcibleOutcomes } from './outcome-list.ts'

/**
 * The section "Force an ending". There are too many endings for the page: a script loads them into the form when the section opens;
 * without scripts a link leads to their own page.
 */
export function renderEndings(page: WaitingPage, t: Translate): Html {
  const count = forcibleOutcomes(page).length
  const { id: transaction, path, chosenLanguage, continued = false, embedding, drivingBar } = page
  const framed = embedding.framed || drivingBar?.by === 'frame'
  const address = endingsPath(path, { transaction, chosenLanguage, continued, framed })
  return html`<details class="card endings" data-load data-passkey>
<summary data-testid="endings"><h2 id="endings-title">${t('ending.title')}</h2> <span class="count">${count}</span></summary>
<p class="muted">${t('ending.lead')}</p>
${drivingBar && renderDrivingBar(drivingBar, page, t)}
<form id="endings" method="post" action="${path}/choice">${renderPendingFields(page)}<a class="target" href="${address}">${t('ending.all', { count })}</a></form>
</details>`
}

/** Says why the outcomes of later calls are missing, and where to enter the control token. */
function renderDrivingBar({ by, consolePath }: DrivingBar, page: WaitingPage, t: Translate): Html {
  if (by === 'frame') return html`<p class="notice" data-testid="driving-bar">${t('driving.frame')}</p>`
  // A form, not a link: after a navigation from another site, a reload does not send the cookie of the console.
  return html`<form class="notice" method="post" action="${page.path}/continue#endings-title" data-testid="driving-bar">${renderPendingFields(page)}
<p>${t('driving.token')} <a href="${consolePath}" target="_blank" rel="noopener">${t('driving.signIn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>
<button class="secondary" data-testid="driving-again">${t('driving.again')}</button>
</form>`
}
