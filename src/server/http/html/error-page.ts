import type { FlowLink } from '../../../sandbox/journal/flow-link.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { Refusal } from '../../../service/oidc/refusal.ts'
import type { Incoming } from '../incoming.ts'
import { renderFindingList } from './finding-list.ts'
import { type Html, html } from './html.ts'
import { type RenderedPage, renderPage, type Shell, shellOf } from './layout.ts'
import { directionOf, englishOn, languageOf, translate } from './messages.ts'

type RefusalFacts = Pick<
  Refusal,
  'status' | 'code' | 'title' | 'message' | 'findings' | 'suggestions' | 'restartHint'
> &
  Partial<Pick<Refusal, 'backPath'>>

/** The shell of an error page: hosted pages in the visitor's language, other pages in English. */
export function errorShell(
  incoming: Incoming,
  {
    tenant,
    version,
    isHosted,
  }: { readonly tenant: Tenant; readonly version: string; readonly isHosted: boolean },
): Shell {
  const asked = new URLSearchParams(incoming.query).get('language') ?? undefined
  const lang = isHosted ? languageOf(incoming, { asked }) : 'en'
  return { ...shellOf(tenant, version), lang, dir: directionOf(lang) }
}

/**
 * Renders the error page: problem, findings, remedies and a link to the flow of the call. The page
 * never redirects.
 */
export function renderError(
  refusal: RefusalFacts,
  { shell, flow, menu }: { shell: Shell; flow?: FlowLink | undefined; menu?: Html | undefined },
): RenderedPage {
  const { status, code, title, message, findings, suggestions, restartHint, backPath } = refusal
  const t = translate(shell.lang)
  const english = englishOn(t)
  return renderPage(shell, {
    title,
    ...(menu && { menu, styles: ['console.css'] }),
    main: html`<section class="card">
<p><b class="tag no">${status}</b> <code data-testid="error-code">${code}</code></p>
<h1>${english ? t('error.title') : title}</h1>
<p data-testid="error-description"${english}>${message}</p>
${flow && html`<p class="row links"><a href="${flow.url}" target="_top" data-testid="flow-link">${t('error.flow', { id: flow.id })}</a></p>`}
${
  suggestions.length > 0 &&
  html`<h2>${t('error.near')}</h2>
<ul class="row" data-testid="suggestions">${suggestions.map((name) => html`<li class="tag"><code>${name}</code></li>`)}</ul>`
}
${backPath !== undefined && html`<p class="row links"><a href="${backPath}" data-testid="back">${t('ending.title')}</a></p>`}
${restartHint !== undefined && html`<p class="notice"${english}>${restartHint}</p>`}
${findings.length > 0 && html`<h2>${t('error.fix')}</h2>`}
${renderFindingList(findings, t, message)}
<p class="row links"><a href="${shell.homePath}_sandbox/docs/troubleshooting" target="_top">${t('error.help')}</a></p>
</section>`,
  })
}
