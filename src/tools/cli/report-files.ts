import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { MAX_SUMMARY_BYTES } from '../../sandbox/files/reports/markdown.ts'
import { printText } from './terminal.ts'

/**
 * The report files that flags name, by format. `-` or a flag without a file is standard output.
 * @throws ConfigError when two reports have the same target, or a flag has an empty file name
 */
export function readReportFiles<Format extends string>(
  flags: Readonly<Partial<Record<Format, string | true | undefined>>>,
  known: readonly Format[],
): Readonly<Partial<Record<Format, string>>> {
  const given = known.flatMap((format) => {
    const file: string | true | undefined = flags[format]
    return file === undefined ? [] : [{ format, file: file === true ? '-' : file }]
  })
  const empty = given.find(({ file }) => file === '')
  if (empty !== undefined)
    throw ConfigError.of(`--${empty.format}: "" names no file; give one, or - for standard output`)
  const twice = given.find(
    ({ file }) => given.filter((other) => isSame(other.file, file)).length > 1,
  )
  if (twice !== undefined) {
    const names = given
      .flatMap(({ format, file }) => (isSame(file, twice.file) ? [`--${format}`] : []))
      .join(' and ')
    const [target, remedy] =
      twice.file === '-'
        ? ['standard output', 'give a file for all but one of them']
        : [twice.file, 'give each its own']
    throw ConfigError.of(`${names} both write to ${target}; ${remedy}`)
  }
  const files: Partial<Record<Format, string>> = {}
  for (const { format, file } of given) files[format] = file
  return files
}

/** Whether two targets are the same. Standard output `-` is not a file named `-`. */
const isSame = (one: string, other: string) =>
  one === other || (![one, other].includes('-') && resolve(one) === resolve(other))

/** One report and its target. */
interface Report {
  /** The flag that named the file, for messages: `--junit`. */
  readonly source: string
  /** The target; `undefined` for no report, `-` for standard output. */
  readonly file: string | undefined
  render(): string
}

/** Markdown to append to the summary that a step of a CI job has written so far. */
interface Summary {
  /** `GITHUB_STEP_SUMMARY`. */
  readonly file: string | undefined
  render(maxBytes: number): string
}

/**
 * Writes each report that has a target.
 * @throws ConfigError with a line for each file that cannot be written; the other reports are
 * written
 */
export function writeReportFiles(reports: readonly Report[], summary?: Summary): void {
  const problems = [
    ...reports.flatMap(({ source, file, render }) =>
      attempt(source, file, (target) => write(target, render())),
    ),
    ...attempt('GITHUB_STEP_SUMMARY', summary?.file, (file) => {
      // The limit applies to the whole step. An empty line ends HTML that the step may have
      // written.
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      const gap = size === 0 ? '' : '\n'
      appendFileSync(file, gap + (summary?.render(MAX_SUMMARY_BYTES - size - gap.length) ?? ''))
    }),
  ]
  if (problems.length > 0) throw ConfigError.of(problems.join('\n'))
}

function attempt(
  source: string,
  file: string | undefined,
  writeTo: (file: string) => void,
): string[] {
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
