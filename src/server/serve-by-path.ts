import type { Request, RequestHandler } from 'express'
import type { HttpHost, RouteRow } from '../http/handler.ts'
import { grouped } from '../http/html/elements.ts'
import { NO_PARAMS, type Place } from '../http/incoming.ts'
import { bufferBody } from '../http/read-body.ts'
import { answerPreflight, methodsOf, refuseMethods } from '../http/refusals/refusals.ts'
import { createServe, type Serve } from '../http/route.ts'

/** What serves the methods of one path; `other` refuses the rest. */
interface Methods {
  readonly [method: string]: Serve | undefined
  readonly other: Serve
}

/**
 * Serves rows whose paths have no parameters, at the base URL and below `/t/NAME`: one lookup for each call, whatever the number of rows.
 * @param prefixes the paths at which the sandbox may be reached, the longest first
 */
export function serveByPath(rows: readonly RouteRow[], host: HttpHost, prefixes: readonly string[]): RequestHandler {
  const paths = new Map(grouped(rows, ({ path }) => path).map(([path, own]) => [path, servingOf(own, host)]))
  return (request, response, next) => {
    const { url } = request
    const question = url.indexOf('?')
    const place = placeOf(question < 0 ? url : url.slice(0, question), prefixes)
    const methods = place && paths.get(place.path)
    if (!place || !methods) return next()
    const serve = methods[request.method] ?? methods.other
    if (!hasBody(request)) return serve(request, response, place)
    return bufferBody(request, response, (problem?: unknown) =>
      problem === undefined ? serve(request, response, place).catch(next) : next(problem),
    )
  }
}

const hasBody = ({ headers }: Request) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function servingOf(rows: readonly RouteRow[], host: HttpHost): Methods {
  const serving: Record<string, Serve> = {}
  for (const row of rows) {
    for (const method of methodsOf(row)) serving[method] = createServe(host, row)
    if (row.endpoint?.caller === 'any') serving['OPTIONS'] = createServe(host, { handler: answerPreflight })
  }
  return { ...serving, other: createServe(host, { handler: refuseMethods(rows) }) }
}

/** The path below the base URL of its tenant; `undefined` when the name of the tenant cannot be decoded. */
function placeOf(path: string, prefixes: readonly string[]): Place | undefined {
  const prefix = prefixes.find((one) => path.startsWith(`${one}/`)) ?? ''
  const below = prefix === '' ? path : path.slice(prefix.length)
  if (!below.startsWith('/t/')) return { path: below, params: NO_PARAMS }
  const slash = below.indexOf('/', 3)
  if (slash < 0) return undefined
  try {
    return { path: below.slice(slash), params: { tenant: decodeURIComponent(below.slice(3, slash)) } }
  } catch {
    return undefined
  }
}
