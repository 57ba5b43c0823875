import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { replaceFile } from '../../sandbox/files/private-file.ts'
import { readTextIfThere } from '../../sandbox/files/text-file.ts'
import { parseYamlDocument } from '../../sandbox/files/yaml-document.ts'
import { CATALOGUE_VERSION } from '../../sandbox/outcomes/catalogue.ts'
import { camelCase } from '../../service/text/camel-case.ts'
import { quote } from '../../service/text/message-parts.ts'
import { checkAgainst } from '../../service/text/schema-problems.ts'
import { flagWord } from '../../service/text/shell-word.ts'
import type { Begin, PageRequest } from '../agent/browser.ts'
import { isPrivateAddress } from '../agent/parties.ts'
import type { PageSettings } from '../drive/driver.ts'
import type { AuditRunOptions, FlowOptions } from '../options.ts'
import type { AuditReport } from '../report/audit-report.ts'
import { REPORT_FORMATS } from '../report/write-reports.ts'
import { requireKnownNames } from '../trials/rows/select-rows.ts'
import { type AuditMode, readUnsettled } from './last-run.ts'
import {
  AUDIT_FLAGS,
  type AuditFileValues,
  type AuditSettings,
  auditFileSchema,
  type RequestInFile,
  readyPattern,
  settingsSchema,
} from './settings.ts'

/** The flags of the command: `{ failOn: 'should' }`. */
export type GivenFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

const givenTo = (flags: GivenFlags) =>
  AUDIT_FLAGS.flatMap((flag) => {
    const value = flags[camelCase(flag.name.replaceAll('-', '_'))]
    return value === undefined ? [] : [{ ...flag, value }]
  })

/**
 * Converts a text to a value. A text that cannot be converted is returned as it is, and the schema
 * refuses it.
 */
