import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  OPERATION_IDS,
  OPERATIONS,
  type OperationId,
} from '../../src/server/control/contract/contract.ts'
import type { Operation } from '../../src/server/control/contract/operation.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { expectPage, headingAnchors, readPage, withGenerated } from './page.ts'

const BASE_URL = 'http://localhost:2435'
const HEADINGS = ['| Call | Does | Query | Body | Success |', '|---|---|---|---|---|']

/**
 * The calls of docs/control-api.md are made in the order of the contract, each in the state that
 * those before it left.
 */
interface Example {
  /** The names in the path and the query: `/personas/teen-16?limit=1`. */
  readonly path: string
  readonly body?: unknown
  /** What to know beside the summary. */
  readonly note?: string
  /** The page shows the call with its answer; any other call is made too, and has a row alone. */
  readonly shown?: true
  /** Calls that are made before it and are not shown. */
  readonly before?: readonly (readonly [path: string, body?: unknown])[]
  /** Items of a list that are shown; all when absent. */
  readonly maxItems?: number
  /** Shown and run instead of the call by `curl` that method, path and body make. */
  readonly shell?: string
}

const SANDBOX = `${BASE_URL}/_sandbox`
const FLOW =
  '/v1/oidc/use?response_type=id_token&client_id=ak_test_sandbox&scope=openid&state=my-state&nonce=my-nonce' +
  '&redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback&claims=%7B%22age_thresholds%22%3A%5B18%5D%7D&sandbox_persona=teen-16'
/** The instant of every answer. A reset ends it, and each tenant has a clock of its own. */
const FROZEN = { set: '2027-01-15T09:00:00Z', freeze: true }
const SCENARIO = {
  name: 'Gives up, then comes back',
  steps: [
    { decide: { flow: 'use', outcome: 'access_denied' } },
    {
      decide: { flow: 'use', persona: 'adult-passport' },
      expect: { claims: { age_thresholds: [18] } },
    },
  ],
}
const DOCUMENT = {
  method: 'id_doc_scan',
  age: { date_of_birth: 'today - 21y + 7d' },
  verified_at: 'now - 30d',
}
const TURNS_21 = {
  title: 'Turns 21 in a week',
  purpose: 'Beer, but no spirits yet.',
  age_key: { signals: [{ ...DOCUMENT, provenance: '/veratad/roc' }] },
}
const SHOP = {
  client_id: 'web-shop',
  client_secret: 'not-a-real-secret',
  redirect_uris: ['https://shop.example/callback'],
}

/**
 * By operation. An operation without an example does not compile: add the call that a reader would
 * make first.
 */
