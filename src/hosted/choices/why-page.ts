import { evaluate } from '../../age/evaluate.ts'
import { readSearch } from '../../http/form.ts'
import { type ControlGuard, refuseReboundHost } from '../../http/guard/guard.ts'
import type { Handler } from '../../http/handler.ts'
import { html } from '../../http/html/html.ts'
import { renderPage } from '../../http/html/layout.ts'
import { englishOn, findLanguage, translate } from '../../http/html/messages.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { reasoningLines } from '../../sandbox/journal/reasoning-lines.ts'
import { requirePersona } from '../../sandbox/outcomes/names.ts'
import { requirePending } from '../form.ts'
import { hostedReply, hostedShell } from '../shell.ts'
import { renderPendingFields } from '../waiting-page.ts'

/** `use/why?transaction=ID&persona=NAME`: why a persona would get its answers to a waiting request. */
export const createWhyRoute =
  ({ version, guard }: { version: string; guard: ControlGuard }): Handler =>
  async (request, tenant) => {
    refuseReboundHost(request, guard)
    const { transaction: id = '', persona: name = '', chosen_language: chosen = '' } = readSearch(request)
    const { transaction } = await requirePending({ transaction: id }, tenant)
    const persona = await requirePersona(name, { personas: tenant.personas, source: 'query parameter persona' })
    const { age_key: ageKey } = tenant.personas.resolved(persona)
    if (transaction.flow !== 'use' || !ageKey)
      throw Refusal.invalidRequest(`persona: ${persona.name} has no age key here, so there are no answers to explain`)
    const { ageThresholds, trace } = evaluate(ageKey.signals, transaction.claims, tenant.clock.now())
    const chosenLanguage = findLanguage(chosen)
    const visit = { request, tenant, version, guard, chosenLanguage }
    const shell = hostedShell(visit, transaction.presentation)
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
