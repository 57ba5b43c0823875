import type { AuditedRow, AuditReport } from '../../../sandbox/outcomes/audit-report.ts'
import { isFailure, isFinding } from '../../../sandbox/outcomes/report/findings.ts'
import type { ReadingsReport } from '../../../sandbox/outcomes/report/readings-report.ts'
import {
  namesOfCombination,
  variantName,
  whatTogetherDid,
  whatVariantDid,
  whereSilent,
} from '../../../sandbox/outcomes/report/readings-text.ts'
import {
  asSentence,
  referencesOf,
  weightOf,
  whatHappened,
  whyNotJudged,
} from '../../../sandbox/outcomes/report/row-texts.ts'
import { type JUnitCase, renderJUnit } from '../../reports/junit.ts'

/** JUnit XML of an audit: a testsuite for each family, a testcase for each row. */
export function renderAuditJUnit({ rows, readings }: AuditReport): string {
  const families = [...new Set(rows.map(({ family }) => family))]
  return renderJUnit([
    ...families.map((family) => ({
      name: family,
      cases: rows.filter((row) => row.family === family).map(caseOf),
    })),
    ...(readings ? [{ name: 'readings', cases: casesOf(readings) }] : []),
  ])
}

function casesOf(report: ReadingsReport): JUnitCase[] {
  const facts = { classname: 'readings', seconds: 0 }
  const failed = report.counted ? 'failed' : 'skipped'
  const variants = report.variants.map((one): JUnitCase => {
    const named = { ...facts, name: variantName(one) }
    if (one.verdict === 'works') return { ...named, status: 'passed' }
    if (one.verdict !== 'depends') return { ...named, status: 'skipped', detail: `${one.verdict}: ${one.reason ?? ''}` }
    const lines = [
      `depends on ${one.reading}=${one.usual}: ${whatVariantDid(one)}`,
      whereSilent(one),
      ...(one.flows.length === 0 ? [] : [`Flows: ${one.flows.join(', ')}.`]),
    ]
    return { ...named, status: failed, detail: lines.join(' '), lines }
  })
  const together = report.combinations.failed.map(
    (one): JUnitCase => ({ ...facts, name: namesOfCombination(one), status: failed, detail: whatTogetherDid(one) }),
  )
  return [...variants, ...together]
}

function caseOf(row: AuditedRow): JUnitCase {
  // How long a single row took is not known: rows share flows and run at the same time.
  const facts = { name: row.row, classname: row.family, seconds: 0 }
  if (isFailure(row)) {
    const lines = explain(row)
    return { ...facts, status: 'failed', detail: lines.join(' '), lines }
  }
  // Decision: a finding below the level of --fail-on is no failure, as the exit code says, and no success either.
  if (isFinding(row)) return { ...facts, status: 'skipped', detail: explain(row).join(' ') }
  if (row.verdict === 'refused' || row.verdict === 'accepted') return { ...facts, status: 'passed' }
  const why = whyNotJudged(row)
  return { ...facts, status: 'skipped', detail: why === '' ? row.verdict : `${row.verdict}: ${why}` }
}

function explain(row: AuditedRow): string[] {
  const references = referencesOf(row)
  return [
    `${row.verdict} (${weightOf(row)}): ${whatHappened(row)}`,
    `Check: ${asSentence(row.rule)}`,
    ...(references === '' ? [] : [`See ${references}.`]),
    ...(row.flows.length === 0 ? [] : [`Flows: ${row.flows.join(', ')}.`]),
  ]
}
