import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codeOf, isError } from '../sandbox/files/caught.ts'
import { ConfigError } from '../sandbox/files/config-error.ts'
import { answerUnparsed, ConnectedResponse } from './http/refusals/parser-answers.ts'
import type { ServerCertificate } from './tls/certificate.ts'

/**
 * Milliseconds for a TLS handshake. Without this limit an idle connection delays the shutdown of
 * the server.
 */
const HANDSHAKE_MS = 3_000

/**
 * Limits that Node enforces: neither many connections nor slow ones exhaust memory or file
 * descriptors.
 */
const LIMITS = {
  /** Bytes. A query may be as long as a body (64 KiB). */
  maxHeaderSize: 96 * 1024,
  /** Milliseconds for the head of a request, and for the whole request. Answers may take longer. */
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  /** Milliseconds between two checks for late requests. */
  connectionsCheckingInterval: 5_000,
  /**
   * Milliseconds that an idle connection stays open. Node's default of 5 seconds closes connections
   * just when a busy client reuses them.
   */
  keepAliveTimeout: 65_000,
  // The app itself refuses requests without a Host header, so that the refusal has the common
  // headers.
  requireHostHeader: false,
  ServerResponse: ConnectedResponse,
}

/**
 * Maximum number of open connections; Node closes further connections. With the largest request on
 * each connection they hold about 150 MB.
 */
const MAX_CONNECTIONS = 900

/**
 * Maximum number of requests on one connection; Node then closes the connection. Node serves
 * pipelined requests at once.
 */
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
  // No limit for the number of headers, because Node silently drops headers beyond its limit,
  // including those of a proxy. `maxHeaderSize` limits their bytes.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION
  answerUnparsed(server, LIMITS)
  // `bufferBody` sends 100 Continue when it reads the body.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // RFC 9110 section 10.1.1 permits a server to ignore an unknown expectation. Node itself would
  // answer 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/**
 * The URL under which this process reaches its own server. For a server that listens on every
 * interface the host is the loopback address.
 * @example
 * reachableUrl({ address: '::', family: 'IPv6', port: 2435 }, 'http') // 'http://[::1]:2435'
 */
export function reachableUrl({ address, port }: AddressInfo, protocol: string): string {
  const host = LOOPBACK_OF.get(address) ?? address
  return `${protocol}://${inUrl(host)}:${port}`
}

/** The unspecified addresses (every interface), each with the loopback address of its family. */
const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/**
 * An IP address in the syntax of a URL host: an IPv6 address gets brackets.
 * @example
 * inUrl('::1') // '[::1]'
 */
export const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address)

/**
 * Resolves when the server listens.
 * @throws ConfigError that says in one line why the server cannot listen
 */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await begin(server, port, host)
  } catch (error) {
    if (!isError(error)) throw error
    const freePort = isReserved(error, port) ? await findFreePort(host) : undefined
    throw ConfigError.of(listenProblem(error, { port, host, freePort }), { cause: error })
  }
  // Node could not accept a connection because the process is out of file descriptors. The server
  // goes on, because a later connection may succeed.
  server.on('error', () => {})
}

function begin(server: Pick<Server, 'listen' | 'once'>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

/** The last port that only an administrator may open. */
const LAST_PRIVILEGED_PORT = 1023

/** Whether the operating system reserves an unprivileged port. */
const isReserved = (cause: Error, port: number) =>
  codeOf(cause) === 'EACCES' && port > LAST_PRIVILEGED_PORT

/** Finds a port that is free on this host now; `undefined` when the process may open no port. */
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
 * The Windows command that lists reserved ports. Hyper-V, WSL and Docker reserve ports without a
 * process that holds them, so no other tool shows the reservation.
 */
const RESERVED_PORTS = 'netsh interface ipv4 show excludedportrange protocol=tcp'

/**
 * Explains in one sentence why a server cannot listen, and what to do.
 * @param place.freePort a free port to suggest instead of a reserved port
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

/**
 * Closes the server. Requests in progress get 300 ms to finish; then streams and slow connections
 * are closed.
 */
export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const patience = setTimeout(() => server.closeAllConnections(), ANSWERING_MS)
  await closed
  clearTimeout(patience)
}

/** Milliseconds. SIGTERM ends the process within one second, so the value is well below that. */
const ANSWERING_MS = 300
