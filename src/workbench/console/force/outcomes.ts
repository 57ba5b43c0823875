import { OUTCOMES } from '../../../sandbox/outcomes/catalogue.ts'
import { type Outcome, REQUIREMENT_LEVELS } from '../../../sandbox/outcomes/outcome.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import { contains } from '../../../server/http/form.ts'
import {
  breakable,
  counted,
  renderFoldedTable,
  renderName,
  renderSnippet,
} from '../../../server/http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../../server/http/html/fields.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { CALLS, type CallName, headingOf } from '../../../service/oidc/endpoints.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { unknownName } from '../../../service/text/message-parts.ts'
import { shellWord } from '../../../service/text/shell-word.ts'
import type { ConsoleRoute } from '../console-route.ts'

/** `console/outcomes`: the catalogue on one page, by flow or call. */
export const outcomesPage: ConsoleRoute = {
  name: 'outcomes',
  render({ frame, fields }) {
    const { flow = '', level = '', q = '' } = fields
    const outcomes = OUTCOMES.filter(
      (row) =>
        (flow === '' || row.flow === flow) &&
        (level === '' || row.level === level) &&
        contains(q, [row.name, row.summary, row.rule, row.level, row.harm, ...row.refs]),
    )
    return renderOutcomes(frame, outcomes, { flow, level, q })
  },
}

/**
 * Renders the catalogue: for each outcome what happens, what a correct client does, how binding
 * that is, and a link to queue it. The page of an outcome has the details.
 * @param outcomes the outcomes that match the filter, in the order of the catalogue
 */
export function renderOutcomes(
  frame: ConsoleFrame,
  outcomes: readonly Outcome[],
  { flow, level, q }: { flow: string; level: string; q: string },
): RenderedPage {
  return renderConsolePage(frame, {
    title: 'Outcomes',
    current: 'outcomes',
    lead: html`Every ending that you can ask for: by <code>sandbox_outcome=NAME</code> on the request, by an expectation, or on the choice page. The level says how binding the check is: <b>must</b> by the specification, <b>should</b> by other documents, <b>may</b> as hardening; the number is its severity, 0 to 10.`,
    body: html`<section class="card" aria-labelledby="catalogue-title">
<div class="row spread"><h2 id="catalogue-title">${counted(outcomes.length, 'outcome')}</h2>
<form class="row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: q })}
${renderSelect({ name: 'flow', label: 'Flow or call', value: flow, options: filterOptions(CALLS) })}
${renderSelect({ name: 'level', label: 'Level', value: level, options: filterOptions(REQUIREMENT_LEVELS) })}
<button class="secondary">Show</button>
</form></div>
${outcomes.length === 0 && html`<p class="notice muted">No outcome matches this filter. <a href="?">Show all</a></p>`}
${CALLS.map((one) =>
  renderFlowTable(
    one,
    outcomes.filter((outcome) => outcome.flow === one),
    { ...frame, isOpen: [flow, level, q].some((filter) => filter !== '') },
  ),
)}
</section>`,
  })
}

function renderFlowTable(
  flow: CallName,
  outcomes: readonly Outcome[],
  { consolePath, isOpen }: ConsoleFrame & { readonly isOpen: boolean },
): Html | undefined {
  if (outcomes.length === 0) return undefined
  const rows = outcomes.map((outcome) => ({
    id: `${flow}-${outcome.name}`,
    cells: [
      html`<a href="${consolePath}/outcomes/${flow}/${outcome.name}" class="target">${renderName(outcome.name)}</a>`,
      outcome.summary,
      renderVerdict(outcome),
      html`<a href="${queueHref(outcome, consolePath)}" class="target">Queue</a>`,
    ],
  }))
  const columns = ['Name', 'What happens', 'A correct client', 'Use it']
  return renderFoldedTable({
    title: headingOf(flow),
    caption: `Outcomes of ${flow}`,
    columns,
    rows,
    isOpen,
  })
}

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts' },
  refuse: { mark: 'no', text: 'refuses' },
  depends: { mark: 'none', text: 'depends' },
} as const

/** Renders what a correct client does, and how binding that is. */
export const renderVerdict = ({ correctClient, level, severity }: Outcome): Html =>
  html`<span class="mark ${VERDICTS[correctClient].mark}">${VERDICTS[correctClient].text}</span> <span class="muted">${level} ${severity}</span>`

/** The link to the form that queues the outcome, filled in. */
const queueHref = ({ flow, name }: Pick<Outcome, 'flow' | 'name'>, consolePath: string): string =>
  `${consolePath}/force?${new URLSearchParams({ flow, outcome: name }).toString()}#queue`

/** `console/outcomes/FLOW/NAME`: one outcome. */
export const outcomePage: ConsoleRoute = {
  name: 'outcomes',
  below: '/:flow/:name',
  render({ request, tenant, frame }) {
    const { flow = '', name = '' } = request.params
    const ofFlow = OUTCOMES.filter((row) => row.flow === flow)
    const row = ofFlow.find((one) => one.name === name)
    if (row) return renderOutcome(frame, row, tenant.provider.baseUrl)
    const known = (ofFlow.length > 0 ? ofFlow : OUTCOMES).map((one) => one.name)
    throw Refusal.notFound(unknownName('outcome', name.slice(0, 80), known))
  },
}

/**
 * Renders an outcome: what happens, what a correct client does and why, which specification demands
 * it, and how to force it.
 */
export function renderOutcome(
  frame: ConsoleFrame,
  outcome: Outcome,
  baseUrl: string,
): RenderedPage {
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
