import { FAMILIES } from '../../sandbox/outcomes/families.ts'
import { CHECK_ROWS, type ClientCheck, REQUIREMENT_LEVELS } from '../../sandbox/outcomes/outcome.ts'
import { type AuditedCheck, type AuditedRow, CHECK_VERDICTS, FINDINGS } from './audit-report.ts'
import { findingLevel, isFinding } from './points.ts'
import { remedyFor } from './remedies.ts'

/** Checks that the report lists for each call: `par/status`. Other checks are common to all. */
const OF_EACH_CALL: readonly ClientCheck[] = ['connection', 'status', 'body']

// biome-ignore format: a line or two for each
/**
 * If an app accepts rows of each pattern in `shownBy`, it lacks the check `missing`. Accepted rows
 * that match `hidden` then show no other missing check.
 */
const REACHES: readonly (readonly [missing: ClientCheck, shownBy: readonly RegExp[], hidden: RegExp])[] = [
  ['signature', [/\.(signature_missing|payload_changed)$/], /^(alg|kid|key_source|crit|typ|serialisation)$/],
  ['serialisation', [/\.(empty|not_a_jwt)$/],
    /\.(payload_not_.*|id_token_(twice|missing).*|create_requested_(upper_case|false))$/],
  ['state', [/\.state_changed$/], /\.(state_twice.*|in_fragment)$/],
  ['nonce', [/\.nonce_other$/], /\.nonce_twice$/],
  ['aud', [/\.aud_(of_other_client|prefix)$/], /^azp$/],
  ['lifetime', [/\.exp_(milliseconds|far_future)$/], /\.(exp|iat)_missing$/],
  ['age_thresholds', [/\.age_thresholds\./], /^requested_thresholds$/],
  // The app catches and ignores every failure of the call.
  ['status', [/\.status_\d+_right_body$/, /\.empty_body$/], /^/],
]

/**
 * The result of an audit by checks, the worst first: a small set of missing checks that explains
 * all accepted rows, then other findings, then the checks that hold.
 * @param library the library of the app, for remedies
 * @param verifications the check of `--find`, which has no rows
 */
export function checksOf(
  rows: readonly AuditedRow[],
  library?: string,
  verifications?: AuditedCheck,
): readonly AuditedCheck[] {
  const [letIn, ...others] = FINDINGS
  const missing = explainLetIn(rows.filter(({ verdict }) => verdict === letIn))
  const found = others.flatMap((verdict) =>
    rows.flatMap((row) => (row.verdict === verdict ? { verdict, row } : [])),
  )
  const names = new Set([...missing.keys(), ...rows.flatMap(namesOf)])
  const groups = [...names].map((check): Group => {
    const own = found.filter(({ row }) => namesOf(row)[0] === check)
    const explained = missing.get(check)
    const verdict = explained ? 'missing' : own[0]?.verdict
    return verdict
      ? { check, verdict, rows: [...(explained ?? []), ...own.map(({ row }) => row)] }
      : judgeOther(check, rows)
  })
  const checks = groups.flatMap((group) => describeCheck(group, library))
  return [...checks, ...(verifications ? [verifications] : [])].sort(byWeight)
}

/** A check, and the rows that show its verdict. */
type Group = Pick<AuditedCheck, 'check' | 'verdict'> & { readonly rows: readonly AuditedRow[] }

const nameIn = (flow: string, check: ClientCheck) =>
  OF_EACH_CALL.includes(check) ? `${flow}/${check}` : check

/** The checks that a row breaks. A right answer breaks none: its family replaces the check. */
function namesOf({ checks, family, flow, verdict }: AuditedRow): readonly string[] {
  if (checks.length > 0) return checks.map((check) => nameIn(flow, check))
  // An app that lets a minor in with a right answer does not read the thresholds.
  return [verdict === 'let in' && family !== 'no_answer' ? 'age_thresholds' : family]
}

/**
 * The rows that each missing check explains. A greedy search: checks with accepted rows that break
 * no other check come first, then the check that explains most rows.
 */
function explainLetIn(letIn: readonly AuditedRow[]): ReadonlyMap<string, readonly AuditedRow[]> {
  const missing = new Map<string, readonly AuditedRow[]>()
  for (
    let left = letIn;
    left.length > 0;
    left = left.filter((row) => ![...missing.values()].flat().includes(row))
  ) {
    const [best] = [...new Set(left.flatMap(namesOf))]
      .map((check) => {
        const rows = left.filter(
          (row) => namesOf(row).includes(check) || isReached(check, row, letIn),
        )
        const isOwn = rows.some((row) => row.checks.length < 2 && namesOf(row).includes(check))
        return { check, rows, weight: rows.length + (isOwn ? letIn.length : 0) }
      })
      .sort((one, other) => other.weight - one.weight)
    if (best) missing.set(best.check, best.rows)
  }
  return missing
}

