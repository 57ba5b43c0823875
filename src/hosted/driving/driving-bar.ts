import { consolePathOf } from '../../http/console-page.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { endsInFrame } from '../embedding/embedding.ts'
import { requireDriver, type Visitor } from './driving.ts'

/** What keeps a visitor from driving the sandbox: the page is in a frame, or the control API asks for its token. */
export interface DrivingBar {
  readonly by: 'frame' | 'token'
  /** Where the console asks for the token. */
  readonly consolePath: string
}

/** `undefined` for a visitor that may drive the sandbox. */
export function drivingBar(visitor: Visitor, tenant: Tenant): DrivingBar | undefined {
  try {
    requireDriver(visitor)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { by: endsInFrame(visitor) ? 'frame' : 'token', consolePath: consolePathOf(tenant) }
  }
}
