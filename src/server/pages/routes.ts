import { reasoningLines } from '../../sandbox/journal/reasoning-lines.ts'
import { requirePersona } from '../../sandbox/outcomes/names.ts'
import { evaluate } from '../../service/age/evaluate.ts'
import { useIssuer } from '../../service/oidc/provider.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { hostedCookie } from '../http/cookie.ts'
import { readSearch } from '../http/form.ts'
import { refuseReboundHost } from '../http/guard/guard.ts'
import type { Answer, Handler, HttpHost } from '../http/handler.ts'
import { html } from '../http/html/html.ts'
import { type RenderedPage, renderPage, type Shell, shellOf } from '../http/html/layout.ts'
import { englishOn, findLanguage, LANGUAGE_COOKIE, translate } from '../http/html/messages.ts'
import { page } from '../http/reply.ts'
import { PASSKEY_PERMISSIONS } from './embedding.ts'
import { type HostedForm, readHostedForm, requirePending } from './form.ts'
import { renderOutcomeList } from './outcome-list.ts'
import { hostedPage, waitingPage } from './page.ts'
import { type HostedRequest, hostedReply, hostedShell } from './shell.ts'
import { renderPendingFields, type WaitingPage } from './waiting-page.ts'

type Host = Pick<HttpHost, 'version' | 'guard'>

/**
 * The routes of a hosted page other than the choice: the reasons of an answer, the endings, and the
 * forms that show the page again.
 */
export function createHostedRoutes(
  host: Host,
): Readonly<Record<'language' | 'goOn' | 'why' | 'endings', Handler>> {
  /** Renders the page of the form again with some values changed. */
  async function showAgain(
    form: HostedForm,
    changes: Pick<HostedRequest, 'request' | 'tenant' | 'continued' | 'chosenLanguage'>,
  ) {
    const pending = await requirePending(form, changes.tenant)
    const { transaction, chosenLanguage, continued, framed } = form
    return hostedPage(transaction, pending, {
      ...host,
      chosenLanguage,
      continued,
      framed,
      ...changes,
    })
  }
  return {
    why: (request, tenant) => showReasons({ ...host, request, tenant }),
    endings: (request, tenant) => showEndings({ ...host, request, tenant }),
    async goOn(request, tenant) {
      const form = readHostedForm(request, host.guard)
      return { reply: await showAgain(form, { request, tenant, continued: true }) }
    },
    async language(request, tenant) {
      const form = readHostedForm(request, host.guard)
      const chosenLanguage = findLanguage(form.field('language') ?? '')
      if (chosenLanguage === undefined) {
        const message = `language: ${JSON.stringify(form.field('language')?.slice(0, 80) ?? '')} is not one of the menu; choose one there.`
        throw Refusal.invalidRequest(message, { title: 'No such language' })
      }
      const reply = await showAgain(form, { request, tenant, chosenLanguage })
      return {
        reply: { ...reply, cookies: [hostedCookie(LANGUAGE_COOKIE, chosenLanguage, tenant)] },
      }
    },
  }
}

/**
 * `use/why?transaction=ID&persona=NAME`: explains the answers that a persona would give to a
 * pending request.
 */
async function showReasons(hosted: HostedRequest): Promise<Answer> {
  const { request, tenant } = hosted
  refuseReboundHost(request, hosted.guard)
  const {
    transaction: id = '',
    persona: name = '',
    chosen_language: chosen = '',
  } = readSearch(request)
  const { transaction } = await requirePending({ transaction: id }, tenant)
  const persona = await requirePersona(name, {
    personas: tenant.personas,
    source: 'query parameter persona',
  })
  const { age_key: ageKey } = tenant.personas.resolved(persona)
  if (transaction.flow !== 'use' || !ageKey)
    throw Refusal.invalidRequest(
      `persona: ${persona.name} has no age key here, so there are no answers to explain`,
    )
  const { ageThresholds, trace } = evaluate(ageKey.signals, transaction.claims, tenant.clock.now())
  const chosenLanguage = findLanguage(chosen)
  const shell = hostedShell({ ...hosted, chosenLanguage }, transaction.presentation)
  const t = translate(shell.lang)
  const rendered = renderPage(shell, {
    title: t('persona.why'),
    main: html`<section class="card" aria-labelledby="why-title">
<h1 id="why-title">${t('persona.why')}</h1>
<p><strong${englishOn(t)}>${persona.title}</strong> <code>${persona.name}</code></p>
<p class="row" data-testid="results">${Object.entries(ageThresholds).map(([threshold, isMet]) => html`<b class="tag ${isMet ? 'yes' : 'no'}">${t(isMet ? 'persona.yes' : 'persona.no', { threshold })}</b> `)}</p>
<div${englishOn(t)} data-part><p>${persona.purpose}${ageKey.signals.length > 1 && ' Each age needs one signal that says yes:'}</p>
<ul>${reasoningLines(trace).map((line) => html`<li>${line}</li>`)}</ul></div>
<form method="post" action="${tenant.basePath}/v1/oidc/use/continue">${renderPendingFields({ id, chosenLanguage })}<button class="secondary">${t('why.back')}</button></form>
</section>`,
  })
  return { reply: hostedReply(rendered, shell) }
}

