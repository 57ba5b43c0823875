import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { auditReportSchema } from '../../../src/sandbox/outcomes/audit-report.ts'
import { flowAddress } from '../../../src/sandbox/outcomes/report/flow-address.ts'
import {
  dependencesOf,
  describeReadings,
  namesOfCombination,
  reasonsOf,
  whatTogetherDid,
  whatVariantDid,
  whereSilent,
} from '../../../src/sandbox/outcomes/report/readings-text.ts'
import {
  referencesOf,
  weightOf,
  whatAppDid,
  whatHappened,
  whyNotJudged,
} from '../../../src/sandbox/outcomes/report/row-texts.ts'
import { byReason, conclusionOf, totalsInOrder } from '../../../src/sandbox/outcomes/report/summary.ts'
import { auditedRow, auditReport, MIXED, READINGS_FOUND, readingsAudit } from '../../cli/audit/reports/sample-report.ts'

test('public/schemas/audit-report.schema.json says of each member what the schema says', () => {
  const file = new URL('../../../public/schemas/audit-report.schema.json', import.meta.url)
  const { $schema: _, title: _title, ...published } = JSON.parse(readFileSync(file, 'utf8'))
  const { $schema: _own, ...own } = z.toJSONSchema(auditReportSchema, { target: 'draft-7' })
  // That lists are not changed is for programs in TypeScript.
  const shown = JSON.parse(JSON.stringify(own), (key, value) => (key === 'readOnly' ? undefined : value))
  expect(shown).toEqual(published)
})

const EXPIRED = 'use/id_token.expired'

test.each([
  [{}, 'must, severity 7.4'],
  [{ counted: false }, 'must, severity 7.4, does not count for the exit code'],
  [{ counted: false, verdict: 'stale' }, 'must, severity 7.4'],
  [{ verdict: 'broke', severity: 8 }, 'should, severity 8.0'],
] as const)('The weight of a row with %j is told: %s', (changes, weight) => {
  expect(weightOf(auditedRow(EXPIRED, changes))).toBe(weight)
})

test('What happened in an audit is told: what was sent, what the app did, why, and the first line of its log', () => {
  const row = auditedRow(EXPIRED, { summary: 'It has expired', evidence: 'your app let it in!', reason: 'known' })
  expect(whatAppDid(row)).toBe('Your app let it in! Known.')
  expect(whatAppDid({ ...row, log: ['  JWTExpired ', 'more'] })).toBe('Your app let it in! Known. Its log: JWTExpired.')
  expect(whatHappened(row)).toBe('It has expired. Your app let it in! Known.')
  expect(whatHappened(auditedRow(EXPIRED, { summary: 'Has it expired?' }))).toBe('Has it expired?')
  expect(referencesOf(row)).toBe('RFC 7519 section 4.1.4; CWE-613')
})

const LOST = 'a right answer was refused afterwards, or the app limits requests, so that its refusals say nothing'

test.each([
  ['page_unknown', 'the page is neither the yes nor the no that was learned; --accepted says how success is known'],
  ['visit_failed', 'the visit function threw an error or did not end in time'],
  ['timed_out', 'the visit or the budget ended before the answer was delivered; raise --timeout or --budget'],
  ['not_delivered', 'the journal does not show that the wrong answer reached the app'],
  ['not_reached', 'the app did not begin the flow, or did not make the call that the row changes'],
  ['control_lost', LOST],
  ['masked', 'the app refuses the same answer without the fault'],
  ['flaky', 'a second visit had another result'],
])('A row that is undetermined as %s is explained', (reason, meaning) => {
  expect(whyNotJudged(auditedRow(EXPIRED, { reason }))).toBe(`${reason}: ${meaning}`)
})

test('A row that was not judged for a reason of its own tells that, with what was seen', () => {
  const row = auditedRow(EXPIRED, { reason: 'it has no Create', evidence: 'your app showed 404', log: ['gone'] })
  expect(whyNotJudged(row)).toBe('it has no Create; your app showed 404; its log: gone')
  expect(whyNotJudged(auditedRow(EXPIRED))).toBe('')
})

test.each([
  [MIXED, 'failed'],
  [auditReport([auditedRow(EXPIRED)]), 'passed'],
  [auditReport([auditedRow('use/verified', { verdict: 'accepted' })]), 'passed'],
  [auditReport([auditedRow(EXPIRED), auditedRow('use/verified', { verdict: 'accepted' })]), 'passed'],
  [auditReport([auditedRow(EXPIRED)], { readings: { ...READINGS_FOUND, variants: [] } }), 'passed'],
  [auditReport([auditedRow(EXPIRED)], { exit_code: 3 }), 'undetermined'],
  [auditReport([auditedRow(EXPIRED)], { exit_code: 2 }), 'nothing was judged'],
  [auditReport([auditedRow(EXPIRED, { verdict: 'observed' })]), 'nothing was judged'],
  [readingsAudit(), 'passed'],
  [readingsAudit({ variants: [] }), 'nothing was judged'],
  [readingsAudit({ counted: true }), 'failed'],
] as const)('An audit comes to a conclusion (%#): %s', (report, conclusion) => {
  expect(conclusionOf(report)).toBe(conclusion)
})

