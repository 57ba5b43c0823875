import type { ErrorRequestHandler, RequestHandler } from 'express'
import { Refusal } from '../oidc/refusal.ts'
import type { Handler, HttpHost, RouteRow } from './handler.ts'
import { CORS, noContent } from './reply.ts'
import { createRoute } from './route.ts'

/** Answers the preflight request of a browser that reads discovery or keys from another origin. */
export const preflight: Handler = () => ({
  reply: noContent({ ...CORS, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' }),
})

/** 405: the path is served, by the methods of these rows. */
export function refuseMethods(rows: readonly RouteRow[]): Handler {
  const allowed = rows.map(({ method }) => method.toUpperCase()).join(', ')
  return (request) => {
    throw Refusal.byHttp(405, `${request.method} is not served here; use ${allowed}.`, {
      title: 'Another method',
      headers: { Allow: allowed },
    })
  }
}

/** 404. */
export const unknownPath: Handler = (request) => {
  throw Refusal.byHttp(404, `${request.path} is not served here.`, { title: 'No such page' })
}

/** 404: a page for a caller that accepts HTML, else JSON. Below `/_sandbox/`, where programs call, it is always JSON. */
export function refuseUnknownPath(host: HttpHost): RequestHandler {
  const [asPage, asJson] = [
    createRoute(host, { handler: unknownPath, errors: 'page' }),
    createRoute(host, { handler: unknownPath }),
  ]
  return (request, response, next) => {
    const isBrowser = /\btext\/html\b/i.test(request.get('accept') ?? '') && !request.path.includes('/_sandbox/')
    return (isBrowser ? asPage : asJson)(request, response, next)
  }
}

/** Failures before a route is reached: a path that cannot be decoded; a body that is too large, encoded, cut off. */
export const refuseUnreadable =
  (host: HttpHost, bodyLimit: number): ErrorRequestHandler =>
  (error, request, response, next) => {
    const handler: Handler = () => {
      const status: unknown = error?.status
      if (typeof status !== 'number' || status < 400 || status >= 500) throw error
      const message =
        status === 413 ? `the body is larger than ${bodyLimit} bytes` : `the request cannot be read: ${error.message}`
      throw Refusal.byHttp(status, message, { title: 'This request cannot be read' })
    }
    return createRoute(host, { handler })(request, response, next)
  }
