import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { SandboxError } from '../client/sandbox-error.ts'
import { Refusal } from '../oidc/refusal.ts'
import { unknownName } from '../text/message-parts.ts'
import type { Effect, ToolContext } from './tool.ts'
import { TOOLS } from './tools.ts'

/** The server of one message: it keeps nothing between two of them. */
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
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
    const tool = TOOLS.find((one) => one.name === name)
    if (tool === undefined) {
      throw new McpError(
        ErrorCode.InvalidParams,
        unknownName(
          'tool',
          name,
          TOOLS.map((one) => one.name),
        ),
      )
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

const ANNOTATIONS: Readonly<
  Record<Effect, { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }>
> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  changes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  discards: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
}

/** Answers of a client to questions of the server would be validated; this server asks none. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('the server asks its client nothing')
  },
}

/** What a caller did wrong, in the words of the sandbox. Any other error is a defect, which is reported to the host. */
function failure(error: unknown, onError: (error: unknown) => void): CallToolResult {
  const isRefused = error instanceof Refusal || error instanceof SandboxError
  if (!isRefused) onError(error)
  const text = isRefused
    ? error.message
    : 'The sandbox failed: this is a defect of the sandbox. Its log has the details.'
  return { content: [{ type: 'text', text }], isError: true }
}
