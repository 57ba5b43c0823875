import { expect, test } from 'vitest'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, said } from './apps/audit-example.ts'
import { findBrokenApp, rowsLetIn } from './apps/broken-apps.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'

const sandbox = await shareSandbox()

/** What depends on how the parameters of an answer get to the app, and a row of each other kind of answer. */
const PARAMETERS = ['use/callback.*', 'use/access_denied', 'use/create_requested', 'use/id_token.expired']

const BROKEN = ['compares no nonce', 'begins to create whatever create_requested says'].map(findBrokenApp)
const BROKEN_BY_FORM = [...FRAGMENT.byForm, ...BROKEN.flatMap(({ changes }) => changes)]
const TWICE = ['use/callback.id_token_twice', 'use/callback.state_twice']

test.each([
  ['form', BROKEN_BY_FORM, BROKEN.flatMap(rowsLetIn).map(rowId).toSorted()],
  // Of two parameters with one name the last wins.
  ['json', FRAGMENT.byFetch, TWICE],
] as const)(
  'An audit by HTTP of an app whose page passes the fragment on as %s finds its faults by their rows alone',
  async (as, changes, finds) => {
    const only = [...PARAMETERS, ...finds]
    const report = await auditExample(sandbox, changes, { fragment: { post: '/answer', as }, only, failOn: 'may' })
    expect(said(report)).toEqual(finds)
    expect(report.totals.refused).toBeGreaterThan(15)
    expect(report.exit_code).toBe(1)
  },
)
