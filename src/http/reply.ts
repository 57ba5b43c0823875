import type { ServerResponse } from 'node:http'
import type { Response } from 'express'
import type { ServerReply } from '../sandbox/outcomes/server-reply.ts'
import { type Cookie, serializeCookie } from './cookie.ts'
import type { RenderedPage } from './html/layout.ts'

/** What a route answers: data, so that it can be recorded, spoiled and sent once. */
export interface Reply extends ServerReply {
  readonly cookie?: Cookie
  /** The title of a page, as plain text. */
  readonly title?: string
  /** Sent in place of the body: what is no text. */
  readonly bytes?: Uint8Array
  /** Keeps sending after the head: given a function that sends, returns one that stops. */
  readonly stream?: (send: (text: string) => void) => () => void
}

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'Cache-Control': 'no-store', ...headers, 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
})

/** What a page may do beside showing itself: send forms to further origins, show pages of the sandbox in frames. */
interface PageRights {
  readonly formTargets?: readonly string[]
  readonly frames?: boolean
}

/** A page under a content security policy that lets it reach only the sandbox itself, and what `rights` add. */
export const page = (status: number, { title, html }: RenderedPage, rights: PageRights = {}): Reply => ({
  status,
  headers: {
    'Cache-Control': 'no-store',
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(rights),
  },
  body: html,
  title,
})

/** 302 for an answer to a GET, 303 for one to a POST. */
export const redirect = (status: 302 | 303, url: string): Reply => ({
  status,
  headers: { 'Cache-Control': 'no-store', Location: url },
  body: '',
})

export const noContent = (headers: Readonly<Record<string, string>> = {}): Reply => ({ status: 204, headers, body: '' })

/** Server-sent events, until the caller goes away. */
export const eventStream = (stream: NonNullable<Reply['stream']>): Reply => ({
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  },
  body: '',
  stream,
})

/** Discovery and the key set are read from browsers too. */
export const CORS = { 'Access-Control-Allow-Origin': '*' }

/** Every response says what this is, assets and errors included. */
const COMMON_HEADERS = {
  'X-AgeKey-Sandbox': 'testing-only',
  'X-Content-Type-Options': 'nosniff',
  // Not no-referrer: the browser would then send Origin: null with our own forms.
  'Referrer-Policy': 'same-origin',
}

/** For what answers by itself: static files. */
export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value)
}

/** The one function that answers a request. */
export async function sendReply(response: Response, reply: Reply): Promise<void> {
  if (reply.delayMs) await delay(reply.delayMs, response)
  if (reply.dropped) {
    response.socket?.destroy()
    return
  }
  if (reply.stream) {
    response.writeHead(reply.status, { ...COMMON_HEADERS, ...reply.headers })
    // A stream never ends: whoever asks only for its head has it.
    if (response.req.method === 'HEAD') response.end()
    else sendStream(response, reply.stream)
    return
  }
  response.writeHead(reply.status, headersOf(reply, { isHttps: response.req.protocol === 'https' }))
  response.end(reply.bytes ?? reply.body)
}

/** Ends at once when the caller goes away, so that nobody waits for an answer that cannot be sent. */
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

/** A reader that does not read is let go before what waits for it fills the memory. */
const MOST_UNREAD_BYTES = 1024 * 1024

function sendStream(response: Response, stream: NonNullable<Reply['stream']>): void {
  const stop = stream((text) => {
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy()
    else response.write(text)
  })
  response.on('close', stop)
}

const headersOf = ({ status, headers, cookie, body, bytes }: Reply, caller: { isHttps: boolean }) => ({
  ...COMMON_HEADERS,
  ...headers,
  ...(cookie ? { 'Set-Cookie': serializeCookie(cookie, caller) } : {}),
  ...(status === 204 ? {} : { 'Content-Length': String(bytes?.byteLength ?? Buffer.byteLength(body)) }),
})

function contentSecurityPolicy({ formTargets = [], frames = false }: PageRights): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTargets.map((target) => ` ${target}`).join('')}`,
    "base-uri 'none'",
    ...(frames ? ["frame-src 'self'"] : []),
  ].join('; ')
}
