import type { Request, Response } from 'express'
import { decodePairs, type Pairs } from '../oidc/parameters.ts'
import type { ServerRequest } from '../oidc/server-request.ts'

/** A request as the routes see it: plain data, parsed no further than every route needs. */
export interface Incoming extends ServerRequest {
  readonly method: string
  /** Below the base URL of the tenant. */
  readonly path: string
  /** The raw query string, without the question mark. */
  readonly query: string
  /** The query, decoded: once for all who ask. */
  readonly queryPairs: Pairs
  /** How and by what name the caller reached the sandbox, told by a trusted proxy or else by the call itself. */
  readonly protocol: 'http' | 'https'
  readonly host: string | undefined
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The value of a header, several joined by commas. */
  header(name: string): string | undefined
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /** Whether the caller asks for JSON rather than for a page. */
  readonly wantsJson: boolean
}

export function readIncoming(request: Request, response: Response): Incoming {
  const { originalUrl, path, method, params, body } = request
  const question = originalUrl.indexOf('?')
  const query = question < 0 ? '' : originalUrl.slice(question + 1)
  let pairs: Pairs | undefined
  return {
    method,
    path,
    query,
    get queryPairs() {
      pairs ??= decodePairs(query)
      return pairs
    },
    params: Object.fromEntries(
      Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    get protocol() {
      return request.protocol === 'https' ? 'https' : 'http'
    },
    get host() {
      return request.host
    },
    header: (name) => request.get(name),
    // Made only when somebody waits: most calls are answered at once.
    get signal() {
      const gone = new AbortController()
      if (response.destroyed) gone.abort()
      response.on('close', () => gone.abort())
      return gone.signal
    },
    // Likewise: only errors and pages ask.
    get wantsJson() {
      return request.accepts(['html', 'json']) === 'json'
    },
    contentType: request.get('content-type'),
    authorization: request.get('authorization'),
    body: Buffer.isBuffer(body) ? body : new Uint8Array(),
  }
}
