import { refuseReboundHost } from '../../server/http/guard/guard.ts'
import type { Handler, HttpHost, RouteRow } from '../../server/http/handler.ts'
import { takePost, takeQuery } from './callback.ts'
import { showResult, takeUpgrade } from './result.ts'
import { showStart, startCreate, startUse } from './start.ts'

/**
 * The routes of the demo: a relying party inside the sandbox, which uses only the public endpoints
 * of the service.
 */
export function createDemoRoutes(host: HttpHost): readonly RouteRow[] {
  const rows: readonly RouteRow[] = [
    { path: '/_sandbox/demo', method: 'get', handler: showStart(host) },
    { path: '/_sandbox/demo/use', method: 'post', handler: startUse },
    { path: '/_sandbox/demo/create', method: 'post', handler: startCreate(host) },
    { path: '/_sandbox/demo/callback', method: 'get', handler: takeQuery(host) },
    { path: '/_sandbox/demo/callback', method: 'post', handler: takePost(host) },
    { path: '/_sandbox/demo/result', method: 'get', handler: showResult(host) },
    { path: '/_sandbox/demo/upgrade', method: 'post', handler: takeUpgrade(host) },
  ]
  return rows.map((row) => ({ ...row, handler: ofOwnHost(row.handler, host) }))
}

/** Refuses requests under a foreign host name (DNS rebinding), as other pages of the sandbox do. */
const ofOwnHost =
  (handler: Handler, { guard }: HttpHost): Handler =>
  (request, tenant, reserveFlow) => {
    refuseReboundHost(request, guard)
    return handler(request, tenant, reserveFlow)
  }
