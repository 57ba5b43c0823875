import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { alignColumns, paint, print } from './terminal.ts'

/** Lists the outcomes that can be forced, by flow, and what a correct client does with each. */
export function listOutcomes({ json = false }: { readonly json?: boolean }): void {
  if (json) {
    const outcomes = OUTCOMES.map(({ name, flow, seam, summary, rule, correctClient }) => {
      return { name, flow, seam, summary, rule, correct_client: correctClient }
    })
    print(JSON.stringify({ outcomes }, undefined, 2))
    return
  }
  for (const flow of new Set(OUTCOMES.map((outcome) => outcome.flow))) {
    print(paint('bold', flow))
    const rows = OUTCOMES.filter((outcome) => outcome.flow === flow)
    const cells = rows.map(({ name, correctClient, summary }) => [name, correctClient, summary])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}
