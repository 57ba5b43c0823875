import { type JUnitCase, renderJUnit } from '../../sandbox/files/reports/junit.ts'
import type { AuditReport } from './audit-report.ts'
import { renderMarkdown } from './markdown.ts'
import { headOf, linesOf, type Point, pointsOf, whatAppDid } from './points.ts'
import { renderSarif, type SarifOptions } from './sarif.ts'

/** The formats of reports, each with its flag. */
export const REPORT_FORMATS = ['json', 'junit', 'sarif', 'markdown'] as const
type ReportFormat = (typeof REPORT_FORMATS)[number]

/**
 * Writes each report that has a target, and appends the summary.
 * @throws ConfigError with a line for each failure
 */
export type WriteFiles = (
  reports: readonly {
    readonly source: string
    readonly file: string | undefined
    render(): string
  }[],
  summary?: { readonly file: string | undefined; render(maxBytes: number): string },
) => void

interface ReportContext extends SarifOptions {
  /** `GITHUB_STEP_SUMMARY`: the Markdown is appended to this file. */
  readonly summaryFile?: string | undefined
  readonly writeFiles: WriteFiles
}

/**
 * Writes an audit to files by format; `-` is standard output.
 * @throws ConfigError with a line for each file that cannot be written
 */
export function writeReports(
  report: AuditReport,
  targets: Readonly<Partial<Record<ReportFormat, string | undefined>>>,
  { console, source, summaryFile, writeFiles }: ReportContext,
): void {
  const renderers = {
    json: () => `${JSON.stringify(report, undefined, 2)}\n`,
    junit: () => renderAuditJUnit(report, console),
    sarif: () => renderSarif(report, { console, source }),
    markdown: () => renderMarkdown(report, console),
  }
  writeFiles(
    REPORT_FORMATS.map((format) => ({
      source: `--${format}`,
      file: targets[format],
      render: renderers[format],
    })),
    { file: summaryFile, render: (maxBytes) => renderMarkdown(report, console, maxBytes) },
  )
}

/**
 * JUnit XML of an audit: a testsuite for each flow and one for readings, a testcase for each check
 * and each variant.
 */
export function renderAuditJUnit(report: AuditReport, console?: string): string {
  const all = pointsOf(report).map((point) => caseOf(point, console))
  const suites = [...new Set(all.map(({ classname }) => classname))]
  return renderJUnit(
    suites.map((name) => ({ name, cases: all.filter(({ classname }) => classname === name) })),
  )
}

// Decision: a finding below the level of --fail-on is neither a failure, as in the exit code, nor a
// success.
const STATUS = { failed: 'failed', finding: 'skipped', open: 'skipped', passed: 'passed' } as const

function caseOf(point: Point, console: string | undefined): JUnitCase {
  const { check, suite, state, verdict, reason, rows } = point
  // The time of a single check is unknown: rows share flows and run concurrently.
  const common = {
    name: check.replace(/^readings\//, ''),
    classname: suite,
    seconds: 0,
    status: STATUS[state],
  }
  if (state === 'passed') return common
  if (state === 'open') return { ...common, detail: `${verdict}: ${reason}` }
  const others = rows
    .slice(1)
    .map((row) => `${row.row}: ${row.verdict}. ${whatAppDid(row)}`.trimEnd())
  const lines = [headOf(point), ...linesOf(point, console)]
  // The first line says what happened.
  return { ...common, detail: lines.slice(0, 2).join(' '), lines: [...lines, ...others] }
}
