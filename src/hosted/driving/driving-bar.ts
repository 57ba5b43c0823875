import { consolePathOf } from '../../http/console-page.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { endsInFrame } from '../embedding/embedding.ts'
import { requireDriver, type Visitor } from './driving.ts'

/** Why a visitor may not drive the sandbox: the page is in a frame, or the control API asks for its token. */
export interface DrivingBar {
  readonly by: 'frame' | 'token'
  /** The page on which the console asks for the token. */
  readonly consolePath: string
}

/** `undefined` for a visitor who may drive the sandbox. */
export function drivingBar(visitor: Visitor, tenant: Tenant): DrivingBar | undefined {
  try {
    requireDriver(visitor)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { by: endsInFrame(visitor) ? 'frame' : 'token', consolePath: consolePathOf(tenant) }
  }
}
