import * as z from 'zod'
import { unknownName } from '../../age/nearest.ts'
import { quote } from '../../age/quote.ts'
import { isNot, nonEmpty, textWithout, trueOrFalse, wholeNumber } from '../../config/settings/setting.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { checkAgainst } from '../../files/schema-problems.ts'
import { FAIL_ON } from '../../sandbox/outcomes/audit-report.ts'
import { parseAcceptedRule } from '../learn/accepted-rule.ts'

const path = textWithout((text) =>
  /^\/(?!\/)\S*$/.test(text) ? undefined : `${quote(text)} is not a path like /verify`,
)
const formValue = z.union([z.string(), z.number(), z.boolean()])

/** A text that parsing takes without an error. */
const parsedBy = (parse: (text: string) => unknown) =>
  textWithout((text) => {
    try {
      return void parse(text)
    } catch (error) {
      return messageOf(error)
    }
  })

const address = (example: string, pattern = /^https?:\/\/[^\s\\]+$/i) =>
  textWithout((text) => (isAddress(text, pattern) ? undefined : `${quote(text)} is not an address like ${example}`))

/** `{port}` stands for a free port, in the address of an app that the audit starts. */
const isAddress = (text: string, pattern = /^https?:\/\/[^\s\\]+$/i) =>
  pattern.test(text) && URL.canParse(text.replaceAll('{port}', '80'))

const pageAddress = address('http://localhost:3000/verify')

function seconds(max: number) {
  const error = isNot(`a number of seconds above 0, at most ${max}`)
  return z.number({ error }).gt(0, { error }).lte(max, { error })
}

const oneOf = <const Name extends string>(kind: string, names: readonly Name[]) =>
  z.enum(names, { error: ({ input }) => (typeof input === 'string' ? unknownName(kind, input, names) : undefined) })

const requestShape = {
  get: path.optional().describe('A path of the app'),
  post: path.optional().describe('A path of the app'),
  form: z.record(z.string(), formValue).optional().describe('Sent with post, as a form'),
  json: z.unknown().optional().describe('Sent with post, as JSON'),
}

const requestSchema = z.strictObject(requestShape).check(requireOneRequest)

const beginSchema = z
  .strictObject({
    click: nonEmpty.optional().describe('The visible text of a button or link, or a CSS selector'),
    ...requestShape,
  })
  .check(requireOneRequest)

/** Stands for the `sub` in the address, the form and the JSON of a question. */
export const SUB = '{sub}'

const questionSchema = z
  .strictObject({
    ...requestShape,
    headers: z
      .record(z.string(), nonEmpty)
      .optional()
      .describe('Sent with it; {env:NAME} is a variable of the environment: "Bearer {env:ADMIN_TOKEN}"'),
  })
  .check(requireOneRequest)
  .check(({ value: { headers: _, ...request }, value, issues }) => {
    const message = `names no ${SUB}, which stands for the sub that is asked for, as in /admin/verifications?sub=${SUB}`
    if (issues.length === 0 && !JSON.stringify(request).includes(SUB))
      issues.push({ code: 'custom', path: [], message, input: value })
  })

function requireOneRequest({ value, issues }: z.core.ParsePayload<z.output<typeof beginSchema>>): void {
  const { click, get, post, form, json } = value
  const refuse = (message: string) => issues.push({ code: 'custom', path: [], message, input: value })
  // An unknown key is reported already, with the one that was probably meant.
  if (issues.some(({ code }) => code === 'unrecognized_keys')) return
  if ((click ?? get ?? post) === undefined) refuse('give get or post, with a path of the app')
  if (get !== undefined && post !== undefined) refuse('get and post are two requests; give one of them')
  if (click !== undefined && (get ?? post) !== undefined) refuse('click is no request; give it alone')
  if ((get ?? click) !== undefined && (form ?? json) !== undefined) refuse('form and json go with post')
  if (form !== undefined && json !== undefined) refuse('form and json are two bodies; give one of them')
}

const rule = parsedBy(parseAcceptedRule)

