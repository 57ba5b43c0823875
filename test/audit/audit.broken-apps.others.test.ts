import { test } from 'vitest'
import { shareSandbox } from '../support/sandbox.ts'
import { expectRowsAlone } from './apps/audit-example.ts'
import { BROKEN_APPS } from './apps/broken-apps.ts'

const sandbox = await shareSandbox()

test.each(BROKEN_APPS.map((app) => [app.name, app] as const))(
  'Of the whole catalogue an audit finds its rows alone in an app that %s',
  (_name, app) => expectRowsAlone(app, sandbox, {}),
)
