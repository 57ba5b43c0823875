import { test } from 'vitest'
import { shareSandbox } from '../support/sandbox.ts'
import { expectRowsAlone } from './apps/audit-example.ts'
import { BROKEN_APPS } from './apps/broken-apps.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'

const sandbox = await shareSandbox()

test.each(BROKEN_APPS.map((app) => [app.name, app] as const))(
  'An audit that knows how the page passes the fragment on finds the rows of Use alone in an app that %s',
  (_name, app) => {
    const way = { only: ['flow:use'], fragment: { post: '/answer', as: 'form' } } as const
    return expectRowsAlone(app, sandbox, way, FRAGMENT.byForm)
  },
)
