import type { Finding } from '../../oidc/rules/findings.ts'
import { renderFindingList } from './finding-list.ts'
import { html } from './html.ts'
import { renderPage, type Shell } from './layout.ts'
import { translate } from './messages.ts'

/** What the page of a request that cannot be answered, nor sent back to the client, shows. */
export interface ErrorView {
  readonly shell: Shell
  /** HTTP status of the reply. */
  readonly status: number
  /** What happened, in a few words: `Unknown persona`. */
  readonly title: string
  /** The OAuth error code, when there is one. */
  readonly error?: string
  /** The field, what is wrong with it and what would be right. */
  readonly description: string
  readonly findings: readonly Finding[]
  /** Names that the visitor may have meant, the nearest first. */
  readonly suggestions?: readonly string[]
  /** How to go on from a flow that is unknown, finished or expired. */
  readonly restartHint?: string
}

/** The error page: what was wrong, where, and what to do about it. It never redirects. */
export function renderError(view: ErrorView): string {
  const { shell, status, title, suggestions = [] } = view
  return renderPage(shell, {
    title,
    main: html`<section class="card">
<p class="status">${status}${view.error !== undefined && html` <code data-testid="error-code">${view.error}</code>`}</p>
<h1>${title}</h1>
<p class="lead" data-testid="error-description">${view.description}</p>
${
  suggestions.length > 0 &&
  html`<h2>Did you mean</h2>
<ul class="suggestions" data-testid="suggestions">${suggestions.map((name) => html`<li><code>${name}</code></li>`)}</ul>`
}
${view.restartHint !== undefined && html`<p class="notice">${view.restartHint}</p>`}
${view.findings.length > 0 && html`<h2>What to fix</h2>`}
${renderFindingList(view.findings, translate('en'))}
<p class="links"><a href="${shell.homePath}">To the sandbox home: base URL, clients and endpoints</a></p>
</section>`,
  })
}
