import { expect, onTestFinished } from 'vitest'
import type { Agent, FragmentPost } from '../../../src/audit/agent/browser.ts'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/driver.ts'
import type { AuditRunOptions } from '../../../src/audit/options.ts'
import type { AuditReport } from '../../../src/audit/report/audit-report.ts'
import { rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { type Changes, startExpressExample } from '../../support/express-example.ts'
import { type BrokenApp, rowsLetIn } from './broken-apps.ts'

export interface AuditWay extends AuditRunOptions {
  /** Plain HTTP when absent. */
  readonly agent?: Agent
  readonly fragment?: FragmentPost | undefined
}

/** Audits the Express example, with some of its texts changed, in one test. */
export async function auditExample(
  sandbox: Sandbox,
  changes: Changes,
  way: AuditWay = {},
): Promise<AuditReport> {
  const app = await startExpressExample(sandbox, changes)
  onTestFinished(() => app.stop())
  const { agent = createHttpAgent(), fragment, ...options } = way
  return runAudit(appAt(sandbox, { page: `${app.url}/verify`, agent, fragment }), options)
}

/** The findings of a report: the row for an accepted answer, all of any other finding. */
export const said = ({ rows }: AuditReport): string[] =>
  rows
    .filter(
      ({ verdict }) =>
        !['refused', 'accepted', 'observed', 'known', 'not for this app'].includes(verdict),
    )
    .map(({ row, verdict, reason = '', evidence = '' }) =>
      verdict === 'let in' ? row : [row, verdict, reason, evidence].join(' '),
    )
    .toSorted()

/** Expects that an audit finds exactly the rows of a broken app. */
export async function expectRowsAlone(
  app: BrokenApp,
  sandbox: Sandbox,
  way: AuditWay,
  more: Changes = [],
) {
  const only = way.only && [...way.only, ...app.finds]
  const report = await auditExample(sandbox, [...more, ...app.changes], {
    ...way,
    only,
    failOn: 'may',
  })
  expect(said(report)).toEqual(rowsLetIn(app).map(rowId).toSorted())
  expect(report.exit_code).toBe(1)
}

/** Expects that an audit by the whole catalogue finds nothing, and that it judged. */
export function expectSound(report: AuditReport, { isUseAlone = false } = {}): void {
  expect(said(report)).toEqual([])
  expect(report.totals.refused).toBeGreaterThan(isUseAlone ? 100 : 150)
  expect(report.totals.accepted).toBeGreaterThan(isUseAlone ? 9 : 15)
  expect(report.exit_code).toBe(0)
}

/** A row of each kind of answer that an app meets. An audit adds their right counterparts. */
export const SAMPLE = [
  ...['access_denied', 'create_requested', 'callback.state_missing'].map((name) => `use/${name}`),
  ...['extra_claim', 'expired', 'nonce_missing', 'age_thresholds.strings'].map(
    (name) => `use/id_token.${name}`,
  ),
  ...[
    'create/access_denied',
    'create/callback.state_missing',
    'par/par.500',
    'token/token.500',
    'upgrade/upgrade.500',
  ],
]

const APP = 'const app = express()\n'

/** The callback page, whose script handles the parameters of the fragment. */
const withPage = (script: string): Changes => [
  ["    response_mode: 'form_post',", ''],
  [
    APP,
    `${APP}app.get('/callback', (_request, response) => response.send(\`<!doctype html><title>Shop</title>
<p id="answer">One moment ...</p><script>${script}</script>\`))\n`,
  ],
]

const FORM = `
const form = document.createElement('form')
Object.assign(form, { method: 'post', action: '/answer' })
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const input = form.appendChild(document.createElement('input'))
  Object.assign(input, { type: 'hidden', name, value })
}
document.body.append(form)
form.submit()`

const FETCH = `
const body = JSON.stringify(Object.fromEntries(new URLSearchParams(location.hash.slice(1))))
const show = (text) => { document.querySelector('#answer').textContent = text }
fetch('/answer', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  .then((response) => response.text()).then(show, () => show('The shop is closed.'))`

/** The Express example as an app that reads the answer in the fragment. */
export const FRAGMENT = {
  /** The page posts the parameters to /answer, as a form. */
  byForm: [...withPage(FORM), ["app.post('/callback',", "app.post('/answer',"]],
  /** The page posts the parameters to /answer, as JSON with the last value of a repeated one. */
  byFetch: [
    ...withPage(FETCH),
    ["app.post('/callback', express.urlencoded(),", "app.post('/answer', express.json(),"],
  ],
} as const satisfies Readonly<Record<string, Changes>>
