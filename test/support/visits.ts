import { onTestFinished } from 'vitest'
import type { VisitFunction } from '../../src/audit.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { type Changes, startExpressExample } from './express-example.ts'

const SAID = {
  use: 'Welcome, you are 18.',
  create: 'Your age key is saved.',
  upgrade: 'Your age key says more now.',
}

/**
 * Starts the Express example for one test; the function visits it, and reads Create and Upgrade
 * too.
 */
export async function visitExample(
  sandbox: Pick<Sandbox, 'baseUrl' | 'url'>,
  changes: Changes = [],
): Promise<VisitFunction> {
  const app = await startExpressExample(sandbox, changes)
  onTestFinished(() => app.stop())
  return async ({ open, flow }) => (await open(`${app.url}/verify`)).text.includes(SAID[flow])
}

/** Without Create and Upgrade there is less to learn. */
export const USE_ALONE: Changes = [
  ["    can_create: 'true',\n", ''],
  ['openid svc.upgrade', 'openid'],
]

export const visitUseOfExample = (
  sandbox: Pick<Sandbox, 'baseUrl' | 'url'>,
  changes: Changes = [],
) => visitExample(sandbox, [...USE_ALONE, ...changes])
