import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { findRow } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { SeenRun } from '../learn/learned-flow.ts'
import { sentenceOf } from '../learn/observation.ts'
import { describeRow } from './describe-row.ts'
import type { AuditRun } from './trial.ts'

const OF_THRESHOLDS = {
  breaks: ['age_thresholds'],
  rule: 'Let a user in only when the threshold of this page is exactly true: age_thresholds["18"] === true.',
} as const

/** Tells what the app did wrong with right answers while it was learned, in the place of the rows of these answers. */
export function withPlainFindings(judged: readonly AuditedRow[], run: AuditRun): readonly AuditedRow[] {
  const { letsIn, minor, between, create } = run.learned
  const { age } = run.options
  const found: AuditedRow[] = []
  const add = (id: string, columns: Pick<AuditRow, 'breaks' | 'rule' | 'harm'>, evidence: string, seen?: SeenRun) => {
    const row = findRow(id)
    const finding = { verdict: 'let in', evidence, flows: [seen?.run.useFlow ?? []].flat() } as const
    if (row) found.push(describeRow({ ...row, ...columns, severity: 9.1 }, finding, run))
  }
  const early = between.find(({ misses, isLetIn }) => isLetIn && (age === undefined || age >= misses))
  if (letsIn.includes('minor')) {
    const harm = 'A child gets in with an honest answer: the app does not read the thresholds.'
    const evidence = `a right token whose thresholds are all false is taken for a yes: ${sentenceOf(minor.run.observation)}`
    add('use/verified', { ...OF_THRESHOLDS, harm }, evidence, minor)
  } else if (early) {
    const { persona, misses, seen } = early
    const harm = `A user below ${misses} gets in with an honest answer: the app does not read the threshold of ${misses}.`
    const evidence = `as ${persona}: an honest user who does not reach ${misses} gets all that an adult gets`
    const advice = age === undefined ? '; when the page is for a lower age, say so: --age' : ''
    add('use/verified', { ...OF_THRESHOLDS, harm }, evidence + advice, seen)
  }
  if (create.kind === 'absent' && create.letsIn) {
    const harm = 'A child presses the button for a new age key, and is let in without one.'
    const rule = 'create_requested=true proves nothing: begin Create, and let in nobody.'
    const evidence = 'a user who only wishes to create an age key is let in, and no Create flow begins'
    add('use/create_requested', { breaks: ['create_requested'], rule, harm }, evidence, create.letsIn)
  }
  return [...found, ...judged.filter(({ row }) => !found.some((one) => one.row === row))]
}