const EXAMPLES: Readonly<Record<OperationId, Example>> = {
  getHealth: {
    path: '/health',
    note: 'It needs no token. A load balancer, or `agekey-sandbox wait`, asks this.',
  },
  getCatalog: { path: '/catalog', maxItems: 1 },
  listPersonas: { path: '/personas?limit=1' },
  getPersona: { path: '/personas/turns-18-tomorrow' },
  putPersona: { shown: true, path: '/personas/turns-21-in-a-week', body: TURNS_21 },
  putPersonas: {
    path: '/personas',
    body: { personas: [{ name: 'turns-21-in-a-week', ...TURNS_21 }] },
    note: 'Also a persona file as it is, in YAML of at most 16 KiB with `Content-Type: application/yaml`, one persona or a list, as `personas generate` writes it: [personas.md](personas.md#make-up-many).',
  },
  deletePersona: { path: '/personas/turns-21-in-a-week' },
  evaluate: {
    shown: true,
    path: '/evaluate',
    body: { claims: { age_thresholds: [18] }, persona: 'teen-16' },
    note: '`signals` in the place of `persona` evaluates age signals that belong to no persona.',
  },
  listExpectations: {
    path: '/expectations',
    before: [['/expectations', { flow: 'use', persona: 'child-12' }]],
  },
  addExpectation: {
    shown: true,
    path: '/expectations',
    body: {
      flow: 'use',
      persona: 'teen-16',
      outcome: 'id_token.expired',
      match: { state: 'my-state' },
    },
    note: '`match` limits it to the requests of one client, `state` or `nonce`. `times: 3` decides three requests.',
  },
  removeExpectation: { path: '/expectations/EXPECTATION' },
  clearExpectations: { path: '/expectations' },
  showActAs: {
    path: '/act-as/teen-16',
    note: 'Open it in the browser of a tester: it is safe to follow, and the button makes the call.',
  },
  actAs: {
    path: '/act-as/teen-16?outcome=access_denied',
    note: 'The cookies are for the browser that makes the call; `-c FILE` keeps them for curl.',
  },
  stopActing: { path: '/act-as' },
  listScenarios: { path: '/scenarios', before: [['/scenarios', SCENARIO]] },
  armScenario: {
    path: '/scenarios',
    body: { ...SCENARIO, name: 'Another one' },
    note: 'Also a scenario file of at most 16 KiB as it is, with `Content-Type: application/yaml`.',
  },
  getScenario: {
    shown: true,
    path: '/scenarios/SCENARIO?wait=1&after=0',
    note: '`wait` is a long poll: the answer comes as soon as the revision is another one than `after`.',
  },
  removeScenario: { path: '/scenarios/SCENARIO' },
  clearScenarios: { path: '/scenarios' },
  listFlows: {
    shown: true,
    path: '/flows?state=my-state&wait=5',
    before: [[FLOW]],
    note: 'A test in any language waits for the flow of its `state` like this.',
  },
  getFlow: {
    path: '/flows/f1',
    note: 'With `?as=vitest` it answers a file: [recordings](console.md#recordings).',
  },
  exportFlow: { path: '/flows/f1/as/scenario' },
  streamEvents: {
    shown: true,
    path: '/events',
    note: 'Open until the reader goes; a comment line comes every 15 seconds.',
    shell: `curl -sN --max-time 3 ${SANDBOX}/events &
sleep 1
curl -s -X POST ${SANDBOX}/reset -H 'Content-Type: application/json'
wait`,
  },
  getCoverage: {
    path: '/coverage',
    maxItems: 1,
    note: 'Each side that was not seen says what closes the gap.',
  },
  clearCoverage: { path: '/coverage' },
  getClock: { path: '/clock', before: [['/clock', FROZEN]] },
  moveClock: {
    shown: true,
    path: '/clock',
    body: { advance: 91 },
    note: 'Also `{"set": "2027-01-31T12:00:00Z"}`, `{"freeze": true}` and `{"reset": true}`.',
  },
  rotateKeys: { path: '/keys/rotate', body: { stage: 'publish' } },
  reset: { path: '/reset' },
  listTenants: { path: '/tenants', before: [['/clock', FROZEN]] },
  getTenant: { path: '/tenants/ci-1', before: [['/t/ci-1/_sandbox/clock', FROZEN]] },
  putTenant: {
    shown: true,
    path: '/tenants/ci-2',
    before: [['/t/ci-2/_sandbox/clock', FROZEN]],
    body: { persona: 'adult-passport', clients: [SHOP], lifetimes: { code: 60 } },
    note: 'Its base URL is `http://localhost:2435/t/ci-2`. What is left out stays as it is.',
  },
  deleteTenant: { path: '/tenants/ci-2' },
}

/** What refused calls show, each with its operation and its body. */
const REFUSALS = [
  [
    'An unknown name: `suggestions` holds the nearest ones.',
    'addExpectation',
    { flow: 'use', persona: 'teen16' },
  ],
  [
    'A body that does not fit: the member, what came and what is allowed. Nothing has changed.',
    'moveClock',
    { advance: 'an hour' },
  ],
  [
    'Claims that break a rule of the service: the answer has the same findings as a request with these claims.',
    'evaluate',
    { persona: 'teen-16', claims: { age_thresholds: ['18'] } },
  ],
] as const

test('docs/control-api.md has the calls that `npm run docs` writes', async () => {
  const sandbox = await startSandbox({ baseUrl: BASE_URL, seed: 1 })
  await prepare(sandbox, '/clock', FROZEN)
  const rows = OPERATION_IDS.map((id) => rowOf(OPERATIONS[id], EXAMPLES[id]))
  const sections: string[] = []
  for (const id of OPERATION_IDS) {
    const section = await sectionOf(sandbox, OPERATIONS[id], EXAMPLES[id])
    if (EXAMPLES[id].shown) sections.push(section)
  }
  sections.push(await refusalsOf(sandbox))
  const text = [...HEADINGS, ...rows, ...sections].join('\n')
  await expectPage('control-api.md', withGenerated(readPage('control-api.md'), 'calls', text))
  // Each call starts a process of curl.
}, 120_000)

function rowOf(operation: Operation, { shown, note }: Example): string {
  const { summary, query, body, statuses } = operation
  const title = titleOf(operation)
  const call = shown ? `[\`${title}\`](#${headingAnchors(`# ${title}`)[0]})` : `\`${title}\``
  const does = shown || note === undefined ? summary : `${summary}. ${note}`
  return `| ${[call, does, membersOf(query), membersOf(body), statuses.join(', ')].join(' | ')} |`
}

const titleOf = ({ method, path }: Operation) =>
  `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase())}`

const membersOf = (schema: z.core.$ZodType): string => {
  // Of a body that is brought into shape first: the shape.
  if (schema instanceof z.ZodPipe) return membersOf(schema.out)
  return schema instanceof z.ZodObject
    ? Object.entries(schema.shape)
        .map(([name, member]) => `\`${name}${member instanceof z.ZodOptional ? '?' : ''}\``)
        .join(', ')
    : ''
}

