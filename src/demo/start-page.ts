import type { ConsoleFrame } from '../http/html/console-page.ts'
import { renderSelect, renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderDemoPage } from './demo-page.ts'

export interface DemoStartView extends ConsoleFrame {
  /** The claims object that is asked for unless the visitor writes another. */
  readonly claims: string
  /** The demo under the base URL, when the visitor came by another name, under which no session would survive. */
  readonly rightAddress?: string
}

/** The demo relying party: a form for a Use request and one for a Create request. */
export function renderDemoStart(view: DemoStartView): RenderedPage {
  return renderDemoPage(view, {
    title: 'Demo shop',
    main: html`<header class="card page-head">
<h1>Demo shop</h1>
<p class="lead">A relying party built into the sandbox. It makes the same calls as your app, over HTTP, and shows what it sends and what it checks.</p>
${
  view.rightAddress !== undefined &&
  html`<p class="notice" data-testid="wrong-address">The sandbox sends browsers back to its base URL, and a session does not follow to another name. <a href="${view.rightAddress}">Open the demo there</a>.</p>`
}
</header>
<div class="columns">
${renderUseForm(view)}
<div class="column">
${renderCreateForm(view)}
${renderUpgradeHint()}
</div>
</div>`,
  })
}

const MODES = [
  { value: 'fragment', label: 'fragment: behind the #, the usual one' },
  { value: 'query', label: 'query: in the address, works without scripts' },
  { value: 'form_post', label: 'form_post: a form that is sent to the app' },
]

function renderUseForm({ demoPath, claims }: DemoStartView): Html {
  return html`<section class="card" aria-labelledby="use-title">
<h2 id="use-title">Prove an age</h2>
<p class="muted">Use: the visitor has an age key and answers from it. When every age is false and an upgrade was allowed, a code comes too.</p>
<form class="stack" method="post" action="${demoPath}/use">
${renderTextField({ name: 'claims', label: 'claims', value: claims, hint: 'JSON: the ages to ask about, and filters if you like.' })}
${renderSelect({ name: 'response_mode', label: 'response_mode', value: 'fragment', options: MODES })}
<div>${renderCheckbox('can_create', 'Offer to create an age key (can_create=true)')}
${renderCheckbox('upgrade', 'Allow an upgrade (the upgrade scope)')}</div>
<button class="primary" data-testid="demo-use">Verify my age</button>
</form>
</section>`
}

const renderCheckbox = (name: string, label: string): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="true" checked> <span>${label}</span></label>`

function renderCreateForm({ demoPath }: DemoStartView): Html {
  return html`<section class="card" aria-labelledby="create-title">
<h2 id="create-title">Create an age key</h2>
<p class="muted">Create: the shop has verified an age itself, say by a document scan, and the visitor keeps the result as an age key.</p>
<form class="stack" method="post" action="${demoPath}/create">
${renderDateField()}
<button class="secondary" data-testid="demo-create">Create an age key</button>
</form>
</section>`
}

function renderUpgradeHint(): Html {
  return html`<section class="card" aria-labelledby="upgrade-title">
<h2 id="upgrade-title">Upgrade an age key</h2>
<p class="muted">Upgrade begins with Use: allow it, press Verify my age and answer as <code>child-12</code>, who is too young for every age. The shop then offers the upgrade.</p>
</section>`
}

/** The age that the shop pretends to have verified. */
export const renderDateField = (): Html =>
  renderTextField({
    name: 'date_of_birth',
    label: 'Date of birth that the shop has verified',
    value: '2000-02-29',
    hint: 'YYYY-MM-DD',
  })
