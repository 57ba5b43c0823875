import { describeOutcome, findRow, OUTCOMES, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { type Bait, needInWords, type Outcome } from '../../sandbox/outcomes/outcome.ts'
import { endpointOf } from '../../service/oidc/endpoints.ts'
import type { Level } from '../../service/oidc/rules/rule.ts'
import { levelOf, RULES } from '../../service/oidc/rules/rules.ts'
import { didYouMean, nearest, quote } from '../../service/text/message-parts.ts'

/**
 * Explains a rule (`USE-04`, in any case) or an outcome (`id_token.expired`,
 * `use/id_token.expired`). If several flows have an outcome of this name, the outcome of Use is
 * explained, otherwise that of the first flow.
 * @param options.baseUrl the base URL in the commands
 */
export function explainName(
  name: string,
  { baseUrl = 'http://localhost:2435' }: { readonly baseUrl?: string } = {},
) {
  const word = name.trim()
  const rule = RULES.find(({ id }) => id === word.toUpperCase())
  if (rule) return explainRule(rule, baseUrl)
  const row = findRow(word.toLowerCase())
  const rows = row ? [row] : OUTCOMES.filter(({ name }) => name === word.toLowerCase())
  return rows[0]
    ? explainOutcome(rows[0], { others: rows.slice(1).map(rowId), baseUrl })
    : unknown(word)
}

function explainRule(rule: (typeof RULES)[number], baseUrl: string) {
  const { id, sentence, section, hint, error } = rule
  const levels = { spec: levelOf(rule, 'spec'), agekey: levelOf(rule, 'agekey') }
  const inWords = (level: Level) =>
    level === 'error'
      ? `error, the request is refused with ${error}`
      : 'advice, the request goes on'
  const other = levels.agekey === levels.spec ? '' : `; in profile agekey ${inWords(levels.agekey)}`
  const lines = [
    `${id}: ${sentence}`,
    'Kind: a rule that a request can break',
    `Demanded by: ${section}`,
    `When it is broken: ${inWords(levels.spec)}${other}`,
    `To mend it: ${hint}`,
    `In the console: ${baseUrl}/_sandbox/console/rules#${id}`,
  ]
  const about = { name: id, title: sentence, refs: [section], client: sentence, remedy: hint }
  return { kind: 'rule' as const, ...about, levels, error, lines }
}

const VERDICTS = {
  accept: { client: 'accepts it', harm: 'When it is refused' },
  refuse: { client: 'refuses it', harm: 'When it gets through' },
  depends: { client: 'may accept or refuse it', harm: 'When it gets through' },
} as const

function explainOutcome(
  row: Outcome,
  { others, baseUrl }: { others: readonly string[]; baseUrl: string },
) {
  const {
    summary,
    rule,
    harm,
    refs,
    level,
    severity,
    correctClient,
    breaks,
    twin,
    needs = [],
    cwe,
  } = row
  const id = rowId(row)
  const verdict = VERDICTS[correctClient]
  const weaknesses = cwe.map((number) => `CWE-${number}`)
  const needed = needs.map((need) => needInWords(need))
  const { lines: ways, ...force } = waysToForce(row, baseUrl)
  const line = (label: string, items: readonly string[], separator = ', ') =>
    items.length === 0 ? [] : [`${label}: ${items.join(separator)}`]
  const lines = [
    `${id}: ${summary}`,
    `Kind: an outcome that can be forced, level ${level}, severity ${severity}`,
    ...line('Demanded by', refs, '; '),
    `A correct client: ${verdict.client}`,
    `What to check: ${rule}`,
    `${verdict.harm}: ${harm}`,
    ...line('Checks that fail', breaks),
    ...line('Weakness', weaknesses),
    ...line('Needs', needed),
    ...(twin === id ? [] : [`Compare with: ${twin}, which differs by the fault alone`]),
    ...line('The same name in other flows', others),
    ...ways,
  ]
  const about = { name: id, title: summary, refs, client: verdict.client, remedy: rule }
  return { kind: 'outcome' as const, ...about, outcome: describeOutcome(row), force, others, lines }
}

/** The ways to force an outcome, as data and as lines of text. */
function waysToForce({ flow, name, bait, correctClient }: Outcome, baseUrl: string) {
  const { number, title } = endpointOf(flow)
  const endpoint = `${number}, ${title}`
  const persona = correctClient === 'refuse' ? PERSONA_OF[bait] : PERSONA_OF.adult
  const expectation = { flow, ...(flow === 'use' ? { persona } : {}), outcome: name }
  const query = `sandbox_outcome=${encodeURIComponent(name)}`
  const header = `X-Sandbox-Outcome: ${name}`
  const curl = `curl '${baseUrl}/_sandbox/expectations' --json '${JSON.stringify(expectation)}'`
  const lines = [
    `To force it once, for a request to ${endpoint}, one of:`,
    `  query parameter  ${query}`,
    `  request header   ${header}`,
    `  in a test        await sandbox.next(${JSON.stringify(expectation)})`,
    `  in a shell       ${curl}`,
  ]
  return { endpoint, query, header, expectation, curl, lines }
}

/** The persona that exposes a client without the check. */
const PERSONA_OF: Readonly<Record<Bait, string>> = {
  adult: 'adult-passport',
  minor: 'teen-16',
  both: 'adult-passport',
}

/**
 * Suggests the nearest rules and outcomes. A name with a flow is compared only with names that have
 * a flow.
 */
function unknown(name: string) {
  const known = [
    ...RULES.map(({ id }) => id),
    ...new Set(OUTCOMES.map(name.includes('/') ? rowId : (row) => row.name)),
  ]
  const asked = didYouMean(name, known)
  const hint = asked || ' `agekey-sandbox outcomes` lists the outcomes, docs/rules.md the rules.'
  const message = `there is no rule and no outcome ${quote(name)}.${hint}`
  return { kind: 'unknown' as const, name, message, suggestions: nearest(name, known) }
}
