import type { HttpHost, RouteRow } from '../http/handler.ts'
import { startCreate, startUse } from './authorize.ts'
import { takePost, takeQuery } from './callback.ts'
import type { Demo } from './demo.ts'
import { showResult } from './result.ts'
import { createSessions } from './sessions.ts'
import { showStart } from './start.ts'
import { takeUpgrade } from './upgrade.ts'

/** The relying party that the sandbox plays itself; it uses the public endpoints only. */
export function createDemoRoutes(host: HttpHost): readonly RouteRow[] {
  const demo: Demo = { host, sessions: createSessions() }
  return [
    { path: '/_sandbox/demo', method: 'get', handler: showStart(demo) },
    { path: '/_sandbox/demo/use', method: 'post', handler: startUse(demo) },
    { path: '/_sandbox/demo/create', method: 'post', handler: startCreate(demo) },
    { path: '/_sandbox/demo/callback', method: 'get', handler: takeQuery(demo) },
    { path: '/_sandbox/demo/callback', method: 'post', handler: takePost(demo) },
    { path: '/_sandbox/demo/result', method: 'get', handler: showResult(demo) },
    { path: '/_sandbox/demo/upgrade', method: 'post', handler: takeUpgrade(demo) },
  ]
}
