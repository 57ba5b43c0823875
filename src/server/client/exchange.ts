import { X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { TcpSocketConnectOpts } from 'node:net'
import { createSecureContext, rootCertificates, TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { startDeadline } from './deadline.ts'

/** Maximum number of bytes of a body that are read. */
export const MAX_READ_BYTES = 1024 * 1024
/**
 * Maximum number of bytes of headers. A callback may set its token as a cookie or send it on in
 * `Location`.
 */
const MAX_HEADER_BYTES = 256 * 1024

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'HEAD'
  readonly url: URL
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: string | undefined
  /** The IPv4 loopback address to connect from. Ignored if the host is another machine. */
  readonly from?: string | undefined
}

export interface HttpAnswer {
  /** 0 when no response came. */
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly setCookie: readonly string[]
  readonly text: string
  /** Why no response was received, or only a part of it. */
  readonly failure?: Failure | undefined
}

interface Failure {
  readonly end: 'timed_out' | 'dropped' | 'unreachable'
  /** The problem as a sentence. */
  readonly problem: string
  /** The error that Node reported. */
  readonly cause?: unknown
}

export interface ExchangeOptions {
  /** PEM certificates to trust in addition to those of Node. */
  readonly ca?: string | undefined
  /**
   * PEM certificate to trust for this server, whatever its names and dates are. A certificate that
   * Node trusts is accepted too.
   */
  readonly certificate?: string | undefined
  /** Accepts any certificate. */
  readonly anyCertificate?: boolean | undefined
}

/**
 * Like `createExchange`, with a limit for the whole exchange.
 * @param seconds from the request to the end of the answer
 */
export function createExchangeWithin(seconds: number, options: ExchangeOptions = {}) {
  const exchange = createExchange(options)
  return (request: HttpRequest) => {
    const { signal, clear } = startDeadline(seconds)
    return exchange(request, signal).finally(clear)
  }
}

/**
 * Creates a function that sends each request on its own connection, which is closed after the
 * answer.
 */
export function createExchange({ ca, certificate, anyCertificate = false }: ExchangeOptions = {}) {
  // Created once, because it takes as long as several hundred requests.
  const trust =
    ca === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }
  return async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, url, headers, body } = request
    const from = request.from !== undefined && (await isThisMachine(url)) ? request.from : undefined
    const length = body === undefined ? undefined : Buffer.byteLength(body)
    const all = { ...headers, 'Content-Length': length, 'X-Forwarded-For': from }
    const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
      ...trust,
      rejectUnauthorized: !anyCertificate && certificate === undefined,
      agent: false,
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      ...(from !== undefined && { localAddress: from, family: 4 }),
      maxHeaderSize: MAX_HEADER_BYTES,
      // A busy server may take two seconds to accept a connection. Trying its other address earlier
      // does not help.
      autoSelectFamilyAttemptTimeout: 5000,
      signal,
      lookup: (name, how, done) => {
        if (!LOCALHOST.test(name)) lookup(name, how, done)
        else if (how.all) done(null, LOOPBACK)
        else done(null, '127.0.0.1', 4)
      },
    }
    try {
      const sent =
        url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        // After the response began, errors concern its body, or data after a complete body (Apache
        // appends a second page). `readAnswer` handles them.
        sent.on('response', resolve).on('error', reject)
        // Rejects when there is neither a response nor an error: the server switched to another
        // protocol.
        sent.on('close', () => reject()).end(body)
      })
      if (certificate !== undefined) checkCertificate(response, certificate)
      return await readAnswer(response, url, signal)
    } catch (error) {
      const failure = failureOf(url, signal, error)
      // The server may listen only on ::1.
      if (from !== undefined && failure.end === 'unreachable')
        return send({ ...request, from: undefined }, signal)
      return { status: 0, headers: {}, setCookie: [], text: '', failure }
    }
  }
}

/** Browsers resolve these names to loopback addresses without DNS (RFC 6761 section 6.3). */
const LOCALHOST = /(?:^|\.)localhost\.?$/
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const isThisMachine = ({ hostname }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    if (LOCALHOST.test(hostname)) resolve(true)
    else
      lookup(hostname, { family: 4 }, (error, address) =>
        resolve(!error && address.startsWith('127.')),
      )
  })

function checkCertificate(response: IncomingMessage, expected: string): void {
  const { socket } = response
  if (!(socket instanceof TLSSocket) || socket.authorized) return
  if (
    socket.getPeerX509Certificate()?.fingerprint256 === new X509Certificate(expected).fingerprint256
  )
    return
  response.destroy()
  throw new UntrustedCertificate(String(socket.authorizationError))
}

class UntrustedCertificate extends Error {
  /** The reason of OpenSSL: `CERT_HAS_EXPIRED`. */
  readonly code: string

  constructor(code: string) {
    super(`the certificate is not trusted (${code})`)
    this.code = code
  }
}

/** Reads up to `MAX_READ_BYTES` of the body, then closes the connection. */
async function readAnswer(
  response: IncomingMessage,
  url: URL,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { 'set-cookie': setCookie = [], ...headers } = response.headers
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_READ_BYTES) break
    }
  } catch {
    // `isWhole` below tells whether the answer is complete.
  }
  // Without a length the body ends with the connection. A server that refuses a long request may
  // then reset the connection, which is not an error.
  const hasLength =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const isWhole = size >= MAX_READ_BYTES || (hasLength ? response.complete : !signal.aborted)
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    setCookie,
    text: decode(
      await unpack(Buffer.concat(chunks), headers['content-encoding']),
      headers['content-type'],
    ),
    failure: isWhole ? undefined : failureOf(url, signal, undefined, 'in the middle of its answer'),
  }
}

const UNPACK = { gzip: gunzip, deflate: inflate, br: brotliDecompress }

/**
 * Decompresses a body that a server compressed although the request did not accept it. A body that
 * cannot be decompressed is returned unchanged.
 */
async function unpack(bytes: Buffer, encoding = ''): Promise<Buffer> {
  const [, method] = Object.entries(UNPACK).find(([name]) => name === encoding.toLowerCase()) ?? []
  const limit = { maxOutputLength: MAX_READ_BYTES }
  return method
    ? promisify<Buffer, object, Buffer>(method)(bytes, limit).catch(() => bytes)
    : bytes.subarray(0, MAX_READ_BYTES)
}

function decode(bytes: Buffer, contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** The problem when no process listens on the port. */
export const NOBODY = 'nothing answers there'

/** Problems by the error code of a connection that could not be made. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: NOBODY,
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name is not known',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
}

function failureOf(
  { origin }: URL,
  signal: AbortSignal,
  cause: unknown,
  when = 'without an answer',
): Failure {
  const code = codeOf(cause) ?? ''
  if (signal.aborted)
    return { end: 'timed_out', problem: `${origin} did not answer in time`, cause }
  if (cause === undefined || code === 'ECONNRESET' || code === 'EPIPE')
    return { end: 'dropped', problem: `${origin} closed the connection ${when}`, cause }
  if (code.startsWith('HPE_'))
    return {
      end: 'dropped',
      problem: `the answer of ${origin} cannot be read: ${messageOf(cause)}`,
      cause,
    }
  const reason = UNREACHABLE[code] ?? (messageOf(cause) || code)
  return { end: 'unreachable', problem: `${origin} cannot be reached: ${reason}`, cause }
}
