import type { ClockMove } from '../../../sandbox/clock/clock.ts'
import {
  type ExpectedAnswer,
  isRequest,
  type RecordedRequest,
  type RecordedStep,
  type Recording,
} from '../recording.ts'
import { callComment, fileHeading, recordingTitle } from './file-heading.ts'

/** Writes a flow as a test file for Vitest, which starts its own sandbox. */
export function vitestText(recording: Recording): string {
  const heading = commentLines(recording, [`Run it: npx vitest run ${recording.flow.id}.test.ts`])
  return `${heading}import { setupSandbox } from 'agekey-sandbox/vitest'
import { expect, test } from 'vitest'

${clientText(recording)}
const sandbox = await setupSandbox(${optionsText(recording)})

test(${quoted(recordingTitle(recording))}, async () => {
${bodyText(recording)}})
${HELPERS}${SEND}`
}

const SEND = `
/** Sends a request as the browser or the server of the app would; a redirect is not followed. */
async function send(path: string, { query, accept, form, json, authorization }: Sent): Promise<Answer> {
  const url = \`\${sandbox.baseUrl}\${path}\${query ? \`?\${new URLSearchParams(query)}\` : ''}\`
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(authorization === undefined ? {} : { authorization }),
    ...(json ? { 'content-type': 'application/json' } : {}),
  }
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form)
  const response = await fetch(url, { redirect: 'manual', headers, ...(body ? { method: 'POST', body } : {}) })
  return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
}
`

/** Writes a flow as a test file for Playwright, which starts a sandbox in each worker. */
export function playwrightText(recording: Recording): string {
  const heading = commentLines(recording, [
    `Run it: npx playwright test ${recording.flow.id}.spec.ts`,
    'It sends the requests of the flow itself; with your app, open its pages by the fixture page in their place.',
  ])
  return `${heading}import { type APIRequestContext, test as base, expect } from '@playwright/test'
import { type SandboxFixtures, type SandboxWorkerFixtures, sandboxFixtures } from 'agekey-sandbox/playwright'

${clientText(recording)}
const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>(sandboxFixtures(${optionsText(recording)}))

test(${quoted(recordingTitle(recording))}, async ({ sandbox, request }) => {
  const send = sender(request, sandbox.baseUrl)
${bodyText(recording)}})
${HELPERS}${SENDER}`
}

const SENDER = `
/** Sends requests as the browser or the server of the app would; a redirect is not followed. */
function sender(request: APIRequestContext, baseUrl: string) {
  return async (path: string, { query, accept, form, json, authorization }: Sent): Promise<Answer> => {
    const url = \`\${baseUrl}\${path}\${query ? \`?\${new URLSearchParams(query)}\` : ''}\`
    const body = json ? JSON.stringify(json) : form && String(new URLSearchParams(form))
    const type = json ? 'application/json' : 'application/x-www-form-urlencoded'
    const received = await request.fetch(url, {
      maxRedirects: 0,
      headers: {
        ...(accept === undefined ? {} : { accept }),
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { method: 'POST', data: body }),
    })
    const { location = '' } = received.headers()
    return { status: received.status(), location, text: await received.text() }
  }
}
`

const unicodeEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Characters that JSON allows in strings but editors do not show. */
const HIDDEN = /[\u2028\u2029\u007f-\u009f]/g

/** A string literal in single quotes. */
function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(HIDDEN, unicodeEscape)
  // `\\.` consumes a backslash with the escaped character, so `'` matches only without a backslash.
  return `'${inner.replaceAll(/\\.|'/g, inSingleQuotes)}'`
}

/** Unescapes `"` and escapes `'`. */
function inSingleQuotes(part: string): string {
  if (part === '\\"') return '"'
  return part === "'" ? "\\'" : part
}

const commentLines = (recording: Recording, use: readonly string[]): string =>
  fileHeading(recording, { use })
    .map((line) => `// ${line}\n`)
    .join('')

/** The declaration of the test's client, which has its own secret. */
function clientText({ needs: { client } }: Recording): string {
  const {
    clientId = 'ak_test_sandbox',
    redirectUris = ['http://localhost:3000/callback'],
    signingAlg,
  } = client ?? {}
  const declared = {
    clientId,
    clientSecret: 'a-secret-of-this-test',
    redirectUris,
    ...(signingAlg && { signingAlg }),
  }
  const members = Object.entries(declared).map(
    ([name, value]) => `  ${name}: ${valueText(value)},\n`,
  )
  return `// The client of this test; its secret is not that of the flow.\nconst client = {\n${members.join('')}}\n`
}

/** The options of the sandbox as code: the client, and settings that differ from the defaults. */
function optionsText({
  needs: { client, profile, lifetimes, slowReplySeconds, readings },
}: Recording): string {
  const given = Object.entries({ profile, lifetimes, slowReplySeconds, readings }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}: ${valueText(value)}`]),
  )
  const members = [...(client ? ['clients: [client]'] : []), ...given]
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** A value as code. Keys that are identifiers have no quotation marks. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return '{}'
  return `{ ${members.map(([name, member]) => `${nameText(name)}: ${valueText(member)}`).join(', ')} }`
}

function nameText(name: string): string {
  // Without brackets, the member `__proto__` would set the prototype.
  if (name === '__proto__') return "['__proto__']"
  return /^(?:[a-z_$][\w$]*|0|[1-9]\d{0,8})$/i.test(name) ? name : quoted(name)
}

/** The body of the test: personas, decisions, moves of the clock, requests and expectations. */
function bodyText({ needs, steps }: Recording): string {
  const put = needs.personas.map((persona) => `await sandbox.personas.put(${valueText(persona)})`)
  return [...put, ...steps.flatMap(stepLines)]
    .map((line) => (line === '' ? '\n' : `  ${line}\n`))
    .join('')
}

function stepLines(step: RecordedStep): string[] {
  if (!isRequest(step)) return moveLines(step.move)
  const { decision, flow } = step
  const { persona, outcome } = decision ?? {}
  return [
    '',
    ...(decision ? [`await sandbox.next(${valueText({ flow, persona, outcome })})`] : []),
    `// ${callComment(step)}`,
    ...requestLines(step),
  ]
}

