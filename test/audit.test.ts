import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type AuditOptions, type AuditReport, audit, type VisitFunction } from '../src/audit.ts'
import { rowId } from '../src/sandbox/outcomes/catalogue.ts'
import { findBrokenApp, rowsLetIn } from './audit/apps/broken-apps.ts'
import { shareSandbox } from './outcomes/shared-sandbox.ts'
import type { Changes } from './support/express-example.ts'
import { visitExample, visitUseOfExample } from './support/visits.ts'

const sandbox = shareSandbox()

/** The rows of two checks, another wrong token, an error, and a token to accept. */
const SOME = [
  'family:nonce',
  'use/id_token.nonce_twice',
  'use/id_token.expired*',
  'use/id_token.aud_missing',
  'use/access_denied',
  'use/id_token.extra_claim',
]

const visitUse = (changes: Changes = []) => visitUseOfExample(sandbox(), changes)

const rowsWith = ({ rows }: AuditReport, verdict: string) =>
  rows.filter((row) => row.verdict === verdict).map(({ row }) => row)

const auditBy = (visit: VisitFunction, options: Partial<AuditOptions> = {}) =>
  audit(sandbox(), { visit, only: SOME, ...options })

/** Why an audit could not be made. */
async function problemOf(audited: Promise<AuditReport>): Promise<string> {
  const { message } = await audited.then(
    ({ totals }) => expect.fail(`it ended with ${JSON.stringify(totals)}`),
    (error: Error) => error,
  )
  expect(message).not.toContain('\n')
  return message
}

/** Spoils the visits of some rows. */
const spoiling =
  (visit: VisitFunction, pattern: RegExp, spoil: VisitFunction): VisitFunction =>
  (details) =>
    (pattern.test(details.row) ? spoil : visit)(details)

describe('An audit by a function', () => {
  test('refuses every wrong answer at the whole example app, and accepts every right one, in all its flows', async () => {
    const only = [...SOME, '*/*.html', 'create/callback.state_missing', 'use/callback.state_missing']
    const report = await audit(sandbox(), { visit: await visitExample(sandbox()), only, failOn: 'may' })
    const good = ['refused', 'accepted', 'observed', 'not for this app']
    expect(report.rows.filter(({ verdict }) => !good.includes(verdict))).toEqual([])
    expect(report.totals.refused).toBeGreaterThan(15)
    for (const flow of ['use', 'create', 'par', 'token', 'upgrade']) {
      expect(rowsWith(report, 'refused').join(), flow).toContain(`${flow}/`)
    }
    expect(report).toMatchObject({ agent: 'function', exit_code: 0, app: expect.stringMatching(/\/callback$/) })
  })

  test('finds an app that compares no nonce and does not look at exp, by its rows alone', async () => {
    const faults = [findBrokenApp('compares no nonce'), findBrokenApp('does not look at exp')]
    const report = await auditBy(await visitUse(faults.flatMap(({ changes }) => changes)), { failOn: 'may' })
    expect(rowsWith(report, 'let in').toSorted()).toEqual(faults.flatMap(rowsLetIn).map(rowId).toSorted())
    expect(report.exit_code).toBe(1)
  })

  test('judges Create and Upgrade by what the sandbox sees when the function tells only who is let in', async () => {
    const visit = await visitExample(sandbox())
    const only = ['par/par.html', 'create/callback.state_missing', 'use/create_requested', 'use/code_issued']
    const report = await audit(sandbox(), { visit: (details) => visit({ ...details, flow: 'use' }), only })
    expect(rowsWith(report, 'accepted')).toEqual(expect.arrayContaining(['use/create_requested', 'use/code_issued']))
    expect(rowsWith(report, 'refused')).toContain('par/par.html')
    expect(report.rows.find(({ row }) => row === 'create/callback.state_missing')).toMatchObject({
      verdict: 'not for this app',
      reason:
        'visit returned false whether Create ended well or not; return true for flow create when the age key was saved',
    })
    expect(report.exit_code).toBe(0)
  })

  test('says of each visit what it is for, and makes each another user', async () => {
    const visit = await visitExample(sandbox())
    const seen: Parameters<VisitFunction>[0][] = []
    const only = ['use/id_token.expired']
    await audit(sandbox(), { visit: (details) => visit(seen[seen.push(details) - 1] ?? details), only })
    expect(seen.map(({ n }) => n)).toEqual(seen.map((_details, index) => index + 1))
    expect(seen.at(0)).toMatchObject({ row: 'use/access_denied', flow: 'use', outcome: 'access_denied' })
    expect(seen.find(({ row }) => row === 'use/id_token.expired')).toMatchObject({
      flow: 'use',
      outcome: 'id_token.expired',
      persona: 'adult-passport',
    })
    expect(seen.find(({ row }) => row === 'create/created')).toMatchObject({ flow: 'create' })
    expect(await sandbox().expectations.list()).toEqual([])
    expect((await sandbox().personas.list()).filter(({ name }) => name.startsWith('audit-'))).toEqual([])
  })
})

