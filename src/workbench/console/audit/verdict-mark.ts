import { type Html, html } from '../../../server/http/html/html.ts'

/** The CSS class (colour) for a verdict or for the result of an audit. */
export const markOf = (verdict: string): string =>
  Object.entries(MARKS).find(([, verdicts]) => verdicts.includes(verdict))?.[0] ?? 'none'

export const renderVerdictMark = (verdict: string): Html =>
  html`<span class="mark ${markOf(verdict)}" data-verdict>${verdict}</span>`

const MARKS = {
  yes: ['refused', 'accepted', 'holds', 'works', 'passed'],
  no: [
    'let in',
    'missing',
    'ignored',
    'broke',
    'too strict',
    'stale',
    'failed',
    'nothing was judged',
  ],
  wait: ['undetermined', 'depends on', 'fails under', 'depends'],
}
