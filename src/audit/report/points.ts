import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import type { RequirementLevel } from '../../sandbox/outcomes/outcome.ts'
import type { CallName } from '../../service/oidc/endpoints.ts'
import {
  type AuditedCheck,
  type AuditedRow,
  type AuditReport,
  FINDINGS,
  REASON_ROWS,
  type TriedVariant,
  type VerdictName,
} from './audit-report.ts'

/** What a report says, in plain text: nothing is escaped here. */

export const isFinding = ({ verdict }: Pick<AuditedRow, 'verdict'>): boolean =>
  FINDINGS.some((one) => one === verdict)

/** Findings in which the app let no user in: it is safe by accident. */
const HARMLESS: readonly VerdictName[] = ['ignored', 'broke']

/** The level of a finding: at most `should` if the app let no user in. */
export const findingLevel = ({
  verdict,
  level,
}: Pick<AuditedRow, 'verdict' | 'level'>): RequirementLevel =>
  HARMLESS.includes(verdict) && level === 'must' ? 'should' : level

type Reaction = Partial<Pick<AuditedRow, 'evidence' | 'reason' | 'log' | 'refused_by'>>

/** Lines of access logs and continuation lines, which do not say why an app refused. */
const ASIDE = /\b[A-Z]+ \/\S*(?: HTTP\/[\d.]+)?"? [1-5]\d\d\b|^[A-Z][A-Za-z ]+: \/\S*$|^\s|^\W+$/

/** What the app did, in sentences; empty if it is unknown. */
export function whatAppDid({
  evidence = '',
  reason = '',
  log = [],
  refused_by: check,
}: Reaction): string {
  // If a line names the check, the log begins with this line. Otherwise the last line says most.
  const line =
    check === undefined ? (log.findLast((line) => !ASIDE.test(line)) ?? log.at(-1)) : log[0]
  return [evidence, reason, line === undefined ? '' : `its log: ${line.trim()}`]
    .filter((text) => text !== '')
    .map((text) => asSentence(text.charAt(0).toUpperCase() + text.slice(1)))
    .join(' ')
}

/** What was sent, and how the app reacted. */
export const whatHappened = ({ summary, ...row }: Reaction & Pick<AuditedRow, 'summary'>): string =>
  `${asSentence(summary)} ${whatAppDid(row)}`.trimEnd()

/** The references in one line: `RFC 7519 section 4.1.4; CWE-613`; empty without references. */
export const referencesOf = ({ refs, cwe }: Pick<AuditedRow, 'refs' | 'cwe'>): string =>
  [...refs, ...cwe].join('; ')

/** Adds a missing full stop. The first letter keeps its case: a rule may begin with `exp`. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/**
 * The reason why a row is undetermined, with its meaning. Unknown reasons stay as they are.
 * @example
 * ```ts
 * explainReason('flaky') // 'flaky: a second visit had another result'
 * ```
 */
export function explainReason(reason = 'no reason is known'): string {
  const known = REASON_ROWS.find(({ name }) => name === reason)
  return known ? `${known.name}: ${known.meaning}` : reason
}

/** The URL of a flow's page, below the URL of the console. */
export function flowAddress(address: string, id: string): string {
  // `encodeURIComponent` throws for a lone surrogate.
  return `${address.replace(/\/$/, '')}/flows/${encodeURIComponent(id.replace(/\p{Cs}/gu, '\ufffd'))}`
}

/**
 * A number with its noun.
 * @example
 * ```ts
 * countNoun(1, 'row') // '1 row'
 * countNoun(2, 'row') // '2 rows'
 * ```
 */
export const countNoun = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** A check of the app, or a variant of a reading in the form of a check. */
interface Judged extends Omit<AuditedCheck, 'flow' | 'verdict' | 'severity'> {
  readonly flow: CallName | 'readings'
  /** `missing`, `depends on` */
  readonly verdict: string
  /** Absent for a reading, which is no security matter. */
  readonly severity?: number
}

/** One point of a report, in plain text. */
export interface Point extends Omit<Judged, 'rows' | 'reason'> {
  /** The flow of the first row in the catalogue that can show the point: it is always the same. */
  readonly suite: Judged['flow']
  /** `finding`: the point does not fail this audit, but would under another --fail-on. */
  readonly state: 'failed' | 'finding' | 'open' | 'passed'
  /** `22 rows, must, severity 9.8` */
  readonly weight: string
  readonly facts: readonly Fact[]
  /** Explains an open point. */
  readonly reason: string
  readonly rows: readonly AuditedRow[]
}

/** A fact with its label: `What happened`, `Write with jose`. Only code has several lines. */
export interface Fact extends Readonly<Record<'label' | 'text', string>> {
  readonly kind: 'happened' | 'harm' | 'check' | 'write' | 'see'
}

type Shown = Pick<AuditReport, 'checks' | 'rows'> & Partial<Pick<AuditReport, 'readings'>>

/** The points of a report, the worst first. Readings follow the checks. */
export function pointsOf({ checks, rows, readings }: Shown): readonly Point[] {
  const byName = new Map(rows.map((row) => [row.row, row]))
  return [...checks, ...judgedOf(readings)].map((one) => pointOf(one, byName))
}

/** Whether a point is a finding: the app wrongly accepts, wrongly refuses, or depends on it. */
export const isFound = ({ state }: Point): boolean => state === 'failed' || state === 'finding'

