import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { AuditOptions } from '../../src/audit/options.ts'
import { selectRows } from '../../src/audit/plan/select-rows.ts'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { ANSWERING, SILENT_AFTER_CREATE, WITHOUT_CHECKS } from './apps/answering-apps.ts'

vi.setConfig({ testTimeout: 120_000 })
const sandbox = shareSandbox()

/** What an audit says against the Express example with changes. */
async function findAgainst(changes: Changes, options: Pick<AuditOptions, 'only'> = {}): Promise<string[]> {
  const app = await startExpressExample(sandbox(), changes)
  onTestFinished(() => app.stop())
  const { rows } = await runAudit(appAt(sandbox(), { page: `${app.url}/verify`, agent: createHttpAgent() }), options)
  return rows
    .filter(({ verdict }) => !['refused', 'accepted', 'observed', 'not for this app'].includes(verdict))
    .map(({ row, verdict, reason = '', evidence = '' }) =>
      verdict === 'let in' ? row : [row, verdict, reason, evidence].join(' '),
    )
}

const idsOf = (...only: string[]) =>
  selectRows({ only })
    .filter(({ correctClient }) => correctClient === 'refuse')
    .map(rowId)
const NONCE = idsOf('family:nonce')
const STATE_OF_CREATE = idsOf('create/callback.state_*', 'create/callback.empty')

describe.each(Object.entries(ANSWERING))('An audit of an app that %s', (_way, changes) => {
  test('finds nothing when it checks everything', async () => {
    expect(await findAgainst(changes)).toEqual([])
  })

  test('lets nothing pass for refused when it compares neither a nonce nor the state of Create', async () => {
    const right = ['use/verified', 'use/id_token.iss_missing', 'create/created', 'create/access_denied']
    const wrong = [...NONCE, ...STATE_OF_CREATE]
    const found = await findAgainst([...changes, ...WITHOUT_CHECKS], { only: [...wrong, ...right] })
    expect(found.filter((row) => row.startsWith('use/')).toSorted()).toEqual(NONCE.toSorted())
    // One that begins again whatever comes shows neither a yes nor a no, and so its rows are undetermined.
    const named = found.map((row) => row.replace(/ undetermined page_unknown .*/, ''))
    expect(named.filter((row) => !right.includes(row)).toSorted()).toEqual(wrong.toSorted())
  })
})

test('An audit of an app that says nothing about the end of Create leaves that open', async () => {
  const only = ['flow:create', 'flow:par', 'use/access_denied']
  const found = await findAgainst(SILENT_AFTER_CREATE, { only })
  expect(found).toContainEqual(expect.stringMatching(/^create\/access_denied undetermined page_unknown /))
  expect(found.filter((row) => !/^create\/\S+ undetermined page_unknown /.test(row))).toEqual([])
})
