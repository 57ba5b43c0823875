import type { HttpHost, RouteRow } from '../http/route.ts'
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
    ['/_sandbox/demo', 'get', showStart(demo)],
    ['/_sandbox/demo/use', 'post', startUse(demo)],
    ['/_sandbox/demo/create', 'post', startCreate(demo)],
    ['/_sandbox/demo/callback', 'get', takeQuery(demo)],
    ['/_sandbox/demo/callback', 'post', takePost(demo)],
    ['/_sandbox/demo/result', 'get', showResult(demo)],
    ['/_sandbox/demo/upgrade', 'post', takeUpgrade(demo)],
  ]
}
