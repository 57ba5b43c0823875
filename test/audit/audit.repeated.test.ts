import { expect, onTestFinished, test, vi } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'

vi.setConfig({ testTimeout: 300_000 })
const sandbox = shareSandbox()

const WITHOUT_NONCE: Changes = [['    payload.nonce === nonce &&\n', '']]

test.each([
  ['sound', []],
  ['broken', WITHOUT_NONCE],
] as const)('Five audits of one %s app give the same verdict for each row', async (_what, changes) => {
  const app = await startExpressExample(sandbox(), changes)
  onTestFinished(() => app.stop())
  const verdictsOf = async () => {
    const { rows } = await runAudit(appAt(sandbox(), { page: `${app.url}/verify`, agent: createHttpAgent() }))
    return rows.map(({ row, verdict, reason }) => [row, verdict, reason])
  }
  const first = await verdictsOf()
  for (let time = 2; time <= 5; time += 1) expect(await verdictsOf()).toEqual(first)
})
