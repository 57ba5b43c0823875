import { expect, test } from 'vitest'
import type { AuditReport } from '../../../../src/audit/report/audit-report.ts'
import { packageVersion } from '../../../../src/package-root.ts'
import { OUTCOMES, rowId } from '../../../../src/sandbox/outcomes/catalogue.ts'
import {
  auditedRow,
  auditReport,
  HOSTILE,
  MIXED,
  READINGS_FOUND,
  readingsAudit,
} from '../../../audit/report/sample-report.ts'
import { byTestId, tagsOf, textOf } from '../../../support/markup.ts'
import { useRequest } from '../../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../../support/sandbox.ts'

const AUDIT = '/_sandbox/console/audit'
const sandbox = await shareSandbox()

async function send(body: string | FormData, { type = '', url = sandbox.baseUrl } = {}) {
  const headers = type === '' ? undefined : { 'Content-Type': type }
  const answer = await fetch(url + AUDIT, { method: 'POST', body, ...(headers && { headers }) })
  const page = await answer.text()
  return { status: answer.status, page, text: textOf(page) }
}

/** The form of the page with a file. */
function fileOf(content: unknown, name = 'report.json') {
  const body = new FormData()
  body.append(
    'report',
    new File([typeof content === 'string' ? content : JSON.stringify(content)], name),
  )
  return body
}
const upload = (content: unknown, name?: string) => send(fileOf(content, name))

/** The one message of a page, and whether its form can be used again. */
function problemOf(page: string) {
  const [, problem = ''] = /data-testid="problem">(.*?)<\/p>/s.exec(page) ?? []
  return { problem: textOf(problem).trim(), forms: byTestId(page, 'open').length }
}

const hrefsOn = (page: string) => tagsOf(page).flatMap(({ attributes }) => attributes['href'] ?? [])
const current = (changes: Partial<AuditReport> = {}) => ({
  ...MIXED,
  version: packageVersion(),
  ...changes,
})
const EXPIRED = auditedRow('use/id_token.expired')
const LET_IN = auditedRow('use/id_token.expired', { verdict: 'let in' })

test('The page of an audit of readings says what the app depends on', async () => {
  const { page, text } = await upload(readingsAudit())
  expect(text).toMatch(/depends works under 1 of 2; depends on refused_token_status=401/)
  expect(text).toMatch(
    /depends on refused_token_status=401: it fails under refused_token_status=403 What happened An access token .* Errors: .*1 undetermined: used once code_use=repeated/,
  )
  expect(byTestId(page, 'finding')).toHaveLength(2)
  expect(text).not.toContain('Other checks')
})

test('The readings of an audit are a card beside its rows', async () => {
  // Beside rows, the readings are a card of their own.
  const both = await upload(current({ readings: READINGS_FOUND }))
  expect(both.text).toMatch(/failed not verified: .*works under 1 of 2.*Other checks/)
  expect(byTestId(both.page, 'readings')).toHaveLength(1)
})

test('The page of an audit shows its findings before every row', async () => {
  const { status, page, text } = await upload(current({ totals: { refused: 99 }, exit_code: 0 }))
  expect(status).toBe(200)
  // The rows are believed, and not totals and an exit code that say better.
  expect(text).toMatch(/totals are not those of its rows.* says exit code 0; its rows come to 1/)
  expect(text).toMatch(
    /failed not verified: signature \(2 rows\), expiry \(1\); 2 checks missing, .* 1 holds 3 let in 1 stale 1 broke 3 undetermined 1 refused 1 accepted 1 observed/,
  )
  expect(text).toContain(`By agekey-sandbox ${packageVersion()}, catalogue 0.2`)
  expect(text).not.toContain('wrote this report')
  expect(text).toMatch(/Yes is 200 at \/callback, "welcome".* your app answers 429 since row 38/)
  expect(text).toContain("audit 'http://localhost:3000/verify' --only 'use/id_token.expired'")
  expect(text).toMatch(
    /4 findings missing signature 2 rows, must, severity 9\.8 .*See OpenID Connect Core 1\.0 section 3\.1\.3\.7 \(6\); CWE-347 .*Shown by 2 rows .*missing expiry/,
  )
  expect(MIXED.rows.filter(({ row }) => !text.includes(row))).toEqual([])
  expect(text).toMatch(
    /Other checks .*state undetermined 3 rows .*Checks that hold 1 .*Other rows 4 rows/,
  )
  expect(['finding', 'rows'].map((id) => byTestId(page, id).length)).toEqual([4, 7])
  // A script shows the filter.
  expect(page).toContain('data-audit-filter hidden>')
})

