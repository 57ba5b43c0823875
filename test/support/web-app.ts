import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
} from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { listenOnFreePort } from './listen-on-free-port.ts'

export interface ReceivedRequest {
  readonly method: string | undefined
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type WebHandler = (
  request: ReceivedRequest,
  response: Parameters<RequestListener>[1],
) => void

/** Starts an app on 127.0.0.1, which notes what it is asked, and closes it behind the test. */
export async function startWebApp(handler: WebHandler, options: ServerOptions = {}) {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer(options, async (request, response) => {
    const { method, url: path = '', headers } = request
    const received = { method, path, headers, body: await text(request) }
    requests.push(received)
    handler(received, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const url = `http://${await listenOnFreePort(server)}`
  /**
   * Resolves when no connection to it is open. A connection that the browser resets has an error
   * and closes too.
   */
  const allClosed = async () => {
    await Promise.all(
      [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    )
  }
  return { url, requests, allClosed }
}

export const redirectTo =
  (location: string, status = 302): WebHandler =>
  (_request, response) =>
    response.writeHead(status, { Location: location }).end()

export const page =
  (html: string): WebHandler =>
  (_request, response) =>
    response.setHeader('Content-Type', 'text/html').end(html)

/** Answers each path, without its query, by a handler of its own, and all others by 404. */
export const routes =
  (handlers: Readonly<Record<string, WebHandler>>): WebHandler =>
  (request, response) => {
    const handler = handlers[request.path.split('?')[0] ?? '']
    if (handler) handler(request, response)
    else response.writeHead(404).end()
  }
