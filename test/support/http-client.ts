/** An answer as a client sees it: redirects are not followed. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON. @throws SyntaxError */
  json(): unknown
}

type HeaderValues = Readonly<Record<string, string>>

export interface HttpClient {
  get(path: string, options?: { query?: URLSearchParams | string; headers?: HeaderValues }): Promise<Answer>
  /** A body of `URLSearchParams` is sent as a form, text and blobs as they are, anything else as JSON. */
  post(path: string, body: unknown, headers?: HeaderValues): Promise<Answer>
  send(path: string, init: RequestInit): Promise<Answer>
}

/** A client of one server that follows no redirects and keeps no cookies. */
export function createClient(baseUrl: string): HttpClient {
  const send: HttpClient['send'] = async (path, init) => {
    const response = await fetch(`${baseUrl}${path}`, { ...init, redirect: 'manual' })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
  }
  return {
    send,
    get: (path, { query = '', headers = {} } = {}) => send(`${path}${query ? `?${query}` : ''}`, { headers }),
    post: (path, body, headers = {}) => send(path, { method: 'POST', ...encode(body, headers) }),
  }
}

function encode(
  body: unknown,
  headers: HeaderValues,
): { body: string | Blob | URLSearchParams; headers: HeaderValues } {
  if (typeof body === 'string' || body instanceof URLSearchParams || body instanceof Blob) return { body, headers }
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } }
}