test('The page of an audit of another version says so', async () => {
  const rows = [EXPIRED, { ...auditedRow('use/id_token.jku'), row: 'use/id_token.gone' }]
  const { text } = await upload(auditReport(rows, { version: '9.8.7', catalogue: '0.1' }))
  expect(text).toMatch(/agekey-sandbox 9\.8\.7 wrote this report, and this is \d/)
  expect(text).toMatch(/judged by catalogue 0\.1; this sandbox has 0\.3/)
  expect(text).toMatch(/Rows that this catalogue does not have: 1.*use\/id_token\.gone unknown/)
})

test('The page of an audit links no row that the catalogue does not know', async () => {
  const rows = [EXPIRED, { ...auditedRow('use/id_token.jku'), row: 'use/id_token.gone' }]
  const { page } = await upload(auditReport(rows, { version: '9.8.7', catalogue: '0.1' }))
  const links = hrefsOn(page).filter((link) => /expired|gone/.test(link))
  expect(new Set(links)).toEqual(new Set(['/_sandbox/console/outcomes/use/id_token.expired']))
})

test('The page of an audit links the flows of its time in this journal', async () => {
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-16' }))
  const { started_at } = (await sandbox.flows.last()) ?? expect.fail('there is no flow')
  const report = auditReport([{ ...LET_IN, flows: ['f1', 'f2', 'f01'] }], { started_at })
  const linksIn = (page: string) =>
    new Set(hrefsOn(page).filter((href) => href.includes('/flows/')))
  const toFirst = new Set(['/_sandbox/console/flows/f1'])
  const here = await upload(report)
  expect(linksIn(here.page)).toEqual(toFirst)
  expect(here.text).toMatch(/Flows without a link are not in the journal here/)
  // Every sandbox has an f1.
  const later = { ...report, started_at: new Date(Date.now() + 3_600_000).toISOString() }
  for (const foreign of [{ ...report, started_at: '2020-01-01T00:00:00.000Z' }, later])
    expect(linksIn((await upload(foreign)).page)).toEqual(new Set())
  expect(linksIn((await upload({ ...later, first_started_at: started_at })).page)).toEqual(toFirst)
})

test.each([...HOSTILE, "http://a.example/' & calc & '", '\r\nSet-Cookie: a=b'])(
  'The page of an audit shows %j as text: no tag, no link to elsewhere, no header',
  async (text) => {
    const texts = {
      summary: text,
      rule: text,
      harm: text,
      reason: text,
      evidence: text,
      family: text,
    }
    const row = { ...LET_IN, ...texts, flows: [text], refs: [text] }
    const learned = { use: { yes: text, no: [text] } }
    const report = auditReport([row, { ...row, row: text }], {
      app: text,
      version: text,
      catalogue: text,
      learned,
    })
    const name = text.replaceAll(/[\r\n]/g, '')
    const { status, page } = await upload({ ...report, notes: [text] }, name)
    expect(status).toBe(200)
    // tagsOf refuses a `<` that opens no tag.
    const links = [
      ...hrefsOn(page),
      ...tagsOf(page).flatMap(({ attributes }) => attributes['src'] ?? []),
    ]
    expect(links.filter((link) => !link.startsWith('/'))).toEqual([])
    expect(page).not.toContain('calc &amp; &#39; --only')
  },
)

test('The page of an audit shows what the app wrote meanwhile', async () => {
  const row = { ...LET_IN, log: ['GET /callback', '<user signed in>'] }
  const { text } = await upload(auditReport([row], { agent: 'function' }))
  expect(text).toMatch(/The app wrote GET \/callback <user signed in> Flows/)
})

test('The page of an audit by a function shows no command', async () => {
  const { text } = await upload(auditReport([LET_IN], { agent: 'function' }))
  expect(text).not.toContain('npx agekey-sandbox')
})

test('The page of an audit stays below 300 KB', async () => {
  const evidence = 'as adult-passport: your app showed 200 at /callback ("Welcome, you are 18.")'
  const rows = OUTCOMES.map((row) =>
    auditedRow(rowId(row), {
      verdict: 'let in',
      evidence,
      family: row.family,
      flows: ['f101', 'f102'],
    }),
  )
  const { page } = await upload(auditReport(rows))
  expect(Buffer.byteLength(page)).toBeLessThan(300_000)
})

