import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { appAt, type StartFresh } from '../../src/audit/drive/driver.ts'
import { messageOf } from '../../src/sandbox/files/caught.ts'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import type { RunningApp } from './express-example.ts'
import { KEY_FILE } from './keys.ts'

/**
 * Starts copies of an app for an audit, each on a sandbox of its own. What fails to start because
 * of what it read has refused it.
 */
export const startFreshBy =
  (start: (sandbox: Sandbox) => Promise<RunningApp>): StartFresh =>
  async ({ prepare }) => {
    const sandbox = await createSandbox({ keys: KEY_FILE })
    await prepare(sandbox)
    const log = async () => []
    try {
      const { url, stop } = await start(sandbox)
      const app = appAt(sandbox, { page: `${url}/verify`, agent: createHttpAgent() })
      return { sandbox, log, app, close: () => sandbox.close().finally(stop) }
    } catch (error) {
      return {
        sandbox,
        log,
        close: () => sandbox.close(),
        failure: { problem: messageOf(error), isEnded: true },
      }
    }
  }
