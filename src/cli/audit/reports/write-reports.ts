import { packageRepository, packageVersion } from '../../../package-root.ts'
import type { AuditReport } from '../../../sandbox/outcomes/audit-report.ts'
import { writeReportFiles } from '../../reports/report-files.ts'
import { renderAuditJUnit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { renderSarif, type SarifOptions } from './sarif.ts'

/** Files that reports are written to; `-` is standard output. */
export interface ReportTargets {
  readonly json?: string | undefined
  readonly junit?: string | undefined
  readonly sarif?: string | undefined
  readonly markdown?: string | undefined
  /** `GITHUB_STEP_SUMMARY`: the Markdown is appended there. */
  readonly summaryFile?: string | undefined
}

export interface ReportContext extends Pick<SarifOptions, 'source'> {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
}

/**
 * Writes each report that has a target.
 * @throws ConfigError with a line for each file that cannot be written; the other reports are written
 */
export function writeReports(report: AuditReport, targets: ReportTargets, context: ReportContext = {}): void {
  const { console, source } = context
  const { json, junit, sarif, markdown, summaryFile } = targets
  const tool = { version: packageVersion(), repository: packageRepository() }
  writeReportFiles(
    [
      { source: '--json', file: json, render: () => `${JSON.stringify(report, undefined, 2)}\n` },
      { source: '--junit', file: junit, render: () => renderAuditJUnit(report) },
      { source: '--sarif', file: sarif, render: () => renderSarif(report, { ...tool, ...(source && { source }) }) },
      { source: '--markdown', file: markdown, render: () => renderMarkdown(report, { console }) },
    ],
    { file: summaryFile, render: (maxBytes) => renderMarkdown(report, { console, maxBytes }) },
  )
}
