import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A call of the demo's server to the sandbox. */
export interface ServerCall {
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

/** Makes a call as the server of a relying party does, but only to this process: `url` never comes from a request. */
export function callOwnServer({ method, url, headers = {}, body = '' }: ServerCall): Promise<ServerAnswer> {
  // The own certificate may be self-signed; the process listens on this address itself.
  const request = url.startsWith('https:')
    ? requestHttps(url, { method, headers, rejectUnauthorized: false })
    : requestHttp(url, { method, headers })
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    request.end(body)
  })
}
