import { shellWord } from '../../files/shell-word.ts'
import { breakable } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { AuditedRow, AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { findRow } from '../../sandbox/outcomes/catalogue.ts'
import { renderSnippet } from '../snippet.ts'

/** Where the rows of a report are shown. */
export interface RowPlace {
  readonly consolePath: string
  /** The flows that are in the journal here. */
  readonly linked: ReadonlySet<string>
  /** How the report names the app, and what drove it. */
  readonly audited: Pick<AuditReport, 'app' | 'agent'>
}

const MARKS = {
  yes: ['refused', 'accepted', 'holds', 'works', 'passed'],
  no: ['let in', 'missing', 'ignored', 'broke', 'too strict', 'stale', 'failed', 'nothing was judged'],
  wait: ['undetermined', 'depends on', 'fails under', 'depends'],
}

/** The colour of a verdict, and of what an audit came to. */
export const markOf = (verdict: string): string =>
  Object.entries(MARKS).find(([, verdicts]) => verdicts.includes(verdict))?.[0] ?? 'none'

export const renderVerdict = (verdict: string): Html =>
  html`<span class="mark ${markOf(verdict)}" data-verdict>${verdict}</span>`

/** The name of a row, which leads to its page when the catalogue has it. */
export function renderRowName({ row }: AuditedRow, { consolePath }: RowPlace): Html {
  const name = html`<code class="name">${breakable(row.slice(0, MAX_NAME))}</code>`
  return findRow(row)
    ? html`<a class="target" href="${consolePath}/outcomes/${row}">${name}</a>`
    : html`${name} <span class="tag warn">unknown</span>`
}

const MAX_NAME = 120
/** Flows of one row: each role and each repetition has one. */
const MAX_FLOWS = 12

/** The flows of a row: links to those in the journal here, the others as they are. */
export const renderFlows = ({ flows }: Pick<AuditedRow, 'flows'>, { consolePath, linked }: RowPlace): readonly Html[] =>
  flows
    .slice(0, MAX_FLOWS)
    .map((id) =>
      linked.has(id)
        ? html`<a class="target" href="${consolePath}/flows/${id}">${id}</a> `
        : html`<span class="muted">${id.slice(0, MAX_NAME)}</span> `,
    )

/** Why flows are no links: nothing when all are. */
export const whyNotLinked = (rows: readonly Pick<AuditedRow, 'flows'>[], { linked }: RowPlace): readonly string[] =>
  rows.some(({ flows }) => flows.some((id) => !linked.has(id)))
    ? [
        'Flows without a link are not in the journal here: the audit used another sandbox or tenant, or this one was started or emptied since.',
      ]
    : []

/** What is typed to run some rows again: a row, or `family:nonce`. An audit in a test suite is run by its test. */
export const renderRunAgain = (selected: string, { audited: { app, agent } }: RowPlace): Html | false =>
  agent !== 'function' &&
  renderSnippet(`npx agekey-sandbox audit ${isPage(app) ? `${shellWord(app)} ` : ''}--only ${shellWord(selected)}`)

/**
 * An address that is one word in every shell. One with a placeholder stands in agekey-audit.yaml, which the command reads; another
 * text comes of no audit.
 */
const isPage = (app: string) => /^https?:\/\/[\w.~:/?#@!$()*+,;=%[\]-]+$/.test(app) && URL.canParse(app)
