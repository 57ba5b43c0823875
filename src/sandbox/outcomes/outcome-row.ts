import { endpointOf } from '../../oidc/endpoints.ts'
import { type Family, familyOf } from './families.ts'
import type { AnySeamChange, Need, Outcome, OutcomeColumns, OutcomeFacts, Seam } from './outcome.ts'

/** The columns in which a row differs from its family. */
export type OwnColumns = Partial<
  Omit<OutcomeColumns, 'family' | 'prelude'> & Pick<OutcomeFacts, 'correctClient' | 'needs' | 'ending'>
>

/** A row as its table states it: its family, and the columns that differ from the family. */
export type OutcomeRow = Omit<OutcomeFacts, keyof OwnColumns> & { readonly family: Family } & OwnColumns & AnySeamChange

/** A row of one seam, without the columns that its maker adds. */
export type RowAt<S extends Seam> = Omit<Extract<OutcomeRow, { seam: S }>, 'name' | 'flow' | 'seam'>

/** Makes a function for rows that share family and rule. */
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

/** The row with all columns. */
export const completeRow = (row: OutcomeRow): Outcome => ({
  ...familyOf(row.family),
  correctClient: row.family === 'ending' || row.family === 'control' ? 'accept' : 'refuse',
  ...(row.correctClient === 'depends' && { level: 'may' }),
  twin: twinOf(row),
  since: '0.1',
  ...(row.needs?.includes('earlier_flow') && { prelude: 'earlier_flow' }),
  ...row,
  ...needsOf(row),
})

/** How a flow of this kind ends when nothing is wrong. */
const GOOD_ENDINGS = { use: 'use/verified', create: 'create/created', upgrade: 'use/code_issued' } as const

function twinOf({ flow, ending }: OutcomeRow): string {
  if (ending?.kind === 'create_requested') return 'use/create_requested'
  return ending?.kind === 'verified' && ending.allFalse
    ? 'use/code_issued'
    : GOOD_ENDINGS[endpointOf(flow).flow ?? 'use']
}

/** A persona needs an age key for the good answer that a row changes, and for the code that comes with it. */
function needsOf({ flow, apply, ending, needs }: OutcomeRow): { needs?: readonly Need[] } {
  const isOfGoodAnswer =
    (flow === 'use' && apply && ending === undefined) || (ending?.kind === 'verified' && ending.allFalse)
  return isOfGoodAnswer ? { needs: [...(needs ?? []), 'age_key'] } : {}
}
