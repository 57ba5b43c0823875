import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { OPERATION_IDS, OPERATIONS } from '../../src/control/contract/contract.ts'
import type { Operation } from '../../src/control/contract/operation.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { EXAMPLES, type Example, FROZEN, REFUSALS } from './control-api-examples.ts'
import { expectPage, headingAnchors, readPage, withGenerated } from './page.ts'

const BASE_URL = 'http://localhost:2435'
const HEADINGS = ['| Call | Does | Query | Body | Success |', '|---|---|---|---|---|']

test('docs/control-api.md lists the contract, with an example of every call; `npm run docs` writes it', async () => {
  const sandbox = await startSandbox({ baseUrl: BASE_URL, seed: 1 })
  await prepare(sandbox, '/clock', FROZEN)
  const rows = OPERATION_IDS.map((id) => rowOf(OPERATIONS[id]))
  const sections: string[] = []
  for (const id of OPERATION_IDS) sections.push(await sectionOf(sandbox, OPERATIONS[id], EXAMPLES[id]))
  sections.push(await refusalsOf(sandbox))
  const text = [...HEADINGS, ...rows, ...sections].join('\n')
  await expectPage('control-api.md', withGenerated(readPage('control-api.md'), 'calls', text))
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
    sections.push(`${sentence}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`json\n${shortJson(answer)}\n\`\`\``)
  }
  return `\n## When a call is refused\n\n${sections.join('\n\n')}`
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
  if (!text.startsWith('{')) return `\`\`\`text\n${text.trimEnd()}\n\`\`\``
  const answer: unknown = JSON.parse(text)
  expect(answer, command).not.toHaveProperty('error')
  return `\`\`\`json\n${withoutChance(shortJson(answer, { maxItems, maxCharacters: 160 }))}\n\`\`\``
}

/** What differs in each run, and what no seed makes the same. */
const withoutChance = (json: string) =>
  json
    .replace(/("uptime": )[\d.]+/, (_, name: string) => `${name}12`)
    .replaceAll(/eyJ[\w.-]+/g, 'eyJ')
    .replaceAll(/sandbox-(rs256|es256)-[\w-]+/gi, (_, alg: string) => `sandbox-${alg}-…`)

interface Limits {
  /** Items of a list that are shown; all when absent. */
  readonly maxItems?: number | undefined
  /** Characters of a text that are shown, with `…` behind them when there are more. */
  readonly maxCharacters?: number
}

/** JSON to read, with lists and texts that are cut: it stays valid. */
function shortJson(value: unknown, { maxItems, maxCharacters = Number.POSITIVE_INFINITY }: Limits = {}): string {
  const cut = (_name: string, member: unknown) => {
    if (typeof member === 'string' && member.length > maxCharacters) return `${member.slice(0, maxCharacters)}…`
    return Array.isArray(member) ? member.slice(0, maxItems) : member
  }
  return folded(JSON.parse(JSON.stringify(value, cut)))
}

/** What fits into a line stands in one. */
function folded(value: unknown, indent = ''): string {
  const spaced = JSON.stringify(value, null, 1)
  const inLine = spaced.replaceAll(/(?<=\[)\n *|\n *(?=\])/g, '').replaceAll(/\n */g, ' ')
  if (typeof value !== 'object' || value === null || indent.length + inLine.length <= 120) return inLine
  const members = Object.entries(value).map(([name, member]) => {
    const text = folded(member, `${indent}  `)
    return `${indent}  ${Array.isArray(value) ? '' : `${JSON.stringify(name)}: `}${text}`
  })
  const [open = '', close = ''] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}
