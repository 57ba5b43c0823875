import type { Family, OutcomeRow, OwnColumns } from './outcome-row.ts'

/** Makes rows of name, summary and change that share family and rule. */
export const rowsUnder =
  <Apply>(
    make: (
      name: string,
      row: OwnColumns & { family: Family; summary: string; rule: string; apply: Apply },
    ) => OutcomeRow,
    family: Family,
    rule: string,
  ) =>
  (name: string, summary: string, apply: Apply, columns: OwnColumns = {}): OutcomeRow =>
    make(name, { family, summary, rule, apply, ...columns })
