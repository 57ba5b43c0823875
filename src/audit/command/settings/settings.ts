import * as z from 'zod'
import { messageOf } from '../../../sandbox/files/caught.ts'
import {
  isNot,
  nonEmpty,
  textWithout,
  trueOrFalse,
  wholeNumber,
} from '../../../server/config/setting.ts'
import { quote } from '../../../service/text/message-parts.ts'
import { KNOWN_EXAMPLE, knownSchema } from '../../choices.ts'
import { parseAcceptedRule } from '../../learn/accepted-rule.ts'
import { FAIL_ON } from '../../report/audit-report.ts'

/** A schema for texts that `parse` accepts: it returns a truthy value and does not throw. */
const textFor = (parse: (text: string) => unknown, expected: string) =>
  textWithout((text) => {
    try {
      return parse(text) ? undefined : `${quote(text)} is not ${expected}`
    } catch (error) {
      return messageOf(error)
    }
  })

/** `{port}` stands for a free port in the URL of an app that the audit starts. */
const isAddress = (text: string, pattern = /^https?:\/\/[^\s\\]+$/i) =>
  pattern.test(text) && URL.canParse(text.replaceAll('{port}', '80'))

const address = (example: string, pattern?: RegExp) =>
  textFor((text) => isAddress(text, pattern), `an address like ${example}`)

const path = textFor((text) => /^\/(?!\/)\S*$/.test(text), 'a path like /verify')
const rule = textFor(parseAcceptedRule, 'a rule')
const formValue = z.union([z.string(), z.number(), z.boolean()])
const upTo = (to: number, expected = `a whole number from 1 to ${to}`) =>
  wholeNumber(expected, { from: 1, to })

function seconds(max: number) {
  const error = isNot(`a number of seconds above 0, at most ${max}`)
  return z.number({ error }).gt(0, { error }).lte(max, { error })
}

const requestShape = {
  get: path.describe('A path of the app'),
  post: path.describe('A path of the app'),
  form: z.record(z.string(), formValue).describe('Sent with post, as a form'),
  json: z.unknown().describe('Sent with post, as JSON'),
}
const requestSchema = z.strictObject(requestShape).partial().check(requireOneRequest)

export const click = nonEmpty.describe(
  'What a user presses on the page to begin: its visible text, or a CSS selector',
)
const beginSchema = z
  .strictObject({ click, ...requestShape })
  .partial()
  .check(requireOneRequest)

function requireOneRequest({
  value,
  issues,
}: z.core.ParsePayload<z.output<typeof beginSchema>>): void {
  // The schema itself reports unknown keys, with the most similar known key.
  if (issues.some(({ code }) => code === 'unrecognized_keys')) return
  const given = (keys: readonly (keyof typeof value)[]) =>
    keys.filter((key) => value[key] !== undefined)
  const ways = given(['click', 'get', 'post'])
  const bodies = given(['form', 'json'])
  const refuse = (message: string) =>
    issues.push({ code: 'custom', path: [], message, input: value })
  if (ways.length !== 1)
    refuse(
      `give get or post, with a path of the app, or in begin click; ${foundKeys(ways)}, and one is needed`,
    )
  else if (bodies.length > (value.post === undefined ? 0 : 1))
    refuse(`form or json goes with post, one of them; ${foundKeys([...ways, ...bodies])}`)
}

const foundKeys = (keys: readonly string[]) => `found ${keys.join(' and ') || 'none'}`

/** Stands for the `sub` in the URL, the form and the JSON of a question. */
export const SUB = '{sub}'

const NO_SUB = `names no ${SUB}, which stands for the sub that is asked for, as in /admin/verifications?sub=${SUB}`
const HEADERS_HELP =
  'Sent with it; {env:NAME} is a variable of the environment: "Bearer {env:ADMIN_TOKEN}"'
const questionSchema = z
  .strictObject({ ...requestShape, headers: z.record(z.string(), nonEmpty).describe(HEADERS_HELP) })
  .partial()
  .check(requireOneRequest)
  .check(({ value, issues }) => {
    const hasSub = JSON.stringify({ ...value, headers: undefined }).includes(SUB)
    if (issues.length === 0 && !hasSub)
      issues.push({ code: 'custom', path: [], message: NO_SUB, input: value })
  })

