import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server whose address an app knows before there is the app. */
export interface AppServer {
  readonly url: string
  serve(listener: RequestListener): void
}

/** Listens on a free port, for one test. */
export async function startAppServer(): Promise<AppServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}`, serve: (listener) => void server.on('request', listener) }
}
