import type { Outcome } from './outcome.ts'

/** Makes rows of name, summary and change that share one rule. */
export const rowsUnder =
  <Apply>(make: (name: string, row: { summary: string; rule: string; apply: Apply }) => Outcome, rule: string) =>
  (name: string, summary: string, apply: Apply): Outcome =>
    make(name, { summary, rule, apply })