const flowSchema = z.strictObject({
  start: z.union([path, requestSchema]).optional().describe('Where the browser begins this flow'),
  begin: beginSchema
    .optional()
    .describe('What a user does there to begin: { click: Prove your age }, or a request like { post: /verify }'),
  accepted: rule.optional().describe('By what success is known: get=/me status=200, text=Welcome, cookie=session ...'),
  refused: rule.optional().describe('By what a refusal is known, written like accepted'),
  source: textWithout(sourceProblem)
    .optional()
    .describe('The place in your code that reads the answer, for SARIF: src/verify.ts:12'),
})

function sourceProblem(text: string): string | undefined {
  if (/^(?![a-z]+:\/\/|\/)[^\s:]+(?::[1-9]\d*)?$/i.test(text)) return undefined
  return `${quote(text)} is not a file of the project like src/verify.ts:12`
}

const startSchema = z.strictObject({
  run: z
    .union([nonEmpty.regex(/\S/, { error: isNot('a command like "npm start"') }), z.array(nonEmpty).min(1)])
    .describe('A text is run by the shell, a list is a program and its arguments'),
  ready: textWithout(readyProblem)
    .optional()
    .describe(
      'What says that the app is up: an address that answers (default: app), or a line of its log: /listening on/',
    ),
  env: z
    .record(z.string(), formValue)
    .optional()
    .describe(
      'Environment of the app; {base_url} is that of the sandbox or of the tenant of a copy, {port} the port of app',
    ),
})

/** A pattern of a line of the log: `/listening on/`. */
export const READY_PATTERN = /^\/(.+)\/$/

function readyProblem(text: string): string | undefined {
  const [, pattern] = READY_PATTERN.exec(text) ?? []
  try {
    if (pattern !== undefined) return void new RegExp(pattern)
  } catch (error) {
    return `${quote(text)} is no pattern that JavaScript reads (${messageOf(error)})`
  }
  const example = 'http://localhost:3000/verify, and no pattern of a line of the log like /listening on/'
  return isAddress(text) ? undefined : `${quote(text)} is not an address like ${example}`
}

const knownSchema = z.strictObject(
  {
    row: z.string().describe('Flow and name: use/id_token.kid_empty'),
    because: nonEmpty.describe('Why it is accepted for now'),
    until: textWithout(dateProblem).optional().describe('The last day on which it is accepted (UTC): 2027-01-31'),
  },
  {
    error: ({ code, input }) =>
      code === 'invalid_type' && typeof input === 'string'
        ? `${quote(input)} is not a row, a colon and a reason, as in "use/id_token.kid_empty: the library takes an empty kid for none"`
        : undefined,
  },
)

function dateProblem(text: string): string | undefined {
  const instant = new Date(`${text}T00:00:00.000Z`)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(instant.getTime())
  // JavaScript reads 30 February as the 2nd of March.
  if (isDate && instant.toISOString().startsWith(text)) return undefined
  return `${quote(text)} is not a date like 2027-01-31`
}

/** What agekey-audit.yaml may say. */
const inFile = {
  app: pageAddress.describe('The page of the app where a user begins to prove an age'),
  age: wholeNumber('an age in years like 18', { from: 1, to: 150 }).describe(
    'The age that the page is for, when the app asks for several',
  ),
  start: startSchema.describe('How the audit starts the app itself'),
  before: z.array(requestSchema).describe('Requests of a fresh browser; {n} makes a new user of each'),
  reset: requestSchema.describe('A request that makes the app forget its users'),
  use: flowSchema.extend({
    fragment: z
      .strictObject({
        post: path.describe('The path of the app that gets the parameters'),
        as: z.enum(['form', 'json']).optional().describe('How they are sent (default: form)'),
      })
      .optional()
      .describe('How the page of the callback passes on an answer that comes in the fragment'),
  }),
  create: flowSchema,
  upgrade: flowSchema,
  audit: questionSchema.describe('How the app is asked whether it finds a verification again; {sub} is its sub'),
  browser: oneOf('browser', ['auto', 'http', 'chromium']).describe(
    'http, chromium or auto: http, unless your app answers by fragment (default: auto)',
  ),
  // YAML reads 0.2 as a number.
  catalogue: z
    .union([z.string(), z.number()])
    .transform(String)
    .describe('Rows that were added after this version of the catalogue run and do not count'),
  fail_on: oneOf('level', FAIL_ON).describe(
    'Findings count from this level on: must, should, may or none (default: must)',
  ),
  known: z.array(knownSchema).describe('Findings that are accepted for now'),
  jobs: wholeNumber('a whole number from 1 to 32', { from: 1, to: 32 }).describe(
    'Visits at the same time (default: 4)',
  ),
  timeout: seconds(600).describe('How long a visit may take, in seconds (default: 10)'),
  budget: seconds(86_400).describe('How long the audit may take, in seconds (default: 300, with --readings 900)'),
  repeat: wholeNumber('a whole number from 1 to 10', { from: 1, to: 10 }).describe(
    'How often a finding is looked at (default: 2)',
  ),
  slow: trueOrFalse.describe('Also the rows that take long'),
}

