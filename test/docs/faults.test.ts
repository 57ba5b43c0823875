import { expect, test } from 'vitest'
import { findRow } from '../../src/sandbox/outcomes/catalogue.ts'
import { findBrokenApp } from '../audit/apps/broken-apps.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { findFaultsOfExample } from './faults.ts'

const sandbox = shareSandbox()

const rowsOf = (id: string) => [findRow(id) ?? expect.fail(`there is no row ${id}`)]

const WELCOME = expect.stringMatching(/^it shows \S+\/callback 200 Welcome, you are 18\.$/)
const SAVED = expect.stringMatching(/^it shows \S+\/created\S* 200 Your age key is saved\./)
const UPGRADED = expect.stringMatching(/^it shows \S+\/callback 200 Your age key says more now\./)

/** All broken apps with all their rows are in `faults.others.test.ts`. */
test.each([
  ['takes what is truthy for true', 'use/id_token.age_thresholds.strings', [UPGRADED, 'it calls E4']],
  ['compares no nonce', 'use/id_token.nonce_of_earlier_flow', [WELCOME]],
  ['never forgets a state that was answered', 'use/callback.replayed', [WELCOME]],
  ['exchanges a code that c_hash does not fit', 'use/callback.code_other', ['it calls E4']],
  ['begins to create whatever create_requested says', 'use/callback.create_requested_false', [SAVED, 'it calls E2']],
  ['fetches the key set that a token names as jku', 'use/id_token.jku', ['it calls trap']],
  ['takes an age key for saved whatever error comes', 'create/access_denied', [SAVED]],
  ['sends the user on after a pushed request that failed', 'par/par.500', ['it calls E3']],
  ['follows a redirect with its secret', 'token/token.redirect', ['it calls trap']],
  ['upgrades with whatever access_token came', 'token/token.access_token_missing', ['it calls E5']],
  ['takes an upgrade that failed for done', 'upgrade/upgrade.500', [UPGRADED]],
])('The tests of the integration pages see what an app that %s does with %s', async (name, row, expected) => {
  const found = await findFaultsOfExample(sandbox(), findBrokenApp(name).changes, { rows: rowsOf(row) })
  expect([...found]).toEqual([[row, expected]])
})

test('The tests of the integration pages see an app that checks no signature let a child in, and no adult', async () => {
  const { changes } = findBrokenApp('decodes a token without its signature')
  const rows = rowsOf('use/id_token.payload_changed')
  expect([...(await findFaultsOfExample(sandbox(), changes, { rows }))]).toEqual([
    ['use/id_token.payload_changed', [UPGRADED, 'it calls E4']],
  ])
  expect((await findFaultsOfExample(sandbox(), changes, { rows, users: () => ['adult-passport'] })).size).toBe(0)
})
