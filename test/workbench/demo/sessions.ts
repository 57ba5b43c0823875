import type { CheckedCallback } from '../../../src/workbench/demo/checks/check-callback.ts'
import type { Exchange } from '../../../src/workbench/demo/server-calls.ts'
import type { UseSession } from '../../../src/workbench/demo/sessions.ts'

export const check = (passed: boolean, name: 'nonce' | 'error' = 'nonce') => ({
  name,
  passed,
  found: 'n',
})

/** A call of the own server, right when its status is 200. */
export const exchange = (status: number): Exchange => ({
  title: 'E4',
  method: 'POST',
  url: 'http://localhost:2435/v1/oidc/use/token',
  sent: { code: 'c' },
  status,
  answer: {},
  checks: [check(status === 200)],
})

/** A Use session with this callback, and then calls of these statuses. */
export const useSession = (
  result?: CheckedCallback,
  statuses: readonly number[] = [],
): UseSession => ({
  flow: 'use',
  state: 's',
  request: { scope: 'openid', claims: '{"age_thresholds":[18]}' },
  startedAt: 0,
  ...(result ? { callback: result } : {}),
  exchanges: statuses.map(exchange),
})
