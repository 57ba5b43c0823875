import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** What Node reports of a request that it cannot read. */
interface ParserError extends Error {
  readonly code?: string
  /** What the parser says: `Invalid method encountered`. */
  readonly reason?: string
}

/**
 * Answers requests that Node refuses before any route sees them, in the shape of every other error: malformed requests, large
 * headers, a body of unclear length. The connection ends with the answer.
 */
export function answerUnreadableRequests(server: Server, { maxHeaderBytes }: { maxHeaderBytes: number }): void {
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return
    socket.end(answerTo(error, { maxHeaderBytes, arrivalSeconds: server.requestTimeout / 1000 }))
  })
  // A body is asked for where it is read.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // RFC 9110 section 10.1.1 permits a server to ignore an unknown expectation; Node would refuse it without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

interface Limits {
  readonly maxHeaderBytes: number
  readonly arrivalSeconds: number
}

function answerTo(error: ParserError, limits: Limits): string {
  const [status, description] = explain(error, limits)
  const body = JSON.stringify({ error: 'invalid_request', error_description: description, findings: [] })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'X-AgeKey-Sandbox: testing-only',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

function explain(
  { code, reason, message }: ParserError,
  { maxHeaderBytes, arrivalSeconds }: Limits,
): [status: number, description: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        431,
        `the request line and headers are larger than ${maxHeaderBytes} bytes together: shorten the query, for example claims`,
      ]
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, `the request did not arrive within ${arrivalSeconds} seconds: send its headers and its body at once`]
    default:
      return [400, `this is not a well-formed HTTP/1.1 request: ${reason ?? message}`]
  }
}
