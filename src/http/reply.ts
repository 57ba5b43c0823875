import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Response } from 'express'
import type { ReplyBody, ServerReply } from '../sandbox/outcomes/outcome.ts'
import { type Cookie, serializeCookie } from './cookie.ts'
import type { RenderedPage } from './html/layout.ts'

/** A reply as data until it is sent: an outcome can change it, and the journal records it. */
export interface Reply extends Omit<ServerReply, 'body'> {
  readonly body: Body
  readonly cookies?: readonly Cookie[]
}

export type Body =
  | ReplyBody
  /** `title` as plain text. */
  | ({ readonly kind: 'page' } & RenderedPage)
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly start: StartStream }

/** Starts a stream: from now on it is written to. A `write` that gives `false` asks to wait for `drain`. */
export type StartStream = (
  stream: Pick<Writable, 'write' | 'destroy'> & { on(event: 'drain', listener: () => void): unknown },
) => void

/** The status that the caller receives: 0 when nothing is sent. */
export const sentStatus = ({ status, dropped }: Pick<Reply, 'status' | 'dropped'>): number => (dropped ? 0 : status)

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ServerReply => ({
  status,
  headers: { 'Cache-Control': 'no-store', ...headers, 'Content-Type': 'application/json; charset=utf-8' },
  body: { kind: 'json', value },
})

/** Rights of a page under its content security policy. */
interface PageRights {
  /** Further origins to which its forms may go. */
  readonly formTargets?: readonly string[]
  /** It may have frames with pages of the sandbox. */
  readonly frames?: boolean
  /** Pages of any site may frame it. */
  readonly embeddable?: boolean
}

/** A page under a content security policy that lets it reach only the sandbox itself, and what `rights` add. */
export const page = (status: number, rendered: RenderedPage, rights: PageRights = {}): Reply => ({
  status,
  headers: {
    'Cache-Control': 'no-store',
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(rights),
  },
  body: { kind: 'page', ...rendered },
})

/** 302 for an answer to a GET, 303 for one to a POST. */
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

/** Server-sent events, until the caller goes away. */
export const eventStream = (start: StartStream): Reply => ({
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  },
  body: { kind: 'stream', start },
})

/** Discovery and the key set are read from browsers too. */
export const CORS = { 'Access-Control-Allow-Origin': '*' }

/** The headers of every response, assets and errors included. */
const COMMON_HEADERS = {
  'X-AgeKey-Sandbox': 'testing-only',
  'X-Content-Type-Options': 'nosniff',
  // Not no-referrer: the browser would then send Origin: null with forms of the sandbox itself.
  'Referrer-Policy': 'same-origin',
}

/** Sets the headers of every response on static files, which Express sends itself. */
export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value)
}

/**
 * The one function that answers a request.
 * @param flow the id of the flow that the journal recorded the call in: a header names it, which no script of another site can read
 */
export async function sendReply(response: Response, reply: Reply, flow?: string): Promise<void> {
  const { status, headers, body, cookies = [], delayMs, dropped } = reply
  if (delayMs) await delay(delayMs, response)
  if (dropped) {
    response.socket?.destroy()
    return
  }
  const sent: OutgoingHttpHeaders = { ...COMMON_HEADERS, ...headers }
  if (flow !== undefined) sent['X-AgeKey-Sandbox-Flow'] = flow
  if (body.kind === 'stream') {
    response.writeHead(status, sent)
    // A stream never ends: HEAD gets its headers only.
    if (response.req.method === 'HEAD') response.end()
    else body.start(response)
    return
  }
  let content = contentOf(body)
  if (body.kind === 'page' && content.length > MIN_PACKED && response.req.acceptsEncodings('gzip')) {
    content = await pack(content)
    sent['Content-Encoding'] = 'gzip'
  }
  if (cookies.length > 0) {
    const isHttps = response.req.protocol === 'https'
    sent['Set-Cookie'] = cookies.map((cookie) => serializeCookie(cookie, { isHttps }))
  }
  if (body.kind === 'redirect') sent['Location'] = body.location
  if (status !== 204) sent['Content-Length'] = Buffer.byteLength(content)
  response.writeHead(status, sent)
  if (headers['Connection'] === 'close') {
    response.write(content)
    await delay(READING_MS, response)
    response.end()
  } else response.end(content)
}

/** Characters above which a page is packed: below that packing takes longer than it saves. */
const MIN_PACKED = 20_000
const pack = promisify(gzip)

/** Time to read an answer behind which the connection closes: closed with unread bytes of the request, it is reset. */
const READING_MS = 500

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

/** Ends at once when the caller goes away, because the answer cannot be sent any more. */
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

/** Decision: a click on a framed page of the console could drive the sandbox, so only hosted pages can be embedded elsewhere. */
function contentSecurityPolicy({ formTargets = [], frames = false, embeddable = false }: PageRights): string {
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
