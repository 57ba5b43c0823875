import { renderAnswers } from '../http/html/badges.ts'
import type { ConsoleFrame } from '../http/html/console-page.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { shortened } from '../http/html/shortened.ts'
import { type CheckView, renderChecks } from './checks.ts'
import { renderDemoPage } from './demo-page.ts'
import { type ExchangeView, renderExchange, renderParameters } from './exchange.ts'
import { renderDateField } from './start-page.ts'

/** How a flow of the demo went, and what the visitor may do now. */
export interface DemoResultView extends ConsoleFrame {
  readonly flow: 'use' | 'create'
  /** In a few words; the sentence says what it means. */
  readonly verdict: { readonly title: string; readonly sentence: string }
  /** The authorization request; absent when it was never made. */
  readonly request?: Readonly<Record<string, string>> | undefined
  /** The callback; absent while the visitor has not come back. */
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly checks: readonly CheckView[]
  /** The payload of the id_token, when one came. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** The answers, when every check passed. */
  readonly answers: readonly { readonly threshold: string; readonly satisfied: boolean }[]
  /** Calls from server to server, in order. */
  readonly exchanges: readonly ExchangeView[]
  /** What the shop offers next. */
  readonly offers: { readonly upgrade: boolean; readonly create: boolean }
  /** The console's flows with this state. */
  readonly flowsPath: string
}

/** Request and callback beside each other, each check with its result, and the next step. */
export function renderDemoResult(view: DemoResultView): RenderedPage {
  const { verdict, answers, checks } = view
  return renderDemoPage(view, {
    title: verdict.title,
    scripts: ['copy.js'],
    main: html`<header class="card page-head">
<p class="muted">${view.flow === 'use' ? 'Use' : 'Create'}</p>
<h1 data-testid="demo-verdict">${verdict.title}</h1>
<p class="lead">${verdict.sentence}</p>
${renderAnswers(answers)}
<p class="links"><a href="${view.demoPath}">Start again</a> <a href="${view.flowsPath}">See it in the console</a></p>
</header>
${renderOffers(view)}
<div class="columns">
${renderSide('request', 'What the shop sent', view.request, 'No authorization request was made.')}
${renderReturn(view)}
</div>
${
  checks.length > 0 &&
  html`<section class="card" aria-labelledby="checks-title">
<h2 id="checks-title">What the shop checked</h2>
${renderChecks(checks)}
</section>`
}
${view.exchanges.map(renderExchange)}`,
  })
}

function renderSide(
  id: string,
  title: string,
  parameters: Readonly<Record<string, string>> | undefined,
  nothing: string,
): Html {
  return html`<section class="card" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${parameters === undefined ? html`<p class="muted">${nothing}</p>` : renderParameters(parameters)}
</section>`
}

function renderReturn({ params, claims }: DemoResultView): Html {
  if (claims === undefined) return renderSide('return', 'What came back', params, 'The visitor has not come back yet.')
  return html`<section class="card" aria-labelledby="return-title">
<h2 id="return-title">What came back</h2>
<h3>Payload of the id_token</h3>
<div class="snippet" data-copy><pre><code data-testid="demo-claims">${shortened(JSON.stringify(claims, undefined, 2), 8_000)}</code></pre></div>
<details class="raw"><summary>The callback as it was sent</summary>
${renderParameters(params ?? {})}</details>
</section>`
}

function renderOffers({ offers, demoPath }: DemoResultView): Html | false {
  return (
    (offers.upgrade || offers.create) &&
    html`<section class="card" aria-labelledby="offer-title">
<h2 id="offer-title">${offers.upgrade ? 'Upgrade the age key' : 'Create an age key'}</h2>
<p class="muted">${
      offers.upgrade
        ? 'Every age was false and a code came: the shop verifies the age in another way and adds the result to the age key.'
        : 'The shop verifies the age in another way, and the visitor keeps the result as an age key.'
    }</p>
<form class="form-row" method="post" action="${demoPath}/${offers.upgrade ? 'upgrade' : 'create'}">
${renderDateField()}
<button class="primary" data-testid="${offers.upgrade ? 'demo-upgrade' : 'demo-create'}">${offers.upgrade ? 'Upgrade' : 'Create'}</button>
</form>
</section>`
  )
}
