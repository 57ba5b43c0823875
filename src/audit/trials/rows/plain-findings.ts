import { findRow } from '../../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import { sentenceOf } from '../../drive/observation.ts'
import type { LearnedApp } from '../../learn/learn-app.ts'
import type { SeenRun } from '../../learn/see-run.ts'
import type { AuditedRow } from '../../report/audit-report.ts'
import type { AuditRun } from '../audit-run.ts'
import { describeRow } from './describe-row.ts'

/** A mistake of the app with a right answer. `row` names that answer. */
interface PlainFinding extends Pick<AuditRow, 'breaks' | 'rule' | 'harm'> {
  readonly row: string
  readonly evidence: string
  readonly seen: SeenRun | undefined
}

const SEVERITY = 9.1

/**
 * Adds the mistakes that the app made with right answers while the audit learned the app. These
 * findings replace the rows of the same answers.
 */
export function withPlainFindings(
  judged: readonly AuditedRow[],
  run: AuditRun,
): readonly AuditedRow[] {
  const found = [ageFinding(run), createFinding(run.learned)].flatMap((one) => {
    const row = one && findRow(one.row)
    return row ? [describePlain(row, one, run)] : []
  })
  return [...found, ...judged.filter(({ row }) => !found.some((one) => one.row === row))]
}

function describePlain(
  row: AuditRow,
  { breaks, rule, harm, evidence, seen }: PlainFinding,
  run: AuditRun,
): AuditedRow {
  const useFlow = seen?.run.useFlow
  return describeRow(
    { ...row, breaks, rule, harm, severity: SEVERITY },
    { verdict: 'let in', evidence, flows: useFlow === undefined ? [] : [useFlow] },
    run,
  )
}

const OF_THRESHOLDS = {
  row: 'use/verified',
  breaks: ['age_thresholds'],
  rule: 'Let a user in only when the threshold of this page is exactly true: age_thresholds["18"] === true.',
} as const

/** The app let in an honest user who is too young. */
function ageFinding({ learned, options: { age } }: AuditRun): PlainFinding | undefined {
  const { letsIn, minor, between } = learned
  if (letsIn.includes('minor'))
    return {
      ...OF_THRESHOLDS,
      harm: 'A child gets in with an honest answer: the app does not read the thresholds.',
      evidence: `a right token whose thresholds are all false is taken for a yes: ${sentenceOf(minor.run.observation)}`,
      seen: minor,
    }
  const early = between.find(
    ({ misses, isLetIn }) => isLetIn && (age === undefined || age >= misses),
  )
  if (!early) return undefined
  const { persona, misses, seen } = early
  const advice = age === undefined ? '; when the page is for a lower age, say so: --age' : ''
  return {
    ...OF_THRESHOLDS,
    harm: `A user below ${misses} gets in with an honest answer: the app does not read the threshold of ${misses}.`,
    evidence: `as ${persona}: an honest user who does not reach ${misses} gets all that an adult gets${advice}`,
    seen,
  }
}

/** The app let in a user who only asked for an age key. */
function createFinding({ create }: LearnedApp): PlainFinding | undefined {
  if (create.kind !== 'absent' || !create.letsIn) return undefined
  return {
    row: 'use/create_requested',
    breaks: ['create_requested'],
    rule: 'create_requested=true proves nothing: begin Create, and do not let the user in.',
    harm: 'A child presses the button for a new age key, and is let in without one.',
    evidence: 'a user who only wishes to create an age key is let in, and no Create flow begins',
    seen: create.letsIn,
  }
}