const isReached = (
  name: string,
  { row, checks, flow }: AuditedRow,
  letIn: readonly AuditedRow[],
): boolean =>
  REACHES.some(([missing, shownBy, hidden]) => {
    if (nameIn(flow, missing) !== name || ![row, ...checks].some((text) => hidden.test(text)))
      return false
    const shown = letIn.filter((one) => nameIn(one.flow, missing) === name)
    return shownBy.every((one) => shown.some((by) => one.test(by.row)))
  })

/** Judges a check that has no findings. */
function judgeOther(check: string, rows: readonly AuditedRow[]): Group {
  const judged = rows.filter(
    (row) => namesOf(row).includes(check) && !/^(observed|not for this app)$/.test(row.verdict),
  )
  // A row that also breaks other checks says little about this check.
  const alone = judged.filter(({ checks }) => checks.length < 2)
  const of = (verdict: RegExp) =>
    (alone.length > 0 ? alone : judged).filter((row) => verdict.test(row.verdict))
  const [known, open, good] = [of(/^known$/), of(/^undetermined$/), of(/^(refused|accepted)$/)]
  if (known.length > 0) return { check, verdict: 'known', rows: known }
  const isOpen = open.some(({ counted }) => counted || good.length === 0)
  return isOpen
    ? { check, verdict: 'undetermined', rows: open }
    : { check, verdict: 'holds', rows: good }
}

/** Titles of families whose rows break no check. */
const TITLES = {
  ending: 'right answers',
  control: 'unusual right answers',
  no_answer: 'an answer at all',
}

/** Describes a check for the report; empty if the check has no rows. */
function describeCheck(group: Group, library?: string): readonly AuditedCheck[] {
  const { check: id, verdict, rows } = group
  const sorted = worstFirst(group)
  const [worst] = sorted
  if (!worst) return []
  const names = sorted.map(({ row }) => row)
  const { flow, severity, refs, cwe, evidence, reason = 'no reason is known' } = worst
  const { title, rule, harm } = wordsOf(id, worst)
  const check = clientCheckOf(id)
  const hasRemedy = ['missing', 'ignored', 'broke'].includes(verdict)
  return [
    {
      check: id,
      title: id.includes('/') ? `${title} of ${flow}` : title,
      verdict,
      ...(verdict === 'undetermined' && { reason }),
      flow,
      level: findingLevel(worst),
      severity,
      rule,
      harm,
      ...(verdict !== 'holds' && evidence !== undefined && { evidence }),
      rows: names,
      flows: worst.flows.slice(0, 1),
      ...(check && hasRemedy && remedyFor(check.name, library, names)),
      refs,
      cwe,
      counted: rows.some((row) => row.counted && (verdict === 'undetermined' || isFinding(row))),
    },
  ]
}

/** Sorts rows: accepted rows, then counted rows, then rows of the check itself, by severity. */
function worstFirst({ check, rows }: Group): readonly AuditedRow[] {
  const rank = (row: AuditedRow) =>
    (row.verdict === 'let in' ? 80 : 0) +
    (row.counted ? 40 : 0) +
    (namesOf(row).includes(check) ? 20 : 0) +
    row.severity
  return rows.toSorted((one, other) => rank(other) - rank(one))
}

/** The check of an id: `par/status` is the check `status` of the call `par`. */
const clientCheckOf = (id: string) => CHECK_ROWS.find(({ name }) => name === id.split('/').at(-1))

/** Title, rule and harm of a check, or of the family of its rows. */
function wordsOf(id: string, worst: AuditedRow): Pick<AuditedCheck, 'title' | 'rule' | 'harm'> {
  const check = clientCheckOf(id)
  if (!check) {
    const title = Object.entries(TITLES).find(([family]) => family === id)?.[1] ?? id
    return { title, rule: worst.rule, harm: worst.harm }
  }
  // Create lets no user in, so the harm of the family does not apply.
  const harm = worst.flow === 'create' ? worst.harm : FAMILIES[check.family].harm
  return { title: check.title, rule: check.rule, harm }
}

const byWeight = (one: AuditedCheck, other: AuditedCheck): number =>
  Number(isFailing(other)) - Number(isFailing(one)) ||
  CHECK_VERDICTS.indexOf(one.verdict) - CHECK_VERDICTS.indexOf(other.verdict) ||
  other.severity - one.severity ||
  REQUIREMENT_LEVELS.indexOf(one.level) - REQUIREMENT_LEVELS.indexOf(other.level) ||
  (one.check < other.check ? -1 : 1)

/** Whether a check makes the audit fail. */
const isFailing = ({ verdict, counted }: AuditedCheck): boolean =>
  counted && verdict !== 'undetermined'