const pattern = z.string().check(({ value, issues }) => {
  const message = `${JSON.stringify(value)} holds a comma; give the flag once for each pattern`
  if (value.includes(',')) issues.push({ code: 'custom', message, input: value })
})

/** What the call alone says. */
const inCall = {
  url: address('http://127.0.0.1:2435').describe('A sandbox elsewhere, with --control-token when it asks for one'),
  cdp: address('http://localhost:9222', /^(?:https?|wss?):\/\/\S+$/i).describe(
    'A Chromium that runs already, as http://localhost:9222; it goes on running',
  ),
  headed: trueOrFalse.describe('Shows the window of Chromium'),
  only: z
    .array(pattern)
    .describe('Only these rows: use/id_token.*, family:signature, flow:create, cwe:347 or level:must; may be repeated'),
  skip: z.array(pattern).describe('Leaves rows out, by the same patterns; may be repeated'),
  again: trueOrFalse.describe('Only what failed or was undetermined last time (.agekey-audit/last.json)'),
  readings: trueOrFalse.describe(
    'Instead of rows: under which readings of what the specification leaves open the app works, and on which it depends',
  ),
  fail_on_readings: trueOrFalse.describe('What the app depends on counts for the exit code of --readings'),
  json: z.string().describe('Writes the report as JSON; - is standard output'),
  junit: z.string().describe('Writes the report as JUnit XML'),
  sarif: z.string().describe('Writes the findings as SARIF 2.1.0'),
  markdown: z.string().describe('Writes the report as Markdown'),
  list: trueOrFalse.describe('Lists the rows with level and reference, and runs nothing'),
  learn: trueOrFalse.describe(
    'Learns what success and failure look like, writes agekey-audit.yaml and stops; never overwrites',
  ),
  this_app_is_mine: trueOrFalse.describe('Audits an app beyond this machine and its private network'),
}

/** The shape of `agekey-audit.yaml`; `audit-file.ts` also checks the names of rows. */
export const auditFileSchema = z.strictObject(inFile).partial()
const settingsSchema = z.strictObject({ ...inFile, ...inCall }).partial()

export type AuditFileValues = z.output<typeof auditFileSchema>
/** What flags and file say, with the names of the file: `fail_on`. */
export type AuditSettings = z.output<typeof settingsSchema>
export type RequestInFile = z.output<typeof beginSchema>

/** One flag, without its dashes. */
interface Flag {
  readonly name: string
  /** Its place in the settings, when that is not its name: `use.accepted`. */
  readonly at?: string
  /** A flag without argument is a switch. */
  readonly argument?: string
  /** When the settings have no text for it. */
  readonly help?: string
  /** May be given several times. */
  readonly isList?: true
  /** Belongs to each audit of the same app. */
  readonly stays?: true
  /** Makes a value of a text; what cannot be one is returned as it is, and the schema refuses it. */
  parse?(text: string): unknown
}

const parse = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)

