import { describe, expect, test } from 'vitest'
import { packageVersion } from '../../../src/package-root.ts'
import type { AuditReport } from '../../../src/sandbox/outcomes/audit-report.ts'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import {
  auditedRow,
  auditReport,
  HOSTILE,
  MIXED,
  READINGS_FOUND,
  readingsAudit,
} from '../../cli/audit/reports/sample-report.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const AUDIT = '/_sandbox/console/audit'

/** Sends a file by the form of the page. */
async function upload({ url }: Pick<TestSandbox, 'url'>, content: unknown, name = 'report.json') {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const body = new FormData()
  body.append('report', new File([text], name))
  const answer = await fetch(url + AUDIT, { method: 'POST', body })
  return { status: answer.status, page: await answer.text() }
}

/** The one message of a page, and whether its form can be used again. */
function problemOf(page: string) {
  const [, problem = ''] = /data-testid="problem">(.*?)<\/p>/s.exec(page) ?? []
  return { problem: textOf(problem).trim(), forms: byTestId(page, 'open').length }
}

const current = (changes: Partial<AuditReport> = {}): AuditReport => ({
  ...MIXED,
  version: packageVersion(),
  ...changes,
})

describe('the page of an audit of readings', () => {
  test('says on top under how many readings the app works, what it depends on, and what was not shown', async () => {
    const { page } = await upload(await startSandbox(), readingsAudit())
    const text = textOf(page)
    expect(text).toMatch(/depends works under 1 of 2; depends on par_status=201/)
    expect(byTestId(page, 'dependence')).toHaveLength(1)
    expect(text).toMatch(/Depends on par_status=201 , fails under par_status=200 A pushed request .* E2\. Create PAR/)
    expect(byTestId(page, 'combination')).toHaveLength(1)
    expect(text).toMatch(/1 undetermined used once code_use=repeated/)
    expect(text).not.toContain('By family')
  })

  test('is a card of its own beside rows', async () => {
    const { page } = await upload(await startSandbox(), current({ readings: READINGS_FOUND }))
    expect(textOf(page)).toContain('failed 4 findings')
    expect(byTestId(page, 'readings')).toHaveLength(1)
    expect(textOf(page)).toContain('works under 1 of 2')
  })
})

