import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A call of the demo's server to the sandbox. */
export interface OwnCall {
  readonly method: 'GET' | 'POST'
  /** The absolute URL, below the sandbox's own address. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/** Milliseconds that the demo waits for a reply. */
const MAX_WAIT_MS = 5_000

/**
 * Makes a call as the server of a relying party, but only to this process: `url` never comes from a request. Redirects are not followed.
 * Resolves to `undefined` when the connection breaks, or nothing comes in time.
 */
export function callOwnServer({ method, url, headers: own, body = '' }: OwnCall): Promise<ServerAnswer | undefined> {
  // Coverage is about other apps.
  const headers = { 'X-Sandbox-Tool': 'demo', ...own }
  // The certificate may be self-signed; the process itself listens at this address.
  const request = url.startsWith('https:')
    ? requestHttps(url, { method, headers, rejectUnauthorized: false, timeout: MAX_WAIT_MS })
    : requestHttp(url, { method, headers, timeout: MAX_WAIT_MS })
  return new Promise((resolve) => {
    const giveUp = () => resolve(undefined)
    request.on('timeout', () => request.destroy())
    request.on('error', giveUp)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', giveUp)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    request.end(body)
  })
}
