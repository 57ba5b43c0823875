import { type JUnitCase, renderJUnit } from '../../sandbox/files/reports/junit.ts'
import type { AuditReport } from './audit-report.ts'
import { renderMarkdown } from './markdown.ts'
import { headOf, linesOf, type Point, pointsOf, whatAppDid } from './points.ts'
import { renderSarif, type SarifOptions } from './sarif.ts'

/** The formats of reports. Each format is also the name of a flag. */
export const REPORT_FORMATS = ['json', 'junit', 'sarif', 'markdown'] as const
type ReportFormat = (typeof REPORT_FORMATS)[number]

/**
 * Writes each report that has a file, and appends the summary to its file.
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
  /** A file to append the Markdown to: `GITHUB_STEP_SUMMARY`. */
  readonly summaryFile?: string | undefined
  readonly writeFiles: WriteFiles
}

/**
 * Writes the report of an audit in each format that has a target.
 * @param targets a file for each format; `-` is standard output
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
 * Renders a report as JUnit XML. A testsuite is a flow, or the readings; a testcase is a check, a
 * variant, or a combination of variants that fails.
 */
export function renderAuditJUnit(report: AuditReport, console?: string): string {
  const all = pointsOf(report).map((point) => caseOf(point, console))
  const suites = [...new Set(all.map(({ classname }) => classname))]
  return renderJUnit(
    suites.map((name) => ({ name, cases: all.filter(({ classname }) => classname === name) })),
  )
}

// Decision: a finding below the level of --fail-on is skipped. It is no failure, because the exit
// code ignores it, and no success either.
const STATUS = { failed: 'failed', finding: 'skipped', open: 'skipped', passed: 'passed' } as const

function caseOf(point: Point, console: string | undefined): JUnitCase {
  const { check, suite, state, verdict, reason, rows } = point
  // The duration of a single check is unknown, because rows share flows and run concurrently.
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
