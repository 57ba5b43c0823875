import { X509Certificate } from 'node:crypto'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { rootCertificates, TLSSocket } from 'node:tls'

/** A call that a command makes itself: redirects are not followed. Not `fetch`, which can neither trust a certificate nor set `Host`. */
export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly trust?: Trust | undefined
}

/** What is trusted beside the certificates that Node trusts; certificates are PEM. */
export type Trust =
  | { readonly kind: 'issuer'; readonly certificate: string }
  /** A server that shows this very certificate, whatever its names and dates. */
  | { readonly kind: 'server'; readonly certificate: string }
  /** For a server that is known by where it listens. */
  | { readonly kind: 'any' }

export interface HttpAnswer {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const MAX_ANSWER_LENGTH = 1024 * 1024

/**
 * Makes one call on a connection of its own. @throws Error as Node gives it, with its code; `TimeoutError` when the whole answer
 * took longer than `timeoutMs`
 */
export async function callHttp(url: string, call: HttpCall): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body = '', timeoutMs, trust } = call
  const signal = AbortSignal.timeout(timeoutMs)
  const tls = {
    rejectUnauthorized: trust === undefined || trust.kind === 'issuer',
    ...(trust?.kind === 'issuer' && { ca: [...rootCertificates, trust.certificate] }),
  }
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const common = { method, headers, signal, agent: false }
      const request =
        new URL(url).protocol === 'https:' ? requestHttps(url, { ...common, ...tls }) : requestHttp(url, common)
      request.on('error', reject).on('response', resolve).end(body)
    })
    if (trust?.kind === 'server') checkCertificate(response, trust.certificate)
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      ),
      text: await readText(response),
    }
  } catch (error) {
    // Node reports every abort alike; the signal knows that it was the time.
    throw signal.aborted ? signal.reason : error
  }
}

function checkCertificate(response: IncomingMessage, expected: string): void {
  const { socket } = response
  if (!(socket instanceof TLSSocket) || socket.authorized) return
  if (socket.getPeerX509Certificate()?.fingerprint256 === new X509Certificate(expected).fingerprint256) return
  const code = String(socket.authorizationError)
  response.destroy()
  throw Object.assign(new Error(`the certificate is not trusted (${code})`), { code })
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > MAX_ANSWER_LENGTH) throw new Error(`the answer is longer than ${MAX_ANSWER_LENGTH} characters`)
  }
  return text
}