function parse(text: string, argument: string): unknown {
  if (argument === '<entry>') {
    const [, row, because] = /^([^:]+):(.+)$/s.exec(text)?.map((part) => part.trim()) ?? []
    return row && because ? { row, because } : text
  }
  return /years|number|seconds/.test(argument) && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/**
 * The settings from the flags.
 * @throws ConfigError with one line: the flag, what was received and what is allowed
 */
export function readFlags(page: string | undefined, flags: GivenFlags): AuditSettings {
  const given = givenTo(flags)
  const values: Record<string, unknown> = page === undefined ? {} : { app: page }
  for (const { at, value, argument } of given) {
    const [key = '', ...deeper] = at
    const read = (text: string) => parse(text, argument)
    const held =
      typeof value === 'boolean' ? value : typeof value === 'string' ? read(value) : value.map(read)
    const inner = deeper.reduceRight<unknown>((nested, name) => ({ [name]: nested }), held)
    values[key] = deeper.length === 0 ? inner : Object.assign({}, values[key], inner)
  }
  const checked = checkAgainst(settingsSchema.check(requireKnownNames), values)
  if (checked.kind === 'invalid') {
    const [{ path, message } = { path: [], message: checked.rest.join() }] = checked.problems
    const flag = given.find(({ at }) =>
      at.every((key, depth) => depth >= path.length || key === path[depth]),
    )
    throw ConfigError.of(flag ? `--${flag.name}: ${message}` : message)
  }
  refuseTogether(checked.value)
  return checked.value
}

type Key = keyof AuditSettings

const APART: readonly (readonly [Key, readonly Key[], string])[] = [
  ['list', ['learn', 'again', 'readings'], 'they are two things to do'],
  ['learn', ['again', 'readings'], 'they are two things to do'],
  ['again', ['readings', 'only'], 'both say what is looked at'],
  [
    'readings',
    ['fail_on'],
    '--readings tries no row; --fail-on-readings makes what it finds count',
  ],
  ['readings', ['only', 'skip', 'known', 'catalogue', 'slow', 'audit'], '--readings tries no row'],
  ['browser', ['cdp', 'headed'], '--browser http runs no Chromium'],
  ['headed', ['cdp'], '--cdp names a browser that runs already'],
  [
    'list',
    ['junit', 'sarif', 'markdown'],
    '--list runs no row, so that there is nothing to report',
  ],
  ['learn', REPORT_FORMATS, '--learn runs no row, so that there is nothing to report'],
]

function refuseTogether({ browser, ...others }: AuditSettings): void {
  const given: AuditSettings = { ...others, ...(browser === 'http' && { browser }) }
  const flagOf = (key: Key) => `--${AUDIT_FLAGS.find(({ at }) => at[0] === key)?.name}`
  for (const [key, keys, why] of APART) {
    const other = keys.find((one) => given[one] !== undefined)
    if (given[key] !== undefined && other)
      throw ConfigError.of(
        `${flagOf(key)} and ${flagOf(other)} do not go together: ${why}; leave one of them out`,
      )
  }
  if (given.fail_on_readings && !given.readings)
    throw ConfigError.of(
      '--fail-on-readings counts what --readings finds; give --readings too, or leave it out',
    )
}

/**
 * The command that audits the same app again, without rows and reports.
 * @param settings flags of the sandbox
 */
export function sameCall(
  page: string | undefined,
  flags: GivenFlags,
  settings: readonly string[],
): string {
  const own = givenTo(flags)
    .filter(({ isOfApp }) => isOfApp)
    .flatMap(({ name, value }) => [
      `--${name}`,
      ...(typeof value === 'string' ? [flagWord(value)] : []),
    ])
  return [
    'npx agekey-sandbox audit',
    ...(page === undefined ? [] : [flagWord(page)]),
    ...own,
    ...settings,
  ].join(' ')
}

/** Read from the working folder, if it exists. */
export const AUDIT_FILE = 'agekey-audit.yaml'

export type AuditFile = NonNullable<ReturnType<typeof readAuditFile>>

/**
 * Reads the file in a folder; `undefined` when it does not exist.
 * @throws ConfigError with file and line of each problem
 */
export function readAuditFile(cwd = '.') {
  const text = readTextIfThere(join(cwd, AUDIT_FILE))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  // A file in which every line is a comment means the defaults.
  const document = lines.every((line) => /^\s*(#|$)/.test(line)) ? '{}' : withQuotedPaths(text)
  const values = parseYamlDocument(document, {
    file: AUDIT_FILE,
    schema: auditFileSchema.check(requireKnownNames),
  })
  /** The line of a key at the top of the file; 1 when it is missing. */
  const lineOf = (key: keyof AuditFileValues) =>
    lines.findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1
  return { values, lineOf }
}

/**
 * Decision: a path with `{sub}` needs no quotes within braces, as in `audit: { get:
 * /verifications?sub={sub} }`, where YAML would take the placeholder for a mapping. No line moves.
 */
const withQuotedPaths = (text: string): string =>
  text.replaceAll(/(:[ \t]+)(\/[^\s'",{}]*\{sub\}[^\s'",{}]*)/g, "$1'$2'")

/** What an audit learned of an app, besides the flags. */
export type LearnedSettings = Pick<AuditReport, 'app' | 'learned'> & {
  readonly given: AuditSettings
}

/** @throws ConfigError when the file exists: it is never overwritten */
export function requireNoAuditFile(): void {
  if (existsSync(AUDIT_FILE))
    throw ConfigError.of(`${AUDIT_FILE}: is there already and stays as it is; move it away first`)
}

/**
 * Writes the file into the working folder.
 * @throws ConfigError when it exists, or cannot be written
 */
export async function writeAuditFile(learned: LearnedSettings): Promise<void> {
  requireNoAuditFile()
  try {
    await replaceFile(AUDIT_FILE, renderAuditFile(learned), { mode: 0o644 })
  } catch (cause) {
    throw ConfigError.of(`${AUDIT_FILE}: cannot be written (${messageOf(cause)})`, { cause })
  }
}

const HEADER = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/audit.schema.json
# Settings of agekey-sandbox audit. Flags go before this file. Lines that are commented out are examples.
`

/**
 * The file with an explanation of each setting: learned and given values, and examples for the
 * others.
 */
export function renderAuditFile({ app, learned, given }: LearnedSettings): string {
  const values: Readonly<Record<string, unknown>> = {
    catalogue: CATALOGUE_VERSION,
    fail_on: 'must',
    ...given,
    app,
  }
  const seen = new Map(Object.entries(learned))
  const settings = Object.entries(auditFileSchema.shape).map(([key, schema]) => {
    const { description = '', examples } = schema.unwrap().meta() ?? {}
    const { yes, no = [] } = seen.get(key) ?? {}
    const comments = [
      description,
      ...(yes === undefined ? [] : [`yes: ${yes}`]),
      ...no.map((one) => `no: ${one}`),
    ]
    const lines = comments.map((text) => `# ${text.replaceAll(/\p{Cc}/gu, ' ')}\n`)
    return `\n${lines.join('')}${renderSetting(key, values[key], Array.isArray(examples) ? examples[0] : undefined)}`
  })
  return HEADER + settings.join('')
}

function renderSetting(key: string, value: unknown, example: unknown): string {
  if (value === undefined) return commented(toYaml(key, example))
  const missing =
    isObject(value) && isObject(example)
      ? Object.entries(example).filter(([name]) => !(name in value))
      : []
  const [, ...rest] = toYaml(key, Object.fromEntries(missing)).split(/(?<=\n)/)
  return toYaml(key, value) + commented(rest.join(''))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const toYaml = (key: string, value: unknown) => stringify({ [key]: value }, { lineWidth: 0 })
const commented = (lines: string) => lines.replaceAll(/^(?=.)/gm, '# ')

export type AuditPlan = ReturnType<typeof planAudit>
export type AppStart = ReturnType<NonNullable<AuditPlan['start']>['of']>

type Environment = Readonly<Record<string, string | undefined>>

const PORT = '{port}'
const BASE_URL = '{base_url}'
const NO_APP = `the address of the app is missing: give the page where a user begins to prove an age, as in agekey-sandbox audit http://localhost:3000/verify, or app in ${AUDIT_FILE}`

/**
 * Combines flags and file; flags go first.
 * @throws ConfigError with one line for what does not fit together
 */
export function planAudit(
  given: AuditSettings,
  { file, environment }: { file: AuditFile | undefined; environment: Environment },
) {
  const settings = settle(given, file?.values)
  const { app, start, before = [], reset, use, create, upgrade, audit } = settings
  if (app === undefined) throw ConfigError.of(NO_APP)
  const placeOf = (key: 'app' | 'start' | 'audit') =>
    `${AUDIT_FILE}:${file?.lineOf(key) ?? 1}: ${key}`
  const refuse = (problem: string) =>
    ConfigError.of(given.app === undefined ? `${placeOf('app')}: ${problem}` : problem)
  if (app.includes(PORT) && start === undefined)
    throw refuse(
      '{port} is a free port for an app that the audit starts; give --start, or the port of your app',
    )
  if (!settings.this_app_is_mine && !isPrivateAddress(app.replaceAll(PORT, '80')))
    throw refuse(
      `${app} is beyond this machine and its private network, and the audit sends it hundreds of wrong answers; give --this-app-is-mine when it is yours`,
    )
  const mode: AuditMode = given.learn
    ? 'learn'
    : given.again
      ? 'again'
      : given.readings
        ? 'readings'
        : 'run'
  const only = mode === 'again' ? readUnsettled(app) : settings.only
  const {
    age,
    skip,
    catalogue,
    fail_on: failOn,
    known,
    jobs,
    repeat,
    slow,
    timeout,
    budget,
  } = settings
  const options: AuditRunOptions = {
    use: { accepted: use?.accepted, refused: use?.refused },
    ...{ create: flowOf(create), upgrade: flowOf(upgrade) },
    ...{ age, only, skip, catalogue, failOn, known, jobs, repeat, slow },
    ...{ timeoutSeconds: timeout, budgetSeconds: budget },
  }
  return {
    given,
    settings,
    options,
    mode,
    /** The page as it was given, with `{port}`. */
    app,
    /** How to start the app; absent when it runs already. */
    start: start && {
      place: given.start === undefined ? placeOf('start') : '--start',
      /** Whether each copy of the app gets its own port and tenant. */
      // Decision: without {base_url} all copies would use the tenant at the base URL, so there is
      // only one copy.
      isCopied: app.includes(PORT) && JSON.stringify([start.run, start.env]).includes(BASE_URL),
      of({ baseUrl, port }: { baseUrl: string; port: number }) {
        const filled = (text: string) =>
          text.replaceAll(BASE_URL, baseUrl).replaceAll(PORT, String(port))
        const { run, ready = app, env = {} } = start
        return {
          run: typeof run === 'string' ? filled(run) : run.map(filled),
          page: filled(app),
          ready: readyPattern(filled(ready)) ?? filled(ready),
          env: Object.fromEntries(
            Object.entries(env).map(([name, value]) => [name, filled(String(value))]),
          ),
        }
      },
    },
    pagesAt: (port: number): Omit<PageSettings, 'agent'> => ({
      page: app.replaceAll(PORT, String(port)),
      before: before.map(requestOf),
      reset: reset && requestOf(reset),
      fragment: use?.fragment && { post: use.fragment.post, as: use.fragment.as ?? 'form' },
      start: use?.start === undefined ? undefined : requestOf(use.start),
      begin: beginOf(use?.begin),
    }),
    /** How to ask the app whether it finds a verification again; the URL is a path of the app. */
    question: audit && {
      ...requestOf(audit),
      headers: headersOf(audit.headers, placeOf('audit'), environment),
    },
    /** Where the file names the code that reads the answers of a flow, or the app. */
    sourceOf(flow: string) {
      if (file === undefined) return undefined
      const ofCreate = flow === 'create' || flow === 'par'
      const own = ofCreate
        ? file.values.create
        : /^(?:token|upgrade)$/.test(flow)
          ? file.values.upgrade
          : undefined
      const source = (own ?? file.values.use)?.source ?? `${AUDIT_FILE}:${file.lineOf('app')}`
      const [path = '', line = 1] = source.split(':')
      return { file: path, line: Number(line) }
    },
  }
}

/** The settings of an audit: flags go before the file. */
export function settle(given: AuditSettings, file: AuditFileValues = {}): AuditSettings {
  const { app, start, use, audit, known = [] } = given
  return {
    ...file,
    ...given,
    // Decision: --start replaces only the command of the file; ready and env stay.
    start: start ? { ...file.start, ...start } : file.start,
    // Decision: a URL on the command line goes before both places of the file that say where Use
    // begins.
    use: { ...file.use, ...(app !== undefined && { start: undefined }), ...use },
    audit: audit ? { headers: file.audit?.headers, ...audit } : file.audit,
    // If both give a reason for a row, that of the flag counts.
    known: [
      ...known,
      ...(file.known ?? []).filter(({ row }) => !known.some((one) => one.row === row)),
    ],
  }
}

const flowOf = ({
  start,
  begin,
  accepted,
  refused,
}: NonNullable<AuditSettings['create']> = {}): FlowOptions => ({
  start: start === undefined ? undefined : { ...requestOf(start), begin: beginOf(begin) },
  accepted,
  refused,
})

const beginOf = (begin: RequestInFile | undefined): Begin | undefined =>
  begin?.click === undefined ? begin && { request: requestOf(begin) } : { click: begin.click }

/** A path, which each copy of the app resolves against its own page. */
function requestOf(request: string | RequestInFile): PageRequest {
  const { get, post = '', form, json } = typeof request === 'string' ? { get: request } : request
  if (get !== undefined) return { url: get, method: 'GET' }
  const texts =
    form && Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]))
  return {
    url: post,
    method: 'POST',
    ...(texts && { form: texts }),
    ...(json !== undefined && { json }),
  }
}

/** Headers with variables of the environment filled in. No message shows a value. */
function headersOf(
  headers: Readonly<Record<string, string>> = {},
  place: string,
  environment: Environment,
) {
  const fillIn = (name: string, value: string) =>
    value.replaceAll(/\{env:([^}]*)\}/g, (_, variable: string) => {
      if (environment[variable]) return environment[variable]
      const problem = `needs the variable ${quote(variable)} of the environment, which is not set`
      throw ConfigError.of(`${place}: headers: ${name} ${problem}`)
    })
  const filled = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    fillIn(name, value),
  ])
  try {
    return Object.fromEntries(new Headers(filled))
  } catch (cause) {
    throw ConfigError.of(
      `${place}: headers: a name or a value has characters that HTTP does not take`,
      { cause },
    )
  }
}
