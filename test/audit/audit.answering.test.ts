import { expect, test } from 'vitest'
import { selectRows } from '../../src/audit/plan/select-rows.ts'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { ANSWERING, SILENT_AFTER_CREATE, WITHOUT_CHECKS } from './apps/answering-apps.ts'
import { auditExample, SAMPLE, said } from './apps/audit-example.ts'

const sandbox = shareSandbox()

const idsOf = (...only: string[]) =>
  selectRows({ only })
    .filter(({ correctClient }) => correctClient === 'refuse')
    .map(rowId)
const NONCE = idsOf('family:nonce')
const STATE_OF_CREATE = idsOf('create/callback.state_*', 'create/callback.empty')

const WAYS = Object.entries(ANSWERING)

test.each(WAYS)('An audit finds nothing in an app that checks everything and %s', async (_way, changes) => {
  expect(said(await auditExample(sandbox(), changes, { only: SAMPLE }))).toEqual([])
})

test.each(WAYS)(
  'An audit lets nothing pass for refused in an app that compares neither a nonce nor the state of Create and %s',
  async (_way, changes) => {
    const right = ['use/verified', 'use/id_token.iss_missing', 'create/created', 'create/access_denied']
    const wrong = [...NONCE, ...STATE_OF_CREATE]
    const found = said(await auditExample(sandbox(), [...changes, ...WITHOUT_CHECKS], { only: [...wrong, ...right] }))
    expect(found.filter((row) => row.startsWith('use/'))).toEqual(NONCE.toSorted())
    // An app that begins again whatever comes shows neither a yes nor a no, and so its rows are undetermined.
    const named = found.map((row) => row.replace(/ undetermined page_unknown .*/, ''))
    expect(named.filter((row) => !right.includes(row)).toSorted()).toEqual(wrong.toSorted())
  },
)

test('An audit of an app that says nothing about the end of Create leaves that open', async () => {
  const only = ['create/access_denied', 'create/created', 'create/callback.state_*', 'par/par.500', 'use/access_denied']
  const found = said(await auditExample(sandbox(), SILENT_AFTER_CREATE, { only }))
  expect(found).toContainEqual(expect.stringMatching(/^create\/access_denied undetermined page_unknown /))
  expect(found.filter((row) => !/^create\/\S+ undetermined page_unknown /.test(row))).toEqual([])
})
