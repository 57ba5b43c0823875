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

test.each([
  'compares no state',
  'never forgets a state that was answered',
  'compares no nonce',
  'takes two tokens and reads the first',
  'lets users in when no error came',
  'begins to create whatever create_requested says',
])(
  'An audit that knows how the page passes the fragment on finds an app that %s by its rows of Use alone',
  async (name) => {
    const app = findBrokenApp(name)
    const expected = rowsLetIn(app).filter(({ flow }) => flow === 'use')
    const only = [...PARAMETERS, ...expected.map(rowId)]
    const report = await auditExample(sandbox, [...FRAGMENT.byForm, ...app.changes], { fragment: BY_FORM, only })
    expect(said(report)).toEqual(expected.map(rowId).toSorted())
  },
)

test.each([
  [
    'without a browser, and when it is not known how the page passes the answer on',
    undefined,
    'your app answers by fragment, which takes a browser: npm i -D playwright-core, or say how the page passes the answer on (use.fragment)',
  ],
  [
    'when the app has no such path',
    { post: '/nowhere', as: 'form' } as const,
    'use.fragment: POST /nowhere answers 404; name the path of your app that the page of the callback sends the answer to',
  ],
])('An audit of an app that answers by fragment ends in one line %s', async (_when, fragment, message) => {
  await expect(auditExample(sandbox, FRAGMENT.byForm, { fragment })).rejects.toThrow(message)
})
