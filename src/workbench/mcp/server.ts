import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { createLocalTransport } from '../../server/client/local-transport.ts'
import { createSandboxApi } from '../../server/client/sandbox-api.ts'
import { SandboxError } from '../../server/client/sandbox-error.ts'
import { performInProcess } from '../../server/control/perform.ts'
import type { HttpHost } from '../../server/http/handler.ts'
import type { Incoming } from '../../server/http/incoming.ts'
import { json, noContent, type Reply } from '../../server/http/reply.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { unknownName } from '../../service/text/message-parts.ts'
import { checkAgainst, problemLines } from '../../service/text/schema-problems.ts'
import type { Effect, Tool, ToolContext } from './tool.ts'
import { evaluateTool, explainTool, listOutcomesTool, listPersonasTool } from './tools/catalogue.ts'
import { readDocument, searchDocumentsTool } from './tools/documents.ts'
import { clock, decideNext, explainFlowTool, listFlows, resetTool } from './tools/flows.ts'

/** Creates the MCP server for one message. No state is kept between messages. */
export function createMcpServer(
  context: ToolContext,
  { version, onError }: { readonly version: string; onError(error: unknown): void },
): Server {
  const server = new Server(
    { name: 'agekey-sandbox', title: 'Age key sandbox', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, title, description, effect, inputSchema }) => ({
      name,
      title,
      description,
      inputSchema: { type: 'object' as const, ...inputSchema },
      annotations: { title, ...ANNOTATIONS[effect], openWorldHint: false },
    })),
  }))
  server.setRequestHandler(callSchema, async ({ params: { name, arguments: args = {} } }) => {
    const tool = TOOLS.find((one) => one.name === name)
    if (tool === undefined) {
      const names = TOOLS.map((one) => one.name)
      throw new McpError(ErrorCode.InvalidParams, unknownName('tool', name, names))
    }
    try {
      const { data, text } = await tool.run(args, context)
      return { content: [{ type: 'text', text }], structuredContent: { ...data } }
    } catch (error) {
      return failure(error, onError)
    }
  })
  return server
}

const INSTRUCTIONS =
  'A sandbox of an age assurance service (OpenID Connect). To test an app: reset, decide_next with a persona or an outcome, send the app through its flow, then list_flows and explain_flow. explain says what a rule or an outcome means; search_documents finds how to do something. Nothing here proves an age.'

const { params: paramsSchema } = CallToolRequestSchema.shape

/**
 * Refuses invalid params with a message of the sandbox. The SDK itself would answer with an
 * internal error and zod's JSON.
 */
const callSchema = CallToolRequestSchema.extend({
  params: z.unknown().transform((params) => {
    const checked = checkAgainst(paramsSchema, params)
    if (checked.kind === 'valid') return checked.value
    throw new McpError(ErrorCode.InvalidParams, problemLines(checked, 'params').join('; '))
  }),
})

const ANNOTATIONS: Readonly<
  Record<Effect, { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }>
> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  changes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  discards: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
}

/**
 * The SDK requires a validator for answers of the client, but this server never asks the client.
 */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('the server asks its client nothing')
  },
}

/**
 * Converts an error to the result of a tool. An error that is not the caller's mistake is a bug and
 * goes to `onError`.
 */
function failure(error: unknown, onError: (error: unknown) => void): CallToolResult {
  const isRefused = error instanceof Refusal || error instanceof SandboxError
  if (!isRefused) onError(error)
  const text = isRefused
    ? byTools(error.message)
    : 'The sandbox failed: this is a defect of the sandbox. Its log has the details.'
  return { content: [{ type: 'text', text }], isError: true }
}

/** Replaces calls of the control API in a message by the tools that list the same. */
const byTools = (message: string) =>
  message
    .replace('GET /_sandbox/personas', 'list_personas')
    .replace('GET /_sandbox/catalog', 'list_outcomes')

/**
 * Answers a message of the Model Context Protocol with one JSON document, without sessions or
 * streams.
 */
export async function answerMessage(
  request: Incoming,
  tenant: Tenant,
  host: HttpHost,
): Promise<Reply> {
  const { signal } = request
  if (/^\s*\[/.test(request.text))
    return rpcError(
      null,
      'a batch of messages is not taken: send each message in a request of its own',
    )
  const { call, lastEnded } = createLocalTransport(
    (operationId, input) => performInProcess(operationId, input, { tenant, host, signal }),
    () => tenant.journal.lastEnded(tenant.name),
  )
  const sandbox = createSandboxApi(
    { call, lastEnded },
    { name: tenant.name, baseUrl: tenant.provider.baseUrl },
  )
  const server = createMcpServer({ sandbox, call }, host)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const response = await Promise.race([
      transport.handleRequest(webRequest(request)),
      whenGone(signal),
    ])
    return response === undefined ? noContent() : await replyOf(response, request)
  } finally {
    await server.close()
  }
}

const PASSED_HEADERS = ['accept', 'content-type', 'mcp-protocol-version'] as const

function webRequest(request: Incoming): Request {
  const headers = new Headers()
  for (const name of PASSED_HEADERS) {
    const value = request.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  // The SDK reads only method, headers and body, not the host.
  return new Request(new URL(request.path, 'http://localhost'), {
    method: 'POST',
    headers,
    body: Buffer.from(request.body),
  })
}

const whenGone = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined))
  })

/**
 * Maximum number of bytes of an answer. A larger answer does not help an agent, and many at once
 * would fill the memory.
 */
const MAX_ANSWER_BYTES = 1024 * 1024

async function replyOf(response: Response, request: Incoming): Promise<Reply> {
  const text = await response.text()
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_ANSWER_BYTES) {
    const { id } = z
      .object({ id: z.union([z.string(), z.number()]) })
      .catch({ id: '' })
      .parse(JSON.parse(request.text))
    return rpcError(
      id,
      `the answer has ${bytes} bytes, and at most ${MAX_ANSWER_BYTES} are sent: ask for less`,
    )
  }
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'Cache-Control': 'no-store' },
    body: { kind: 'text', text },
  }
}

/** Answers with the error -32600, "Invalid Request" (JSON-RPC 2.0, section 5.1). */
const rpcError = (id: string | number | null, message: string): Reply =>
  json(400, { jsonrpc: '2.0', id, error: { code: -32600, message } })

/** The tools of the MCP endpoint, in the order of `tools/list`. */
export const TOOLS: readonly Tool[] = [
  listPersonasTool,
  listOutcomesTool,
  decideNext,
  listFlows,
  explainFlowTool,
  explainTool,
  evaluateTool,
  clock,
  resetTool,
  searchDocumentsTool,
  readDocument,
]
