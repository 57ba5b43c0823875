import { unknownName } from '../../age/nearest.ts'
import { parseAcceptedRule } from '../../audit/learn/accepted-rule.ts'
import type { KnownFinding } from '../../audit/options.ts'
import { selectRows } from '../../audit/plan/select-rows.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { FAIL_ON, type FailOn } from '../../sandbox/outcomes/audit-report.ts'
import { readReportFiles } from '../reports/report-files.ts'
import { catalogueProblem, pageProblem } from './file/file-schema.ts'
import { parseKnownFindings } from './file/known-findings.ts'
import { type BrowserChoice, type BrowserFlags, readBrowser } from './read-browser.ts'

/** What the command line gives. */
export interface AuditFlags extends BrowserFlags {
  readonly accepted?: string
  readonly start?: string
  readonly url?: string
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly failOn?: string
  readonly known?: readonly string[]
  readonly catalogue?: string
  readonly again?: true
  readonly readings?: true
  readonly failOnReadings?: true
  readonly jobs?: string
  readonly timeout?: string
  readonly budget?: string
  readonly repeat?: string
  readonly slow?: true
  readonly json?: string
  readonly junit?: string
  readonly sarif?: string
  readonly markdown?: string
  readonly list?: true
  readonly learn?: true
  readonly thisAppIsMine?: true
}

