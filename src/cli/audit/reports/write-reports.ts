import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { messageOf } from '../../../files/caught.ts'
import { ConfigError } from '../../../files/config-error.ts'
import { packageRepository, packageVersion } from '../../../package-root.ts'
import type { AuditReport } from '../../../sandbox/outcomes/audit-report.ts'
import { printText } from '../../terminal.ts'
import { renderAuditJUnit } from './junit.ts'
import { MAX_SUMMARY_BYTES, renderMarkdown } from './markdown.ts'
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
  const markdown = { console: context.console }
  const problems = [
    ...attempt('--json', targets.json, (file) => write(file, renderJson(report))),
    ...attempt('--junit', targets.junit, (file) => write(file, renderAuditJUnit(report))),
    ...attempt('--sarif', targets.sarif, (file) => {
      const { source } = context
      const tool = { version: packageVersion(), repository: packageRepository() }
      write(file, renderSarif(report, source === undefined ? tool : { ...tool, source }))
    }),
    ...attempt('--markdown', targets.markdown, (file) => write(file, renderMarkdown(report, markdown))),
    ...attempt('GITHUB_STEP_SUMMARY', targets.summaryFile, (file) => {
      // The limit is that of the step, which may have written to it before: HTML, which ends at an empty line.
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      const gap = size === 0 ? '' : '\n'
      const maxBytes = MAX_SUMMARY_BYTES - size - gap.length
      appendFileSync(file, gap + renderMarkdown(report, { ...markdown, maxBytes }))
    }),
  ]
  if (problems.length > 0) throw ConfigError.of(problems.join('\n'))
}

const renderJson = (report: AuditReport) => `${JSON.stringify(report, undefined, 2)}\n`

function attempt(name: string, file: string | undefined, writeTo: (file: string) => void): string[] {
  if (file === undefined) return []
  try {
    writeTo(file)
    return []
  } catch (error) {
    return [`${name}: ${file} cannot be written: ${messageOf(error)}`]
  }
}

function write(file: string, text: string): void {
  if (file === '-') printText(text)
  else writeFileSync(file, text)
}
