import { ConfigError } from '../../files/config-error.ts'
import { CATALOGUE_VERSION, OUTCOMES, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../sandbox/outcomes/describe-outcome.ts'
import { OUTCOME_FLOWS, type Outcome } from '../../sandbox/outcomes/outcome.ts'
import { didYouMean, quote, unknownName } from '../../text/message-parts.ts'
import { alignColumns, paint, print } from '../terminal.ts'

interface ListOptions {
  readonly flow?: string
  readonly json?: boolean
}

/**
 * Lists the outcomes that can be forced, by flow, with what a correct client does and how binding that is.
 * @param pattern a part of a name or summary, or with `*` and `?` a pattern for the whole of one; all when absent
 * @throws ConfigError with near misses, when nothing is found
 */
export function listOutcomes(pattern: string | undefined, { flow, json = false }: ListOptions): void {
  const found = findOutcomes(pattern, flow)
  if (json) {
    print(JSON.stringify({ catalogue: CATALOGUE_VERSION, outcomes: found.map(describeOutcome) }, undefined, 2))
    return
  }
  for (const one of new Set(found.map((outcome) => outcome.flow))) {
    print(paint('bold', one))
    const rows = found.filter((outcome) => outcome.flow === one)
    const cells = rows.map(({ name, correctClient, level, summary }) => [name, correctClient, level, summary])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}

function findOutcomes(pattern: string | undefined, flow: string | undefined): readonly Outcome[] {
  if (flow !== undefined && !OUTCOME_FLOWS.some((known) => known === flow))
    throw ConfigError.of(`--flow: ${unknownName('flow', flow, OUTCOME_FLOWS)}`)
  const ofFlow = OUTCOMES.filter((row) => flow === undefined || row.flow === flow)
  if (pattern === undefined) return ofFlow
  const matches = matcherOf(pattern)
  const found = ofFlow.filter((row) => [row.name, rowId(row), row.summary].some(matches))
  if (found.length > 0) return found
  const where = flow === undefined ? '' : ` of ${flow}`
  const names = ofFlow.map((row) => row.name)
  const hint = didYouMean(pattern.replaceAll(/[*?]/g, ''), names) || ' agekey-sandbox outcomes lists all of them.'
  throw ConfigError.of(`no outcome${where} has ${quote(pattern)} in its name or summary.${hint}`)
}

function matcherOf(pattern: string): (text: string) => boolean {
  const word = pattern.toLowerCase()
  if (!/[*?]/.test(word)) return (text) => text.toLowerCase().includes(word)
  const source = word
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const glob = new RegExp(`^${source}$`)
  return (text) => glob.test(text.toLowerCase())
}
