import * as z from 'zod'
import { flowNamed } from '../../../sandbox/journal/flow-link.ts'
import type { SandboxApi } from '../../../server/client/sandbox-api.ts'
import type { Flow } from '../../../server/client/shapes.ts'
import { OPERATIONS } from '../../../server/control/contract/contract.ts'
import { counted } from '../../../server/http/html/elements.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { quote } from '../../../service/text/message-parts.ts'
import { defineTool, listText } from '../tool.ts'

const { addExpectation, listFlows: listFlowsCall, moveClock, reset } = OPERATIONS

const decision = addExpectation.body.pick({
  flow: true,
  persona: true,
  outcome: true,
  match: true,
  times: true,
})

export const decideNext = defineTool({
  name: 'decide_next',
  title: 'Decide the next flow',
  description: `${addExpectation.summary}, first in first out: which persona the user is, and how the flow ends. Then send the browser or the test through the app; no choice page is shown. Examples: {"persona":"teen-16"}; {"outcome":"id_token.expired"}; {"persona":"adult-passport","times":3}; {"outcome":"token.500"} for the token call. Without flow it is the flow that has the outcome, Use first.`,
  effect: 'changes',
  input: decision.partial({ flow: true }),
  async run(decision, { sandbox }) {
    const expectation = await sandbox.next(decision)
    const waiting = (await sandbox.expectations.list()).length
    const { flow, persona, outcome, remaining } = expectation
    const parts = [
      ...(persona === undefined ? [] : [`persona ${persona}`]),
      ...(outcome === undefined ? [] : [`outcome ${outcome}`]),
    ]
    const requests =
      remaining === 1 ? `the next ${flow} request` : `the next ${remaining} ${flow} requests`
    return {
      data: { expectation, waiting },
      text: `Queued as ${expectation.id} for ${requests}: ${parts.join(', ')}. Decisions that wait: ${waiting}.`,
    }
  },
})

const DEFAULT_LISTED = 20

export const listFlows = defineTool({
  name: 'list_flows',
  title: 'List flows',
  description:
    'Lists the latest flows of the app, the newest first: Use, Create and Upgrade with persona, outcome, answers, status and one sentence on how each went. Use it after a test or a click to see what the app sent; explain_flow says why.',
  effect: 'reads',
  input: listFlowsCall.query
    .pick({
      flow: true,
      status: true,
      client_id: true,
      state: true,
      persona: true,
      outcome: true,
      after: true,
    })
    .extend({
      find: listFlowsCall.query.shape.q,
      // Fewer than the operation allows, because every flow uses a part of the agent's context.
      limit: z
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe(`Maximum number of flows (default ${DEFAULT_LISTED})`),
    }),
  async run({ find, limit = DEFAULT_LISTED, ...filter }, { sandbox }) {
    const flows = await sandbox.flows.list({ ...filter, q: find, limit })
    const rows = flows.map(({ calls, trace: _trace, ...flow }) => ({
      ...flow,
      calls: calls.length,
    }))
    const lines = flows.map(lineOf)
    return {
      data: { flows: rows },
      text: listText(`${counted(flows.length, 'flow')}, the newest first:`, lines),
    }
  },
})

export const explainFlowTool = defineTool({
  name: 'explain_flow',
  title: 'Explain a flow',
  description:
    'Says why a flow was answered as it was: what decided it, each threshold with its reason, every call with the rules that it broke and how to mend them, and what a correct client does next. Without id it is the newest flow.',
  effect: 'reads',
  input: z.strictObject({
    id: z
      .string()
      .optional()
      .describe('The id of a flow or the address of its page, for example "f12"'),
  }),
  async run({ id }, { sandbox }) {
    const flow =
      id === undefined ? await newestFlow(sandbox) : await sandbox.flows.get(idIn(id, sandbox))
    const page = `${sandbox.baseUrl}/_sandbox/console/flows/${flow.id}`
    const findings = flow.calls.flatMap(({ endpoint, findings }) =>
      findings.map(
        ({ level, rule, message, hint }) =>
          `${endpoint} ${level} ${rule}: ${message} To mend it: ${hint}`,
      ),
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
  if (newest === undefined)
    throw Refusal.notFound('id: there is no flow yet; send the app through one, then ask again')
  return newest
}

/**
 * Reads the id of a flow from an argument: an id, or the URL of the flow's page.
 * @throws Refusal 400 for another text, and for a flow of another tenant
 */
function idIn(text: string, { baseUrl }: Pick<SandboxApi, 'baseUrl'>): string {
  const named = flowNamed(text.trim())
  if (named === undefined) {
    const remedy = 'list_flows lists the ids, and without id it is the newest flow'
    throw Refusal.invalidRequest(
      `id: ${quote(text)} is not the id of a flow, such as "f12"; ${remedy}`,
    )
  }
  // The paths are compared, not the hosts: a sandbox may have several hosts, but each tenant has
  // one path.
  const { id, url = baseUrl } = named
  if (pathOf(url) === pathOf(baseUrl)) return id
  throw Refusal.invalidRequest(
    `id: flow ${id} is one of ${url}, and this is ${baseUrl}; ask ${url}/_sandbox/mcp`,
  )
}

const pathOf = (url: string) => url.replace(/^\w+:\/\/[^/]+/, '')

const section = (title: string, lines: readonly string[] = []) =>
  lines.length === 0 ? [] : [listText(title, lines)]

function lineOf({ id, flow, status, summary, persona, outcome, client_id }: Flow): string {
  const facts = Object.entries({ persona, outcome, client_id }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  return `${id} ${flow} ${status}: ${summary}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

export const clock = defineTool({
  name: 'clock',
  title: 'Read or move the clock',
  description: `${moveClock.summary}. Without arguments it only reads the clock. Every lifetime (request_uri 90 s, code 600 s and others) and every age is judged by it. Examples: {} reads; {"advance":91} lets 91 seconds pass; {"set":"2030-01-01T00:00:00Z"}; {"freeze":true}; {"reset":true} goes back to real time. The clock of the app stays where it is.`,
  effect: 'changes',
  // Not the schema of the operation, which refuses an empty body.
  input: z.strictObject(moveClock.body.shape),
  async run(move, { sandbox, call }) {
    const state =
      Object.keys(move).length === 0
        ? await sandbox.clock.state()
        : await call('moveClock', { body: move })
    const { now, advanced_seconds, frozen } = state
    const advanced = advanced_seconds === 0 ? '' : `, ${advanced_seconds} s ahead`
    return {
      data: { ...state },
      text: `The sandbox has ${now}${advanced}${frozen ? ', and the clock is stopped' : ''}.`,
    }
  },
})

export const resetTool = defineTool({
  name: 'reset',
  title: 'Reset the sandbox',
  description: `${reset.summary}. Use it before each test. The recorded flows are deleted.`,
  effect: 'discards',
  input: z.strictObject({}),
  async run(_args, { sandbox }) {
    await sandbox.reset()
    return {
      data: { reset: true },
      text: 'Reset: personas as declared, real time, no queued decision, no scenario, no flow.',
    }
  },
})
