import type { AuditedCheck, AuditedRow, AuditReport } from '../audit-report.ts'
import type { Level, OutcomeFlow } from '../outcome.ts'
import { asSentence, countOf, explainReason, referencesOf, whatAppDid, whatHappened } from './audited-row.ts'
import { isFailing } from './checks-of.ts'
import { type ReadingsReport, variantName } from './readings-report.ts'

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
  /** `22 rows, must, severity 9.8` */
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
export function pointsOf({ checks, rows, readings }: AuditReport): readonly Point[] {
  const byName = new Map(rows.map((row) => [row.row, row]))
  const ofChecks = checks.map((check) => {
    const own = check.rows.flatMap((name) => byName.get(name) ?? [])
    return pointOf(check, own)
  })
  return readings ? [...ofChecks, ...pointsOfReadings(readings)] : ofChecks
}

/** What an app let in, refused wrongly or depends on. */
export const isFound = ({ state }: Point): boolean => state === 'failed' || state === 'finding'

function pointOf(check: AuditedCheck, rows: readonly AuditedRow[]): Point {
  const { verdict, counted, reason, level, severity, harm, rule, lines, library, title, flows, evidence } = check
  const [worst] = rows
  const see = referencesOf(check)
  const isOpen = verdict === 'undetermined' || verdict === 'known'
  const weight = `${rows.length > 0 ? `${countOf(rows.length, 'row')}, ` : ''}${level}, severity ${severity.toFixed(1)}`
  return {
    ...{ id: check.check, suite: check.flow, verdict, title, level, check, rows, flows },
    state: verdict === 'holds' ? 'passed' : isOpen ? 'open' : isFailing(check) ? 'failed' : 'finding',
    weight: counted ? weight : `${weight}, does not count for the exit code`,
    ...(isOpen && { reason: verdict === 'known' ? (worst?.reason ?? '') : explainReason(reason) }),
    facts: [
      ...(worst
        ? [happened(`${worst.row}: ${whatHappened(worst)}`)]
        : evidence
          ? [happened(asSentence(evidence))]
          : []),
      { kind: 'harm', label: 'Harm', text: asSentence(harm) },
      { kind: 'check', label: 'Check', text: asSentence(rule) },
      ...(lines === undefined ? [] : [{ kind: 'write', label: `Write with ${library}`, text: lines } as const]),
      ...(see === '' ? [] : [{ kind: 'see', label: 'See', text: see } as const]),
    ],
  }
}

const happened = (text: string): Fact => ({ kind: 'happened', label: 'What happened', text })

function pointsOfReadings({ counted, variants, combinations }: ReadingsReport): readonly Point[] {
  const found = counted ? 'failed' : 'finding'
  const common = { suite: 'readings', level: counted ? 'should' : 'may', weight: '', rows: [] } as const
  const alone = variants.map((one): Point => {
    const { summary, silent, verdict, reason, evidence, flows, reading, usual } = one
    const name = variantName(one)
    return {
      ...{ ...common, id: `readings/${name}`, flows, reason: explainReason(reason) },
      ...(verdict === 'depends'
        ? { verdict: 'depends on', title: `${reading}=${usual}: it fails under ${name}`, state: found }
        : { verdict, title: name, state: verdict === 'works' ? 'passed' : 'open' }),
      facts: [
        happened(`${asSentence(summary)} ${whatAppDid({ evidence })}`.trimEnd()),
        { kind: 'see', label: 'See', text: asSentence(`The specification leaves it open: ${silent}`) },
      ],
    }
  })
  const together = combinations.failed.map(({ variants, evidence, flows }): Point => {
    const name = variants.join(' with ')
    return {
      ...{ ...common, id: `readings/${name}`, flows, verdict: 'fails under', title: name, state: found },
      facts: [happened(`The app works under each of them alone. ${whatAppDid({ evidence })}`)],
    }
  })
  return [...alone, ...together]
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
export function unshownOf({ rows, readings, checks }: AuditReport): readonly Unshown[] {
  const open = rows.filter(({ verdict }) => verdict === 'undetermined')
  const ofRows = groupsOf(open, ({ row }) => row).toSorted((one, other) => other.count - one.count)
  const ofChecks = checks.filter((one) => one.verdict === 'undetermined' && one.rows.length === 0)
  const own = [...ofRows, ...groupsOf(ofChecks, ({ title }) => title)]
  if (!readings) return own
  const { variants, combinations } = readings
  const unshown = variants.filter(({ verdict }) => verdict === 'undetermined' || verdict === 'not for this app')
  const together = combinations.undetermined.map(({ reason, count }) => ({
    ...{ verdict: 'undetermined', count, names: [] },
    reason: `${reason} (${count === 1 ? 'a combination' : 'combinations'} of variants that work alone)`,
  }))
  return [...own, ...groupsOf(unshown, variantName), ...together]
}

function groupsOf<One extends { readonly verdict: string; readonly reason?: string | undefined }>(
  items: readonly One[],
  nameOf: (one: One) => string,
): readonly Unshown[] {
  const groups = new Map<string, Unshown>()
  for (const one of items) {
    const key = `${one.verdict} ${one.reason}`
    const names = [...(groups.get(key)?.names ?? []), nameOf(one)]
    groups.set(key, { verdict: one.verdict, reason: explainReason(one.reason), count: names.length, names })
  }
  return [...groups.values()]
}
