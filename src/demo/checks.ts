import { type Html, html } from '../http/html/html.ts'
import { shortened } from '../http/html/shortened.ts'
import { renderTable } from '../http/html/table.ts'

/** One check of a callback, as a relying party makes it. */
export interface CheckView {
  /** What is checked: `nonce`. */
  readonly name: string
  /** What would be right. */
  readonly rule: string
  readonly passed: boolean
  readonly found: string
}

export function renderChecks(checks: readonly CheckView[]): Html {
  const rows = checks.map(({ name, rule, passed, found }) => ({
    cells: [
      html`<code>${name}</code>`,
      html`<span class="mark ${passed ? 'yes' : 'no'}" data-testid="check-${name}">${passed ? 'pass' : 'fail'}</span>`,
      rule,
      html`<code>${shortened(found, 300)}</code>`,
    ],
  }))
  return renderTable('Checks of the callback', ['What', 'Result', 'Must be', 'Found'], rows)
}
