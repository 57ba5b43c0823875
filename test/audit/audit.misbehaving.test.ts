import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { AuditProblem } from '../../src/audit/audit-problem.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { AuditOptions } from '../../src/audit/options.ts'
import type { AuditReport, VerdictName } from '../../src/sandbox/outcomes/audit-report.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { findFreePort } from '../support/free-port.ts'
import { byChance, MISBEHAVING } from './apps/misbehaving-apps.ts'

// Apps that answer late are waited for.
vi.setConfig({ testTimeout: 120_000 })
const sandbox = shareSandbox()

/** Rows enough to see how an app ends, and few enough for a test. */
const SOME = ['family:signature', 'family:nonce', 'family:state', 'use/access_denied', 'use/id_token.extra_claim']

/** Audits the Express example with changes. */
async function audit(changes: Changes, settings: AuditOptions = {}): Promise<AuditReport> {
  const app = await startExpressExample(sandbox(), changes)
  onTestFinished(() => app.stop())
  const url = `${app.url}/verify`
  return runAudit(appAt(sandbox(), { page: url, agent: createHttpAgent() }), {
    only: SOME,
    timeoutSeconds: 5,
    ...settings,
  })
}

/** The message of an audit that can show nothing. */
async function problemOf(audited: Promise<AuditReport>): Promise<string> {
  const problem = await audited.then(
    ({ totals }) => expect.fail(`it ended with ${JSON.stringify(totals)}`),
    (error: unknown) => error,
  )
  if (!(problem instanceof AuditProblem)) throw problem
  expect(problem.message).not.toContain('\n')
  return problem.message
}

const rowsWith = ({ rows }: AuditReport, verdict: VerdictName) =>
  rows.filter((row) => row.verdict === verdict).map(({ row }) => row)

describe('An audit shows nothing, and says why in one line, of an app', () => {
  test('that refuses a right token', async () => {
    expect(await problemOf(audit(MISBEHAVING.refusesEverything))).toMatch(
      /^your app answers a right token of adult-passport with 403 at \/callback \("Not you\."\); run: agekey-sandbox doctor/,
    )
  })

  test('that answers alike after a yes and after a no', async () => {
    expect(await problemOf(audit(MISBEHAVING.acceptsEverything))).toMatch(
      /^yes and no look alike: 200 at \/callback .*after adult-passport and after access_denied; give --accepted "get=/,
    )
  })

  test('that remembers its users', async () => {
    expect(await problemOf(audit(MISBEHAVING.remembersTheUser))).toBe(
      'child-12 is let in after adult-passport was: your app remembers the user; use {n} in before:, or give reset:',
    )
  })

  test('that is not there', async () => {
    const app = `http://localhost:${await findFreePort()}/verify`
    expect(await problemOf(runAudit(appAt(sandbox(), { page: app, agent: createHttpAgent() })))).toBe(
      `${app}: nothing answers; start your app first, or name its command by --start`,
    )
  })

  test('that is asked by https and speaks http', async () => {
    const app = await startExpressExample(sandbox())
    onTestFinished(() => app.stop())
    const address = `${app.url.replace('http:', 'https:')}/verify`
    expect(await problemOf(runAudit(appAt(sandbox(), { page: address, agent: createHttpAgent() })))).toMatch(
      /^https:\/\/localhost:\d+\/verify: .* cannot be reached: it does not speak TLS; look at the address of your app$/,
    )
  })

  test('that uses another service', async () => {
    const elsewhere = { baseUrl: 'https://age.example', url: sandbox().url }
    const app = await startExpressExample(elsewhere)
    onTestFinished(() => app.stop())
    expect(await problemOf(runAudit(appAt(sandbox(), { page: `${app.url}/verify`, agent: createHttpAgent() })))).toBe(
      `GET /verify goes to https://age.example/v1/oidc/use, not to this sandbox; set your app's base URL to ${sandbox().baseUrl}`,
    )
  })

  test.each([
    ['answers after 30 seconds', MISBEHAVING.isSlow, /^GET \/verify is not answered in time; raise --timeout/],
    [
      'redirects the first page for ever',
      MISBEHAVING.redirectsTheBeginning,
      /^GET \/verify is redirected more than 20/,
    ],
    ['closes the connection', MISBEHAVING.closesTheBeginning, /^GET \/verify: your app closes the connection/],
    ['sends 50 MB', MISBEHAVING.sends50MBAtTheBeginning, /^GET \/verify answers 200 and leads to no Use request/],
  ])('that %s', async (_what, changes, message) => {
    expect(await problemOf(audit(changes, { timeoutSeconds: 2 }))).toMatch(message)
  })
})

