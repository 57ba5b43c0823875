import { readSearch } from '../../http/form.ts'
import { type ControlGuard, refuseReboundHost } from '../../http/guard/guard.ts'
import type { Handler } from '../../http/handler.ts'
import { html } from '../../http/html/html.ts'
import { type RenderedPage, renderPage } from '../../http/html/layout.ts'
import { findLanguage, translate } from '../../http/html/messages.ts'
import { requirePending } from '../form.ts'
import { waitingPage } from '../page.ts'
import { hostedReply } from '../shell.ts'
import { renderPendingFields, type WaitingPage } from '../waiting-page.ts'
import { renderOutcomeList } from './outcome-list.ts'

/** `use/endings?transaction=ID`, and the same for Create: all endings that a waiting request can have. */
export const createEndingsRoute =
  ({ version, guard }: { version: string; guard: ControlGuard }): Handler =>
  async (request, tenant) => {
    refuseReboundHost(request, guard)
    const { transaction: id = '', chosen_language: chosen = '', continued, framed } = readSearch(request)
    const pending = await requirePending({ transaction: id }, tenant)
    const page = await waitingPage(pending, {
      id,
      visit: {
        request,
        tenant,
        version,
        guard,
        chosenLanguage: findLanguage(chosen),
        continued: continued === 'true',
        framed: framed === 'true',
      },
    })
    const personas = (await tenant.personas.list()).map(({ name }) => name)
    const rendered = renderEndingsPage(page, personas)
    const { redirectUri } = pending.transaction
    return { reply: hostedReply(rendered, { lang: page.shell.lang, redirectUri }) }
  }

export function renderEndingsPage(page: WaitingPage, personas: readonly string[]): RenderedPage {
  const t = translate(page.shell.lang)
  return renderPage(page.shell, {
    title: t('ending.title'),
    width: 'wide',
    scripts: ['filter.js', 'embedding.js', 'once.js'],
    main: html`<section class="card endings" aria-labelledby="endings-title">
<h1>${page.transaction.flow === 'use' ? t('choose.title', { client: page.client.name }) : t('create.title')}</h1>
<h2 id="endings-title">${t('ending.title')}</h2>
<p class="muted">${t('ending.lead')}</p>
<form id="endings" method="post" action="${page.path}/choice">${renderPendingFields(page)}${renderOutcomeList(page, personas, t)}</form>
<form method="post" action="${page.path}/continue">${renderPendingFields(page)}<button class="secondary">${t('why.back')}</button></form>
</section>`,
  })
}