test('The totals of an audit are told with the findings first, and the reason of most rows first', () => {
  const totals = totalsInOrder(MIXED).map(([verdict, count]) => `${count} ${verdict}`)
  const others = ['1 refused', '1 accepted', '1 observed', '1 not for this app', '1 known']
  expect(totals).toEqual(['3 let in', '1 stale', '1 broke', '3 undetermined', ...others])
  const rows = [auditedRow(EXPIRED, { verdict: 'undetermined', reason: 'flaky' }), ...MIXED.rows]
  const ids = (verdict: 'undetermined' | 'refused') =>
    byReason(auditReport(rows), verdict).map(([reason, of]) => [reason, of.map(({ row }) => row)])
  expect(ids('undetermined')).toEqual([
    ['flaky', [EXPIRED, 'use/callback.state_changed']],
    ['page_unknown', ['use/callback.state_missing', 'use/callback.state_empty']],
  ])
  const reversed = byReason(auditReport(MIXED.rows.toReversed()), 'undetermined')
  expect(reversed.map(([reason]) => reason)).toEqual(['page_unknown', 'flaky'])
  expect(ids('refused')).toEqual([['no reason is known', ['use/callback.state_of_other_session']]])
})

test('The page of a flow stands below an address, whatever its id', () => {
  expect(flowAddress('http://localhost:4000/t/a/', 'f1')).toBe('http://localhost:4000/t/a/flows/f1')
  expect(flowAddress('http://localhost:4000', 'a/b\ud800')).toBe('http://localhost:4000/flows/a%2Fb%EF%BF%BD')
})

const [DEPENDS = expect.fail(), ...OTHERS] = READINGS_FOUND.variants
const NONE = { tried: 0, undetermined: [], failed: [] }

test('The readings of an audit are told in one line', () => {
  expect(describeReadings(READINGS_FOUND)).toBe(
    'works under 1 of 2; depends on par_status=201; fails under typ=absent with azp=present; 3 undetermined',
  )
  const more = { ...READINGS_FOUND, variants: [DEPENDS, { ...DEPENDS, reading: 'typ', usual: 'JWT' }] }
  const two = describeReadings({ ...more, combinations: NONE })
  expect(two).toBe('works under 0 of 2; depends on par_status=201, typ=JWT')
  expect(describeReadings({ ...READINGS_FOUND, variants: [], combinations: NONE })).toBe('works under 0 of 0')
})

test('What an app depends on is told once for all variants that break it', () => {
  const twice = [DEPENDS, { ...DEPENDS, variant: '202' }]
  const dependences = dependencesOf({ ...READINGS_FOUND, variants: [...twice, ...OTHERS] })
  expect(dependences).toEqual([{ needs: 'par_status=201', broken: twice }])
  const answered = 'A pushed request is answered with 200.'
  const [works = expect.fail()] = OTHERS
  expect([works, DEPENDS].map(whatVariantDid)).toEqual([
    answered,
    `${answered} In create/created as newcomer your app showed 400 at /callback.`,
  ])
  expect(whereSilent(DEPENDS)).toBe('The specification leaves it open: E2. Create PAR: Success response. (no status).')
  const [failed = expect.fail()] = READINGS_FOUND.combinations.failed
  const together = 'The app works under each of them alone. Your app showed 500 at /callback.'
  expect([namesOfCombination(failed), whatTogetherDid(failed)]).toEqual(['typ=absent with azp=present', together])
})

test('What was not shown of readings is told by verdict and reason', () => {
  const [, repeated = expect.fail(), absent = expect.fail()] = OTHERS
  const unsaid = { ...absent, reason: undefined, variant: 'x' }
  const one = { reason: 'flaky', count: 1 }
  const report = {
    ...READINGS_FOUND,
    variants: [...READINGS_FOUND.variants, { ...repeated, variant: 'y' }, unsaid],
    combinations: { ...READINGS_FOUND.combinations, undetermined: [{ reason: 'timed_out', count: 2 }, one] },
  }
  const undetermined = { verdict: 'undetermined' }
  expect(reasonsOf(report)).toEqual([
    { ...undetermined, reason: 'used once', count: 2, names: ['code_use=repeated', 'code_use=y'] },
    { verdict: 'not for this app', reason: 'no upgrade', count: 1, names: ['c_hash=absent'] },
    { verdict: 'not for this app', reason: 'no reason is known', count: 1, names: ['c_hash=x'] },
    { ...undetermined, reason: 'timed_out (combinations of variants that work alone)', count: 2, names: [] },
    { ...undetermined, reason: 'flaky (a combination of variants that work alone)', count: 1, names: [] },
  ])
})
