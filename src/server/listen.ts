import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codeOf, isError } from '../sandbox/files/caught.ts'
import { ConfigError } from '../sandbox/files/config-error.ts'
import { answerUnparsed, ConnectedResponse } from './http/refusals/parser-answers.ts'
import type { ServerCertificate } from './tls/certificate.ts'

/**
 * Milliseconds for a TLS handshake: without a limit an idle connection would delay the end of the
 * server.
 */
const HANDSHAKE_MS = 3_000

/**
 * Node's own limits: many connections, or slow ones, exhaust neither memory nor file descriptors.
 */
const LIMITS = {
  /** A query may be as long as a body. */
  maxHeaderSize: 96 * 1024,
  /** Time for the head of a request, and for the whole request. Answers may take longer. */
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  /** How often Node looks for late requests. */
  connectionsCheckingInterval: 5_000,
  /**
   * After its last call: with this time a busy client seldom meets a connection that is just being
   * closed. Node's default is 5 seconds.
   */
  keepAliveTimeout: 65_000,
  // The app refuses requests without a Host header, so that their answers have the usual headers.
  requireHostHeader: false,
  ServerResponse: ConnectedResponse,
}

/**
 * Connections at a time; Node closes further ones. With the largest request on each they hold some
 * 150 MB.
 */
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
  // Without a limit of their number: Node would drop further headers silently, also those of a
  // proxy. `maxHeaderSize` bounds their bytes.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION
  answerUnparsed(server, LIMITS)
  // The client is asked for the body when the body is read.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // RFC 9110 section 10.1.1 permits a server to ignore an unknown expectation; Node would refuse it
  // without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** The URL by which this process reaches itself: loopback, if it listens on every interface. */
export function reachableUrl({ address, port }: AddressInfo, protocol: string): string {
  const host = LOOPBACK_OF.get(address) ?? address
  return `${protocol}://${inUrl(host)}:${port}`
}

/** Addresses that stand for every interface, with the loopback address of their family. */
const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** An address as the host of a URL: an IPv6 address stands in brackets. */
export const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address)

/** Resolves when the server listens. @throws ConfigError with one line that says why it cannot */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await begin(server, port, host)
  } catch (error) {
    if (!isError(error)) throw error
    const freePort = isReserved(error, port) ? await findFreePort(host) : undefined
    throw ConfigError.of(listenProblem(error, { port, host, freePort }), { cause: error })
  }
  // A connection could not be accepted for lack of a file descriptor; the next one can.
  server.on('error', () => {})
}

function begin(server: Pick<Server, 'listen' | 'once'>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

/** Ports up to this one are for the administrator. */
const LAST_PRIVILEGED_PORT = 1023

/** Whether the system keeps a port for itself that any program could open otherwise. */
const isReserved = (cause: Error, port: number) =>
  codeOf(cause) === 'EACCES' && port > LAST_PRIVILEGED_PORT

/** A port that is free on this host now; `undefined` where no port may be opened. */
async function findFreePort(host: string): Promise<number | undefined> {
  const probe = createServer()
  try {
    await begin(probe, 0, host)
  } catch {
    return undefined
  }
  const address = probe.address()
  await close(probe)
  return typeof address === 'object' ? address?.port : undefined
}

/**
 * Lists the ports that Hyper-V, WSL and Docker have reserved; no program holds them, so nothing
 * else shows them.
 */
const RESERVED_PORTS = 'netsh interface ipv4 show excludedportrange protocol=tcp'

/**
 * Says in one sentence why a server cannot listen, and what to do.
 * @param place.freePort a port to offer in the place of one that the system reserves
 */
export function listenProblem(
  cause: Error,
  {
    port,
    host,
    freePort,
  }: { readonly port: number; readonly host: string; readonly freePort?: number | undefined },
): string {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return `port ${port} is in use on ${host}; choose another one by the option port, or 0 for a free one`
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
      return `host: ${JSON.stringify(host)} is no address of this machine; give 127.0.0.1 (only this machine), 0.0.0.0 (all of its addresses) or one of them`
    case 'EACCES': {
      if (!isReserved(cause, port))
        return `port ${port} may not be opened; choose one above ${LAST_PRIVILEGED_PORT} by the option port. Linux and macOS keep the ports below for root, Linux also for CAP_NET_BIND_SERVICE`
      const offer = freePort === undefined ? 'another one' : `${freePort}, which is free now,`
      return `port ${port} may not be opened: the system reserves it (on Windows "${RESERVED_PORTS}" lists what is reserved); choose ${offer} by the option port, or 0 for a free one`
    }
    case 'EPERM':
      return `cannot listen on ${host}:${port}: the system forbids this program to open ports (EPERM); allow it in the sandbox of your editor or coding agent, or start it outside`
    default:
      return `cannot listen on ${host}:${port}: ${cause.message}`
  }
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