const moveLines = ({ reset, set, freeze, advance }: ClockMove): string[] => [
  ...(reset ? ['await sandbox.clock.reset()'] : []),
  ...(freeze ? ['await sandbox.clock.freeze()'] : []),
  ...(set === undefined ? [] : [`await sandbox.clock.set(${quoted(set)})`]),
  ...(freeze === false ? ['await sandbox.clock.freeze(false)'] : []),
  ...(advance === undefined ? [] : [`await sandbox.clock.advance(${advance})`]),
]

function requestLines(request: RecordedRequest): string[] {
  const { name, call, expected, issues } = request
  const sent = `send(${quoted(call.path)}, ${sentText(request)})`
  if (expected.kind === 'dropped') return [`await expect(${sent}).rejects.toThrow()`]
  return [
    `const ${name} = await ${sent}`,
    ...expectLines(name, expected),
    ...issuedLines(name, expected, issues),
  ]
}

const CREDENTIALS: Readonly<Record<RecordedRequest['credentials'], readonly string[]>> = {
  none: [],
  basic: ['authorization: basic(client.clientSecret)'],
  wrong_basic: ["authorization: basic('a wrong secret')"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the file that is written
  bearer: ['authorization: `Bearer ${access_token}`'],
  wrong_bearer: ["authorization: 'Bearer no-such-token'"],
}

function sentText({ fields, body, accept, credentials, caller }: RecordedRequest): string {
  const parameters = fields.map(([name, value]) => `    [${quoted(name)}, ${fieldText(value)}],\n`)
  const list = `[\n${parameters.join('')}  ]`
  if (caller === 'browser')
    return `{ query: ${list}${accept === undefined ? '' : `, accept: ${quoted(accept)}`} }`
  return `{ ${[...CREDENTIALS[credentials], body ? `json: ${valueText(body)}` : `form: ${list}`].join(', ')} }`
}

function fieldText(value: RecordedRequest['fields'][number][1]): string {
  if (value.kind === 'text') return quoted(value.text)
  if (value.kind === 'issued') return value.issued
  return value.isRight ? 'client.clientSecret' : "'a wrong secret'"
}

function expectLines(
  name: string,
  expected: Exclude<ExpectedAnswer, { kind: 'dropped' }>,
): string[] {
  if (expected.kind === 'any') return [`expect(${name}.status).toBeLessThan(400)`]
  const { status, error } = expected
  const ofStatus = `expect(${name}.status).toBe(${status})`
  if (expected.kind === 'reply') {
    const ofBody = `expect(JSON.parse(${name}.text)).toMatchObject({ error: ${quoted(error ?? '')} })`
    return [ofStatus, ...(error === undefined ? [] : [ofBody])]
  }
  const { place, names, thresholds } = expected
  return [
    ofStatus,
    `const ${name}Callback = callbackIn(${name}, ${quoted(place)})`,
    `expect([...${name}Callback.keys()]).toEqual(${valueText(names)})`,
    ...(error === undefined ? [] : [`expect(${name}Callback.get('error')).toBe(${quoted(error)})`]),
    ...(thresholds
      ? [`expect(thresholdsIn(${name}Callback)).toEqual(${valueText(thresholds)})`]
      : []),
  ]
}

function issuedLines(
  name: string,
  expected: ExpectedAnswer,
  issues: RecordedRequest['issues'],
): string[] {
  if (issues === undefined) return []
  if (expected.kind === 'callback')
    return [`const ${issues} = ${name}Callback.get(${quoted(issues)}) ?? ''`]
  return [`const { ${issues} } = JSON.parse(${name}.text)`]
}

/**
 * The end of a JavaScript file: everything that the test calls, except `send`, which depends on the
 * test runner.
 */
const HELPERS = `
interface Sent {
  /** Of a request by the browser. */
  query?: [string, string][]
  accept?: string
  /** Of a call by the server. */
  form?: [string, string][]
  json?: object
  authorization?: string
}

interface Answer {
  status: number
  location: string
  text: string
}

/**
 * What the browser brings to the app: in the fragment or the query of an address, or as the fields
 * of a form.
 */
function callbackIn({ location, text }: Answer, place: 'fragment' | 'query' | 'form'): URLSearchParams {
  if (place === 'fragment') return new URLSearchParams(location.split('#')[1])
  if (place === 'query') return new URL(location).searchParams
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  // As the journal keeps them: of a field that comes twice the last one.
  return new URLSearchParams(Object.fromEntries(fields.map(([, name = '', value = '']) => [plain(name), plain(value)])))
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const plain = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)

/** What the id_token says; an app validates it first. */
function thresholdsIn(callback: URLSearchParams): unknown {
  const [, payload = ''] = (callback.get('id_token') ?? '').split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).age_thresholds
}

const basic = (secret: string) => \`Basic \${Buffer.from(\`\${client.clientId}:\${secret}\`).toString('base64')}\`
`
