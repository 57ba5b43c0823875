import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FragmentPost } from '../../src/audit/agent/browser.ts'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { AuditOptions } from '../../src/audit/options.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'

vi.setConfig({ testTimeout: 120_000 })
const sandbox = shareSandbox()

const WITHOUT_NONCE: Changes = [['payload.nonce === nonce &&', 'true &&']]

async function audit(changes: Changes, fragment: FragmentPost | undefined, options: AuditOptions = {}) {
  const app = await startExpressExample(sandbox(), changes)
  onTestFinished(() => app.stop())
  return runAudit(appAt(sandbox(), { page: `${app.url}/verify`, agent: createHttpAgent(), fragment }), options)
}

const verdictsOf = ({ rows }: Awaited<ReturnType<typeof audit>>, ...verdicts: string[]) =>
  rows.filter(({ verdict }) => verdicts.includes(verdict)).map(({ row }) => row)

/** A page that makes an object of the parameters lets the last one win. */
const TWICE = ['use/callback.state_twice', 'use/callback.id_token_twice']

const CASES = [
  ['as a form', FRAGMENT.byForm, { post: '/answer', as: 'form' }, []],
  ['as JSON', FRAGMENT.byFetch, { post: '/answer', as: 'json' }, TWICE],
] as const

describe.each(CASES)(
  'An audit of an app whose page passes the fragment on %s, by plain HTTP,',
  (_how, app, fragment, finds) => {
    test('finds what its page does, and nothing else, when it checks everything', async () => {
      const report = await audit(app, fragment, { failOn: 'may' })
      expect(verdictsOf(report, 'let in', 'broke', 'too strict', 'undetermined')).toEqual(finds)
      expect(report.totals.refused).toBeGreaterThan(150)
      expect(report.exit_code).toBe(finds.length === 0 ? 0 : 1)
    })

    test('finds the rows of the nonce alone when it does not compare it', async () => {
      const report = await audit([...app, ...WITHOUT_NONCE], fragment, { only: ['family:nonce', 'family:signature'] })
      expect(verdictsOf(report, 'let in')).toEqual(
        report.rows.flatMap(({ row, family }) => (family === 'nonce' ? [row] : [])),
      )
    })
  },
)

describe('An audit of an app that answers by fragment ends in one line', () => {
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
  ])('%s', async (_when, fragment, message) => {
    await expect(audit(FRAGMENT.byForm, fragment)).rejects.toThrow(message)
  })
})
