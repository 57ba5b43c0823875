import { type AuditedCheck, type AuditedRow, CHECK_VERDICTS } from '../audit-report.ts'
import { CHECKS, type Check, LEVELS, OUTCOME_FLOWS } from '../outcome.ts'
import { isFailure, levelOf } from './audited-row.ts'
import { CHECK_TEXTS } from './checks.ts'
import { remedyFor } from './remedies.ts'

/** The check that no row shows: whether the app finds verifications again. */
export const VERIFICATIONS = 'verifications'

/** Checks that each call makes by itself. The others are the same code for every flow. */
const OF_EACH_CALL: readonly Check[] = ['connection', 'status', 'body']

interface Reach {
  readonly missing: Check
  /** Rows that are let in only without the check, whatever else the app verifies. */
  readonly shownBy: readonly RegExp[]
  /** What such an app lets in, too, because it never comes to the checks that these rows break. */
  readonly takes: RegExp | readonly Check[]
}

// biome-ignore format: a line or two for each
const REACHES: readonly Reach[] = [
  { missing: 'signature', shownBy: [/\.(signature_missing|payload_changed)$/],
    takes: ['alg', 'kid', 'key_source', 'crit', 'typ', 'serialisation'] },
  { missing: 'serialisation', shownBy: [/\.(empty|not_a_jwt)$/],
    takes: /\.(payload_not_.*|id_token_(twice|missing).*|create_requested_(upper_case|false))$/ },
  { missing: 'state', shownBy: [/\.state_changed$/], takes: /\.(state_twice.*|in_fragment)$/ },
  { missing: 'nonce', shownBy: [/\.nonce_other$/], takes: /\.nonce_twice$/ },
  { missing: 'aud', shownBy: [/\.aud_(of_other_client|prefix)$/], takes: ['azp'] },
  { missing: 'lifetime', shownBy: [/\.exp_(milliseconds|far_future)$/], takes: /\.(exp|iat)_missing$/ },
  { missing: 'age_thresholds', shownBy: [/\.age_thresholds\./], takes: ['requested_thresholds'] },
  // A call whose failure is caught and forgotten.
  { missing: 'status', shownBy: [/\.status_\d+_right_body$/, /\.empty_body$/], takes: /^/ },
]

/** A check by its name, and the rows that show its verdict. */
interface Group {
  readonly name: string
  readonly verdict: AuditedCheck['verdict']
  readonly rows: readonly AuditedRow[]
}

/**
 * What the rows of an audit come to: the fewest missing checks that explain all that was let in, what else was found, and
 * the checks that hold, the worst first.
 */
export function checksOf(
  rows: readonly AuditedRow[],
  library?: string,
  verifications?: AuditedCheck,
): readonly AuditedCheck[] {
  const missing = explainLetIn(rows.filter(({ verdict }) => verdict === 'let in'))
  const found = new Map<string, Group>(missing.map((group) => [group.name, group]))
  for (const verdict of ['too strict', 'stale', 'ignored', 'broke'] as const)
    for (const row of rows.filter((one) => one.verdict === verdict)) {
      const [name = row.family] = namesOf(row)
      const group = found.get(name) ?? { name, verdict, rows: [] }
      found.set(name, { ...group, rows: [...group.rows, row] })
    }
  const names = [...new Set(rows.flatMap(namesOf))].filter((name) => !found.has(name))
  const groups = [...found.values(), ...names.flatMap((name) => judgeOthers(name, rows) ?? [])]
  const ofRows = groups.map((group) => describeCheck(group, rows, library))
  return [...ofRows, ...(verifications ? [verifications] : [])].sort(byWeight)
}

/** The names of the checks that a row breaks; of a right answer, which breaks none, its family. */
function namesOf({ checks, family, flow, verdict }: AuditedRow): readonly string[] {
  if (checks.length > 0) return checks.map((check) => (OF_EACH_CALL.includes(check) ? `${flow}/${check}` : check))
  // The right answer for a child is a no.
  return [verdict === 'let in' && family !== 'no_answer' ? 'age_thresholds' : family]
}

/** Greedy: first the check whose own rows were let in, then the one that explains most. */
function explainLetIn(letIn: readonly AuditedRow[]): readonly Group[] {
  const groups: Group[] = []
  let left = letIn
  while (left.length > 0) {
    const [best] = [...new Set(left.flatMap(namesOf))]
      .map((name) => {
        const rows = left.filter((row) => explains(name, row, letIn))
        return { name, rows, isOwn: rows.some((row) => row.checks.length < 2 && namesOf(row).includes(name)) }
      })
      .sort((one, other) => Number(other.isOwn) - Number(one.isOwn) || other.rows.length - one.rows.length)
    if (!best) break
    const { name, rows } = best
    groups.push({ name, verdict: 'missing', rows })
    left = left.filter((row) => !rows.includes(row))
  }
  return groups
}

