import { expect, test } from 'vitest'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, SAMPLE } from './apps/audit-example.ts'
import { findBrokenApp } from './apps/broken-apps.ts'

const sandbox = await shareSandbox()

test('Five audits of one broken app give the same verdict for each row', async () => {
  const { changes } = findBrokenApp('compares no nonce')
  const found: unknown[] = []
  while (found.length < 5) {
    const { rows } = await auditExample(sandbox, changes, { only: [...SAMPLE, 'family:nonce'] })
    found.push(rows.map(({ row, verdict, reason }) => [row, verdict, reason]))
  }
  expect(found).toEqual(Array(5).fill(found[0]))
}, 60_000)
