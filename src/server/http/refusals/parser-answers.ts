import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { READING_MS, serializeReply, setCommonHeaders } from '../reply.ts'
import { errorJson } from './refusal-answer.ts'

/** The unfinished responses of each connection, in the order of their requests. */
const unended = new WeakMap<Duplex, Set<ServerResponse>>()

/**
 * A response that registers itself for its connection, because some events of Node name only the
 * connection.
 */
export class ConnectedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...given)
    const { socket } = this.req
    const responses = unended.get(socket) ?? new Set()
    unended.set(socket, responses.add(this))
    this.once('close', () => responses.delete(this))
  }
}

/** An error of Node's HTTP parser, with the bytes that the parser read last. */
interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Uint8Array
}

/**
 * Answers requests that Node refuses before a request object exists. Like all refusals the answer
 * has the common headers and a JSON body that says what was received and what to do; Node itself
 * sends no body.
 * @param limits.maxHeaderSize bytes of the request line and all headers, as given to Node
 */
export function answerUnparsed(server: Server, { maxHeaderSize }: { maxHeaderSize: number }): void {
  const answered = new WeakSet<Duplex>()
  const answer = (socket: Duplex, refusal: Refusal) => {
    // Node emits `clientError` again for the bytes that follow.
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable || isAnswering(socket)) socket.destroy()
    else endWith(socket, refusal)
  }
  server.on('clientError', (error: ParserError, socket) =>
    answer(socket, unparsed(error, { server, maxHeaderSize })),
  )
  server.on('connect', (_request, socket) => answer(socket, NO_PROXY))
  server.on('dropRequest', (_request, socket) => {
    const response = responsesOf(socket).at(-1)
    if (response) setCommonHeaders(response).setHeader('Connection', 'close')
  })
  answerPlainRequests(server, answer)
}

/**
 * Whether a response is in progress. Bytes that are written now would become a part of its body.
 */
const isAnswering = (socket: Duplex) => responsesOf(socket).some(({ headersSent }) => headersSent)

const responsesOf = (socket: Duplex): readonly ServerResponse[] => [...(unended.get(socket) ?? [])]

/**
 * Sends the refusal and closes the connection after `READING_MS`: TCP resets a connection that is
 * closed with unread bytes, and the answer would be lost.
 */
function endWith(socket: Duplex, refusal: Refusal): void {
  socket.on('error', () => {})
  socket.end(serializeReply(errorJson(refusal, undefined)))
  const patience = setTimeout(() => socket.destroy(), READING_MS)
  socket.once('close', () => clearTimeout(patience))
}

/**
 * Answers plain HTTP requests on an https server. The failed TLS socket cannot send an answer, so
 * the answer goes to the TCP socket below it.
 */
function answerPlainRequests(
  server: Server,
  answer: (socket: Duplex, refusal: Refusal) => void,
): void {
  const connections = new Map<string, Duplex>()
  const nameOf = (socket: {
    remoteAddress?: string | undefined
    remotePort?: number | undefined
  }) => `${socket.remoteAddress} ${socket.remotePort}`
  server.on('tlsClientError', (error: ParserError, socket: Parameters<typeof nameOf>[0]) => {
    const connection = connections.get(nameOf(socket))
    if (connection && error.code === 'ERR_SSL_HTTP_REQUEST') answer(connection, PLAIN_REQUEST)
  })
  if (server.listenerCount('secureConnection') === 0) return
  server.on('connection', (connection) => {
    const name = nameOf(connection)
    connections.set(name, connection)
    connection.once('close', () => connections.delete(name))
  })
}

const unreadable = (status: number, message: string) =>
  Refusal.byHttp(status, message, {
    title: 'This request cannot be read',
    headers: { Connection: 'close' },
  })

const NO_PROXY = unreadable(
  405,
  'CONNECT is not served: the sandbox is no proxy; take its address out of HTTP_PROXY and HTTPS_PROXY, and call it directly',
)

const PLAIN_REQUEST = unreadable(
  400,
  'a request without TLS came, and this port speaks https; call it by https://, or start the sandbox without https',
)

/** Words the refusal of a request that the parser could not read. */
function unparsed(
  error: ParserError,
  {
    server: { headersTimeout, requestTimeout },
    maxHeaderSize,
  }: { server: Server; maxHeaderSize: number },
): Refusal {
  const { code = 'without a code', reason = error.message, rawPacket } = error
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return unreadable(
        431,
        `the request line and the headers have more than ${maxHeaderSize / 1024} KiB together; send a shorter query, fewer cookies or shorter headers`,
      )
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return unreadable(
        413,
        'the extensions of the chunks of the body are too long; send chunks without extensions',
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return unreadable(
        408,
        `the request did not arrive in time: its head may take ${headersTimeout / 1000} seconds, all of it ${requestTimeout / 1000}; send it at once, with the Content-Length that its body has`,
      )
  }
  const start = Buffer.from(rawPacket?.subarray(0, 24) ?? [])
  if (start[0] === TLS_HANDSHAKE && start[1] === TLS_VERSION) {
    return unreadable(
      400,
      'a TLS handshake came, and this port speaks http; call it by http://, or start the sandbox with https (--https)',
    )
  }
  if (start.toString('latin1').startsWith('PRI * HTTP/2')) {
    return unreadable(
      400,
      'a request by HTTP/2 came, and the sandbox speaks HTTP/1.1; set the client to HTTP/1.1',
    )
  }
  return unreadable(
    400,
    `the request cannot be read: ${reason} (${code}); ${REMEDIES.get(code) ?? USUAL_REMEDY}`,
  )
}

/**
 * The first two bytes of a TLS connection: the handshake record type, and the major version of all
 * TLS versions (RFC 8446 section 5.1).
 */
const TLS_HANDSHAKE = 0x16
const TLS_VERSION = 0x03

const ONE_LENGTH = 'send either one Content-Length, in digits, or "Transfer-Encoding: chunked"'
const CHUNKS =
  'begin each chunk with its length in hexadecimal digits, and end the body with a chunk of length 0'
const USUAL_REMEDY = 'write the request as in RFC 9112, or let an HTTP library write it'

/** Remedies by the error code of Node's HTTP parser. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['HPE_INVALID_METHOD', 'begin the request with a method and a path: "GET /v1/oidc/use HTTP/1.1"'],
  [
    'HPE_INVALID_URL',
    'percent-encode blanks, control characters and non-ASCII characters in path and query',
  ],
  [
    'HPE_INVALID_CONSTANT',
    'end the request line with "HTTP/1.1", and percent-encode blanks in the path and the query',
  ],
  ['HPE_INVALID_VERSION', 'end the request line with "HTTP/1.1"'],
  [
    'HPE_INVALID_HEADER_TOKEN',
    'send header names of letters, digits and hyphens, and values without control characters',
  ],
  ['HPE_INVALID_CONTENT_LENGTH', ONE_LENGTH],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', ONE_LENGTH],
  ['HPE_INVALID_TRANSFER_ENCODING', ONE_LENGTH],
  ['HPE_INVALID_CHUNK_SIZE', CHUNKS],
  ['HPE_STRICT', 'end each line with CR and LF'],
  ['HPE_CR_EXPECTED', 'end each line with CR and LF'],
  ['HPE_LF_EXPECTED', 'end each line with CR and LF'],
  ['HPE_INVALID_EOF_STATE', 'send all of the request before you close the connection'],
])