const SOURCE = /^(?![a-z]+:\/\/|\/)[^\s:]+(?::[1-9]\d*)?$/i
const sourceSchema = textFor(
  (text) => SOURCE.test(text),
  'a file of the project like src/verify.ts:12',
)
const BEGIN_HELP =
  'What a user does there to begin: { click: Prove your age }, or a request like { post: /verify }'
export const flowShape = {
  start: z.union([path, requestSchema]).describe('Where the browser begins this flow'),
  begin: beginSchema.describe(BEGIN_HELP),
  accepted: rule.describe(
    'By what success is known: get=/me status=200, text=Welcome, cookie=session ...',
  ),
  refused: rule.describe('By what a refusal is known, written like accepted'),
  source: sourceSchema.describe(
    'The place in your code that reads the answer, for SARIF: src/verify.ts:12',
  ),
}

const NO_START =
  'is done on the page of start; add start, the path of the page on which your app begins this flow'
const laterFlowSchema = z
  .strictObject(flowShape)
  .partial()
  .refine(({ begin, start }) => !begin || start !== undefined, { path: ['begin'], error: NO_START })

const fragmentSchema = z
  .strictObject({
    post: path.describe('The path of the app that gets the parameters'),
    as: z.enum(['form', 'json']).optional().describe('How they are sent (default: form)'),
  })
  .describe('How the page of the callback passes on an answer that comes in the fragment')

/**
 * Parses `ready` as the pattern of a log line: `/listening on/`; `undefined` for an address.
 * @throws SyntaxError for an invalid pattern
 * @example
 * ```ts
 * readyPattern('/listening on/') // /listening on/
 * readyPattern('http://localhost:3000/') // undefined
 * ```
 */
export function readyPattern(ready: string): RegExp | undefined {
  const [, pattern] = /^\/(.+)\/$/.exec(ready) ?? []
  return pattern === undefined ? undefined : new RegExp(pattern)
}

const READY =
  'an address like http://localhost:3000/verify, and no pattern of a line of the log like /listening on/'
const READY_HELP =
  'What says that the app is up: an address (default: app), or a line of its log: /listening on/'
const ENV_HELP =
  'Environment of the app; {base_url} is that of the sandbox or of its tenant, {port} the port of app'
const command = nonEmpty.regex(/\S/, { error: isNot('a command like "npm start"') })
const startSchema = z.strictObject({
  run: z
    .union([command, z.array(nonEmpty).min(1)])
    .describe('A text is run by the shell, a list is program and arguments'),
  ready: z
    .optional(textFor((text) => readyPattern(text) ?? isAddress(text), READY))
    .describe(READY_HELP),
  env: z.record(z.string(), formValue).optional().describe(ENV_HELP),
})

/** @param example the value that --learn writes as a comment if the setting is absent */
const shown = <Schema extends z.ZodType>(schema: Schema, example: unknown, description: string) =>
  schema.meta({ description, examples: [example] })

const RULES = { accepted: 'get=/me status=200', refused: 'text=Not yet' }
const START = {
  run: 'npm start',
  ready: '/listening on/',
  env: { AGE_BASE_URL: '{base_url}', PORT: '{port}' },
}
const LOGIN = { post: '/login', form: { email: 'user-{n}@example.test' } }
const FRAGMENT = { post: '/age/answer', as: 'form' }
const USE = {
  begin: { click: 'Prove your age' },
  ...RULES,
  source: 'src/verify.ts:12',
  fragment: FRAGMENT,
}
const CREATE = { start: '/create', begin: { click: 'Save my age' }, ...RULES }
const QUESTION = {
  get: '/admin/verifications?sub={sub}',
  headers: { Authorization: 'Bearer {env:ADMIN_TOKEN}' },
}
const START_HELP =
  'Starts the app; with {port} in app and {base_url} here as copies, each on its own tenant'
const KNOWN_HELP = 'Findings that are accepted for now; --known "ROW: REASON" adds one'

const USE_HELP = 'How Use begins and ends: source is your code that reads the answer, for SARIF'
const CREATE_HELP = 'The same of Create; start is needed when the app does not go there by itself'
const QUESTION_HELP = 'How the app is asked whether it finds a verification again; {sub} is its sub'
const BROWSER_HELP =
  'http, chromium or auto: http, unless your app answers by fragment (default: auto)'

