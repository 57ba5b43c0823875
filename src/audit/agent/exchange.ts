import { lookup } from 'node:dns'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from 'node:https'
import { createSecureContext, rootCertificates } from 'node:tls'
import { codeOf, messageOf } from '../../files/caught.ts'

/** Of a page no more is read. */
export const MAX_PAGE_BYTES = 1024 * 1024
/** A callback may set its token as a cookie, or send it on in `Location`. */
const MAX_HEADER_BYTES = 256 * 1024

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The IPv4 loopback address to connect from, when the host is this machine. */
  readonly from?: string | undefined
}

export interface HttpAnswer {
  readonly status: number
  /** The value of a header, by its name in lower case. When the header is repeated, its first value counts. */
  header(name: string): string | undefined
  readonly setCookie: readonly string[]
  readonly text: string
}

/** Why nothing came, in words. `answer` holds what came before. */
export interface Failure {
  readonly end: 'timed_out' | 'dropped' | 'unreachable'
  readonly problem: string
  readonly answer?: HttpAnswer
}

/** Sends one request on a connection of its own, which is closed after its answer. */
export type Exchange = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer | Failure>

export const isFailure = (result: HttpAnswer | Failure): result is Failure => 'end' in result

export interface ExchangeOptions {
  /** PEM of certificates to trust beside those of Node. */
  readonly ca?: string | undefined
  /** Takes certificates as they are. */
  readonly anyCertificate?: boolean | undefined
}

export function createExchange({ ca, anyCertificate = false }: ExchangeOptions = {}): Exchange {
  // Made once: it takes as long as some hundred requests.
  const trust = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }
  const tls = { keepAlive: false, rejectUnauthorized: !anyCertificate, ...trust }
  const agents = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent(tls) }
  const send: Exchange = ({ method, url, headers, body, from }, signal) =>
    new Promise((resolve) => {
      const fail = (error?: unknown, answer?: HttpAnswer) =>
        resolve({
          ...(signal.aborted ? timedOut(url) : failureOf(error, { url, isCut: answer !== undefined })),
          ...(answer && { answer }),
        })
      const isHttps = url.protocol === 'https:'
      const options: RequestOptions = {
        method,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
          ...(from !== undefined && { 'X-Forwarded-For': from }),
        },
        ...(from !== undefined && { localAddress: from, family: 4 }),
        agent: isHttps ? agents.https : agents.http,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
        // Browsers take every name below localhost for this machine, resolvers do not.
        lookup: (name, how, done) => lookup(name.endsWith('.localhost') ? 'localhost' : name, how, done),
      }
      try {
        const sent = isHttps ? requestHttps(url, options) : requestHttp(url, options)
        let isAnswered = false
        sent.on('response', (response) => {
          isAnswered = true
          readBody(response, signal, (text, isWhole) => {
            const answer = answerOf(response, text)
            if (isWhole) resolve(answer)
            else fail(undefined, answer)
          })
        })
        // An error after the response began is one of its body, which `readBody` reports, or of what follows a whole answer:
        // Apache appends a second page to the first one.
        sent.on('error', (error) => {
          if (!isAnswered) fail(error)
        })
        // Neither answer nor error: the server changed to another protocol.
        sent.on('close', () => {
          if (!isAnswered) fail()
        })
        sent.end(body)
      } catch (error) {
        // Node throws at a header value that it does not send.
        fail(error)
      }
    })
  return async ({ from, ...request }, signal) => {
    if (from === undefined || !(await isThisMachine(request.url))) return send(request, signal)
    const result = await send({ ...request, from }, signal)
    // It may listen on ::1 alone.
    return 'end' in result && result.end === 'unreachable' ? send(request, signal) : result
  }
}

const isThisMachine = ({ hostname }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const name = hostname.endsWith('.localhost') ? 'localhost' : hostname
    lookup(name, { family: 4 }, (error, address) => resolve(!error && address.startsWith('127.')))
  })

/** Reads at most `MAX_PAGE_BYTES`, closes the connection then, and passes on what came. */
function readBody(
  response: IncomingMessage,
  signal: AbortSignal,
  done: (text: string, isWhole: boolean) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_PAGE_BYTES) response.destroy()
  })
  // Its close says the same.
  response.on('error', () => {})
  response.on('close', () => {
    const { headers, complete } = response
    // Without a length the end of the connection ends the body. Servers that refuse a long request reset it then.
    const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const bytes = Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES)
    done(decode(bytes, headers['content-type']), size >= MAX_PAGE_BYTES || (hasLength ? complete : !signal.aborted))
  })
}

function decode(bytes: Buffer, contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const answerOf = ({ statusCode = 0, headers }: IncomingMessage, text: string): HttpAnswer => ({
  status: statusCode,
  header(name) {
    const value = headers[name]
    return Array.isArray(value) ? value[0] : value
  },
  setCookie: headers['set-cookie'] ?? [],
  text,
})

const timedOut = (url: URL): Failure => ({ end: 'timed_out', problem: `${url.origin} did not answer in time` })

/** Codes of errors with which no connection came about. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name is not known',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
}

function failureOf(error: unknown, { url, isCut }: { url: URL; isCut: boolean }): Failure {
  const { origin } = url
  if (isCut) return { end: 'dropped', problem: `${origin} closed the connection in the middle of its answer` }
  const code = codeOf(error)
  if (error === undefined || code === 'ECONNRESET' || code === 'EPIPE') {
    return { end: 'dropped', problem: `${origin} closed the connection without an answer` }
  }
  if (code?.startsWith('HPE_')) {
    return { end: 'dropped', problem: `the answer of ${origin} cannot be read: ${messageOf(error)}` }
  }
  const reason = UNREACHABLE[code ?? ''] ?? (messageOf(error) || code)
  return { end: 'unreachable', problem: `${origin} cannot be reached: ${reason}` }
}