/**
 * `use/endings?transaction=ID` and `create/endings?transaction=ID`: all endings that are possible
 * for a pending request.
 */
async function showEndings(hosted: HostedRequest): Promise<Answer> {
  const { request, tenant } = hosted
  refuseReboundHost(request, hosted.guard)
  const {
    transaction: id = '',
    chosen_language: chosen = '',
    continued,
    framed,
  } = readSearch(request)
  const pending = await requirePending({ transaction: id }, tenant)
  const reported = {
    chosenLanguage: findLanguage(chosen),
    continued: continued === 'true',
    framed: framed === 'true',
  }
  const page = await waitingPage(pending, { id, hosted: { ...hosted, ...reported } })
  const personas = (await tenant.personas.list()).map(({ name }) => name)
  const { redirectUri } = pending.transaction
  return {
    reply: hostedReply(renderEndingsPage(page, personas), { lang: page.shell.lang, redirectUri }),
  }
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

/** `GET /_sandbox/embedding`: a right and a wrong iframe side by side. */
export const createEmbeddingRoute =
  (host: Pick<HttpHost, 'version' | 'shownClient'>): Handler =>
  (_request, tenant) => {
    const { provider } = tenant
    const query = new URLSearchParams({
      scope: 'openid',
      response_type: 'id_token',
      client_id: host.shownClient.clientId,
      redirect_uri: `${new URL(provider.baseUrl).origin}/`,
      state: 'embedding',
      nonce: 'embedding',
      claims: JSON.stringify({ age_thresholds: [13, 18] }),
    })
    // A path without an origin, so that the frame has the same origin as this page.
    const useUrl = `${new URL(useIssuer(provider)).pathname}?${query}`
    return {
      reply: page(200, renderEmbeddingDemo(useUrl, shellOf(tenant, host.version)), {
        frames: true,
      }),
    }
  }

/** Renders the same Use request in two iframes (specification, "Embedding rules"). */
function renderEmbeddingDemo(useUrl: string, shell: Shell): RenderedPage {
  const { use, create } = PASSKEY_PERMISSIONS
  return renderPage(shell, {
    title: 'In an iframe',
    width: 'wide',
    styles: ['console.css'],
    main: html`<section class="card">
<h1>The flow in an iframe</h1>
<p>An iframe can show the flow, but it cannot finish it: the service redirects only when the flow is opened in the browser itself. Inside an iframe it ends with a message.</p>
<ul><li>Use and Upgrade: <code>allow="${use}"</code></li><li>Create: <code>allow="${create}"</code></li></ul>
</section>
<div class="columns">
<section class="card" aria-labelledby="right-title">
<h2 id="right-title">Right: with the permission</h2>
<div class="snippet"><pre><code>${`<iframe src="…/v1/oidc/use?…"\n  allow="${use}"></iframe>`}</code></pre></div>
<iframe class="embedded" title="Use flow, embedded with the permission" src="${useUrl}" allow="${use}" data-testid="right"></iframe>
</section>
<section class="card" aria-labelledby="wrong-title">
<h2 id="wrong-title">Wrong: without it</h2>
<div class="snippet"><pre><code>${`<iframe src="…/v1/oidc/use?…">\n</iframe>`}</code></pre></div>
<iframe class="embedded" title="Use flow, embedded without the permission" src="${useUrl}" allow="${use} 'none'" data-testid="wrong"></iframe>
<p class="hint">This page and the frame have the same origin, where browsers grant the permission anyway. It is taken away here, so that you see what your own page would get.</p>
</section>
</div>`,
  })
}
