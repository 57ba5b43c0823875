import type { ConsoleFrame } from '../../http/console-page.ts'
import { renderInstant, shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { summarizeFlow } from '../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'

/** The first thing to do, and what came of it: the demo, and the last flows. @param flows newest first; absent where they are not shown */
export function renderNextSteps(
  { demoPath, consolePath }: ConsoleFrame,
  flows: readonly ListedFlow[] | undefined,
): Html {
  return html`<section class="card" aria-labelledby="next-title">
<h2 id="next-title">Then see a flow</h2>
<p class="muted">Start one in your app, or try the demo app, which makes the same calls. The choice page asks as which person you answer.</p>
<p><a class="button primary" href="${demoPath}" data-testid="try-it">Try the demo app</a></p>
${flows !== undefined && renderLastFlows(flows, consolePath)}
</section>`
}

function renderLastFlows(flows: readonly ListedFlow[], consolePath: string): Html {
  if (flows.length === 0)
    return html`<p class="empty">No flow yet: the last ones appear here, each with its reason.</p>`
  return html`<h3>The last flows</h3>
<ul class="last-flows">
${flows.map((flow) => renderFlow(flow, consolePath))}</ul>
<p class="links"><a href="${consolePath}/flows">All flows</a></p>`
}

function renderFlow(flow: ListedFlow, consolePath: string): Html {
  const { status, summary } = summarizeFlow(flow)
  const mark = { ok: 'yes', declined: 'none', error: 'no', waiting: 'none' }[status]
  return html`<li><a class="target" href="${consolePath}/flows/${flow.id}">${flow.id}</a> <span class="mark ${mark}">${status}</span> <span>${shortened(summary, 160)} ${renderInstant(flow.started_at)}</span></li>
`
}