/** The settings of agekey-audit.yaml, in the order of the file. */
const inFile = {
  app: address('http://localhost:3000/verify').describe(
    'The page of the app where a user begins to prove an age',
  ),
  age: shown(
    upTo(150, 'an age in years like 18'),
    18,
    'The age that the page is for, when the app asks for several',
  ),
  start: shown(startSchema, START, START_HELP),
  before: shown(
    z.array(requestSchema),
    [LOGIN],
    'Requests of a fresh browser; {n} makes a new user of each',
  ),
  reset: shown(
    requestSchema,
    { post: '/test/reset' },
    'A request that makes the app forget its users',
  ),
  use: shown(z.strictObject({ ...flowShape, fragment: fragmentSchema }).partial(), USE, USE_HELP),
  create: shown(laterFlowSchema, CREATE, CREATE_HELP),
  upgrade: shown(laterFlowSchema, { start: { post: '/upgrade' }, ...RULES }, 'The same of Upgrade'),
  audit: shown(questionSchema, QUESTION, QUESTION_HELP),
  browser: shown(z.enum(['auto', 'http', 'chromium']), 'auto', BROWSER_HELP),
  // YAML reads 0.2 as a number.
  catalogue: z
    .union([z.string(), z.number()])
    .transform(String)
    .describe('Rows that were added after this version of the catalogue run and do not count'),
  fail_on: z
    .enum(FAIL_ON)
    .describe('Findings count from this level on: must, should, may or none (default: must)'),
  known: shown(z.array(knownSchema), [{ ...KNOWN_EXAMPLE, until: '2027-01-31' }], KNOWN_HELP),
  jobs: shown(upTo(32), 4, 'Visits at the same time (default: 4)'),
  timeout: shown(seconds(600), 10, 'How long a visit may take, in seconds (default: 10)'),
  budget: shown(
    seconds(86_400),
    300,
    'How long the audit may take, in seconds (default: 300, with --readings 900)',
  ),
  repeat: shown(upTo(10), 2, 'How often a finding is looked at (default: 2)'),
  slow: shown(trueOrFalse, true, 'Also the rows that take long'),
}

const pattern = z.string().refine((text) => !text.includes(','), {
  error: ({ input }) =>
    `${JSON.stringify(input)} holds a comma; give the flag once for each pattern`,
})
const chromium = address('http://localhost:9222', /^(?:https?|wss?):\/\/\S+$/i)
const ONLY_HELP =
  'Only rows like use/id_token.*, family:signature, flow:create, cwe:347 or level:must; repeatable'
const READINGS_HELP =
  'Instead of rows: which readings of what the specification leaves open the app depends on'
const LEARN_HELP =
  'Learns what success and failure look like, writes agekey-audit.yaml and stops; never overwrites'

const inCall = {
  url: address('http://localhost:2435').describe(
    'A sandbox elsewhere, with --control-token when it asks for one',
  ),
  cdp: chromium.describe(
    'A Chromium that runs already, as http://localhost:9222; it goes on running',
  ),
  headed: trueOrFalse.describe('Shows the window of Chromium'),
  only: z.array(pattern).describe(ONLY_HELP),
  skip: z.array(pattern).describe('Leaves rows out, by the same patterns; repeatable'),
  again: trueOrFalse.describe(
    'Only what failed or was undetermined last time (.agekey-audit/last.json)',
  ),
  readings: trueOrFalse.describe(READINGS_HELP),
  fail_on_readings: trueOrFalse.describe(
    'What the app depends on counts for the exit code of --readings',
  ),
  json: z.string().describe('Writes the report as JSON; - is standard output'),
  junit: z.string().describe('Writes the report as JUnit XML'),
  sarif: z.string().describe('Writes the findings as SARIF 2.1.0'),
  markdown: z.string().describe('Writes the report as Markdown'),
  list: trueOrFalse.describe('Lists the rows with level and reference, and runs nothing'),
  learn: trueOrFalse.describe(LEARN_HELP),
  this_app_is_mine: trueOrFalse.describe(
    'Audits an app beyond this machine and its private network',
  ),
}

/**
 * The schema of `agekey-audit.yaml`. It does not check names of rows: the reader does, so that
 * `--help` need not load the catalogue.
 */
export const auditFileSchema = z.strictObject(inFile).partial()
/** The schema of each setting, with its description. */
export const settingShape = { ...inFile, ...inCall }

export const settingsSchema = z.strictObject(settingShape).partial()

export type AuditFileValues = z.output<typeof auditFileSchema>
/** Settings from flags and file, with the names of the file: `fail_on`. */
export type AuditSettings = z.output<typeof settingsSchema>
export type RequestInFile = z.output<typeof beginSchema>
