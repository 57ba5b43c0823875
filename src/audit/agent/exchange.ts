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
  /** By names in lower case. Of a header that is repeated, the first value counts. */
  readonly headers: Readonly<Record<string, string | undefined>>
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
        resolve({ ...failureOf(error, { origin: url.origin, answer, signal }), ...(answer && { answer }) })
      const isHttps = url.protocol === 'https:'
      const options: RequestOptions = {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
          ...(from !== undefined && { 'X-Forwarded-For': from }),
        },
        ...(from !== undefined && { localAddress: from, family: 4 }),
        agent: isHttps ? agents.https : agents.http,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
        lookup: (name, how, done) => lookup(hostOf(name), how, done),
      }
      try {
        const sent = isHttps ? requestHttps(url, options) : requestHttp(url, options)
        let isAnswered = false
        sent.on('response', async (response) => {
          isAnswered = true
          const { answer, isWhole } = await readAnswer(response, signal)
          if (isWhole) resolve(answer)
          else fail(undefined, answer)
        })
        // An error after the response began is one of its body, or of what follows a whole answer: Apache appends a second page.
        sent.on('error', (error) => isAnswered || fail(error))
        // Neither answer nor error: the server changed to another protocol.
        sent.on('close', () => isAnswered || fail())
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
    return isFailure(result) && result.end === 'unreachable' ? send(request, signal) : result
  }
}

/** Browsers take every name below localhost for this machine, resolvers do not. */
const hostOf = (name: string) => (name.endsWith('.localhost') ? 'localhost' : name)

const isThisMachine = ({ hostname }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    lookup(hostOf(hostname), { family: 4 }, (error, address) => resolve(!error && address.startsWith('127.')))
  })

/** Reads at most `MAX_PAGE_BYTES`, and closes the connection then. */
async function readAnswer(response: IncomingMessage, signal: AbortSignal) {
  const { headers, statusCode: status = 0 } = response
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_PAGE_BYTES) response.destroy()
  })
  // Its close says the same.
  response.on('error', () => {})
  await new Promise((resolve) => response.on('close', resolve))
  // Without a length the end of the connection ends the body. Servers that refuse a long request reset it then.
  const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const text = decode(Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES), headers['content-type'])
  const firsts = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])
  const answer: HttpAnswer = {
    status,
    headers: Object.fromEntries(firsts),
    setCookie: headers['set-cookie'] ?? [],
    text,
  }
  return { answer, isWhole: size >= MAX_PAGE_BYTES || (hasLength ? response.complete : !signal.aborted) }
}

function decode(bytes: Buffer, contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** Codes of errors with which no connection came about. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name is not known',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
}

/** @param at.answer what came before the connection was lost */
function failureOf(
  error: unknown,
  { origin, answer, signal }: { origin: string; answer: HttpAnswer | undefined; signal: AbortSignal },
): Failure {
  const code = codeOf(error) ?? ''
  if (signal.aborted) return { end: 'timed_out', problem: `${origin} did not answer in time` }
  if (answer) return { end: 'dropped', problem: `${origin} closed the connection in the middle of its answer` }
  if (error === undefined || code === 'ECONNRESET' || code === 'EPIPE') {
    return { end: 'dropped', problem: `${origin} closed the connection without an answer` }
  }
  if (code.startsWith('HPE_')) {
    return { end: 'dropped', problem: `the answer of ${origin} cannot be read: ${messageOf(error)}` }
  }
  const reason = UNREACHABLE[code] ?? (messageOf(error) || code)
  return { end: 'unreachable', problem: `${origin} cannot be reached: ${reason}` }
}
