import { OUTCOMES } from '../catalogue.ts'
import type { OutcomeFlow } from '../outcome.ts'
import type { AuditedCheck, AuditedRow, AuditReport, TriedVariant } from './audit-report.ts'
import { asSentence, countNoun, explainReason, flowAddress, referencesOf, whatHappened } from './audited-row.ts'

/** A check of the app, or a variant of a reading in the same form. */
interface Judged extends Omit<AuditedCheck, 'flow' | 'verdict' | 'severity'> {
  readonly flow: OutcomeFlow | 'readings'
  /** `missing`, `depends on` */
  readonly verdict: string
  /** The harm; absent for a reading, with which nobody is let in. */
  readonly severity?: number
}

/** One point of a report, in plain text. */
export interface Point extends Omit<Judged, 'rows' | 'reason'> {
  /** The flow of the first row that shows the point. */
  readonly suite: Judged['flow']
  /** Whether the point failed the audit, or would under another --fail-on. */
  readonly state: 'failed' | 'finding' | 'open' | 'passed'
  /** `22 rows, must, severity 9.8` */
  readonly weight: string
  readonly facts: readonly Fact[]
  /** Explains an open point. */
  readonly reason: string
  readonly rows: readonly AuditedRow[]
}

/** Facts by name: `What happened`, `Write with jose`. Only code has several lines. */
export interface Fact extends Readonly<Record<'label' | 'text', string>> {
  readonly kind: 'happened' | 'harm' | 'check' | 'write' | 'see'
}

type Shown = Pick<AuditReport, 'checks' | 'rows'> & Partial<Pick<AuditReport, 'readings'>>

/** The points of a report, the worst first, readings behind checks. */
export function pointsOf({ checks, rows, readings }: Shown): readonly Point[] {
  const byName = new Map(rows.map((row) => [row.row, row]))
  return [...checks, ...judgedOf(readings)].map((one) => pointOf(one, byName))
}

/** The findings: what an app accepted, refused wrongly or depends on. */
export const isFound = ({ state }: Point): boolean => state === 'failed' || state === 'finding'

/** `missing signature (22 rows, must, severity 9.8)` */
export const headOf = ({ verdict, title, weight }: Point): string => `${verdict} ${title}${weight && ` (${weight})`}`

/** The facts as lines, then where to look: the page in the console, or the id of the flow. */
export const linesOf = ({ facts, flows }: Pick<Point, 'facts' | 'flows'>, console?: string): readonly string[] => [
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
  const common = { flow: 'readings', level, harm: '', rule: '', rows: [], cwe: [], counted } as const
  const alone = variants.map((one): Judged => {
    const { reading, usual, silent, reason, flows } = one
    const name = variantName(one)
    const depends = { title: `${reading}=${usual}: it fails under ${name}`, verdict: 'depends on' }
    return {
      ...{ ...common, check: `readings/${name}`, title: name, verdict: one.verdict, reason, flows },
      ...{ evidence: whatHappened(one), refs: [asSentence(`The specification leaves it open: ${silent}`)] },
      ...(one.verdict === 'depends' && depends),
    }
  })
  const summary = 'The app works under each of them alone'
  const together = combinations?.failed.map(({ variants, evidence, flows }): Judged => {
    const title = variants.join(' with ')
    const told = { evidence: whatHappened({ summary, evidence }), refs: [], flows }
    return { ...common, check: `readings/${title}`, title, verdict: 'fails under', ...told }
  })
  return [...alone, ...(together ?? [])]
}

/** `refused_token_status=403` */
export const variantName = ({ reading, variant }: TriedVariant): string => `${reading}=${variant}`

const GOOD = ['holds', 'works']
const OPEN = ['undetermined', 'known', 'not for this app']

function pointOf(judged: Judged, byName: ReadonlyMap<string, AuditedRow>): Point {
  const rows = judged.rows.flatMap((name) => byName.get(name) ?? [])
  const { check: id, verdict, level, severity, counted, library } = judged
  const [worst] = rows
  const count = worst ? `${countNoun(rows.length, 'row')}, ` : ''
  // The suite does not depend on the verdict: a CI system would take the point for another test.
  const first = OUTCOMES.find(({ family, breaks }) => family === id || breaks.some((one) => one === id))
  const isCounted = counted ? '' : ', does not count for the exit code'
  const facts = [
    ['happened', 'What happened', worst ? `${worst.row}: ${whatHappened(worst)}` : judged.evidence],
    ['harm', 'Harm', judged.harm && asSentence(judged.harm)],
    ['check', 'Check', judged.rule && asSentence(judged.rule)],
    ['write', `Write with ${library}`, judged.lines],
    ['see', 'See', referencesOf(judged)],
  ] as const
  return {
    ...{ ...judged, rows, suite: first?.flow ?? judged.flow },
    state: GOOD.includes(verdict) ? 'passed' : OPEN.includes(verdict) ? 'open' : counted ? 'failed' : 'finding',
    weight: severity === undefined ? '' : `${count}${level}, severity ${severity.toFixed(1)}${isCounted}`,
    reason: explainReason(judged.reason ?? worst?.reason),
    facts: facts.flatMap(([kind, label, text]) => (text ? [{ kind, label, text }] : [])),
  }
}

export type Unshown = ReturnType<typeof unshownOf>[number]

/** What was not shown, by verdict and reason, the most frequent reason first. Combinations of variants have no names. */
export function unshownOf(report: Shown) {
  const open = [
    ...report.rows.filter(({ verdict }) => verdict === 'undetermined').map((one) => ({ ...one, title: one.row })),
    ...pointsOf(report).filter(({ state, rows }) => state === 'open' && rows.length === 0),
  ]
  const groups = new Map<string, { verdict: string; reason: string; count: number; names: readonly string[] }>()
  for (const { verdict, reason, title } of open) {
    const names = [...(groups.get(`${verdict} ${reason}`)?.names ?? []), title]
    groups.set(`${verdict} ${reason}`, { verdict, reason: explainReason(reason), count: names.length, names })
  }
  const together = report.readings?.combinations.undetermined.map(({ reason, count }) => ({
    ...{ verdict: 'undetermined', count, names: [] },
    reason: `${reason} (combinations of variants that work alone)`,
  }))
  return [...[...groups.values()].sort((one, other) => other.count - one.count), ...(together ?? [])]
}