describe('the page of an audit', () => {
  test('shows headline, totals, what was learned, findings with the worst first, and each family', async () => {
    const { status, page } = await upload(await startSandbox(), current())
    expect(status).toBe(200)
    const text = textOf(page)
    expect(text).toMatch(
      /failed 4 findings, and 1 finding that does not count for the exit code 3 let in 1 stale 1 broke 3 undetermined 1 refused 1 accepted 1 observed/,
    )
    expect(text).toContain('200 at /callback, "welcome"')
    expect(text).toContain('your app answers 429 since row 38')
    expect(text).toContain(`agekey-sandbox ${packageVersion()}, catalogue 0.2`)
    expect(byTestId(page, 'finding')).toHaveLength(5)
    expect(text).toMatch(
      /5 findings .*let in use\/id_token\.payload_changed must, severity 9\.8 .*let in use\/id_token\.expired/,
    )
    expect(text).toMatch(/Demanded by OpenID Connect Core 1\.0 section 3\.1\.3\.7 \(6\); CWE-347/)
    expect(text).toContain("npx agekey-sandbox audit 'http://localhost:3000/verify' --only 'use/id_token.expired'")
    const rows = new RegExp(
      MIXED.rows
        .map(({ row }) => row)
        .join('|')
        .replaceAll('.', '\\.'),
      'g',
    )
    const families = text.slice(text.indexOf('By family'))
    expect(new Set(families.match(rows))).toEqual(new Set(MIXED.rows.map(({ row }) => row)))
    expect(byTestId(page, 'family')).toHaveLength(7)
    expect(families).toMatch(/key source 1 stale 1 observed 1 known/)
    expect(text).not.toContain('wrote this report')
  })

  test.each([
    [
      'passed',
      [auditedRow('use/id_token.expired')],
      /passed Nothing that counts was let in or refused wrongly 1 refused/,
    ],
    ['nothing was judged', [], /nothing was judged Nothing could be shown/],
    [
      'undetermined',
      [
        auditedRow('use/id_token.expired'),
        auditedRow('use/id_token.jku', { verdict: 'undetermined', reason: 'masked' }),
      ],
      /undetermined 1 row that counts could not be judged .*masked the app refuses the same answer without the fault/,
    ],
  ])('says of a report that came to %s so', async (_, rows, line) => {
    const { page } = await upload(await startSandbox(), auditReport(rows))
    expect(textOf(page)).toMatch(line)
  })

  test('believes the rows, and not totals and exit code that say better', async () => {
    const { page } = await upload(await startSandbox(), current({ totals: { refused: 99 }, exit_code: 0 }))
    expect(textOf(page)).toMatch(/failed 4 findings, .* 3 let in 1 stale/)
    expect(textOf(page)).toMatch(/totals are not those of its rows.* says exit code 0; its rows come to 1/)
  })

  test('shows a report of another version, and rows that it does not know, with a remark', async () => {
    const rows = [auditedRow('use/id_token.expired'), { ...auditedRow('use/id_token.jku'), row: 'use/id_token.gone' }]
    const report = auditReport(rows, { version: '9.8.7', catalogue: '0.1' })
    const { status, page } = await upload(await startSandbox(), report)
    expect(status).toBe(200)
    expect(textOf(page)).toMatch(/agekey-sandbox 9\.8\.7 wrote this report, and this is \d/)
    expect(textOf(page)).toMatch(/judged by catalogue 0\.1; this sandbox has 0\.2/)
    expect(textOf(page)).toMatch(/Rows that this catalogue does not have: 1.*use\/id_token\.gone unknown/)
    const links = tagsOf(page).flatMap(({ attributes }) => attributes['href'] ?? [])
    expect(links).toContain('/_sandbox/console/outcomes/use/id_token.expired')
    expect(links.filter((link) => link.includes('gone'))).toEqual([])
  })

  test('links the flows that began in this journal while the audit ran, and says why others are no links', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-16' }))
    const [flow] = await sandbox.flows.list()
    const report = auditReport(
      [auditedRow('use/id_token.expired', { verdict: 'let in', flows: ['f1', 'f2', 'f01'] })],
      {
        started_at: flow?.started_at ?? '',
      },
    )
    const linksIn = (page: string) =>
      tagsOf(page).flatMap(({ attributes: { href = '' } }) => (href.includes('/flows/') ? [href] : []))
    const here = await upload(sandbox, report)
    expect(new Set(linksIn(here.page))).toEqual(new Set(['/_sandbox/console/flows/f1']))
    expect(textOf(here.page)).toMatch(/Flows without a link are not in the journal here/)
    // Every sandbox has an f1.
    const later = await upload(sandbox, { ...report, started_at: '2020-01-01T00:00:00.000Z' })
    expect(linksIn(later.page)).toEqual([])
    const again = { ...report, started_at: new Date(Date.now() + 3_600_000).toISOString() }
    expect(linksIn((await upload(sandbox, again)).page)).toEqual([])
    const merged = await upload(sandbox, { ...again, first_started_at: report.started_at })
    expect(linksIn(merged.page)).not.toEqual([])
  })

  test('shows hostile texts as text: no tag, no link to elsewhere, no header', async () => {
    const sandbox = await startSandbox()
    for (const text of [...HOSTILE, "http://a.example/' & calc & '", '\r\nSet-Cookie: a=b']) {
      const row = auditedRow('use/id_token.expired', { verdict: 'let in' })
      const texts = { summary: text, rule: text, harm: text, reason: text, evidence: text, family: text }
      const lines = { flows: [text], refs: [text] }
      const rows = [
        { ...row, ...texts, ...lines },
        { ...row, ...texts, ...lines, row: text },
      ]
      const learned = { use: { yes: text, no: [text] } }
      const report = auditReport(rows, { app: text, version: text, catalogue: text, notes: [text], learned })
      const { status, page } = await upload(sandbox, report, text.replaceAll(/[\r\n]/g, ''))
      expect(status).toBe(200)
      // tagsOf refuses a `<` that opens no tag.
      const links = tagsOf(page).flatMap(({ attributes }) => [attributes['href'] ?? [], attributes['src'] ?? []].flat())
      expect(links.filter((link) => !link.startsWith('/'))).toEqual([])
      expect(page).not.toContain('calc &amp; &#39; --only')
    }
  })

  test('shows what the app wrote meanwhile, and no command for what a test suite drove', async () => {
    const rows = [auditedRow('use/id_token.expired', { verdict: 'let in', log: ['GET /callback', '<user signed in>'] })]
    const { page } = await upload(await startSandbox(), auditReport(rows, { agent: 'function' }))
    expect(textOf(page)).toMatch(/The app wrote GET \/callback <user signed in> Flows/)
    expect(textOf(page)).not.toContain('npx agekey-sandbox')
  })

  test('of an app that lets in the whole catalogue stays below 300 KB', async () => {
    const evidence = 'as adult-passport: your app showed 200 at /callback ("Welcome, you are 18.")'
    const rows = OUTCOMES.map((row) =>
      auditedRow(rowId(row), { verdict: 'let in', evidence, family: row.family, flows: ['f101', 'f102'] }),
    )
    const { page } = await upload(await startSandbox(), auditReport(rows))
    expect(Buffer.byteLength(page)).toBeLessThan(300_000)
    expect(textOf(page)).toContain('The 40 worst are explained; the others stand in their families.')
  })

  test('shows the first thousand rows of a report that has more', async () => {
    const rows = Array.from({ length: 1200 }, () => auditedRow('use/id_token.expired', { summary: '', rule: '' }))
    const { page } = await upload(await startSandbox(), auditReport(rows))
    expect(textOf(page)).toContain('The first 1000 of 1200 rows are shown.')
    expect(page.match(/data-verdict/g)).toHaveLength(1000)
  })
})

