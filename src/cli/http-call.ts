import { X509Certificate } from 'node:crypto'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { rootCertificates, TLSSocket } from 'node:tls'

/** A call that a command makes itself: redirects are not followed. */
export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** A certificate to trust beside those that Node trusts, as PEM. */
  readonly ca?: string | undefined
  /** A certificate that is known: a server that shows it is right, whatever its names and dates, as PEM. */
  readonly known?: string | undefined
  /** For a server that is known by where it listens: whatever certificate it shows is right. */
  readonly trustAny?: boolean | undefined
}

export interface HttpAnswer {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Nobody who asks here expects a longer answer. */
const MOST_BYTES = 1024 * 1024

/**
 * Makes one call on a connection of its own. @throws Error as Node gives it, with its code; `TimeoutError` when the whole answer
 * took longer than `timeoutMs`
 */
export async function callHttp(url: string, call: HttpCall): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body = '', timeoutMs, ca, known, trustAny = false } = call
  const signal = AbortSignal.timeout(timeoutMs)
  const trust = {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    rejectUnauthorized: known === undefined && !trustAny,
  }
  try {
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const common = { method, headers, signal, agent: false }
      const request = url.startsWith('https:') ? requestHttps(url, { ...common, ...trust }) : requestHttp(url, common)
      if (known !== undefined) {
        request.on('socket', (socket) => {
          socket.on('secureConnect', () => {
            const problem = socket instanceof TLSSocket ? trustProblem(socket, known) : undefined
            if (problem) request.destroy(problem)
          })
        })
      }
      request.on('error', reject)
      request.on('response', (response) => readAnswer(response).then(resolve, reject))
      request.end(body)
    })
  } catch (error) {
    // Node reports every abort alike; the signal knows that it was the time.
    throw signal.aborted ? signal.reason : error
  }
}

function trustProblem(socket: TLSSocket, known: string): Error | undefined {
  const shown = socket.getPeerX509Certificate()
  if (socket.authorized || shown?.fingerprint256 === new X509Certificate(known).fingerprint256) return undefined
  const { authorizationError: code } = socket
  return Object.assign(new Error(`the certificate is not trusted (${code})`), { code: String(code) })
}

function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_BYTES) response.destroy(new Error(`the answer is longer than ${MOST_BYTES} bytes`))
      else chunks.push(chunk)
    })
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
        ),
        text: Buffer.concat(chunks).toString('utf8'),
      }),
    )
  })
}