/** The headline of a point: `missing signature (22 rows, must, severity 9.8)`. */
export const headOf = ({ verdict, title, weight }: Point): string =>
  `${verdict} ${title}${weight && ` (${weight})`}`

/** The facts of a point as lines, then its flows: their pages in the console, or their ids. */
export const linesOf = (
  { facts, flows }: Pick<Point, 'facts' | 'flows'>,
  console?: string,
): readonly string[] => [
  ...facts.flatMap(({ kind, label, text }) =>
    kind === 'write' && text.includes('\n')
      ? [`${label}:`, ...text.split('\n').map((line) => `  ${line}`)]
      : `${label}: ${text}`,
  ),
  ...flows.map((id) => `Flow: ${console === undefined ? id : flowAddress(console, id)}`),
]

/** One point for each variant of a reading, then one for each failing combination of variants. */
export function judgedOf(readings: AuditReport['readings']): readonly Judged[] {
  const { counted = false, variants = [], combinations } = readings ?? {}
  const level = counted ? 'should' : 'may'
  const common = {
    flow: 'readings',
    level,
    harm: '',
    rule: '',
    rows: [],
    cwe: [],
    counted,
  } as const
  const alone = variants.map((one): Judged => {
    const { reading, usual, silent, reason, flows, verdict } = one
    const name = variantName(one)
    const isDependent = verdict === 'depends'
    return {
      ...common,
      check: `readings/${name}`,
      title: isDependent ? `${reading}=${usual}: it fails under ${name}` : name,
      verdict: isDependent ? 'depends on' : verdict,
      reason,
      flows,
      evidence: whatHappened(one),
      refs: [asSentence(`The specification leaves it open: ${silent}`)],
    }
  })
  const summary = 'The app works under each of them alone'
  const failed = combinations?.failed ?? []
  const together = failed.map(({ variants, evidence, flows }): Judged => {
    const title = variants.join(' with ')
    return {
      ...common,
      check: `readings/${title}`,
      title,
      verdict: 'fails under',
      evidence: whatHappened({ summary, evidence }),
      refs: [],
      flows,
    }
  })
  return [...alone, ...together]
}

/** The id of a variant: `refused_token_status=403`. */
export const variantName = ({ reading, variant }: TriedVariant): string => `${reading}=${variant}`

const GOOD = ['holds', 'works']
const OPEN = ['undetermined', 'known', 'not for this app']

function pointOf(judged: Judged, byName: ReadonlyMap<string, AuditedRow>): Point {
  const rows = judged.rows.flatMap((name) => byName.get(name) ?? [])
  const { check: id, level, severity, counted, library } = judged
  const [worst] = rows
  const count = worst ? `${countNoun(rows.length, 'row')}, ` : ''
  // The suite must not depend on the verdict: a CI system identifies a test by suite and name.
  const first = OUTCOMES.find(
    ({ family, breaks }) => family === id || breaks.some((one) => one === id),
  )
  const isCounted = counted ? '' : ', does not count for the exit code'
  const facts = [
    ['happened', 'What happened', worst ? `${worst.row}: ${whatHappened(worst)}` : judged.evidence],
    ['harm', 'Harm', judged.harm && asSentence(judged.harm)],
    ['check', 'Check', judged.rule && asSentence(judged.rule)],
    ['write', `Write with ${library}`, judged.lines],
    ['see', 'See', referencesOf(judged)],
  ] as const
  return {
    ...judged,
    rows,
    suite: first?.flow ?? judged.flow,
    state: stateOf(judged),
    weight:
      severity === undefined ? '' : `${count}${level}, severity ${severity.toFixed(1)}${isCounted}`,
    reason: explainReason(judged.reason ?? worst?.reason),
    facts: facts.flatMap(([kind, label, text]) => (text ? [{ kind, label, text }] : [])),
  }
}

function stateOf({ verdict, counted }: Judged): Point['state'] {
  if (GOOD.includes(verdict)) return 'passed'
  if (OPEN.includes(verdict)) return 'open'
  return counted ? 'failed' : 'finding'
}

/** Rows, checks or combinations without a verdict, for one reason. */
export interface Unshown {
  readonly verdict: string
  /** The reason with its meaning. */
  readonly reason: string
  readonly count: number
  /** Rows and checks; empty for combinations of variants. */
  readonly names: readonly string[]
}

/** Groups what the audit could not judge by verdict and reason, the most frequent reason first. */
export function unshownOf(report: Shown): readonly Unshown[] {
  const open = [
    ...report.rows
      .filter(({ verdict }) => verdict === 'undetermined')
      .map((one) => ({ ...one, title: one.row })),
    ...pointsOf(report).filter(({ state, rows }) => state === 'open' && rows.length === 0),
  ]
  const groups = new Map<string, Unshown>()
  for (const { verdict, reason, title } of open) {
    const key = `${verdict} ${reason}`
    const names = [...(groups.get(key)?.names ?? []), title]
    groups.set(key, { verdict, reason: explainReason(reason), count: names.length, names })
  }
  const combinations = report.readings?.combinations.undetermined ?? []
  const together = combinations.map(({ reason, count }) => ({
    verdict: 'undetermined',
    reason: `${reason} (combinations of variants that work alone)`,
    count,
    names: [],
  }))
  return [...[...groups.values()].sort((one, other) => other.count - one.count), ...together]
}
