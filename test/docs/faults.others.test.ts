import { expect, test } from 'vitest'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { BROKEN_APPS, rowsLetIn } from '../audit/apps/broken-apps.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { findFaultsOfExample } from './faults.ts'

const sandbox = shareSandbox()

/** One of these is found by a plain minor, which is no row to refuse. */
const APPS = BROKEN_APPS.map(({ name, changes, ...app }) => {
  const rows = rowsLetIn({ name, changes, ...app }).filter(({ correctClient }) => correctClient === 'refuse')
  return { name, changes, rows }
}).filter(({ rows }) => rows.length > 0)

test.each(APPS)(
  'An app that $name fails the tests of the integration pages by each of its rows',
  async ({ changes, rows }) => {
    expect([...(await findFaultsOfExample(sandbox(), changes, { rows })).keys()]).toEqual(rows.map(rowId))
  },
)
