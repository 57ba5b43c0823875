import { counted, renderInstant } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderTextField } from '../http/html/fields.ts'
import { grouped } from '../http/html/grouped.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderTable } from '../http/html/table.ts'

/** An age signal of a persona with its dates resolved, in words. */
export interface HeldSignalView {
  readonly method: string
  readonly age: string
  readonly verifiedAt: string
  readonly provenance: string
  /** ISO 27566-1 level. */
  readonly level?: string | undefined
  /** A line each: `issuing_country: US`. */
  readonly attributes: readonly string[]
}

export interface HolderView {
  readonly name: string
  readonly title: string
  readonly purpose: string
  readonly group: string
  /** Absent when the persona has no age key. */
  readonly signals?: readonly HeldSignalView[]
}

export interface PersonasView extends ConsoleFrame {
  readonly personas: readonly HolderView[]
  /** How many there are in all. */
  readonly total: number
  readonly search: string
  /** The path that makes this browser act as a persona. */
  readonly action: string
  /** The persona that this browser was just made to act as. */
  readonly acting?: string | undefined
  readonly problem?: string | undefined
}

/** Every persona with what its age key holds today, and a button to act as it. */
export function renderPersonas(view: PersonasView): RenderedPage {
  const { personas, total, search, acting, action } = view
  return renderConsolePage(view, {
    title: 'Personas',
    current: 'personas',
    lead: html`The test users, and what each one’s age key says today by the clock of the sandbox.`,
    problem: view.problem,
    body: html`<section class="card" aria-labelledby="list-title">
<div class="section-head"><h2 id="list-title">${counted(total, 'persona')}</h2>
<form method="post" action="${action}"><button class="secondary compact" name="persona" value="" data-testid="stop-acting">Stop acting as anybody</button></form></div>
${
  acting !== undefined &&
  html`<p class="notice" role="status" data-testid="acting">This browser now is <code>${acting}</code> in every flow that nothing stronger decides.</p>`
}
<form class="form-row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: search, hint: 'A part of a name, title or purpose' })}
<button class="secondary">Show</button>
</form>
${personas.length < total && html`<p class="hint">${personas.length} of ${total} are shown. Write what to look for to see others.</p>`}
${grouped(personas, ({ group }) => group).map(
  ([group, members]) => html`<h3 class="group-title">${group}</h3>
<ul class="holders">
${members.map((persona) => renderHolder(persona, action))}</ul>
`,
)}</section>`,
  })
}

/** Beyond these a persona's signals are only counted: fifty of them would fill the page. */
const MOST_SIGNALS = 6

function renderHolder({ name, title, purpose, signals }: HolderView, action: string): Html {
  return html`<li id="${name}" data-testid="persona-${name}">
<div class="holder-head">
<div><h4>${title}</h4> <p><code>${name}</code></p> <p class="muted small-text">${purpose}</p></div>
<form method="post" action="${action}"><button class="secondary compact" name="persona" value="${name}" aria-label="Act as ${title}">Act as</button></form>
</div>
${signals === undefined ? html`<p class="mark none">No age key</p>` : renderSignals(title, signals)}
</li>
`
}

function renderSignals(title: string, signals: readonly HeldSignalView[]): Html {
  const rows = signals.slice(0, MOST_SIGNALS).map((signal) => ({
    cells: [
      html`<code>${signal.method}</code>`,
      signal.age,
      renderInstant(signal.verifiedAt),
      html`<code>${signal.provenance}</code>`,
      html`${signal.level ?? 'not certified'}${signal.attributes.map((attribute) => html`<span class="line">${attribute}</span>`)}`,
    ],
  }))
  return html`${renderTable(`Age key of ${title}`, ['Method', 'Age', 'Verified', 'Provenance', 'Certification, attributes'], rows)}
${signals.length > MOST_SIGNALS && html`<p class="hint">And ${signals.length - MOST_SIGNALS} more.</p>`}`
}
