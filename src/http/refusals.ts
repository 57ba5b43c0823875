import type { ErrorRequestHandler } from 'express'
import { Refusal } from '../oidc/refusal.ts'
import { CORS, noContent } from './reply.ts'
import { createRoute, type Handler, type HttpHost, type Method } from './route.ts'

/** What a browser asks before it reads discovery or keys from another origin. */
export const preflight: Handler = () => ({
  reply: noContent({ ...CORS, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' }),
})

/** 405: the path is served, by other methods. */
export const refuseMethods =
  (methods: readonly Method[]): Handler =>
  (request) => {
    const allowed = methods.join(', ').toUpperCase()
    throw Refusal.byHttp(405, `${request.method} is not served here; use ${allowed}.`, {
      title: 'Another method',
      headers: { Allow: allowed },
    })
  }

/** 404. */
export const refuseUnknownPath: Handler = (request) => {
  throw Refusal.byHttp(404, `${request.path} is not served here.`, { title: 'No such page' })
}

/** What goes wrong before a route is reached: a path that cannot be decoded; a body that is too large, encoded, cut off. */
export const refuseUnreadable =
  (host: HttpHost, bodyLimit: number): ErrorRequestHandler =>
  (error, request, response, next) => {
    const refuse: Handler = () => {
      const status: unknown = error?.status
      if (typeof status !== 'number' || status < 400 || status >= 500) throw error
      const message =
        status === 413 ? `the body is larger than ${bodyLimit} bytes` : `the request cannot be read: ${error.message}`
      throw Refusal.byHttp(status, message, { title: 'This request cannot be read' })
    }
    return createRoute(host, undefined, refuse)(request, response, next)
  }
