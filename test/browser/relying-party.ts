import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that reached the relying party. */
export interface Received {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly body: string
}

/** A relying party on a port of its own: every path is a page that shows what `pages` has for it, or just answers. */
export interface RelyingParty {
  readonly origin: string
  readonly received: readonly Received[]
  /** Serves this from now on at a path. */
  serve(path: string, body: string, contentType?: string): void
  close(): Promise<void>
}

export async function startRelyingParty(): Promise<RelyingParty> {
  const received: Received[] = []
  const served = new Map<string, { body: string; contentType: string }>()
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    received.push({ method, url, body: await readBody(request) })
    const { body, contentType } = served.get(url.split('?')[0] ?? '') ?? {
      body: '<!doctype html><title>Relying party</title><h1>Back at the app</h1>',
      contentType: 'text/html; charset=utf-8',
    }
    response.writeHead(200, { 'Content-Type': contentType }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    received,
    serve: (path, body, contentType = 'text/html; charset=utf-8') => served.set(path, { body, contentType }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
