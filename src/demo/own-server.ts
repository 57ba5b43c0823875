import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A call of the demo's server to the sandbox. */
export interface OwnCall {
  readonly method: 'GET' | 'POST'
  /** Absolute, below the sandbox's own address. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/** How long the demo waits for a reply. */
const MAX_WAIT_MS = 5_000

/**
 * Makes a call as the server of a relying party does, but only to this process: `url` never comes from a request. Follows no
 * redirect. Resolves to `undefined` when the connection breaks, or nothing comes in time.
 */
export function callOwnServer({ method, url, headers: own, body = '' }: OwnCall): Promise<ServerAnswer | undefined> {
  // The coverage is about the apps of others.
  const headers = { 'X-Sandbox-Tool': 'demo', ...own }
  // The own certificate may be self-signed; the process listens on this address itself.
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