/** What the page says of one call: what it does, the command and its answer. */
async function sectionOf(
  sandbox: TestSandbox,
  operation: Operation,
  example: Example,
): Promise<string> {
  for (const [path, body] of example.before ?? []) await prepare(sandbox, path, body)
  const command = example.shell ?? curlOf(operation, await withIds(sandbox, example))
  const answer = shownAnswer(await runIn(sandbox, command), example)
  const note = example.note === undefined ? '' : `\n\n${example.note}`
  return `\n## \`${titleOf(operation)}\`\n\n${operation.summary}.${note}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n${answer}`
}

async function refusalsOf(sandbox: TestSandbox): Promise<string> {
  const sections: string[] = []
  for (const [sentence, id, body] of REFUSALS) {
    const command = curlOf(OPERATIONS[id], { path: OPERATIONS[id].path, body })
    const answer: unknown = JSON.parse(await runIn(sandbox, command))
    expect(answer, command).toHaveProperty('error')
    sections.push(
      `${sentence}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`json\n${shortJson(answer)}\n\`\`\``,
    )
  }
  return `\n## When a call is refused\n\n${sections.join('\n\n')}`
}

async function prepare({ url }: TestSandbox, path: string, body: unknown): Promise<void> {
  const call = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  const address =
    path.startsWith('/v1/') || path.startsWith('/t/') ? `${url}${path}` : `${url}/_sandbox${path}`
  expect(
    (await fetch(address, body === undefined ? { redirect: 'manual' } : call)).status,
  ).toBeLessThan(400)
}

/** The ids of a scenario and of an expectation are known when they are there. */
async function withIds(
  { scenarios, expectations }: TestSandbox,
  example: Example,
): Promise<Example> {
  const [[armed], [queued]] = [await scenarios.list(), await expectations.list()]
  const path = example.path
    .replace('SCENARIO', armed?.id ?? '')
    .replace('EXPECTATION', queued?.id ?? '')
  return { ...example, path }
}

/** A call whose success has no JSON shows its status. */
function curlOf({ method, mediaType, statuses }: Operation, { path, body }: Example): string {
  const address = `${BASE_URL}/_sandbox${path}`
  const given = statuses.includes(204) ? '%{http_code}' : '%{http_code} %{content_type}'
  const showsStatus = statuses.includes(204) || mediaType === 'text/html'
  const verb =
    method === 'get' || (method === 'post' && body !== undefined)
      ? ''
      : `-X ${method.toUpperCase()} `
  const call = [
    `curl -s ${showsStatus ? `-o /dev/null -w '${given}\\n' ` : ''}${verb}${/[?&]/.test(address) ? `'${address}'` : address}`,
    ...(method === 'get' ? [] : [`-H 'Content-Type: application/json'`]),
    ...(body === undefined ? [] : [`-d '${shortJson(body)}'`]),
  ]
  return call.join(call.join(' ').length > 120 ? ' \\\n  ' : ' ')
}

const runIn = async ({ url }: TestSandbox, command: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-u', '-c', command.replaceAll(BASE_URL, url)])).stdout

function shownAnswer(text: string, { path, maxItems }: Example): string {
  if (!text.startsWith('{')) return `\`\`\`text\n${text.trimEnd()}\n\`\`\``
  const answer: unknown = JSON.parse(text)
  expect(answer, path).not.toHaveProperty('error')
  return `\`\`\`json\n${withoutChance(shortJson(answer, maxItems, 160))}\n\`\`\``
}

/** What differs in each run, and what no seed makes the same. */
const withoutChance = (json: string) =>
  json
    .replace(/("uptime": )[\d.]+/, (_, name: string) => `${name}12`)
    .replaceAll(/eyJ[\w.-]+/g, 'eyJ')
    .replaceAll(/sandbox-(rs256|es256)-[\w-]+/gi, (_, alg: string) => `sandbox-${alg}-…`)

/** JSON to read, with lists and texts that are cut: it stays valid. */
function shortJson(
  value: unknown,
  maxItems?: number,
  maxCharacters = Number.POSITIVE_INFINITY,
): string {
  const cut = (_name: string, member: unknown) => {
    if (typeof member === 'string' && member.length > maxCharacters)
      return `${member.slice(0, maxCharacters)}…`
    return Array.isArray(member) ? member.slice(0, maxItems) : member
  }
  return folded(JSON.parse(JSON.stringify(value, cut)))
}

/** What fits into a line stands in one. */
function folded(value: unknown, indent = ''): string {
  const inLine = JSON.stringify(value, null, 1)
    .replaceAll(/(?<=\[)\n *|\n *(?=\])/g, '')
    .replaceAll(/\n */g, ' ')
  if (typeof value !== 'object' || value === null || indent.length + inLine.length <= 120)
    return inLine
  const members = Object.entries(value).map(([name, member]) => {
    const text = folded(member, `${indent}  `)
    return `${indent}  ${Array.isArray(value) ? '' : `${JSON.stringify(name)}: `}${text}`
  })
  const [open = '', close = ''] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}
