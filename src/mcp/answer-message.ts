import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import * as z from 'zod'
import { createSandboxApi } from '../client/create-sandbox-api.ts'
import { createLocalTransport } from '../client/local-transport.ts'
import { performInProcess } from '../control/perform.ts'
import type { HttpHost } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { json, noContent, type Reply } from '../http/reply.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { createMcpServer } from './server.ts'

/** Answers a message of the Model Context Protocol by one JSON document: there is no session and no stream. */
export async function answerMessage(request: Incoming, tenant: Tenant, host: HttpHost): Promise<Reply> {
  const { signal } = request
  if (/^\s*\[/.test(request.text))
    return rpcError(null, 'a batch of messages is not taken: send each message in a request of its own')
  const { call, lastEnded } = createLocalTransport(
    (operationId, input) => performInProcess(operationId, input, { tenant, host, signal }),
    () => tenant.journal.lastEnded(tenant.name),
  )
  const sandbox = createSandboxApi({ call, lastEnded }, { name: tenant.name, baseUrl: tenant.provider.baseUrl })
  const server = createMcpServer({ sandbox, call }, host)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const response = await Promise.race([transport.handleRequest(webRequest(request)), whenGone(signal)])
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
  // The path is that of the route; nothing reads the host.
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

/** Bytes of one answer: what is larger helps no agent, and many at once would take the memory. */
const MAX_ANSWER_BYTES = 1024 * 1024

async function replyOf(response: Response, request: Incoming): Promise<Reply> {
  const text = await response.text()
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_ANSWER_BYTES) {
    const { id } = z
      .object({ id: z.union([z.string(), z.number()]) })
      .catch({ id: '' })
      .parse(JSON.parse(request.text))
    return rpcError(id, `the answer has ${bytes} bytes, and at most ${MAX_ANSWER_BYTES} are sent: ask for less`)
  }
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'Cache-Control': 'no-store' },
    body: { kind: 'text', text },
  }
}

/** -32600: the message is no valid request (JSON-RPC 2.0, section 5.1). */
const rpcError = (id: string | number | null, message: string): Reply =>
  json(400, { jsonrpc: '2.0', id, error: { code: -32600, message } })