describe('a form that brings no report of an audit', () => {
  const remedy = 'choose the JSON report of an audit: .agekey-audit/last.json, or the file that --json wrote'

  test.each([
    ['not JSON', 'verdict,row', /^Not done\. report\.json is not JSON: Unexpected token/],
    [
      'JSON of another shape',
      { ...MIXED, seconds: 'long' },
      /report\.json is no report of agekey-sandbox audit: seconds: expected a number, found the text "long"/,
    ],
    ['an empty file', '', /report\.json is not JSON: Unexpected end of JSON input \(it is empty\)/],
  ])('but %s is answered with 400, one message and the form', async (_, content, message) => {
    const { status, page } = await upload(await startSandbox(), content)
    const { problem, forms } = problemOf(page)
    expect({ status, forms, problem }).toEqual({ status: 400, forms: 1, problem: expect.stringMatching(message) })
    expect(problem).toContain(remedy)
  })

  test.each([
    ['no file', { type: 'multipart/form-data; boundary=x', body: noFile() }, 400, `no file came; ${remedy}`],
    [
      'a form that is cut',
      { type: 'multipart/form-data; boundary=x', body: '--x\r\nContent-Disp' },
      400,
      `the form cannot be read: it is no multipart/form-data; ${remedy}`,
    ],
    [
      'a form without a file',
      { type: 'application/x-www-form-urlencoded', body: 'report=x' },
      415,
      'Content-Type: must be multipart/form-data, not application/x-www-form-urlencoded',
    ],
    [
      'too large a file',
      { type: 'multipart/form-data; boundary=x', body: 'x'.repeat(3_000_000) },
      413,
      `the file is too large: the form has 3000000 bytes, and 2097152 are read at most; ${remedy}`,
    ],
  ])('but %s is answered with its status, one message and the form', async (_, { type, body }, expected, message) => {
    const { url } = await startSandbox()
    const answer = await fetch(url + AUDIT, { method: 'POST', headers: { 'Content-Type': type }, body })
    const { problem, forms } = problemOf(await answer.text())
    expect({ status: answer.status, forms, problem }).toEqual({
      status: expected,
      forms: 1,
      problem: `Not done. ${message}`,
    })
  })

  test('and is larger than what is received at all is refused before it is read', async () => {
    const { url } = await startSandbox()
    const body = new Uint8Array(17 * 1024 * 1024)
    const answer = await fetch(url + AUDIT, { method: 'POST', body }).catch(() => undefined)
    expect([413, undefined]).toContain(answer?.status)
  })

  test('may be as large as a report anywhere else may not', async () => {
    const { url } = await startSandbox()
    const body = 'x'.repeat(100_000)
    const answer = await fetch(`${url}/_sandbox/console/clock`, { method: 'POST', body })
    expect(answer.status).toBe(413)
  })

  test('is refused from a page of another site', async () => {
    const { url } = await startSandbox()
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    const answer = await fetch(url + AUDIT, { method: 'POST', headers, body: new FormData() })
    expect(answer.status).toBe(403)
  })
})

function noFile(): string {
  const head = 'Content-Disposition: form-data; name="report"; filename=""\r\nContent-Type: application/octet-stream'
  return `--x\r\n${head}\r\n\r\n\r\n--x--\r\n`
}

describe('the last audit', () => {
  const pageOf = async (sandbox: TestSandbox) => (await sandbox.request.get(AUDIT)).text

  test('is shown without an upload, when the sandbox knows one', async () => {
    const sandbox = await startSandbox({ lastAudit: () => JSON.stringify(current()) })
    const text = textOf(await pageOf(sandbox))
    expect(text).toContain('failed 4 findings')
    expect(text).toContain('.agekey-audit/last.json')
  })

  test.each([
    ['is none', () => undefined, { problem: '', forms: 1 }],
    [
      'is damaged',
      () => '{',
      { problem: expect.stringMatching(/\.agekey-audit\/last\.json is not JSON: .*; run the audit again$/), forms: 1 },
    ],
    [
      'cannot be read',
      () => Promise.reject(new Error('.agekey-audit/last.json cannot be read (EACCES)')),
      { problem: 'Not done. .agekey-audit/last.json cannot be read (EACCES)', forms: 1 },
    ],
  ])('that %s leaves the form, and a message when there is one', async (_, lastAudit, expected) => {
    const answer = await (await startSandbox({ lastAudit })).request.get(AUDIT)
    expect(problemOf(answer.text)).toEqual(expected)
    expect(textOf(answer.text)).not.toContain('findings')
  })

  test('is for those who may use the console', async () => {
    let reads = 0
    const lastAudit = () => {
      reads += 1
      return JSON.stringify(current())
    }
    const sandbox = await startSandbox({ baseUrl: 'https://sandbox.example', controlToken: 'secret', lastAudit })
    expect(textOf(await pageOf(sandbox))).toContain('Sign in to the console')
    expect((await upload(sandbox, current())).status).toBe(401)
    expect(reads).toBe(0)
  })
})
