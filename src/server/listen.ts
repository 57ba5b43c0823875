import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../files/config-error.ts'
import type { ServerCertificate } from '../tls/certificate.ts'

/** Milliseconds for a TLS handshake: without a limit an idle connection would delay the end of the server. */
const HANDSHAKE_MS = 3_000

/** Node's own limits: many connections, or slow ones, exhaust neither memory nor file descriptors. */
const LIMITS = {
  /** A query may be as long as a body. */
  maxHeaderSize: 96 * 1024,
  /** Time for the head of a request, and for the whole request. Answers may take longer. */
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  /** How often Node looks for late requests. */
  connectionsCheckingInterval: 5_000,
  /**
   * After its last call: with this time a busy client seldom meets a connection that is just being closed. Node's default is 5 seconds.
   */
  keepAliveTimeout: 65_000,
  // A route answers requests without a Host header, so that their answers have the usual headers.
  requireHostHeader: false,
}

/** Connections at a time; Node closes further ones. With the largest request on each they hold some 150 MB. */
const MAX_CONNECTIONS = 900

/** Requests on one connection, which ends then: pipelined requests are served at once. */
const MAX_REQUESTS_PER_CONNECTION = 1_000

/** Creates a server for http or, with a certificate, https. It does not listen yet. */
export async function createServerWith(
  certificate: ServerCertificate | undefined,
  options: ServerOptions = {},
): Promise<Server> {
  const settings = { ...LIMITS, ...options }
  const server = certificate
    ? (await import('node:https')).createServer({
        ...settings,
        cert: certificate.cert,
        key: certificate.key,
        handshakeTimeout: HANDSHAKE_MS,
      })
    : createServer(settings)
  server.maxConnections = MAX_CONNECTIONS
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION
  // The client is asked for the body when the body is read.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // RFC 9110 section 10.1.1 permits a server to ignore an unknown expectation; Node would refuse it without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** The URL by which this process reaches itself: loopback, if it listens on every interface. */
export function reachableUrl({ address, port }: AddressInfo, protocol: string): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '[::1]' : address
  return `${protocol}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}

/** Resolves when the server listens. @throws ConfigError with one line that says why it cannot */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(ConfigError.of(listenProblem(cause, port, host), { cause })),
    )
    server.listen(port, host, resolve)
  })
  // A connection could not be accepted for lack of a file descriptor; the next one can.
  server.on('error', () => {})
}

function listenProblem(cause: NodeJS.ErrnoException, port: number, host: string): string {
  if (cause.code === 'EADDRINUSE')
    return `port ${port} is in use on ${host}; choose another one by the option port, or 0 for a free one`
  if (cause.code === 'ENOTFOUND' || cause.code === 'EADDRNOTAVAIL' || cause.code === 'EAI_AGAIN') {
    return `host: ${JSON.stringify(host)} is no address of this machine; give 127.0.0.1 (only this machine), 0.0.0.0 (all of its addresses) or one of them`
  }
  if (cause.code === 'EACCES') return `port ${port} may not be opened; choose one above 1023 by the option port`
  return `cannot listen on ${host}:${port}: ${cause.message}`
}

/** Closes the server. Running requests may finish; streams and slow readers are cut off. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const patience = setTimeout(() => server.closeAllConnections(), ANSWERING_MS)
  await closed
  clearTimeout(patience)
}

/** Milliseconds, well below the second within which SIGTERM ends the process. */
const ANSWERING_MS = 300
