import * as z from 'zod'
import { quote } from '../../../age/quote.ts'
import { SUB } from '../../../audit/drill/ask-app.ts'
import { parseAcceptedRule } from '../../../audit/learn/accepted-rule.ts'
import { nonEmpty, textWithout } from '../../../config/settings/setting.ts'
import { messageOf } from '../../../files/caught.ts'
import { FAIL_ON } from '../../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSIONS } from '../../../sandbox/outcomes/catalogue.ts'
import { knownFindingsSchema } from './known-findings.ts'

/** `{port}` stands for a free port, in the address of an app that the audit starts itself. */
const pageAddress = textWithout(pageProblem)
const path = textWithout(pathProblem)
const formValue = z.union([z.string(), z.number(), z.boolean()])

const requestShape = {
  get: path.optional().describe('A path of the app'),
  post: path.optional().describe('A path of the app'),
  form: z.record(z.string(), formValue).optional().describe('Sent with post, as a form'),
  json: z.unknown().optional().describe('Sent with post, as JSON'),
}

const requestSchema = z.strictObject(requestShape).check(requireOneRequest)

const questionSchema = z
  .strictObject({
    ...requestShape,
    age: z.int().positive().optional().describe('The age that the app lets users in from; without it each age counts'),
    headers: z
      .record(z.string(), nonEmpty)
      .optional()
      .describe('Sent with it; {env:NAME} is a variable of the environment: "Bearer {env:ADMIN_TOKEN}"'),
  })
  .check(requireOneRequest)
  .check(({ value: { headers: _, age: __, ...request }, value, issues }) => {
    const message = subProblem(request)
    if (issues.length === 0 && message !== undefined) issues.push({ code: 'custom', path: [], message, input: value })
  })

/** A request, as far as it is checked here. */
type Request = z.output<z.ZodObject<typeof requestShape>>

function requireOneRequest({ value: { get, post, form, json }, value, issues }: z.core.ParsePayload<Request>): void {
  const refuse = (message: string) => issues.push({ code: 'custom', path: [], message, input: value })
  // An unknown key is reported already, with the one that was probably meant.
  const isReported = issues.some(({ code }) => code === 'unrecognized_keys')
  if (get === undefined && post === undefined && !isReported) refuse('give get or post, with a path of the app')
  if (get !== undefined && post !== undefined) refuse('get and post are two requests; give one of them')
  if (get !== undefined && (form ?? json) !== undefined) refuse('form and json go with post, not with get')
  if (form !== undefined && json !== undefined) refuse('form and json are two bodies; give one of them')
}

/** What keeps a request from asking for one verification. */
export function subProblem(request: unknown): string | undefined {
  if (JSON.stringify(request).includes(SUB)) return undefined
  return `names no ${SUB}, which stands for the sub that is asked for, as in /admin/verifications?sub=${SUB}`
}

const ruleText = nonEmpty.check(({ value, issues }) => {
  try {
    parseAcceptedRule(value)
  } catch (error) {
    issues.push({ code: 'custom', message: messageOf(error), input: value })
  }
})

const flowSchema = z.strictObject({
  start: z.union([path, requestSchema]).optional().describe('Where the browser begins this flow'),
  accepted: ruleText
    .optional()
    .describe('By what success is known: get=/me status=200, text=Welcome, cookie=session ...'),
  refused: ruleText.optional().describe('By what a refusal is known, written like accepted'),
  source: textWithout(sourceProblem)
    .optional()
    .describe('The place in your code that reads the answer, for SARIF: src/verify.ts:12'),
})

const startSchema = z.strictObject({
  run: z
    .union([nonEmpty, z.array(nonEmpty).min(1)])
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

const useSchema = flowSchema.extend({
  fragment: z
    .strictObject({
      post: path.describe('The path of the app that gets the parameters'),
      as: z.enum(['form', 'json']).optional().describe('How they are sent (default: form)'),
    })
    .optional()
    .describe('How the page of the callback passes on an answer that comes in the fragment'),
})

/** The file `agekey-audit.yaml`. Names that exist are checked, places in it that depend on each other by the reader. */
export const auditFileSchema = z.strictObject({
  app: pageAddress.optional().describe('The page of the app where a user begins to prove an age'),
  start: startSchema.optional().describe('How the audit starts the app itself'),
  before: z.array(requestSchema).optional().describe('Requests of a fresh browser; {n} makes a new user of each'),
  reset: requestSchema.optional().describe('A request that makes the app forget its users'),
  use: useSchema.optional(),
  create: flowSchema.optional(),
  upgrade: flowSchema.optional(),
  audit: questionSchema
    .optional()
    .describe('How the app is asked whether it knows a verification, for agekey-sandbox drill; {sub} is its sub'),
  // YAML reads 0.2 as a number.
  catalogue: z
    .union([z.string(), z.number()])
    .transform(String)
    .check(({ value, issues }) => {
      const message = catalogueProblem(value)
      if (message !== undefined) issues.push({ code: 'custom', message, input: value })
    })
    .optional()
    .describe('Rows that were added after this version of the catalogue run and do not count'),
  fail_on: z.enum(FAIL_ON).optional().describe('Findings count from this level on (default: must)'),
  known: knownFindingsSchema.optional().describe('Findings that are accepted for now'),
})

export type AuditFileValues = z.output<typeof auditFileSchema>
export type RequestInFile = z.output<typeof requestSchema>

/** What keeps a text from being a version of the catalogue. */
export function catalogueProblem(text: string): string | undefined {
  const known: readonly string[] = CATALOGUE_VERSIONS
  if (known.includes(text)) return undefined
  return `${quote(text)} is no version of the catalogue; there is ${known.join(', ')}`
}

/** What keeps a text from being a path of the app. */
export function pathProblem(text: string): string | undefined {
  return /^\/(?!\/)\S*$/.test(text) ? undefined : `${quote(text)} is not a path like /verify`
}

/** What keeps a text from being the address of a page. */
export function pageProblem(text: string): string | undefined {
  const url = text.replaceAll('{port}', '80')
  if (/^https?:\/\/[^\s\\]+$/i.test(url) && URL.canParse(url)) return undefined
  return `${quote(text)} is not an address like http://localhost:3000/verify`
}

/** A pattern of a line of the log: `/listening on/`. */
export const READY_PATTERN = /^\/(.+)\/$/

function readyProblem(text: string): string | undefined {
  const [, pattern] = READY_PATTERN.exec(text) ?? []
  if (pattern === undefined) {
    const problem = pageProblem(text)
    return problem && `${problem}, and no pattern of a line of the log like /listening on/`
  }
  try {
    new RegExp(pattern)
    return undefined
  } catch (error) {
    return `${quote(text)} is no pattern that JavaScript reads (${messageOf(error)})`
  }
}

function sourceProblem(text: string): string | undefined {
  if (/^(?![a-z]+:\/\/|\/)[^\s:]+(?::[1-9]\d*)?$/i.test(text)) return undefined
  return `${quote(text)} is not a file of the project like src/verify.ts:12`
}
