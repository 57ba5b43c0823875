import { test } from 'vitest'
import { shareSandbox } from '../support/sandbox.ts'
import { expectRowsAlone, FRAGMENT } from './apps/audit-example.ts'
import { BROKEN_APPS } from './apps/broken-apps.ts'

const sandbox = await shareSandbox()
const BY_FRAGMENT = { only: ['flow:use'], fragment: { post: '/answer', as: 'form' } } as const
const APPS = BROKEN_APPS.map((app) => [app.name, app] as const)

test.each(APPS)(
  'Of the whole catalogue an audit finds its rows alone in an app that %s',
  (_name, app) => expectRowsAlone(app, sandbox, {}),
)

test.each(APPS)(
  'By a fragment that is passed on an audit finds the rows of Use alone in an app that %s',
  (_name, app) => expectRowsAlone(app, sandbox, BY_FRAGMENT, FRAGMENT.byForm),
)
