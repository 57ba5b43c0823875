import { connect, createServer } from 'node:net'
import { listenOnFreePort } from './listen-on-free-port.ts'

/**
 * Forwards a free port to that of `url` byte by byte, as `docker run -p` does. Returns the URL of
 * the free port under `localhost`.
 */
export async function forwardPort(url: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname)
    incoming.on('error', () => outgoing.destroy())
    outgoing.on('error', () => incoming.destroy())
    incoming.pipe(outgoing)
    outgoing.pipe(incoming)
  })
  const address = await listenOnFreePort(server)
  return `http://${address.replace('127.0.0.1', 'localhost')}`
}
