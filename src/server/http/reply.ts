import { type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Response } from 'express'
import type { ReplyBody, ServerReply } from '../../sandbox/outcomes/outcome.ts'
import { type Cookie, serializeCookie } from './cookie.ts'
import type { RenderedPage } from './html/layout.ts'

/**
 * A reply as data, so that an outcome can change it and the journal can record it before it is
 * sent.
 */
export interface Reply extends Omit<ServerReply, 'body'> {
  readonly body: Body
  readonly cookies?: readonly Cookie[]
}

export type Body =
  | ReplyBody
  /** `title` is plain text. */
  | ({ readonly kind: 'page' } & RenderedPage)
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly start: StartStream }

/** Starts to write a stream. When `write` returns `false`, the stream must wait for `drain`. */
export type StartStream = (
  stream: Pick<Writable, 'write' | 'destroy'> & {
    on(event: 'drain', listener: () => void): unknown
  },
) => void

/** The status that the caller receives; 0 when the reply is dropped. */
export const sentStatus = ({ status, dropped }: Pick<Reply, 'status' | 'dropped'>): number =>
  dropped ? 0 : status

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServerReply => ({
  status,
  headers: {
    'Cache-Control': 'no-store',
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
  },
  body: { kind: 'json', value },
})

/** Permissions that a page adds to its content security policy. */
interface PageRights {
  /** Further origins to which its forms may post. */
  readonly formTargets?: readonly string[]
  /** Whether the page may contain frames with pages of the sandbox. */
  readonly frames?: boolean
  /** Whether any site may show the page in a frame. */
  readonly embeddable?: boolean
}

/** A page whose content security policy allows only the sandbox itself, plus `rights`. */
export const page = (status: number, rendered: RenderedPage, rights: PageRights = {}): Reply => ({
  status,
  headers: {
    'Cache-Control': 'no-store',
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(rights),
  },
  body: { kind: 'page', ...rendered },
})

/** A redirect. Callers use 302 to answer GET and 303 to answer POST. */
export const redirect = (status: 302 | 303, url: string): Reply => ({
  status,
  headers: { 'Cache-Control': 'no-store' },
  body: { kind: 'redirect', location: url },
})

export const noContent = (headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 204,
  headers,
  body: { kind: 'empty' },
})

/** A stream of server-sent events, which ends when the caller disconnects. */
export const eventStream = (start: StartStream): Reply => ({
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  },
  body: { kind: 'stream', start },
})

/** CORS: scripts of any origin may read discovery and the key set. */
export const CORS = { 'Access-Control-Allow-Origin': '*' }

/** The headers of every response, including assets and errors. */
const COMMON_HEADERS = new Map([
  ['X-AgeKey-Sandbox', 'testing-only'],
  ['X-Content-Type-Options', 'nosniff'],
  // `no-referrer` would make browsers send `Origin: null` with forms of the sandbox itself.
  ['Referrer-Policy', 'same-origin'],
])

/** Sets the common headers on a response that Express or Node sends itself. */
export const setCommonHeaders = (response: ServerResponse): ServerResponse =>
  response.setHeaders(COMMON_HEADERS)

/** Serializes a reply as HTTP/1.1, for a connection whose request could not be parsed. */
export function serializeReply({ status, headers, body }: ServerReply): string {
  const content = String(contentOf(body))
  const sent = [
    ...COMMON_HEADERS,
    ...Object.entries(headers),
    ['Content-Length', Buffer.byteLength(content)],
  ]
  const lines = sent.map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${content}`
}

/**
 * Sends a reply. No other function writes to a response, except the answers to requests that Node
 * cannot parse.
 * @param flow the id of the flow in which the call is recorded. The header `X-AgeKey-Sandbox-Flow`
 * names it; scripts of other origins cannot read the header
 */
export async function sendReply(response: Response, reply: Reply, flow?: string): Promise<void> {
  const { status, headers, body, cookies = [], delayMs, dropped } = reply
  if (delayMs) await delay(delayMs, response)
  if (dropped) {
    response.socket?.destroy()
    return
  }
  // A flat list for `writeHead`: name, value, name, value.
  const sent: OutgoingHttpHeader[] = [...COMMON_HEADERS, ...Object.entries(headers)].flat()
  if (flow !== undefined) sent.push('X-AgeKey-Sandbox-Flow', flow)
  if (body.kind === 'stream') {
    response.writeHead(status, sent)
    // A stream never ends, so HEAD gets only its headers.
    if (response.req.method === 'HEAD') response.end()
    else body.start(response)
    return
  }
  let content = contentOf(body)
  if (
    body.kind === 'page' &&
    content.length > MIN_PACKED &&
    response.req.acceptsEncodings('gzip')
  ) {
    content = await pack(content)
    sent.push('Content-Encoding', 'gzip')
  }
  if (cookies.length > 0) {
    const isHttps = response.req.protocol === 'https'
    sent.push(
      'Set-Cookie',
      cookies.map((cookie) => serializeCookie(cookie, { isHttps })),
    )
  }
  if (body.kind === 'redirect') sent.push('Location', body.location)
  if (status !== 204) sent.push('Content-Length', Buffer.byteLength(content))
  response.writeHead(status, sent)
  if (headers['Connection'] === 'close') {
    response.write(content)
    await delay(READING_MS, response)
    response.end()
  } else response.end(content)
}

/**
 * Minimum number of characters of a page that is compressed. For a shorter page the compression
 * costs more time than it saves.
 */
const MIN_PACKED = 20_000
const pack = promisify(gzip)

/**
 * Milliseconds that the client gets to read the answer before the connection closes. TCP resets a
 * connection that is closed with unread bytes, and the answer may be lost.
 */
export const READING_MS = 500

function contentOf(body: Exclude<Body, { kind: 'stream' }>): string | Uint8Array {
  switch (body.kind) {
    case 'json':
      return JSON.stringify(body.value)
    case 'text':
      return body.text
    case 'page':
      return body.html
    case 'bytes':
      return body.bytes
    case 'truncated': {
      const content = contentOf(body.body)
      return content.slice(0, Math.floor(content.length / 2))
    }
    case 'empty':
    case 'redirect':
      return ''
  }
}

/** Waits; ends early when the caller disconnects. */
function delay(milliseconds: number, response: Response): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      response.off('close', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    response.on('close', finish)
  })
}

/**
 * Decision: other sites may embed only hosted pages, because a click on a framed console page could
 * drive the sandbox.
 */
function contentSecurityPolicy({
  formTargets = [],
  frames = false,
  embeddable = false,
}: PageRights): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTargets.map((target) => ` ${target}`).join('')}`,
    "base-uri 'none'",
    ...(frames ? ["frame-src 'self'"] : []),
    ...(embeddable ? [] : ["frame-ancestors 'self'"]),
  ].join('; ')
}
