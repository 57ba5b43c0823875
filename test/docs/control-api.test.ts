import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { isJsonObject } from '../../src/age/json-object.ts'
import { OPERATION_IDS, OPERATIONS } from '../../src/control/contract/contract.ts'
import type { Operation } from '../../src/control/contract/operation.ts'
import { headingAnchors } from '../support/markdown.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { EXAMPLES, type Example, FROZEN, REFUSALS } from './control-api-examples.ts'

const BASE_URL = 'http://localhost:2435'

const INTRODUCTION = `# Control API

JSON below \`/_sandbox\` of a sandbox, or of a tenant: \`http://localhost:2435/t/NAME/_sandbox\`. A body is
sent as \`application/json\`. A refusal is \`{error, error_description, findings}\` and changes nothing; when a name is unknown,
\`suggestions\` holds the nearest ones. The shapes are in \`/_sandbox/openapi.json\`
(OpenAPI 3.1), from which clients and types can be generated: \`npx openapi-typescript URL\`.

On this machine no token is needed. Beyond it the API is off until \`--control-token\` sets one: when the sandbox listens on another
address than loopback, when the host of its base URL is another one, and for every call that came through a proxy. Then each call
sends it: \`-H 'Authorization: Bearer TOKEN'\`. Pages of other sites cannot call it.

This file is made from \`src/control/contract/\` by \`npm run docs\`, and each answer below is one that a sandbox gave to the call above
it. Of a long list the first items are shown, of a long text the beginning. In a test in Node, [library.md](library.md) has a function for
each call.

## A test in any language

| Step | Call |
|---|---|
| begin with the declared state | [\`POST /reset\`](#post-reset); when tests run at once, [\`PUT /tenants/NAME\`](#put-tenantsname) for each |
| say what the next user does | [\`POST /expectations\`](#post-expectations) |
| let time pass | [\`POST /clock\`](#post-clock) |
| drive the app | your own tools |
| see what the app sent, what it got and what was wrong | [\`GET /flows\`](#get-flows) with \`wait\` |

## All calls

A question mark marks an optional member.

| Call | Does | Query | Body | Success |
|---|---|---|---|---|
`

test('docs/control-api.md lists the contract, with an example of every call; `npm run docs` writes it', async () => {
  const sandbox = await startSandbox({ baseUrl: BASE_URL, seed: 1 })
  await prepare(sandbox, '/clock', FROZEN)
  const rows = OPERATION_IDS.map((id) => `${rowOf(OPERATIONS[id])}\n`)
  const sections: string[] = []
  for (const id of OPERATION_IDS) sections.push(await sectionOf(sandbox, OPERATIONS[id], EXAMPLES[id]))
  sections.push(await refusalsOf(sandbox))
  await expect(INTRODUCTION + rows.join('') + sections.join('')).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/control-api.md', import.meta.url)),
  )
  // Each call starts a process of curl.
}, 120_000)

function rowOf(operation: Operation): string {
  const { summary, query, body, statuses } = operation
  const title = titleOf(operation)
  const call = `[\`${title}\`](#${headingAnchors(`# ${title}`)[0]})`
  return `| ${[call, summary, membersOf(query), membersOf(body), statuses.join(', ')].join(' | ')} |`
}

const titleOf = ({ method, path }: Operation) =>
  `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase())}`

const membersOf = (schema: z.ZodType) =>
  schema instanceof z.ZodObject
    ? Object.entries(schema.shape)
        .map(([name, member]) => `\`${name}${member instanceof z.ZodOptional ? '?' : ''}\``)
        .join(', ')
    : ''

/** What the page says of one call: what it does, the command and its answer. */
async function sectionOf(sandbox: TestSandbox, operation: Operation, example: Example): Promise<string> {
  for (const [path, body] of example.before ?? []) await prepare(sandbox, path, body)
  const command = example.shell ?? curlOf(operation, await withIds(sandbox, example))
  const answer = shownAnswer(await runIn(sandbox, command), { command, maxItems: example.maxItems })
  const note = example.note === undefined ? '' : `\n\n${example.note}`
  return `\n## \`${titleOf(operation)}\`\n\n${operation.summary}.${note}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n${answer}`
}