const RULE_HELP = 'how success of Use is known: get=/me status=200, text=Welcome, url=**/members, cookie=session ...'
const BEGIN_HELP = 'what a user presses on the page to begin: its visible text, or a CSS selector'
const START_HELP =
  'starts the app, and ends it with the audit; {base_url} is that of the sandbox, {port} the port of the app'
const FIND_HELP = 'how the app is asked whether it finds a verification again: /admin/verifications?sub={sub}'
const KNOWN_HELP = 'a finding that is accepted for now: its row, a colon and why; may be repeated'

// Decision: one pattern for each --only, and no commas: a list of values would swallow the address that follows it.
const FLAGS: readonly Flag[] = [
  { name: 'accepted', at: 'use.accepted', argument: ' <rule>', stays: true, help: RULE_HELP },
  { name: 'begin', at: 'use.begin.click', argument: ' <text>', stays: true, help: BEGIN_HELP },
  { name: 'age', argument: ' <years>', stays: true, parse },
  { name: 'start', at: 'start.run', argument: ' <command>', stays: true, help: START_HELP },
  { name: 'browser', argument: ' <name>', stays: true },
  { name: 'cdp', argument: ' <url>', stays: true },
  { name: 'headed', stays: true },
  { name: 'url', argument: ' <url>', stays: true },
  { name: 'this-app-is-mine', stays: true },
  { name: 'only', argument: ' <pattern>', isList: true },
  { name: 'skip', argument: ' <pattern>', isList: true },
  { name: 'find', at: 'audit.get', argument: ' <path>', help: FIND_HELP },
  { name: 'readings' },
  { name: 'fail-on-readings' },
  { name: 'fail-on', argument: ' <level>' },
  { name: 'known', argument: ' <entry>', isList: true, parse: parseKnown, help: KNOWN_HELP },
  { name: 'catalogue', argument: ' <version>' },
  { name: 'again' },
  { name: 'jobs', argument: ' <number>', parse },
  { name: 'timeout', argument: ' <seconds>', stays: true, parse },
  { name: 'budget', argument: ' <seconds>', parse },
  { name: 'repeat', argument: ' <number>', parse },
  { name: 'slow', stays: true },
  { name: 'json', argument: ' <file>' },
  { name: 'junit', argument: ' <file>' },
  { name: 'sarif', argument: ' <file>' },
  { name: 'markdown', argument: ' <file>' },
  { name: 'list' },
  { name: 'learn' },
]

function parseKnown(entry: string): unknown {
  const [, row, because] = /^([^:]+):(.+)$/s.exec(entry)?.map((part) => part.trim()) ?? []
  return row && because ? { row, because } : entry
}

const snakeCased = (name: string) => name.replaceAll('-', '_')
const HELP = new Map(Object.entries({ ...inFile, ...inCall }).map(([key, { description }]) => [key, description]))

