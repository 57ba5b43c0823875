import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { printText } from '../terminal.ts'
import { MAX_SUMMARY_BYTES } from './markdown-blocks.ts'

/**
 * The files that flags of a call name for reports, by format; `-` is standard output.
 * @throws ConfigError when two reports would go to standard output, or a flag names no file
 */
export function readReportFiles<Format extends string>(
  flags: Readonly<Partial<Record<Format, string>>>,
  known: readonly Format[],
): Readonly<Partial<Record<Format, string>>> {
  const given = known.flatMap((format) => (flags[format] === undefined ? [] : [{ format, file: flags[format] }]))
  const toOutput = given.filter(({ file }) => file === '-')
  if (toOutput.length > 1) {
    const names = toOutput.map(({ format }) => `--${format}`).join(' and ')
    throw ConfigError.of(`${names} both write to standard output; give a file for all but one of them`)
  }
  const empty = given.find(({ file }) => file === '')
  if (empty !== undefined)
    throw ConfigError.of(`--${empty.format}: "" names no file; give one, or - for standard output`)
  const files: Partial<Record<Format, string>> = {}
  for (const { format, file } of given) files[format] = file
  return files
}

/** One report, and where it goes. */
interface Report {
  /** What named the file: `--junit`. */
  readonly source: string
  /** Not written when absent; `-` is standard output. */
  readonly file: string | undefined
  render(): string
}

/** The Markdown that is appended to what a step of a CI job has written already. */
interface Summary {
  /** `GITHUB_STEP_SUMMARY`. */
  readonly file: string | undefined
  render(maxBytes: number): string
}

/**
 * Writes each report that has a target.
 * @throws ConfigError with a line for each file that cannot be written; the other reports are written
 */
export function writeReportFiles(reports: readonly Report[], summary: Summary): void {
  const problems = [
    ...reports.flatMap(({ source, file, render }) => attempt(source, file, (target) => write(target, render()))),
    ...attempt('GITHUB_STEP_SUMMARY', summary.file, (file) => {
      // The limit is that of the step, which may have written to it before: HTML, which ends at an empty line.
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      const gap = size === 0 ? '' : '\n'
      appendFileSync(file, gap + summary.render(MAX_SUMMARY_BYTES - size - gap.length))
    }),
  ]
  if (problems.length > 0) throw ConfigError.of(problems.join('\n'))
}

function attempt(source: string, file: string | undefined, writeTo: (file: string) => void): string[] {
  if (file === undefined) return []
  try {
    writeTo(file)
    return []
  } catch (error) {
    return [`${source}: ${file} cannot be written: ${messageOf(error)}`]
  }
}

function write(file: string, text: string): void {
  if (file === '-') printText(text)
  else writeFileSync(file, text)
}
