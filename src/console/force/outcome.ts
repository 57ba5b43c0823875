import { shellWord } from '../../files/shell-word.ts'
import { type ConsoleFrame, renderConsolePage } from '../../http/console-page.ts'
import { breakable, renderSnippet } from '../../http/html/elements.ts'
import { html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import { unknownName } from '../../text/message-parts.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { queueHref, renderVerdict } from './outcomes.ts'

/** `console/outcomes/FLOW/NAME`: one row of the catalogue. */
export const outcomePage: ConsoleRoute = {
  name: 'outcomes',
  below: '/:flow/:name',
  render({ tenant, frame, params: { flow = '', name = '' } }) {
    const ofFlow = OUTCOMES.filter((row) => row.flow === flow)
    const row = ofFlow.find((one) => one.name === name)
    if (row) return renderOutcome(frame, row, tenant.provider.baseUrl)
    const known = (ofFlow.length > 0 ? ofFlow : OUTCOMES).map((one) => one.name)
    throw Refusal.notFound(unknownName('outcome', name.slice(0, 80), known))
  },
}

/** What happens, what a correct client does and why, which specification demands it, and how to force it. */
export function renderOutcome(frame: ConsoleFrame, outcome: Outcome, baseUrl: string): RenderedPage {
  const { name, flow, summary, rule, harm, refs, correctClient } = outcome
  const rows = [
    ['A correct client', renderVerdict(outcome)],
    ['Because', rule],
    [correctClient === 'accept' ? 'When it is refused' : 'When it gets through', harm],
    ['Demanded by', refs.join('; ')],
  ] as const
  const asks = flow === 'use' || flow === 'create'
  return renderConsolePage(frame, {
    title: name,
    heading: breakable(name),
    current: 'outcomes',
    lead: html`${summary}`,
    scripts: ['copy.js'],
    body: html`<div class="columns">
<section class="card" aria-labelledby="meaning-title">
<h2 id="meaning-title">What it is about</h2>
<dl class="settings">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
</section>
<section class="card" aria-labelledby="use-title">
<h2 id="use-title">Have it</h2>
<p><a class="button primary" href="${queueHref(outcome, frame.consolePath)}">Queue it for the next ${flow} request</a></p>
${asks && html`<h3>On the request itself</h3>${renderSnippet(`sandbox_outcome=${name}`)}`}
<h3>From a test</h3>${renderSnippet(`curl ${shellWord(`${baseUrl}/_sandbox/expectations`)} \\\n  --json ${shellWord(JSON.stringify({ flow, outcome: name }))}`)}
</section>
</div>
<p class="row links"><a href="${frame.consolePath}/outcomes?${new URLSearchParams({ flow }).toString()}">All outcomes of ${flow}</a></p>`,
  })
}
