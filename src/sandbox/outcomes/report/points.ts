import type { AuditedCheck, AuditedRow, AuditReport } from '../audit-report.ts'
import type { Level, OutcomeFlow } from '../outcome.ts'
import { isFailing } from './checks-of.ts'
import type { ReadingsReport } from './readings-report.ts'
import { variantName, variantsThat } from './readings-text.ts'
import { asSentence, explainReason, referencesOf, whatAppDid, whatHappened } from './row-texts.ts'

/** One thing that a report says, in plain text: of a check, or of a variant of a reading. */
export interface Point {
  /** `signature`, `readings/par_status=200` */
  readonly id: string
  readonly suite: OutcomeFlow | 'readings'
  /** `missing`, `depends on` */
  readonly verdict: string
  /** What the verdict is about: `signature`. */
  readonly title: string
  /** A finding failed the audit, or would by another --fail-on. */
  readonly state: 'failed' | 'finding' | 'open' | 'passed'
  readonly level: Level
  /** Absent of a reading: nothing is let in. */
  readonly check?: AuditedCheck
  /** `22 rows; must, severity 9.8` */
  readonly weight: string
  readonly facts: readonly Fact[]
  /** What explains a point that is open. */
  readonly reason?: string
  readonly rows: readonly AuditedRow[]
  /** Flows in the journal of the sandbox to look at. */
  readonly flows: readonly string[]
}

export interface Fact {
  readonly kind: 'happened' | 'harm' | 'check' | 'write' | 'see'
  /** `What happened`, `Write with jose` */
  readonly label: string
  readonly text: string
}

/** What a report says, the worst first; readings behind checks. */
export const pointsOf = ({ checks, rows, readings }: AuditReport): readonly Point[] => {
  const byName = new Map(rows.map((row) => [row.row, row]))
  const ofChecks = checks.map((check) =>
    pointOf(
      check,
      check.rows.flatMap((name) => byName.get(name) ?? []),
    ),
  )
  return readings ? [...ofChecks, ...pointsOfReadings(readings)] : ofChecks
}

/** What an app let in, refused wrongly or depends on. */
export const isFound = ({ state }: Point): boolean => state === 'failed' || state === 'finding'

function pointOf(check: AuditedCheck, rows: readonly AuditedRow[]): Point {
  const { verdict, counted, reason, level, severity, harm, rule, lines, library, flow: suite, title, flows } = check
  const [worst] = rows
  const see = referencesOf(check)
  const isOpen = verdict === 'undetermined' || verdict === 'known'
  const weight = [`${level}, severity ${severity.toFixed(1)}`, !counted && 'does not count for the exit code']
  return {
    ...{ id: check.check, suite, verdict, title, level, check, rows, flows },
    state: verdict === 'holds' ? 'passed' : isOpen ? 'open' : isFailing(check) ? 'failed' : 'finding',
    weight: [countOf(rows.length), ...weight.filter((part) => part !== false)].join(', '),
    ...(isOpen && { reason: verdict === 'known' ? (worst?.reason ?? '') : explainReason(reason) }),
    facts: [
      ...(worst ? [happened(`${worst.row}: ${whatHappened(worst)}`)] : []),
      { kind: 'harm', label: 'Harm', text: asSentence(harm) },
      lines === undefined
        ? { kind: 'check', label: 'Check', text: asSentence(rule) }
        : { kind: 'write', label: library === undefined ? 'Write' : `Write with ${library}`, text: lines },
      ...(see === '' ? [] : [{ kind: 'see', label: 'See', text: see } as const]),
    ],
  }
}

const happened = (text: string): Fact => ({ kind: 'happened', label: 'What happened', text })
const countOf = (count: number) => `${count} row${count === 1 ? '' : 's'}`

function pointsOfReadings(readings: ReadingsReport): readonly Point[] {
  const found = readings.counted ? 'failed' : 'finding'
  const common = { suite: 'readings', level: readings.counted ? 'should' : 'may', weight: '', rows: [] } as const
  const variants = readings.variants.map((one): Point => {
    const { summary, silent, verdict, reason, evidence, flows, reading, usual } = one
    const isFound = verdict === 'depends'
    return {
      ...{ ...common, id: `readings/${variantName(one)}`, flows },
      verdict: isFound ? 'depends on' : verdict,
      title: isFound ? `${reading}=${usual}: it fails under ${variantName(one)}` : variantName(one),
      state: isFound ? found : verdict === 'works' ? 'passed' : 'open',
      reason: explainReason(reason),
      facts: [
        happened(`${asSentence(summary)} ${whatAppDid({ evidence })}`.trimEnd()),
        { kind: 'see', label: 'See', text: asSentence(`The specification leaves it open: ${silent}`) },
      ],
    }
  })
  const together = readings.combinations.failed.map(({ variants, evidence, flows }): Point => {
    const name = variants.join(' with ')
    return {
      ...{ ...common, id: `readings/${name}`, flows, verdict: 'fails under', title: name, state: found },
      facts: [happened(`The app works under each of them alone. ${whatAppDid({ evidence })}`)],
    }
  })
  return [...variants, ...together]
}

/** What was not shown, for one reason. */
export interface Unshown {
  readonly verdict: string
  readonly reason: string
  readonly count: number
  /** Rows, or variants of readings: `use/id_token.expired`, `par_status=200`; of combinations none. */
  readonly names: readonly string[]
}

/** What was not shown, by verdict and reason; of rows the reason that most of them have comes first. */
export function unshownOf({ rows, readings }: AuditReport): readonly Unshown[] {
  const groups = new Map<string, Unshown & { names: string[] }>()
  const add = (verdict: string, reason: string | undefined, name: string) => {
    const key = `${verdict} ${reason}`
    const group = groups.get(key) ?? { verdict, reason: explainReason(reason), count: 0, names: [] }
    group.names.push(name)
    groups.set(key, { ...group, count: group.names.length })
  }
  for (const { row, verdict, reason } of rows) if (verdict === 'undetermined') add(verdict, reason, row)
  const ofRows = [...groups.values()].sort((one, other) => other.count - one.count)
  groups.clear()
  if (!readings) return ofRows
  for (const verdict of ['undetermined', 'not for this app'] as const)
    for (const one of variantsThat(verdict, readings)) add(verdict, one.reason, variantName(one))
  const combinations = readings.combinations.undetermined.map(({ reason, count }) => ({
    ...{ verdict: 'undetermined', count, names: [] },
    reason: `${reason} (${count === 1 ? 'a combination' : 'combinations'} of variants that work alone)`,
  }))
  return [...ofRows, ...groups.values(), ...combinations]
}