/** The flags of the command, as its parser takes them. */
export const AUDIT_FLAGS = FLAGS.map(({ name, argument = '', isList = false, help }) => ({
  flags: `--${name}${argument}`,
  help: (help ?? HELP.get(snakeCased(name)) ?? '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()),
  isList,
}))

/** What the command line gives, by flag: `{ failOn: 'should' }`. */
export type GivenFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

const givenTo = (flags: GivenFlags) =>
  FLAGS.flatMap((flag) => {
    const value = flags[flag.name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
    return value === undefined ? [] : [{ ...flag, at: (flag.at ?? snakeCased(flag.name)).split('.'), value }]
  })

/**
 * The settings that flags give.
 * @param page where a user begins to prove an age
 * @throws ConfigError with one line that names the flag, what came and what is allowed
 */
export function readFlags(page: string | undefined, flags: GivenFlags): AuditSettings {
  const given = givenTo(flags)
  const values: Record<string, unknown> = page === undefined ? {} : { app: page }
  for (const { at, value, parse = (text: string) => text } of given) {
    const [key = '', ...deeper] = at
    const read = typeof value === 'object' ? value.map(parse) : typeof value === 'string' ? parse(value) : value
    const inner = deeper.reduceRight<unknown>((held, name) => ({ [name]: held }), read)
    values[key] = deeper.length === 0 ? inner : Object.assign({}, values[key], inner)
  }
  const checked = checkAgainst(settingsSchema, values)
  if (checked.kind === 'invalid') {
    const [{ path, message } = { path: [], message: checked.rest.join() }] = checked.problems
    const flag = given.find(({ at }) => at.every((key, depth) => depth >= path.length || key === path[depth]))
    throw ConfigError.of(flag ? `--${flag.name}: ${message}` : message)
  }
  refuseTogether(checked.value)
  return checked.value
}

/** The formats of reports, each with the flag that names its file. */
export const REPORT_FORMATS = ['json', 'junit', 'sarif', 'markdown'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

const MODES = ['list', 'learn', 'again', 'readings'] as const

/** What an audit does beside `run`. */
export const modeOf = (settings: AuditSettings) => MODES.find((mode) => settings[mode]) ?? 'run'

const ABOUT_ROWS = ['only', 'skip', 'fail_on', 'known', 'catalogue', 'slow', 'audit'] as const

/** @throws ConfigError for flags that do not go together */
function refuseTogether(given: AuditSettings): void {
  const refuse = (message: string) => {
    throw ConfigError.of(message)
  }
  const nameOf = (key: string) => (key === 'audit' ? '--find' : `--${key.replaceAll('_', '-')}`)
  const first = (keys: readonly (keyof AuditSettings)[]) => keys.find((key) => given[key] !== undefined)
  const modes = MODES.filter((mode) => given[mode]).map(nameOf)
  const { list, learn, again, readings, only, cdp, headed, browser } = given
  if (modes.length > 1)
    refuse(`${modes.join(' and ')} are ${modes.length === 2 ? 'two' : 'several'} things to do; give one of them`)
  if (given.fail_on_readings && !readings)
    refuse('--fail-on-readings counts what --readings finds; give --readings too, or leave it out')
  const rows = first(ABOUT_ROWS)
  const instead = rows === 'fail_on' ? '; --fail-on-readings makes what it finds count' : ''
  if (readings && rows !== undefined)
    refuse(`${nameOf(rows)} is about rows, and --readings tries none; leave one of them out${instead}`)
  if (again && only) refuse('--again and --only both say which rows; give one of them')
  const forChromium = first(['cdp', 'headed'])
  if (browser === 'http' && forChromium)
    refuse(`${nameOf(forChromium)} is for Chromium, and --browser http runs none; leave one of them out`)
  if (cdp && headed)
    refuse('--headed is for a browser that the audit starts, and --cdp names one that runs; leave one of them out')
  const format = first(REPORT_FORMATS.filter((one) => !(list && one === 'json')))
  if (format && (list || learn)) refuse(`--${format}: ${modes.join()} runs no row, so that there is nothing to report`)
}

/** The settings of an audit: those of the call go before those of the file. */
export function settle(given: AuditSettings, file: AuditFileValues = {}): AuditSettings {
  const { app, start, use, audit, known = [] } = given
  return {
    ...file,
    ...given,
    // Decision: --start replaces the command of the file alone; ready and env stay.
    start: start ? { ...file.start, ...start } : file.start,
    // Decision: an address on the command line goes before both places of the file that say where Use begins.
    use: { ...file.use, ...(app !== undefined && { start: undefined }), ...use },
    audit: audit ? { headers: file.audit?.headers, ...audit } : file.audit,
    // Of a row that both name, the reason of the flag counts.
    known: [...known, ...(file.known ?? []).filter(({ row }) => !known.some((one) => one.row === row))],
  }
}

/**
 * What is typed to audit the same app once more: the call without the flags that say which rows, and without those of reports.
 * @param settings flags of the sandbox, as they are typed
 */
export function sameCall(page: string | undefined, flags: GivenFlags, settings: readonly string[]): string {
  const own = givenTo(flags).flatMap(({ name, stays, value }) =>
    stays ? [`--${name}`, ...(typeof value === 'string' ? [shellWord(value)] : [])] : [],
  )
  return ['npx agekey-sandbox audit', ...(page === undefined ? [] : [shellWord(page)]), ...own, ...settings].join(' ')
}

/** A text as one word of a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
