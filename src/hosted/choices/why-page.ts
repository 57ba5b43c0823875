import { explainEvaluation } from '../../age/evaluate.ts'
import type { SignalTrace, ThresholdTrace } from '../../age/trace.ts'
import { readSearch } from '../../http/form.ts'
import type { ControlGuard } from '../../http/guard/guard.ts'
import { refuseReboundHost } from '../../http/guard/guard.ts'
import type { Handler } from '../../http/handler.ts'
import { html } from '../../http/html/html.ts'
import { renderPage } from '../../http/html/layout.ts'
import { englishOn, findLanguage, translate } from '../../http/html/messages.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { requirePersona } from '../../sandbox/decision/names.ts'
import { requirePending } from '../form.ts'
import { hostedReply, hostedShell } from '../shell.ts'
import { renderPendingFields } from '../waiting-page.ts'

/** `use/why?transaction=ID&persona=NAME`: why a persona would get its answers to a request that waits. */
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
    const lines = reasoningLines(explainEvaluation(ageKey.signals, transaction.claims, tenant.clock.now()))
    const chosenLanguage = findLanguage(chosen)
    const visit = { request, tenant, version, guard, chosenLanguage }
    const shell = hostedShell(visit, transaction.presentation)
    const t = translate(shell.lang)
    const rendered = renderPage(shell, {
      title: t('persona.why'),
      main: html`<section class="card" aria-labelledby="why-title">
<h1 id="why-title">${t('persona.why')}</h1>
<p><strong${englishOn(t)}>${persona.title}</strong> <code>${persona.name}</code></p>
<ul${englishOn(t)} data-reasons>${lines.map((line) => html`<li>${line}</li>`)}</ul>
<form method="post" action="${tenant.basePath}/v1/oidc/use/continue">${renderPendingFields({ id, chosenLanguage })}<button class="secondary">${t('why.back')}</button></form>
</section>`,
    })
    return { reply: hostedReply(rendered, shell) }
  }

/** Characters of one reason: it repeats the patterns of the request, which may be long lists. */
const MAX_REASON_LENGTH = 240

/** Lines for one persona: a page has many personas, and a request may name a hundred ages. */
const MAX_LINES = 12

/**
 * A trace as lines of text, one for each threshold and signal: `18: no. facial_age_estimation: needs 21 by
 * overrides.facial_age_estimation.min_age, has 19`. Thresholds with the same reason share a line that names the nearest
 * required age: `18, 21: no. id_doc_scan: needs 18, has 16`.
 */
export function reasoningLines(trace: readonly ThresholdTrace[]): string[] {
  const groups = new Map<string, { readonly thresholds: number[]; readonly signal: SignalTrace }>()
  for (const { threshold, signals } of trace) {
    for (const signal of signals) {
      const key = `${signal.passed} ${signal.method} ${reasonOf(signal)}`
      const group = groups.get(key)
      if (group) group.thresholds.push(threshold)
      else groups.set(key, { thresholds: [threshold], signal })
    }
  }
  const lines = [...groups.values()].map(({ thresholds, signal }) => {
    const nearest = signal.passed ? Math.max(...thresholds) : Math.min(...thresholds)
    const reason = reasonOf(signal).replaceAll(NEEDED, `needs ${nearest}`)
    return `${listed(thresholds)}: ${signal.passed ? 'yes' : 'no'}. ${signal.method}: ${reason}`
  })
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines
}

/** A list of thresholds; a long one is shortened in the middle, because the answers beside it name each threshold. */
const listed = (thresholds: readonly number[]): string =>
  (thresholds.length > 8 ? [...thresholds.slice(0, 6), '…', ...thresholds.slice(-1)] : thresholds).join(', ')

/** Marks the place of the required age in a reason, when the threshold alone requires it. */
const NEEDED = '\u0000'
const BY_THE_THRESHOLD = /needs \d+ by age_thresholds\[\d+\]/

/** The reasons of all failed checks; when none failed, the reason of the age, which is the last check. */
function reasonOf({ checks }: SignalTrace): string {
  const failed = checks.filter((check) => !check.passed)
  const decisive = failed.length > 0 ? failed : checks.slice(-1)
  const text = decisive.map(({ reason }) => reason.replace(BY_THE_THRESHOLD, NEEDED)).join('; ')
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text
}
