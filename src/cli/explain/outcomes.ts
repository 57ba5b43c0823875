import { CATALOGUE_VERSION, OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../sandbox/outcomes/describe-outcome.ts'
import { alignColumns, paint, print } from '../terminal.ts'

/** Lists the outcomes that can be forced, by flow, with what a correct client does and how binding that is. */
export function listOutcomes({ json = false }: { readonly json?: boolean }): void {
  if (json) {
    print(JSON.stringify({ catalogue: CATALOGUE_VERSION, outcomes: OUTCOMES.map(describeOutcome) }, undefined, 2))
    return
  }
  for (const flow of new Set(OUTCOMES.map((outcome) => outcome.flow))) {
    print(paint('bold', flow))
    const rows = OUTCOMES.filter((outcome) => outcome.flow === flow)
    const cells = rows.map(({ name, correctClient, level, summary }) => [name, correctClient, level, summary])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}