/** The formats of reports, each with the flag that names its file. */
export const REPORT_FORMATS = ['json', 'junit', 'sarif', 'markdown'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** The flags of one call, checked. */
export interface AuditRequest {
  /** The page that was given. */
  readonly page: string | undefined
  readonly accepted: string | undefined
  /** The command that starts the app. */
  readonly start: string | undefined
  readonly sandboxUrl: string | undefined
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly failOn: FailOn | undefined
  readonly known: readonly KnownFinding[]
  readonly catalogue: string | undefined
  readonly mode: 'run' | 'again' | 'list' | 'learn' | 'readings'
  /** What the app depends on in readings counts for the exit code. */
  readonly failOnReadings: boolean
  /** What the audit is given as it is; absent ones take its defaults. */
  readonly limits: {
    readonly jobs?: number
    readonly timeoutSeconds?: number
    readonly budgetSeconds?: number
    readonly repeat?: number
    readonly slow?: boolean
  }
  /** `-` is standard output. */
  readonly files: Readonly<Partial<Record<ReportFormat, string>>>
  readonly isOwnApp: boolean
  readonly browser: BrowserChoice
}

const MAX_JOBS = 32
const MAX_TIMEOUT_SECONDS = 600
const MAX_BUDGET_SECONDS = 86_400
const MAX_REPEAT = 10

/** Checks the flags. @throws ConfigError with one line that names the flag, what came and what is allowed */
export function readFlags(page: string | undefined, flags: AuditFlags): AuditRequest {
  const problem = page === undefined ? undefined : pageProblem(page)
  if (problem !== undefined) throw ConfigError.of(problem)
  const { accepted, start, url, only = [], skip = [], known = [], catalogue } = flags
  if (accepted !== undefined) checked('--accepted', () => parseAcceptedRule(accepted))
  if (start?.trim() === '')
    throw ConfigError.of(`--start: ${JSON.stringify(start)} is no command; give one like "npm start"`)
  if (url !== undefined && !(/^https?:\/\//i.test(url) && URL.canParse(url)))
    throw ConfigError.of(`--url: ${JSON.stringify(url)} is not a URL like http://127.0.0.1:2435`)
  checkPatterns('--only', only)
  checkPatterns('--skip', skip)
  const version = catalogue === undefined ? undefined : catalogueProblem(catalogue)
  if (version !== undefined) throw ConfigError.of(`--catalogue: ${version}`)
  const mode = modeOf(flags)
  return {
    page,
    accepted,
    start,
    sandboxUrl: url,
    only,
    skip,
    failOn: readLevel(flags.failOn),
    known: parseKnownFindings(known),
    catalogue,
    mode,
    failOnReadings: flags.failOnReadings ?? false,
    limits: readLimits(flags),
    files: readFiles(flags, mode),
    isOwnApp: flags.thisAppIsMine ?? false,
    browser: readBrowser(flags),
  }
}

function checkPatterns(flag: string, patterns: readonly string[]): void {
  for (const pattern of patterns) {
    if (pattern.includes(','))
      throw ConfigError.of(`${flag}: ${JSON.stringify(pattern)} holds a comma; give ${flag} once for each pattern`)
    checked(flag, () => selectRows({ only: [pattern] }))
  }
}

function modeOf({ list, learn, again, readings, failOnReadings, ...rows }: AuditFlags): AuditRequest['mode'] {
  const modes = Object.entries({ list, learn, again, readings }).flatMap(([mode, isGiven]) =>
    isGiven ? [`--${mode}`] : [],
  )
  const { only } = rows
  if ((list && learn) || (learn && again) || (readings && modes.length > 1))
    throw ConfigError.of(
      `${modes.join(' and ')} are ${modes.length === 2 ? 'two' : 'several'} things to do; give one of them`,
    )
  if (failOnReadings && !readings)
    throw ConfigError.of('--fail-on-readings counts what --readings finds; give --readings too, or leave it out')
  if (readings) return requireNoRows(rows)
  if (again && only !== undefined) throw ConfigError.of('--again and --only both say which rows; give one of them')
  if (list) return 'list'
  if (learn) return 'learn'
  return again ? 'again' : 'run'
}

/** @throws ConfigError for a flag that is about rows, of which `--readings` tries none */
function requireNoRows({ only, skip, failOn, known, catalogue, slow }: AuditFlags): 'readings' {
  const flags = Object.entries({ only, skip, 'fail-on': failOn, known, catalogue, slow })
  const [first] = flags.find(([, value]) => value !== undefined) ?? []
  if (first === undefined) return 'readings'
  const instead = first === 'fail-on' ? '; --fail-on-readings makes what it finds count' : ''
  throw ConfigError.of(`--${first} is about rows, and --readings tries none; leave one of them out${instead}`)
}

function readLevel(text: string | undefined): FailOn | undefined {
  if (text === undefined) return undefined
  const level = FAIL_ON.find((known) => known === text)
  if (level === undefined) throw ConfigError.of(`--fail-on: ${unknownName('level', text, FAIL_ON)}`)
  return level
}

function readLimits(flags: AuditFlags): AuditRequest['limits'] {
  const jobs = readNumber('--jobs', flags.jobs, { max: MAX_JOBS, isWhole: true })
  const timeoutSeconds = readNumber('--timeout', flags.timeout, { max: MAX_TIMEOUT_SECONDS })
  const budgetSeconds = readNumber('--budget', flags.budget, { max: MAX_BUDGET_SECONDS })
  const repeat = readNumber('--repeat', flags.repeat, { max: MAX_REPEAT, isWhole: true })
  return {
    ...(jobs !== undefined && { jobs }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(budgetSeconds !== undefined && { budgetSeconds }),
    ...(repeat !== undefined && { repeat }),
    slow: flags.slow ?? false,
  }
}

function readNumber(
  flag: string,
  text: string | undefined,
  { max, isWhole = false }: { max: number; isWhole?: boolean },
) {
  if (text === undefined) return undefined
  const number = (isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text) ? Number(text) : 0
  if (number > 0 && number <= max) return number
  const allowed = isWhole ? `a whole number from 1 to ${max}` : `a number of seconds above 0, at most ${max}`
  throw ConfigError.of(`${flag}: ${JSON.stringify(text)} is not ${allowed}`)
}

function readFiles(flags: AuditFlags, mode: AuditRequest['mode']): AuditRequest['files'] {
  const formats = REPORT_FORMATS.filter((format) => flags[format] !== undefined)
  const [first] = formats.filter((format) => !(mode === 'list' && format === 'json'))
  if (first !== undefined && (mode === 'list' || mode === 'learn'))
    throw ConfigError.of(`--${first}: --${mode} runs no row, so that there is nothing to report`)
  return readReportFiles(flags, REPORT_FORMATS)
}

/** What `parse` gives. @throws ConfigError that names the flag in front of what it throws */
function checked<T>(flag: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw ConfigError.of(`${flag}: ${messageOf(cause)}`, { cause })
  }
}
