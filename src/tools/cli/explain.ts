import { ConfigError } from '../../sandbox/files/config-error.ts'
import { flowNamed } from '../../sandbox/journal/flow-link.ts'
import {
  CATALOGUE_VERSION,
  describeOutcome,
  OUTCOMES,
  rowId,
} from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import type { Reading } from '../../sandbox/readings/reading.ts'
import { describeReading, quotationOf, READINGS } from '../../sandbox/readings/readings.ts'
import { explainName } from '../../server/client/explain-name.ts'
import { loadSettings } from '../../server/config/load-settings.ts'
import type { Texts } from '../../server/config/text-settings.ts'
import { CALLS } from '../../service/oidc/endpoints.ts'
import { didYouMean, quote } from '../../service/text/message-parts.ts'
import { visible } from '../../service/text/visible.ts'
import { oneOf } from './remote/filter-flags.ts'
import { printFlow } from './remote/print-flow.ts'
import { type AskFlags, baseUrlFor, reachSandbox } from './remote/reach-sandbox.ts'
import { alignColumns, paint, print, printJson } from './terminal.ts'

/**
 * Explains a rule, an outcome, a reading, or a flow of a running sandbox.
 * @param name the id of a rule, an outcome, a reading, `readings` for all readings, the id of a
 * flow, or the URL of a flow's page
 * @throws ConfigError with similar names for an unknown name
 */
export async function explain(name: string, flags: Texts, options: AskFlags): Promise<void> {
  const readings = READINGS.filter((reading) => name === 'readings' || reading.name === name)
  if (readings.length > 0) return listReadings(readings, options)
  const flow = flowNamed(name)
  if (flow === undefined) return explainNamed(name, flags, options)
  const sandbox = await reachSandbox(flags, { ...options, ...flow })
  await sandbox.requireTenant()
  await printFlow(flow.id, sandbox, options)
}

/** Explains an outcome. @throws ConfigError for an unknown name */
export const showOutcome = (name: string, flags: Texts, options: AskFlags): Promise<void> =>
  explainNamed(name, flags, { ...options, only: 'outcome' })

async function explainNamed(
  name: string,
  flags: Texts,
  { json = false, only, ...address }: AskFlags & { only?: 'outcome' },
): Promise<void> {
  const explained = explainName(name, { baseUrl: await baseUrlFor(flags, address) })
  if (explained.kind === 'unknown') {
    const personas = await loadPersonas((await loadSettings({ flags })).sandbox.personas)
    if (personas.some((persona) => persona.name === name))
      throw ConfigError.of(`${name} is a persona; agekey-sandbox personas show ${name} shows it`)
    const readings =
      explained.suggestions.length === 0 ? ['readings', ...READINGS.map((one) => one.name)] : []
    const hint = didYouMean(name, readings)
    throw ConfigError.of(
      hint === ''
        ? explained.message
        : `there is no rule, no outcome and no reading ${quote(name)}.${hint}`,
    )
  }
  if (only !== undefined && explained.kind !== only)
    throw ConfigError.of(
      `${explained.name} is a rule, not an outcome; agekey-sandbox explain ${explained.name} explains it`,
    )
  const { lines, ...data } = explained
  if (json) return printJson(data)
  const [first = '', ...rest] = lines
  print(paint('bold', visible(first)))
  for (const line of rest) print(visible(line))
}

/**
 * Lists readings with their variants. A star marks the default variant.
 */
function listReadings(readings: readonly Reading[], { json = false }: AskFlags): void {
  if (json) {
    printJson({ readings: readings.map(describeReading) })
    return
  }
  for (const reading of readings) {
    const { name, point, section, default: usual, variants } = reading
    print(`${paint('bold', name)}  ${point}`)
    print(`  ${paint('dim', `${section}: ${quotationOf(reading)}`)}`)
    const cells = variants.map((one) => [
      one.name === usual ? '*' : ' ',
      one.name,
      one.summary,
      one.source,
    ])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}

/**
 * Lists outcomes by flow, with what a correct client does and the level of this requirement.
 * @param pattern a part of a name or summary; with `*` or `?`, a pattern for the whole name or
 * summary (default: all outcomes)
 * @throws ConfigError with similar names when no outcome matches
 */
export function listOutcomes(
  pattern: string | undefined,
  { flow, json = false }: { flow?: string; json?: boolean },
): void {
  const found = findOutcomes(pattern, flow)
  if (json) {
    printJson({ catalogue: CATALOGUE_VERSION, outcomes: found.map(describeOutcome) })
    return
  }
  for (const one of new Set(found.map((outcome) => outcome.flow))) {
    print(paint('bold', one))
    const rows = found.filter((outcome) => outcome.flow === one)
    const cells = rows.map(({ name, correctClient, level, summary }) => [
      name,
      correctClient,
      level,
      summary,
    ])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}

function findOutcomes(pattern: string | undefined, flow: string | undefined): readonly Outcome[] {
  const wanted = oneOf(CALLS, flow, { flag: '--flow', kind: 'flow' })
  const ofFlow = OUTCOMES.filter((row) => wanted === undefined || row.flow === wanted)
  if (pattern === undefined) return ofFlow
  const matches = matcherOf(pattern)
  const found = ofFlow.filter((row) => [row.name, rowId(row), row.summary].some(matches))
  if (found.length > 0) return found
  const where = flow === undefined ? '' : ` of ${flow}`
  const names = ofFlow.map((row) => row.name)
  const hint =
    didYouMean(pattern.replaceAll(/[*?]/g, ''), names) ||
    ' agekey-sandbox outcomes lists all of them.'
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
