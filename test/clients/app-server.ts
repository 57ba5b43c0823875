import { createServer, type RequestListener } from 'node:http'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'

/**
 * Listens on a free port, for one test: a server whose address an app knows before there is the
 * app.
 */
export async function startAppServer() {
  const server = createServer()
  const host = await listenOnFreePort(server)
  const serve = (listener: RequestListener) => void server.on('request', listener)
  return { url: `http://${host.replace('127.0.0.1', 'localhost')}`, serve }
}
