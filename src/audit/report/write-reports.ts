import type { AuditReport } from '../../sandbox/outcomes/report/audit-report.ts'
import { renderAuditJUnit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { renderSarif, type SarifOptions } from './sarif.ts'

/** The formats of reports, each with the flag that names its file. */
export const REPORT_FORMATS = ['json', 'junit', 'sarif', 'markdown'] as const
type ReportFormat = (typeof REPORT_FORMATS)[number]

/** Writes each report that has a target, and appends the summary. @throws ConfigError with a line for each failure */
export type WriteFiles = (
  reports: readonly { readonly source: string; readonly file: string | undefined; render(): string }[],
  summary?: { readonly file: string | undefined; render(maxBytes: number): string },
) => void

interface ReportContext extends SarifOptions {
  /** `GITHUB_STEP_SUMMARY`: the Markdown is appended there. */
  readonly summaryFile?: string | undefined
  readonly writeFiles: WriteFiles
}

/** Writes an audit to files by format; `-` is standard output. @throws ConfigError with a line for each that cannot be written */
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
    REPORT_FORMATS.map((format) => ({ source: `--${format}`, file: targets[format], render: renderers[format] })),
    { file: summaryFile, render: (maxBytes) => renderMarkdown(report, console, maxBytes) },
  )
}
