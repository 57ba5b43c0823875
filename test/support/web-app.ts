import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** An app of one test, on a free port, with what it was asked. */
export interface WebApp {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Connections that are still open. */
  readonly sockets: ReadonlySet<Socket>
}

export interface ReceivedRequest {
  readonly method: string | undefined
  /** With its query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers a request that was read whole. */
export type WebHandler = (request: ReceivedRequest, response: Parameters<RequestListener>[1]) => void

/** Starts an app on 127.0.0.1 and closes it behind the test. */
export async function startWebApp(handler: WebHandler): Promise<WebApp> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    const { method, url: path = '', headers } = request
    const received = { method, path, headers, body: await text(request) }
    requests.push(received)
    handler(received, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, sockets }
}
