import type { Request, Response } from 'express'
import { bodyKind, parametersOf, type Sent } from '../../sandbox/journal/call-record.ts'
import { decodePairs, type Pairs } from '../../service/oidc/request/parameters.ts'
import type { ServerRequest } from '../../service/oidc/request/server-request.ts'

/** The path of a request below the base URL of the tenant, and the path parameters. */
export interface Place {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

/**
 * The request that routes receive. It wraps the Express request and decodes each part when a route
 * first needs the part.
 */
export class Incoming implements ServerRequest {
  readonly method: string
  /** The path below the base URL of the tenant. */
  readonly path: string
  /** The raw query string, without the question mark. */
  readonly query: string
  readonly params: Place['params']
  readonly body: Uint8Array
  readonly #request: Request
  readonly #response: Response
  #queryPairs: Pairs | undefined
  #formPairs: Pairs | undefined
  #text: string | undefined
  #sentParameters: Readonly<Record<string, unknown>> | undefined

  constructor(request: Request, response: Response, { path, params }: Place) {
    const { originalUrl, method, body } = request
    const question = originalUrl.indexOf('?')
    this.method = method
    this.path = path
    this.query = question < 0 ? '' : originalUrl.slice(question + 1)
    this.params = params
    this.body = Buffer.isBuffer(body) ? body : NO_BODY
    this.#request = request
    this.#response = response
  }

  /** The query, decoded once. @throws Refusal 400 for too many parameters */
  get queryPairs(): Pairs {
    this.#queryPairs ??= decodePairs(this.query)
    return this.#queryPairs
  }

  /** The body as text, without a byte order mark, decoded once. */
  get text(): string {
    const { buffer, byteOffset, byteLength } = this.body
    this.#text ??= Buffer.from(buffer, byteOffset, byteLength)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
    return this.#text
  }

  /** The body as a form, decoded once. @throws Refusal 400 for too many parameters */
  get formPairs(): Pairs {
    this.#formPairs ??= decodePairs(this.text)
    return this.#formPairs
  }

  /** The raw query or body. */
  get sent(): Sent {
    if (this.method === 'GET') return { kind: 'query', text: this.query }
    return { kind: bodyKind(this.contentType), text: this.text }
  }

  /**
   * All parameters by name: the query of a GET request, otherwise the form or the JSON body. For
   * too many parameters the result holds only their number.
   */
  sentParameters(): Readonly<Record<string, unknown>> {
    if (this.#sentParameters) return this.#sentParameters
    const { sent } = this
    this.#sentParameters = parametersOf(sent, () =>
      sent.kind === 'query' ? this.queryPairs : this.formPairs,
    )
    return this.#sentParameters
  }

  get contentType(): string | undefined {
    return this.header('content-type')
  }

  get authorization(): string | undefined {
    return this.header('authorization')
  }

  /** The protocol that the caller used. A trusted proxy may name it (`X-Forwarded-Proto`). */
  get protocol(): 'http' | 'https' {
    return this.#request.protocol === 'https' ? 'https' : 'http'
  }

  get host(): string | undefined {
    return this.#request.host
  }

  get caller(): string | undefined {
    return this.#request.ip
  }

  /**
   * Whether a trusted proxy opened the connection. Only a trusted proxy's `X-Forwarded-` headers
   * count.
   */
  get isByTrustedProxy(): boolean {
    const trusts: unknown = this.#request.app.get('trust proxy fn')
    return typeof trusts === 'function' && trusts(this.#request.socket.remoteAddress, 0) === true
  }

  get headerNames(): readonly string[] {
    return this.#request.rawHeaders.filter((_, index) => index % 2 === 0)
  }

  /**
   * The value of a header. Repeated headers are joined by commas. Node keeps the first value of
   * `Authorization` and other headers that may not be repeated.
   */
  header(name: string): string | undefined {
    return this.#request.get(name)
  }

  get isGone(): boolean {
    return this.#response.destroyed
  }

  /** Aborted when the connection closes. */
  get signal(): AbortSignal {
    const gone = new AbortController()
    if (this.isGone) gone.abort()
    this.#response.on('close', () => gone.abort())
    return gone.signal
  }

  /** The language tags of `Accept-Language`, in order of preference (RFC 9110 section 12.5.4). */
  get acceptedLanguages(): readonly string[] {
    return this.#request.acceptsLanguages()
  }

  /** Whether the caller asks for JSON rather than for a page. */
  get wantsJson(): boolean {
    return this.#request.accepts(['html', 'json']) === 'json'
  }
}

const NO_BODY = new Uint8Array()
/** The path parameters of a path without parameters. */
export const NO_PARAMS: Place['params'] = {}
