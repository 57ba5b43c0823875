import type { AuditedCheck, AuditedRow, AuditReport } from '../audit-report.ts'
import { OUTCOMES } from '../catalogue.ts'
import type { OutcomeFlow } from '../outcome.ts'
import { asSentence, countOf, explainReason, flowAddress, referencesOf, whatHappened } from './audited-row.ts'
import { isFailing } from './checks-of.ts'
import { type ReadingsReport, type TriedVariant, variantName } from './readings-report.ts'

/** One thing that a report says, in plain text: of a check, or of a variant of a reading. */
export interface Point extends Pick<AuditedCheck, 'level' | 'title' | 'flows'> {
  /** `signature`, `readings/par_status=200` */
  readonly id: string
  readonly suite: OutcomeFlow | 'readings'
  /** `missing`, `depends on` */
  readonly verdict: string
  /** A finding failed the audit, or would by another --fail-on. */
  readonly state: 'failed' | 'finding' | 'open' | 'passed'
  /** Absent of a reading: nothing is let in. */
  readonly check?: AuditedCheck
  /** `22 rows, must, severity 9.8` */
  readonly weight: string
  readonly facts: readonly Fact[]
  /** What explains a point that is open. */
  readonly reason: string
  readonly rows: readonly AuditedRow[]
}

/** `What happened`, `Write with jose`. Only what to write has several lines. */
export interface Fact extends Readonly<Record<'label' | 'text', string>> {
  readonly kind: 'happened' | 'harm' | 'check' | 'write' | 'see'
}

/** What a report says, the worst first; readings behind checks. */
export function pointsOf({ checks, rows, readings }: AuditReport): readonly Point[] {
  const byName = new Map(rows.map((row) => [row.row, row]))
  const rowsOf = (check: AuditedCheck) => check.rows.flatMap((name) => byName.get(name) ?? [])
  return [...checks.map((check) => pointOfCheck(check, rowsOf(check))), ...(readings ? pointsOfReadings(readings) : [])]
}

/** What an app let in, refused wrongly or depends on. */
export const isFound = ({ state }: Point): boolean => state === 'failed' || state === 'finding'

/** `missing signature (22 rows, must, severity 9.8)` */
export const headOf = ({ verdict, title, weight }: Point): string => `${verdict} ${title}${weight && ` (${weight})`}`

/** Facts in lines, then where to look; without a console a flow has its id. */
export const linesOf = ({ facts, flows }: Pick<Point, 'facts' | 'flows'>, console?: string): readonly string[] => [
  ...facts.flatMap(({ kind, label, text }) =>
    kind === 'write' && text.includes('\n')
      ? [`${label}:`, ...text.split('\n').map((line) => `  ${line}`)]
      : `${label}: ${text}`,
  ),
  ...flows.map((id) => `Flow: ${console === undefined ? id : flowAddress(console, id)}`),
]

function pointOfCheck(check: AuditedCheck, rows: readonly AuditedRow[]): Point {
  const { check: id, verdict, title, level, severity, counted, library, flows } = check
  const [worst] = rows
  const isOpen = verdict === 'undetermined' || verdict === 'known'
  const count = worst ? `${countOf(rows.length, 'row')}, ` : ''
  // A suite by the verdict would make another test of it in the eyes of a CI system.
  const first = OUTCOMES.find(({ family, breaks }) => family === id || breaks.some((one) => one === id))
  return {
    ...{ id, suite: first?.flow ?? check.flow, verdict, title, level, check, rows, flows },
    state: verdict === 'holds' ? 'passed' : isOpen ? 'open' : isFailing(check) ? 'failed' : 'finding',
    weight: `${count}${level}, severity ${severity.toFixed(1)}${counted ? '' : ', does not count for the exit code'}`,
    reason: explainReason(check.reason ?? worst?.reason),
    facts: factsOf([
      ['happened', 'What happened', worst ? `${worst.row}: ${whatHappened(worst)}` : check.evidence],
      ['harm', 'Harm', asSentence(check.harm)],
      ['check', 'Check', asSentence(check.rule)],
      ['write', `Write with ${library}`, check.lines],
      ['see', 'See', referencesOf(check)],
    ]),
  }
}

const factsOf = (facts: readonly (readonly [Fact['kind'], string, string | undefined])[]): readonly Fact[] =>
  facts.flatMap(([kind, label, text]) => (text ? [{ kind, label, text }] : []))

function pointsOfReadings({ counted, variants, combinations }: ReadingsReport): readonly Point[] {
  const found = counted ? 'failed' : 'finding'
  type Told = Pick<TriedVariant, 'summary' | 'reason' | 'evidence' | 'flows'> & Pick<Point, 'verdict' | 'state'>
  const pointOf = (name: string, { summary, reason, evidence, flows, ...told }: Told, silent = ''): Point => ({
    ...{ id: `readings/${name}`, suite: 'readings', title: name, level: counted ? 'should' : 'may' },
    ...{ weight: '', rows: [], flows, reason: explainReason(reason), ...told },
    facts: factsOf([
      ['happened', 'What happened', whatHappened({ summary, evidence })],
      ['see', 'See', silent && asSentence(`The specification leaves it open: ${silent}`)],
    ]),
  })
  const alone = variants.map((one): Point => {
    const { verdict, reading, usual, silent } = one
    const name = variantName(one)
    if (verdict !== 'depends') return pointOf(name, { ...one, state: verdict === 'works' ? 'passed' : 'open' }, silent)
    const title = `${reading}=${usual}: it fails under ${name}`
    return { ...pointOf(name, { ...one, verdict: 'depends on', state: found }, silent), title }
  })
  const summary = 'The app works under each of them alone'
  const together = combinations.failed.map(({ variants, ...one }) =>
    pointOf(variants.join(' with '), { ...one, summary, verdict: 'fails under', state: found }),
  )
  return [...alone, ...together]
}

export type Unshown = ReturnType<typeof unshownOf>[number]

/** What was not shown, by verdict and reason; the reason of most rows comes first. Combinations of variants have no names. */
export function unshownOf({ rows, readings, checks }: AuditReport) {
  const isOpen = ({ verdict }: { readonly verdict: string }) => verdict === 'undetermined'
  const variants = readings?.variants.filter((one) => isOpen(one) || one.verdict === 'not for this app') ?? []
  const open = [
    ...rows.filter(isOpen).map((one) => ({ ...one, name: one.row })),
    ...checks.filter((one) => isOpen(one) && one.rows.length === 0).map((one) => ({ ...one, name: one.title })),
    ...variants.map((one) => ({ ...one, name: variantName(one) })),
  ]
  const groups = new Map<string, { verdict: string; reason: string; count: number; names: readonly string[] }>()
  for (const { verdict, reason, name } of open) {
    const names = [...(groups.get(`${verdict} ${reason}`)?.names ?? []), name]
    groups.set(`${verdict} ${reason}`, { verdict, reason: explainReason(reason), count: names.length, names })
  }
  const together = readings?.combinations.undetermined.map(({ reason, count }) => ({
    ...{ verdict: 'undetermined', count, names: [] },
    reason: `${reason} (combinations of variants that work alone)`,
  }))
  return [...[...groups.values()].sort((one, other) => other.count - one.count), ...(together ?? [])]
}
