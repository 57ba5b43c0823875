import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as z from 'zod'
import type { Fields } from '../../support/requests.ts'

/** The answer of a tool to an agent. */
export interface AgentAnswer {
  readonly text: string
  readonly data: unknown
  readonly isError: boolean
}

/** A coding agent that is connected to the MCP endpoint by the official client. */
export interface Agent {
  /** The client, which the caller closes. */
  readonly client: Client
  /** Calls a tool. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<AgentAnswer>
}

const contentSchema = z.array(z.object({ type: z.literal('text'), text: z.string() })).length(1)

/** Connects an agent to the MCP endpoint of the sandbox or the tenant at `baseUrl`. */
export async function connectAgent(baseUrl: string, headers: Fields = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const url = new URL(`${baseUrl}/_sandbox/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return {
    client,
    async call(name, args = {}) {
      const answer = await client.callTool({ name, arguments: args })
      const { content, structuredContent: data, isError = false } = answer
      return { text: contentSchema.parse(content)[0]?.text ?? '', data, isError: isError === true }
    },
  }
}
