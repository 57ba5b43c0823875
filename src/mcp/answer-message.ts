import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createSandboxApi } from '../client/create-sandbox-api.ts'
import { createLocalTransport } from '../client/local-transport.ts'
import { performInProcess } from '../control/perform.ts'
import type { HttpHost } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { noContent, type Reply } from '../http/reply.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { createMcpServer } from './server.ts'

/** Answers a message of the Model Context Protocol by one JSON document: there is no session and no stream. */
export async function answerMessage(request: Incoming, tenant: Tenant, host: HttpHost): Promise<Reply> {
  const { signal } = request
  const { call, lastEnded } = createLocalTransport(
    (operationId, input) => performInProcess(operationId, input, { tenant, host, signal }),
    () => tenant.journal.lastEnded(tenant.name),
  )
  const sandbox = createSandboxApi({ call, lastEnded }, { name: tenant.name, baseUrl: tenant.provider.baseUrl })
  const server = createMcpServer({ sandbox, call }, host)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    // A message that is cancelled by another one of its batch gets no answer at all.
    const response = await Promise.race([transport.handleRequest(webRequest(request)), whenGone(signal)])
    return response === undefined ? noContent() : await replyOf(response)
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

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'Cache-Control': 'no-store' },
    body: { kind: 'text', text },
  }
}