test('The page of an audit shows a thousand rows', async () => {
  const many = Array.from({ length: 1200 }, (_, index) => ({
    ...{ ...EXPIRED, row: `use/${index}`, checks: ['exp'] as const },
    ...{ summary: '', rule: '' },
  }))
  const long = await upload(auditReport(many))
  expect(long.text).toContain('The first 1000 of 1200 rows are shown.')
  // One more is the mark of the check.
  expect(long.page.match(/data-verdict/g)).toHaveLength(1001)
})

const MULTIPART = 'multipart/form-data; boundary=x'
const NO_FILE = [
  '--x\r\nContent-Disposition: form-data; name="report"; filename=""',
  'Content-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n',
].join('\r\n')

test.each([
  [
    'JSON of another shape',
    fileOf({ ...MIXED, seconds: 'long' }),
    '',
    400,
    /report\.json is no report of agekey-sandbox audit: seconds: expected a number, found the text "long"/,
  ],
  ['no file', NO_FILE, MULTIPART, 400, /no file came;/],
  [
    'a cut form',
    '--x\r\nContent-Disp',
    MULTIPART,
    400,
    /the form cannot be read: it is no multipart\/form-data;/,
  ],
  [
    'no multipart form',
    'report=x',
    'text/x',
    415,
    /Content-Type: must be multipart\/form-data, not text\/x$/,
  ],
  [
    'too large a file',
    'x'.repeat(3_000_000),
    MULTIPART,
    413,
    /the file is too large: the form has 3000000 bytes, and 2097152 are read at most;/,
  ],
])('A form that brings %s is answered with one message beside the form', async (...row) => {
  const [, body, type, expected, message] = row
  const { status, page } = await send(body, { type })
  const { problem, forms } = problemOf(page)
  expect({ status, forms, problem }).toEqual({
    status: expected,
    forms: 1,
    problem: expect.stringMatching(message),
  })
  const remedy =
    '; choose the JSON report of an audit: .agekey-audit/last.json, or the file that --json wrote'
  expect(problem).toMatch(/^Not done\. /)
  expect(problem.endsWith(remedy)).toEqual(status !== 415)
})

test('The form of an audit report may be large', async () => {
  const report = fileOf(JSON.stringify(current()) + ' '.repeat(100_000))
  expect((await send(report, { url: `${sandbox.baseUrl}/t/team` })).status).toBe(200)
})

test('The form of an audit report may not be endless', async () => {
  const body = new Uint8Array(17 * 1024 * 1024)
  const answer = await fetch(sandbox.baseUrl + AUDIT, { method: 'POST', body }).catch(
    () => undefined,
  )
  expect(answer?.status).toBeOneOf([413, undefined])
})

test('No other form of the console may be large', async () => {
  await sandbox.request.post('/_sandbox/console/force').send('x'.repeat(100_000)).expect(413)
})

test('The last audit is shown without an upload, when the sandbox knows one', async () => {
  const { request } = await startSandbox({ lastAudit: () => JSON.stringify(current()) })
  const text = textOf((await request.get(AUDIT)).text)
  expect(text).toContain('failed not verified: signature (2 rows)')
  expect(text).toContain('.agekey-audit/last.json')
})

test.each([
  ['is none', () => undefined, /^$/],
  ['is damaged', () => '{', /\.agekey-audit\/last\.json is not JSON: .*; run the audit again$/],
  [
    'cannot be read',
    () => Promise.reject(new Error('.agekey-audit/last.json cannot be read (EACCES)')),
    /^Not done\. \.agekey-audit\/last\.json cannot be read \(EACCES\)$/,
  ],
])('A last audit that %s leaves the form', async (_, lastAudit, message) => {
  const { request } = await startSandbox({ lastAudit })
  const { text } = await request.get(AUDIT)
  expect(problemOf(text)).toEqual({ problem: expect.stringMatching(message), forms: 1 })
  expect(textOf(text)).not.toContain('findings')
})

test('The last audit is for those who may use the console', async () => {
  const lastAudit = () => expect.fail('it is read')
  const { request, url } = await startSandbox({
    baseUrl: 'https://a.example',
    controlToken: 'secret',
    lastAudit,
  })
  expect(textOf((await request.get(AUDIT)).text)).toContain('Sign in to the console')
  expect((await send(fileOf(current()), { url })).status).toBe(401)
})