describe('An audit of an app', () => {
  test('that takes every answer finds every row that it must refuse, by the rule that it is given', async () => {
    const accepted = 'get=/me status=200'
    const report = await audit(MISBEHAVING.acceptsEverything, { only: ['level:must'], use: { accepted } })
    const judged = report.rows.filter(({ verdict }) => !['not for this app', 'accepted', 'observed'].includes(verdict))
    expect(judged.length).toBeGreaterThan(60)
    expect(judged.filter(({ verdict }) => verdict !== 'let in').map(({ row, verdict }) => `${row} ${verdict}`)).toEqual(
      [],
    )
    expect(report.exit_code).toBe(1)
  })

  test.each([
    ['answers wrong tokens with 500', MISBEHAVING.answers500],
    ['closes the connection after wrong tokens', MISBEHAVING.closesConnections],
    ['never answers wrong tokens', MISBEHAVING.neverRefuses],
  ])('that %s calls that broken, which counts from the level should on', async (_what, changes) => {
    const settings = { only: ['family:signature', 'use/access_denied'], repeat: 1, timeoutSeconds: 1 }
    const strict = await audit(changes, { ...settings, failOn: 'should' })
    expect(rowsWith(strict, 'refused')).toEqual(['use/access_denied'])
    expect(rowsWith(strict, 'broke')).toHaveLength(strict.rows.length - 1)
    expect(strict.exit_code).toBe(1)
    expect((await audit(changes, settings)).exit_code).toBe(0)
  })

  test('that redirects for ever after wrong tokens says neither yes nor no', async () => {
    const report = await audit(MISBEHAVING.redirectsForEver, { only: ['use/access_denied', 'family:signature'] })
    const lost = report.rows.filter(({ verdict }) => verdict !== 'refused')
    expect(lost).toHaveLength(report.rows.length - 1)
    expect(new Set(lost.map(({ verdict, reason }) => `${verdict} ${reason}`))).toEqual(
      new Set(['undetermined page_unknown']),
    )
    expect(report.exit_code).toBe(3)
  })

  test('that sends 50 MB after wrong tokens reads the beginning of it', async () => {
    const report = await audit(MISBEHAVING.sends50MB, { only: ['family:signature'] })
    expect(rowsWith(report, 'refused')).toEqual(report.rows.map(({ row }) => row))
    expect(report.exit_code).toBe(0)
  })

  test('that dies half-way calls nothing refused since it was last seen alive', async () => {
    const report = await audit(MISBEHAVING.dies, { only: ['flow:use'] })
    expect(report.notes).toEqual([expect.stringMatching(/^after row \d+ your app no longer lets adult-passport in: /)])
    const lost = report.rows.filter(({ reason }) => reason === 'control_lost')
    expect(lost.length).toBeGreaterThan(50)
    expect(report.exit_code).toBe(3)
  })

  test('that answers 429 after 20 failures names the remedy', async () => {
    const report = await audit(MISBEHAVING.limitsTheRate, { only: ['flow:use'] })
    expect(report.notes[0]).toMatch(/^your app answers 429 since row \d+; raise its limit for tests, or --jobs 1$/)
    expect(report.exit_code).toBe(3)
  })

  test('that locks users out after 20 failures gives it no credit for that', async () => {
    const report = await audit(MISBEHAVING.locksOut, { only: ['flow:use'] })
    expect(report.notes).toEqual([expect.stringMatching(/^after row \d+ .*403 at \/callback \("Not you\."\)/)])
    expect(
      report.rows.filter(({ evidence = '' }) => evidence.includes('Not you')).map(({ verdict }) => verdict),
    ).toEqual(expect.not.arrayContaining(['refused']))
    expect(report.exit_code).toBe(3)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('that answers by chance is never green (seed %i)', async (seed) => {
    const exitCode = await audit(byChance(seed)).then(
      (report) => report.exit_code,
      (error: unknown) => (error instanceof AuditProblem ? 2 : error),
    )
    expect([1, 2, 3]).toContain(exitCode)
  })
})

describe('An audit finds that a flow does not work with right answers, and judges nothing in it, in an app', () => {
  const LATER = ['use/create_requested', 'use/code_issued', 'flow:create', 'flow:par', 'flow:token', 'flow:upgrade']
  const evidenceOf = (report: AuditReport, id: string) => report.rows.find(({ row }) => row === id)?.evidence

  test('whose age signals the sandbox refuses', async () => {
    const report = await audit([["provenance: '/veratad/roc'", "provenance: '/elsewhere'"]], { only: LATER })
    expect(rowsWith(report, 'too strict')).toEqual(['use/code_issued', 'use/create_requested', 'create/created'])
    expect(evidenceOf(report, 'create/created')).toMatch(/^the sandbox refuses E2 of your app with 400: SIG-20: /)
    expect(evidenceOf(report, 'use/code_issued')).toMatch(/^the sandbox refuses E5 of your app with 400: SIG-20: /)
    expect(rowsWith(report, 'let in')).toEqual([])
    expect(report.rows.find(({ row }) => row === 'token/token.500')).toMatchObject({
      verdict: 'undetermined',
      reason: 'masked',
    })
    expect(report.exit_code).toBe(1)
  })

  test('that sends its upgrade elsewhere', async () => {
    const report = await audit([["'/v1/svc/upgrade'", "'/v1/svc/upgrades'"]], { only: LATER })
    expect(rowsWith(report, 'too strict')).toEqual(['use/code_issued'])
    expect(evidenceOf(report, 'use/code_issued')).toMatch(
      /^after a right access token your app showed 400 at \/callback/,
    )
    expect(rowsWith(report, 'let in')).toEqual([])
    expect(rowsWith(report, 'refused')).toEqual(expect.arrayContaining(['create/access_denied', 'par/par.500']))
  })

  test('that shows an error after the age key was saved', async () => {
    const changes: Changes = [
      ["response.send('Your age key is saved.", "response.status(400).send('Your age key is saved."],
    ]
    const report = await audit(changes, { only: LATER })
    expect(rowsWith(report, 'too strict')).toEqual(['create/created'])
    expect(evidenceOf(report, 'create/created')).toMatch(/^after an age key was saved your app showed 400 at \/created/)
  })
})

test('An audit cannot know a yes by a page that says less than a no, and asks for a rule', async () => {
  const changes: Changes = [
    ["'Welcome, you are 18.'", '\'<script>location = "/members"</script>\''],
    ["status(403).send('You are not 18 yet.')", "send('You are not 18 yet.')"],
    ["'openid svc.upgrade'", "'openid'"],
  ]
  expect(await problemOf(audit(changes))).toMatch(
    /^yes and no look alike: after adult-passport your app shows nothing that it does not show after child-12: 200 at \/callback; give --accepted "get=/,
  )
})