/** What the page says of refused calls: the commands and their answers. */
async function refusalsOf(sandbox: TestSandbox): Promise<string> {
  const sections: string[] = []
  for (const { sentence, command } of REFUSALS) {
    const answer: unknown = JSON.parse(await runIn(sandbox, command))
    expect(answer, command).toHaveProperty('error')
    sections.push(`${sentence}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`json\n${shortJson(answer)}\n\`\`\`\n`)
  }
  return `\n## When a call is refused\n\n${sections.join('\n')}`
}

async function prepare({ url }: TestSandbox, path: string, body: unknown): Promise<void> {
  const call = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  const address = path.startsWith('/v1/') || path.startsWith('/t/') ? `${url}${path}` : `${url}/_sandbox${path}`
  const response = await fetch(address, body === undefined ? { redirect: 'manual' } : call)
  expect(response.status).toBeLessThan(400)
}

/** The ids of a scenario and of an expectation are known when they are there. */
async function withIds(sandbox: TestSandbox, example: Example): Promise<Example> {
  const [[armed], [queued]] = await Promise.all([sandbox.scenarios.list(), sandbox.expectations.list()])
  const path = example.path.replace('SCENARIO', armed?.id ?? '').replace('EXPECTATION', queued?.id ?? '')
  return { ...example, path }
}

/** A call whose success has no JSON shows its status. */
function curlOf({ method, mediaType, statuses }: Operation, { path, body }: Example): string {
  const address = `${BASE_URL}/_sandbox${path}`
  const given = statuses.includes(204) ? '%{http_code}' : '%{http_code} %{content_type}'
  const showsStatus = statuses.includes(204) || mediaType === 'text/html'
  const verb = method === 'get' || (method === 'post' && body !== undefined) ? '' : `-X ${method.toUpperCase()} `
  const call = [
    `curl -s ${showsStatus ? `-o /dev/null -w '${given}\\n' ` : ''}${verb}${/[?&]/.test(address) ? `'${address}'` : address}`,
    ...(method === 'get' ? [] : [`-H 'Content-Type: application/json'`]),
    ...(body === undefined ? [] : [`-d '${shortJson(body)}'`]),
  ]
  return call.join(call.join(' ').length > 120 ? ' \\\n  ' : ' ')
}

const runIn = async ({ url }: TestSandbox, command: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-u', '-c', command.replaceAll(BASE_URL, url)])).stdout

function shownAnswer(text: string, { command, maxItems }: { command: string; maxItems: number | undefined }): string {
  if (!text.startsWith('{')) return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`
  const answer: unknown = JSON.parse(text)
  expect(answer, command).not.toHaveProperty('error')
  return `\`\`\`json\n${withoutChance(shortJson(answer, { maxItems, maxCharacters: 160 }))}\n\`\`\`\n`
}

/** What differs in each run, and what no seed makes the same. */
const withoutChance = (json: string) =>
  json
    .replace(/("uptime": )[\d.]+/, (_, name: string) => `${name}12`)
    .replaceAll(/eyJ[\w.-]+/g, 'eyJ')
    .replaceAll(/sandbox-(rs256|es256)-[\w-]+/gi, (_, alg: string) => `sandbox-${alg}-…`)

const WIDTH = 120

interface Limits {
  /** Items of a list that are shown; all when absent. */
  readonly maxItems?: number | undefined
  /** Characters of a text that are shown, with `…` behind them when there are more. */
  readonly maxCharacters?: number
}

/** JSON to read: what fits into a line stands in one. Long lists and texts are cut, so that it stays valid JSON. */
const shortJson = (value: unknown, limits: Limits = {}): string => written(cut(value, limits), '')

function cut(value: unknown, limits: Limits): unknown {
  const { maxItems = Number.POSITIVE_INFINITY, maxCharacters = Number.POSITIVE_INFINITY } = limits
  if (typeof value === 'string') return value.length > maxCharacters ? `${value.slice(0, maxCharacters)}…` : value
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => cut(item, limits))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, limits)]))
}

function written(value: unknown, indent: string): string {
  const inLine = oneLine(value)
  if (`${indent}${inLine}`.length <= WIDTH) return inLine
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${written(item, inner)}`).join(',\n')}\n${indent}]`
  }
  if (!isJsonObject(value)) return inLine
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${written(member, inner)}`,
  )
  return `{\n${members.join(',\n')}\n${indent}}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