function explains(name: string, row: AuditedRow, letIn: readonly AuditedRow[]): boolean {
  if (namesOf(row).includes(name)) return true
  return REACHES.some(({ missing, shownBy, takes }) => {
    const isOfCall = OF_EACH_CALL.includes(missing)
    if (name !== (isOfCall ? `${row.flow}/${missing}` : missing)) return false
    const shown = letIn.filter(({ flow }) => !isOfCall || flow === row.flow)
    if (!shownBy.every((one) => shown.some((other) => one.test(other.row)))) return false
    return takes instanceof RegExp ? takes.test(row.row) : row.checks.some((check) => takes.includes(check))
  })
}

/** A check that nothing was found about. Rows that break other checks as well say little of this one. */
function judgeOthers(name: string, rows: readonly AuditedRow[]): Group | undefined {
  const judged = rows.filter((row) => isJudged(row) && namesOf(row).includes(name))
  const alone = judged.filter(({ checks }) => checks.length < 2)
  const tried = alone.length > 0 ? alone : judged
  const of = (...verdicts: readonly AuditedRow['verdict'][]) => tried.filter((row) => verdicts.includes(row.verdict))
  const [known, open, good] = [of('known'), of('undetermined'), of('refused', 'accepted')]
  if (known.length > 0) return { name, verdict: 'known', rows: known }
  if (open.some(({ counted }) => counted || good.length === 0)) return { name, verdict: 'undetermined', rows: open }
  return good.length === 0 ? undefined : { name, verdict: 'holds', rows: good }
}

const isJudged = ({ verdict }: AuditedRow) => verdict !== 'observed' && verdict !== 'not for this app'

/** What is told of rows that break no check. */
const OF_FAMILY = new Map([
  ['ending', 'right answers'],
  ['control', 'unusual right answers'],
  ['no_answer', 'an answer at all'],
])

function describeCheck({ name, verdict, rows }: Group, all: readonly AuditedRow[], library?: string): AuditedCheck {
  const check = CHECKS.find((one) => one === name.split('/').at(-1))
  const isOwn = (row: AuditedRow) => namesOf(row).includes(name)
  const sorted = rows.toSorted(
    (one, other) =>
      Number(other.counted) - Number(one.counted) ||
      Number(isOwn(other)) - Number(isOwn(one)) ||
      other.severity - one.severity,
  )
  const [worst] = sorted
  if (!worst) throw new Error(`${name} has no row`)
  const ofAll = all.filter(isOwn).map(({ flow }) => flow)
  const { title, rule, harm } = check ? CHECK_TEXTS[check] : { ...worst, title: OF_FAMILY.get(name) ?? name }
  const isWrong = verdict === 'missing' || verdict === 'ignored' || verdict === 'broke'
  return {
    check: name,
    title: name.includes('/') ? `${title} of ${worst.flow}` : title,
    verdict,
    ...(verdict === 'undetermined' && { reason: worst.reason ?? 'no reason is known' }),
    flow: OUTCOME_FLOWS.find((flow) => ofAll.includes(flow)) ?? worst.flow,
    level: levelOf(worst),
    severity: worst.severity,
    rule,
    harm,
    ...(verdict !== 'holds' && worst.evidence !== undefined && { evidence: worst.evidence }),
    rows: sorted.map(({ row }) => row),
    flows: worst.flows.slice(0, 1),
    ...(check && isWrong && remedyFor(check, library)),
    refs: worst.refs,
    cwe: worst.cwe,
    counted: sorted.some((row) => (verdict === 'undetermined' ? row.counted : isFailure(row))),
  }
}

const byWeight = (one: AuditedCheck, other: AuditedCheck): number =>
  Number(isFailing(other)) - Number(isFailing(one)) ||
  CHECK_VERDICTS.indexOf(one.verdict) - CHECK_VERDICTS.indexOf(other.verdict) ||
  other.severity - one.severity ||
  LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level) ||
  (one.check < other.check ? -1 : 1)

/** Whether a check makes the audit fail. */
export const isFailing = ({ verdict, counted }: AuditedCheck): boolean => counted && verdict !== 'undetermined'
