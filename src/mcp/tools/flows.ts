import * as z from 'zod'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Flow } from '../../client/shapes.ts'
import { counted } from '../../http/html/elements.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { FLOW_STATUSES } from '../../sandbox/journal/explain-flow.ts'
import { flowNamed } from '../../sandbox/journal/flow-link.ts'
import { quote } from '../../text/message-parts.ts'
import { defineTool, listText } from '../tool.ts'

const DEFAULT_LISTED = 20

export const listFlows = defineTool({
  name: 'list_flows',
  title: 'List flows',
  description:
    'Lists the latest flows of the app, the newest first: Use, Create and Upgrade with persona, outcome, answers, status and one sentence on how each went. Use it after a test or a click to see what the app sent; explain_flow says why.',
  effect: 'reads',
  input: z.strictObject({
    flow: z.enum(['use', 'create', 'upgrade']).optional(),
    status: z
      .enum(FLOW_STATUSES)
      .optional()
      .describe('error: refused, dropped, or answered with an error other than access_denied'),
    find: z.string().optional().describe('Words that stand anywhere in the flow: a parameter, a rule, a message'),
    client_id: z.string().optional(),
    state: z.string().optional(),
    persona: z.string().optional(),
    outcome: z.string().optional(),
    after: z.string().optional().describe('Only flows that began after this one, for example "f12"'),
    limit: z.int().min(1).max(100).optional().describe(`At most so many (default ${DEFAULT_LISTED})`),
  }),
  async run({ find, limit = DEFAULT_LISTED, ...filter }, { sandbox }) {
    const flows = await sandbox.flows.list({ ...filter, q: find, limit })
    const rows = flows.map(({ calls, trace: _trace, ...flow }) => ({ ...flow, calls: calls.length }))
    const lines = flows.map(lineOf)
    return { data: { flows: rows }, text: listText(`${counted(flows.length, 'flow')}, the newest first:`, lines) }
  },
})

export const explainFlowTool = defineTool({
  name: 'explain_flow',
  title: 'Explain a flow',
  description:
    'Says why a flow was answered as it was: what decided it, each threshold with its reason, every call with the rules that it broke and how to mend them, and what a correct client does next. Without id it is the newest flow.',
  effect: 'reads',
  input: z.strictObject({
    id: z.string().optional().describe('The id of a flow or the address of its page, for example "f12"'),
  }),
  async run({ id }, { sandbox }) {
    const flow = id === undefined ? await newestFlow(sandbox) : await sandbox.flows.get(idIn(id, sandbox))
    const page = `${sandbox.baseUrl}/_sandbox/console/flows/${flow.id}`
    const findings = flow.calls.flatMap(({ endpoint, findings }) =>
      findings.map(({ level, rule, message, hint }) => `${endpoint} ${level} ${rule}: ${message} To mend it: ${hint}`),
    )
    const parts = [
      lineOf(flow),
      ...section('Why:', flow.reasons),
      ...section('Rules that calls broke:', findings),
      ...section('What a correct client does next:', flow.next_steps),
      `In the console: ${page}`,
    ]
    return { data: { flow, page }, text: parts.join('\n') }
  },
})

async function newestFlow({ flows }: Pick<SandboxApi, 'flows'>): Promise<Flow> {
  const newest = await flows.last()
  if (newest === undefined) throw Refusal.notFound('id: there is no flow yet; send the app through one, then ask again')
  return newest
}

/** The id in an argument: an id itself, or the end of the URL of a page. @throws Refusal for a flow of another tenant */
function idIn(text: string, { baseUrl }: Pick<SandboxApi, 'baseUrl'>): string {
  const named = flowNamed(text.trim())
  if (named === undefined) {
    const remedy = 'list_flows lists the ids, and without id it is the newest flow'
    throw Refusal.invalidRequest(`id: ${quote(text)} is not the id of a flow, such as "f12"; ${remedy}`)
  }
  // A sandbox has several hosts; each tenant has a path.
  const { id, url = baseUrl } = named
  if (pathOf(url) === pathOf(baseUrl)) return id
  throw Refusal.invalidRequest(`id: flow ${id} is one of ${url}, and this is ${baseUrl}; ask ${url}/_sandbox/mcp`)
}

const pathOf = (url: string) => url.replace(/^\w+:\/\/[^/]+/, '')

const section = (title: string, lines: readonly string[] = []) => (lines.length === 0 ? [] : [listText(title, lines)])

function lineOf({ id, flow, status, summary, persona, outcome, client_id }: Flow): string {
  const facts = Object.entries({ persona, outcome, client_id }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  return `${id} ${flow} ${status}: ${summary}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}