describe('A row is undetermined, and never refused, when its visit', () => {
  const verdictOf = async (spoil: VisitFunction, options: Partial<AuditOptions> = {}) => {
    const only = ['use/id_token.expired', 'use/id_token.aud_missing']
    const visit = spoiling(await visitUse(), /expired$/, spoil)
    const report = await auditBy(visit, { only, ...options })
    expect(report.exit_code).toBe(3)
    expect(rowsWith(report, 'refused')).toEqual(['use/id_token.aud_missing'])
    return report.rows.find(({ row }) => row === 'use/id_token.expired')
  }

  test('throws', async () => {
    const found = await verdictOf(() => {
      throw new Error('no such button\nat line 3')
    })
    expect(found).toMatchObject({
      verdict: 'undetermined',
      reason: 'visit_failed',
      evidence: 'as adult-passport: visit failed: no such button',
    })
  })

  test('throws after the answer was brought', async () => {
    const working = await visitUse()
    const found = await verdictOf(async (details) => {
      await working(details)
      throw new Error('the shop is closed')
    })
    expect(found).toMatchObject({ verdict: 'undetermined', reason: 'visit_failed' })
  })

  test('does not end in time', async () => {
    const found = await verdictOf(({ signal }) => wait(60_000, false, { signal }).catch(() => wait(50, false)), {
      timeoutSeconds: 0.5,
    })
    expect(found).toMatchObject({
      verdict: 'undetermined',
      reason: 'visit_failed',
      evidence: 'as adult-passport: visit did not end within 0.5 s',
    })
  })

  test('says no before the app has asked', async () => {
    expect(await verdictOf(() => false)).toMatchObject({ verdict: 'undetermined', reason: 'not_reached' })
  })
})

test('A visit that never ends leaves all rows after it undetermined: it might take their decisions', async () => {
  const visit = spoiling(await visitUse(), /expired$/, () => new Promise<boolean>(() => {}))
  const report = await auditBy(visit, {
    only: ['use/id_token.expired', 'use/id_token.aud_missing'],
    timeoutSeconds: 0.5,
  })
  expect(report.exit_code).not.toBe(0)
  expect(rowsWith(report, 'refused')).toEqual([])
})

describe('An audit by a function shows nothing, and says why in one line, of', () => {
  test('an app that refuses everything', async () => {
    const visit = await visitUse([['Welcome, you are 18.', 'Not you.']])
    expect(await problemOf(auditBy(visit))).toMatch(
      /^visit returned false for a right token of adult-passport: your app refuses it, or .*; run: agekey-sandbox doctor --issuer http/,
    )
  })

  test('a function that always says yes', async () => {
    const visit = await visitUse()
    const problem = await problemOf(auditBy(async (details) => (await visit(details)) || true))
    expect(problem).toBe(
      'visit returned true for adult-passport, for child-12 and for access_denied; return false when the app refuses',
    )
  })

  test.each([
    ['nothing', undefined, 'undefined'],
    ['a text', 'yes', '"yes"'],
    ['a response', new Response(), 'a value of Response'],
  ])('a function that returns %s', async (_name, value, shown) => {
    const options = { visit: async () => value, only: SOME }
    expect(await problemOf(Reflect.apply(audit, undefined, [sandbox(), options]))).toBe(
      `visit returned ${shown} for use/access_denied; return true when the app let the user in, and false when it refused`,
    )
  })

  test('a function that does not come to the sandbox', async () => {
    expect(await problemOf(auditBy(() => false))).toBe(
      `visit returned false, and no Use request came to ${sandbox().baseUrl}; set your app's base URL to that address, and let visit follow redirects to it`,
    )
  })

  test('a function that fails at once', async () => {
    const visit: VisitFunction = async ({ open }) => (await open('http://127.0.0.1:9/')).status === 200
    expect(await problemOf(auditBy(visit))).toMatch(/^visit failed: open\("http:\/\/127\.0\.0\.1:9\/"\) ended without/)
  })
})

test('Two audits that use one sandbox at the same time see each other, and show nothing', async () => {
  const visit = await visitUse()
  const problems = await Promise.all([auditBy(visit), auditBy(visit)].map(problemOf))
  expect(problems.join('\n')).toMatch(
    /^something else uses the sandbox at the same time: f\d+ was decided by expectation /m,
  )
})

describe('An audit by a function refuses, in one line,', () => {
  test.each([
    [
      'no function',
      { visit: 'http://localhost:3000' },
      'visit must be a function, found the text "http://localhost:3000"',
    ],
    ['an option that there is not', { onyl: [] }, 'onyl: unknown key. Did you mean "only"?'],
    [
      'a row that there is not',
      { only: ['use/id_token.kid_emty'] },
      '"use/id_token.kid_emty" names no row. Did you mean',
    ],
    ['a selection of nothing', { only: ['use/verified'], skip: ['use/*'] }, 'only and skip together leave no row'],
    [
      'a known row that there is not',
      { known: [{ row: 'use/x', because: 'y' }] },
      'known[0].row: there is no row use/x.',
    ],
    ['a version that there is not', { catalogue: '9' }, 'catalogue: '],
    ['no seconds', { timeoutSeconds: 0 }, 'timeoutSeconds: must be more than 0 seconds, found 0'],
  ])('%s', async (_name, given, message) => {
    const options = { visit: () => false, ...given }
    const problem = await problemOf(Reflect.apply(audit, undefined, [sandbox(), options]))
    expect(problem.startsWith(`audit: ${message}`) ? message : problem).toBe(message)
  })
})
