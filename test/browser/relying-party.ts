import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type RelyingParty = Awaited<ReturnType<typeof startRelyingParty>>

/**
 * A relying party on its own port: every path is a page with the served content, or an empty
 * answer.
 */
export async function startRelyingParty() {
  /** The requests so far, each with its path and query. */
  const received: { method: string; url: string; body: string }[] = []
  const served = new Map<string, { body: string; contentType: string }>()
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    received.push({ method, url, body: await text(request) })
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
    /** Serves this content at a path from now on. */
    serve: (path: string, body: string, contentType = 'text/html; charset=utf-8') =>
      served.set(path, { body, contentType }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
