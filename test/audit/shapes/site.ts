import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { runningAt } from '../../support/express-example.ts'

/** Parameters as a body parser returns them: a repeated one is an array. */
export type Params = Readonly<Record<string, unknown>>

export function paramsOf(search: URLSearchParams): Params {
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const all = search.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )
}

/** A request, with what an app knows about it. */
export interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: Params
  browser?: string | undefined
  answered?: string
}

export type Handler = (visit: Visit) => unknown

export const cookiesOf = ({ request }: Visit): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    (request.headers.cookie ?? '')
      .split('; ')
      .map((pair) => /^([^=]*)=?(.*)$/.exec(pair)?.slice(1) ?? []),
  )

/** @param value with its attributes except Path */
export const setCookie = ({ response }: Visit, name: string, value: string): void =>
  void response.appendHeader('Set-Cookie', `${name}=${value}; Path=/`)

export function html({ response }: Visit, body: string, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' })
  response.end(
    `<!doctype html><html><head><title>The wine shop</title></head><body>${body}</body></html>`,
  )
}

export const json = ({ response }: Visit, value: unknown, status = 200): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

/** Redirects the browser to another page, by GET. */
export const redirect = ({ response }: Visit, to: string): void =>
  void response.writeHead(303, { Location: to }).end()

/**
 * A site of plain node:http: `GET /path` and its handler; other paths are 404, and errors are 500.
 * @param guard examines each request first; true when it has answered
 */
export const site =
  (
    handlers: Readonly<Record<string, Handler>>,
    guard?: (visit: Visit, path: string) => boolean,
  ): RequestListener =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const visit = { request, response, query: paramsOf(searchParams) }
    if (guard?.(visit, pathname)) return
    const handler =
      handlers[`${request.method} ${pathname}`] ?? (() => html(visit, 'Nothing is here.', 404))
    void (async () => handler(visit))().catch(() => html(visit, 'Error', 500))
  }

/** The body of a request as a form. */
export async function formOf({ request }: Visit): Promise<Params> {
  return paramsOf(new URLSearchParams(await text(request)))
}

/** Serves an app on a free port of localhost. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return runningAt(server)
}
