import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type * as z from 'zod'
import { didYouMean } from '../../age/nearest.ts'
import { excerpt, quote } from '../../age/quote.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { parseYamlDocument } from '../../files/yaml-document.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import {
  CATALOGUE_VERSION,
  CATALOGUE_VERSIONS,
  findAuditRow,
  OUTCOMES,
  rowId,
} from '../../sandbox/outcomes/catalogue.ts'
import { selectRows } from '../trials/select-rows.ts'
import { type AuditFileValues, type AuditSettings, auditFileSchema } from './settings.ts'

/** Read from the working folder when it is there. */
export const AUDIT_FILE = 'agekey-audit.yaml'

/** What the file says, and where. */
export interface AuditFile {
  readonly values: AuditFileValues
  /** The line of a key at the top of the file; 1 without it. */
  lineOf(key: keyof AuditFileValues): number
}

/**
 * Reads `agekey-audit.yaml` in the working folder, or in another one.
 * @returns `undefined` when there is none
 * @throws ConfigError with file and line of each problem
 */
export function readAuditFile({ cwd = '.' }: { cwd?: string } = {}): AuditFile | undefined {
  const path = join(cwd, AUDIT_FILE)
  if (!existsSync(path)) return undefined
  const text = readText(path)
  const lines = text.split('\n')
  // A file with every line commented out asks for the defaults.
  const isEmpty = lines.every((line) => /^\s*(#|$)/.test(line))
  const schema = auditFileSchema.check(refuseUnknownNames)
  return {
    values: isEmpty ? {} : parseYamlDocument(withQuotedPaths(text), { file: AUDIT_FILE, schema }),
    lineOf: (key) => lines.findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1,
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw ConfigError.inFiles([{ file: AUDIT_FILE, message: `cannot be read (${messageOf(cause)})` }], { cause })
  }
}

/**
 * Decision: a path with `{sub}` needs no quotes within braces, as in `audit: { get: /verifications?sub={sub} }`, where YAML would
 * take the placeholder for a mapping. No line moves.
 */
const withQuotedPaths = (text: string): string =>
  text.replaceAll(/(?<=:[ \t]+)\/[^\s'",{}]*\{sub\}[^\s'",{}]*/g, (path) => `'${path}'`)

function refuseUnknownNames({ value, issues }: z.core.ParsePayload<AuditFileValues>): void {
  for (const { path, message } of unknownNames(value)) issues.push({ code: 'custom', path, message, input: value })
}

/** What names no row or version of the catalogue, or names a row twice. */
function unknownNames({ catalogue, known = [], only = [], skip = [] }: AuditSettings) {
  const problems: { path: [keyof AuditSettings, ...(string | number)[]]; message: string }[] = []
  const versions: readonly string[] = CATALOGUE_VERSIONS
  if (catalogue !== undefined && !versions.includes(catalogue))
    problems.push({
      path: ['catalogue'],
      message: `${quote(catalogue)} is no version of the catalogue; there is ${versions.join(', ')}`,
    })
  for (const [index, { row }] of known.entries()) {
    const isTwice = known.findIndex((other) => other.row === row) !== index
    const message = isTwice ? `${row} is listed twice; keep one entry` : rowProblem(row)
    if (message !== undefined) problems.push({ path: ['known', index, 'row'], message })
  }
  for (const [key, patterns] of Object.entries({ only, skip })) {
    try {
      selectRows({ only: patterns })
    } catch (error) {
      problems.push({ path: [key === 'only' ? key : 'skip'], message: messageOf(error) })
    }
  }
  return problems
}

/** @throws ConfigError with one line that names the flag */
export function requireKnownNames(given: AuditSettings): void {
  const [unknown] = unknownNames(given)
  if (unknown) throw ConfigError.of(`--${unknown.path[0]}: ${unknown.message}`)
}

function rowProblem(text: string): string | undefined {
  if (findAuditRow(text) !== undefined) return undefined
  const near = didYouMean(text, OUTCOMES.map(rowId)).replaceAll('"', '')
  return `there is no row ${excerpt(text)}.${near || ANY_ROW}`
}

const ANY_ROW = ' A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'

/** What an audit learned of an app. */
export interface LearnedApp extends Pick<AuditReport, 'app' | 'learned'> {
  /** What the call gave. */
  readonly given: AuditSettings
}

/** @throws ConfigError when the file is there: it is never overwritten */
export function requireNoAuditFile(): void {
  if (existsSync(AUDIT_FILE)) throw isThere()
}

/** Writes the file into the working folder. @throws ConfigError when it is there, or cannot be written */
export function writeAuditFile(learned: LearnedApp): void {
  try {
    writeFileSync(AUDIT_FILE, renderAuditFile(learned), { flag: 'wx' })
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw isThere()
    // A full disk leaves the beginning of it.
    rmSync(AUDIT_FILE, { force: true })
    throw ConfigError.of(`${AUDIT_FILE}: cannot be written (${messageOf(cause)})`, { cause })
  }
}

const isThere = () => ConfigError.of(`${AUDIT_FILE}: is there already and stays as it is; move it away first`)

/** What stands in the file for each setting that was not given, and above it. */
const EXAMPLES = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/audit.schema.json
# Settings of agekey-sandbox audit. Flags go before this file. Lines that are commented out are examples.

# The page where a user begins to prove an age.
app
# The age that this page is for, when the app asks for several.
# age: 18

# The audit starts the app itself, and stops it in the end. With {port} in app and {base_url} here it starts copies, each on a free
# port and a tenant of its own: then rows run side by side, also those of jwks and discovery.
# A text is run by the shell, a list is a program and its arguments.
start
#   run: npm start
#   ready: http://localhost:3000/    # or a line of its log: /listening on/
#   env: { AGE_BASE_URL: '{base_url}', PORT: '{port}' }

# Requests of each fresh browser before it begins; {n} makes a new user of each.
# before:
#   - post: /login
#     form: { email: 'user-{n}@example.test' }
# Or one that makes the app forget its users.
# reset: { post: /test/reset }

use
#   begin: { click: Prove your age }   # or { post: /verify, form: { country: nl } }
#   accepted: get=/me status=200
#   refused: text=Not yet
#   fragment: { post: /age/answer, as: form }
#   source: src/verify.ts:12

create
#   start: /create
#   accepted: get=/me status=200
#   refused: text=Not yet
#   source: src/verify.ts:12

upgrade
#   start: { post: /upgrade }
#   accepted: get=/me status=200
#   refused: text=Not yet
#   source: src/verify.ts:12

# How the app is asked whether it finds a verification again: {sub} is its sub, {env:NAME} a variable.
# audit:
#   get: /admin/verifications?sub={sub}
#   headers: { Authorization: 'Bearer {env:ADMIN_TOKEN}' }

# How the app is driven.
# browser: auto
# jobs: 4
# timeout: 10
# budget: 300
# repeat: 2
# slow: true

# Rows that were added after this version run and do not count.
catalogue
# Findings count from this level on: must, should, may or none.
fail_on

# Findings that are accepted for now. An entry whose row is refused is stale, and fails.
# known:
#   - row: use/id_token.kid_empty
#     because: the library of this app takes an empty kid for none
#     until: 2027-01-31
`

/** The file, with what was learned, what was given, and an example of each other setting. */
export function renderAuditFile({ app, learned, given }: LearnedApp): string {
  const { age, start, use, browser } = given
  const values = new Map(
    Object.entries({ app, age, start, use, browser, catalogue: CATALOGUE_VERSION, fail_on: 'must' }),
  )
  let section: unknown
  const lines = EXAMPLES.split('\n').flatMap((line) => {
    const [, inner] = /^# {3}(\w+):/.exec(line) ?? []
    if (inner !== undefined) return isObject(section) && inner in section ? [] : [line]
    const [, key = ''] = /^(?:# )?(\w+)(?::|$)/.exec(line) ?? []
    section = values.get(key)
    const text =
      section === undefined ? line.replace(/^\w+$/, '# $&:') : stringify({ [key]: section }, { lineWidth: 0 }).trimEnd()
    return [...seenIn(key, learned).map((seen) => `# ${seen.replaceAll(/\p{Cc}/gu, ' ')}`), text]
  })
  return lines.join('\n')
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

function seenIn(key: string, { use, create, upgrade }: AuditReport['learned']): string[] {
  const seen = new Map(Object.entries({ use, create, upgrade })).get(key)
  return seen ? [`yes: ${seen.yes}`, ...seen.no.map((no) => `no: ${no}`)] : []
}
