import { expect, test } from 'vitest'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, said } from './apps/audit-example.ts'
import { findBrokenApp, rowsLetIn } from './apps/broken-apps.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'

const sandbox = await shareSandbox()

/** What depends on how the parameters of an answer get to the app, and a row of each other kind of answer. */
const PARAMETERS = ['use/callback.*', 'use/access_denied', 'use/create_requested', 'use/id_token.signature_*']
const BY_FORM = { post: '/answer', as: 'form' } as const

const BY_JSON = { post: '/answer', as: 'json' } as const
const TWICE = ['use/callback.id_token_twice', 'use/callback.state_twice']

test.each([
  ['nothing when the page posts a form', FRAGMENT.byForm, BY_FORM, []],
  ['that the last of two parameters wins when the page posts JSON', FRAGMENT.byFetch, BY_JSON, TWICE],
])('An audit by HTTP of an app whose page passes the fragment on finds %s', async (_what, changes, fragment, finds) => {
  const report = await auditExample(sandbox, changes, { fragment, only: PARAMETERS, failOn: 'may' })
  expect(said(report)).toEqual(finds)
  expect(report.totals.refused).toBeGreaterThan(20)
  expect(report.exit_code).toBe(finds.length === 0 ? 0 : 1)
})

test('An audit that knows how the page passes the fragment on finds two faults of an app by their rows of Use alone', async () => {
  const faults = ['compares no nonce', 'begins to create whatever create_requested says'].map(findBrokenApp)
  const rows = faults.flatMap(rowsLetIn).map(rowId).toSorted()
  const changes = [...FRAGMENT.byForm, ...faults.flatMap((app) => app.changes)]
  expect(said(await auditExample(sandbox, changes, { fragment: BY_FORM, only: rows }))).toEqual(rows)
})

test('An audit of an app that answers by fragment ends in one line without a browser, and when its page is not known', async () => {
  const message =
    'your app answers by fragment, which takes a browser: npm i -D playwright-core, or say how the page passes the answer on (use.fragment)'
  await expect(auditExample(sandbox, FRAGMENT.byForm)).rejects.toThrow(message)
})
