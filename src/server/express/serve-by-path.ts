import type { Request, RequestHandler } from 'express'
import { hostProblem } from '../http/guard/host-header.ts'
import type { HttpHost, RouteRow } from '../http/handler.ts'
import { grouped } from '../http/html/elements.ts'
import { NO_PARAMS, type Place } from '../http/incoming.ts'
import { bufferBody } from '../http/read-body.ts'
import { answeringPreflight, methodsOf, refusingMethods } from '../http/refusals/refusals.ts'
import { createServe, type Serve } from '../http/route.ts'

/**
 * Serves rows whose paths have no parameters, at the base URL and below `/t/NAME`. One map lookup
 * finds the row; Express would test the pattern of each row.
 * @param prefixes the path prefixes under which requests may arrive, longest first
 */
export function serveByPath(
  rows: readonly RouteRow[],
  host: HttpHost,
  prefixes: readonly string[],
): RequestHandler {
  const paths = new Map<string, Methods>()
  for (const [path, own] of grouped(rows, ({ path }) => path)) paths.set(path, methodsAt(own, host))
  const { host: exampleHost } = new URL(host.tenants.root.addresses.baseUrl)
  return (request, response, next) => {
    const wrongHost = hostProblem(request, exampleHost)
    if (wrongHost) return next(wrongHost)
    const { url } = request
    const question = url.indexOf('?')
    const place = placeOf(question < 0 ? url : url.slice(0, question), prefixes)
    const methods = place && paths.get(place.path)
    // The router for pages and control calls handles all other paths.
    if (!place || !methods) return next()
    const serve = methods[request.method] ?? methods.other
    if (!hasBody(request)) return serve(request, response, place)
    return bufferBody(request, response, (problem?: unknown) =>
      problem === undefined ? serve(request, response, place).catch(next) : next(problem),
    )
  }
}

/** The handlers of one path by method. `other` refuses all other methods. */
interface Methods {
  readonly [method: string]: Serve | undefined
  readonly other: Serve
}

function methodsAt(rows: readonly RouteRow[], host: HttpHost): Methods {
  const methods: Record<string, Serve> = {}
  for (const row of rows) {
    for (const method of methodsOf(row)) methods[method] = createServe(host, row)
    if (row.endpoint?.caller === 'any') methods['OPTIONS'] = createServe(host, answeringPreflight)
  }
  return { ...methods, other: createServe(host, refusingMethods(rows)) }
}

/**
 * The path below the tenant's base URL, and the tenant's name; `undefined` when the name cannot be
 * decoded.
 */
function placeOf(path: string, prefixes: readonly string[]): Place | undefined {
  const prefix = prefixes.find((one) => path.startsWith(`${one}/`)) ?? ''
  const below = prefix === '' ? path : path.slice(prefix.length)
  if (!below.startsWith('/t/')) return { path: below, params: NO_PARAMS }
  const slash = below.indexOf('/', 3)
  if (slash < 0) return undefined
  try {
    // Decoding also copies the name: a tenant may keep it, and a slice would keep the whole URL in
    // memory.
    const tenant = decodeURIComponent(below.slice(3, slash))
    return { path: below.slice(slash), params: { tenant } }
  } catch {
    return undefined
  }
}

const hasBody = ({ headers }: Request) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
