import { expect, test } from 'vitest'
import type { AuditedRow } from '../../../src/audit/report/audit-report.ts'
import { checksOf } from '../../../src/audit/report/checks-of.ts'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { BROKEN_APPS, findBrokenApp, rowsLetIn } from '../apps/broken-apps.ts'
import { auditedRow } from './sample-report.ts'

const GOOD = { accept: 'accepted', refuse: 'refused', depends: 'observed' } as const

/** The rows of an app that lets in what these apps let in, and judges the others rightly. */
function rowsOf(...names: readonly string[]): readonly AuditedRow[] {
  const letIn = new Set(names.flatMap((name) => rowsLetIn(findBrokenApp(name))))
  return OUTCOMES.map((row) =>
    auditedRow(rowId(row), {
      ...{
        family: row.family,
        level: row.level,
        severity: row.severity,
        counted: row.level === 'must',
      },
      verdict: letIn.has(row) ? 'let in' : GOOD[row.correctClient],
    }),
  )
}

const missingIn = (rows: readonly AuditedRow[]) =>
  checksOf(rows).flatMap(({ check, verdict, rows }) =>
    verdict === 'missing' ? [`${check} ${rows.length}`] : [],
  )

/** What each broken app is told that it lacks. */
const FAULTS: Readonly<Record<string, RegExp>> = {
  'decodes a token without its signature': /^signature 22$/,
  'takes HS256 with the public key in pem': /^alg 1$/,
  'takes HS256 with the public key in der': /^alg 1$/,
  'takes HS256 with a member of the public key': /^alg 1$/,
  'takes the key that a token brings along': /^(kid|key_source) \d$/,
  'fetches the key set that a token names as jku': /^(kid|key_source) 1$/,
  'fetches the certificate that a token names as x5u': /^(kid|key_source) 1$/,
  'takes the key of a certificate that a token brings along': /^key_source 1$/,
  'ignores crit': /^crit 1$/,
  'cuts what is no compact JWS into one': /^serialisation 2$/,
  'reads the file that kid names as a secret': /^(alg|kid) 1$/,
  'does not look at iss': /^iss 5$/,
  'takes an issuer with a slash at its end': /^iss 1$/,
  'does not look at aud': /^aud \d$/,
  'takes an audience that begins with the client_id': /^aud \d$/,
  'takes azp for an audience': /^aud 1$/,
  'forgives an expiry for 55 minutes': /^exp 2$/,
  'does not look at exp': /^exp \d$/,
  'does not look at nbf': /^nbf 1$/,
  'takes times that are text': /^iat 1, exp 1$/,
  'accepts a token without a sound expiry': /^lifetime \d$/,
  'does not look at sub': /^sub 4$/,
  'compares no state': /^state \d+$/,
  'takes the first of two states': /^parameters 2$/,
  'takes the last of two states': /^parameters 2$/,
  'never forgets a state that was answered': /^state \d$/,
  'compares no nonce': /^nonce \d$/,
  'takes the nonce of any request that it has sent': /^nonce 2$/,
  'compares the nonce as text': /^nonce 1$/,
  'exchanges a code that c_hash does not fit': /^c_hash 3$/,
  'does not ask which claims the token answers': /^req_claims_hash 3$/,
  'takes what is truthy for true': /^age_thresholds \d$/,
  'takes answers in another shape': /^age_thresholds \d$/,
  'takes a token without answers for a yes': /^age_thresholds 1$/,
  'takes any threshold that is met': /^requested_thresholds 3$/,
  'copies the answers with what they inherit': /^requested_thresholds 1$/,
  'takes a threshold that is there for one that is met': /^age_thresholds 1$/,
  'takes a token with an error beside it': /^error 1$/,
  'takes a token with create_requested beside it': /^parameters 1$/,
  'takes two tokens and reads the first': /^parameters 1$/,
  'takes two tokens and reads the last': /^parameters 1$/,
  'lets users in whatever error comes': /^error 14$/,
  'lets users in when no error came': /^parameters 1$/,
  'begins to create whatever create_requested says': /^create_requested 2$/,
  'takes an age key for saved whatever error comes': /^error 14$/,
  'begins to create though it never offered that': /^create_requested 1$/,
  'lets users in whose token it cannot parse': /^serialisation 13$/,
  'follows a redirect with its secret': /^redirect 3$/,
  'does not read the status of par': /^par\/status 1$/,
  'does not read the status of token': /^token\/status 1$/,
  'does not read the status of upgrade': /^upgrade\/status 1$/,
  'sends the user on after a pushed request that failed': /^par\/status \d+$/,
  'sends the user on with whatever request_uri came': /^request_uri 3$/,
  'upgrades with whatever access_token came': /^access_token 2$/,
  'does not read token_type': /^token_type 2$/,
  'does not read the reply of an upgrade': /^ok 2$/,
  'takes an upgrade that failed for done': /^token\/status \d+, upgrade\/status \d+$/,
}

test.each(BROKEN_APPS.map(({ name }) => name))(
  'An app that %s is told which check it lacks, and no other',
  (name) => {
    expect(missingIn(rowsOf(name)).join(', ')).toMatch(
      FAULTS[name] ?? /^one check, named in this table$/,
    )
  },
)

test('An app without several checks is told each of them once, the most severe first', () => {
  const names = [
    'decodes a token without its signature',
    'compares no nonce',
    'does not look at exp',
  ]
  const rows = rowsOf(
    ...names,
    'does not look at aud',
    'sends the user on with whatever request_uri came',
  )
  const found = ['signature 22', 'aud 7', 'nonce 7', 'exp 5', 'request_uri 3']
  expect(missingIn(rows)).toEqual(found)
  expect(missingIn(rows.toReversed())).toEqual(found)
})

test('A missing check is told by its worst row, with the harm of the check', () => {
  const rows = rowsOf('does not look at aud').map((row) => ({
    ...row,
    evidence: row.row,
    flows: [row.row, 'f2'],
  }))
  const [aud] = checksOf(rows)
  const worst = 'use/id_token.aud_of_other_client'
  expect(aud).toMatchObject({
    ...{
      check: 'aud',
      title: 'audience',
      verdict: 'missing',
      flow: 'use',
      level: 'must',
      severity: 8.1,
      counted: true,
    },
    ...{ evidence: worst, flows: [worst], cwe: ['CWE-613'] },
    harm: 'The operator of any other client replays a token that an adult got there.',
  })
  expect(aud?.rows[0]).toBe(worst)
})

const [EMPTY, CHANGED, JKU] = [
  'use/callback.state_empty',
  'use/callback.state_changed',
  'use/id_token.jku',
] as const
const verdictsOf = (rows: readonly AuditedRow[]) =>
  checksOf(rows).map(({ check, verdict }) => `${check} ${verdict}`)
const row = (name: string, verdict: AuditedRow['verdict'], changes: Partial<AuditedRow> = {}) =>
  auditedRow(name, { verdict, ...changes })

test.each([
  [[row(EMPTY, 'refused'), row(CHANGED, 'refused')], ['state holds']],
  [[row(EMPTY, 'refused'), row(CHANGED, 'let in')], ['state missing']],
  [[row(EMPTY, 'refused'), row(CHANGED, 'undetermined')], ['state undetermined']],
  [[row(EMPTY, 'refused'), row(CHANGED, 'undetermined', { counted: false })], ['state holds']],
  [[row(EMPTY, 'known'), row(CHANGED, 'refused')], ['state known']],
  [[row(EMPTY, 'broke'), row(CHANGED, 'ignored')], ['state ignored']],
  [[row(EMPTY, 'broke'), row(CHANGED, 'let in')], ['state missing']],
  [[row(EMPTY, 'stale'), row(CHANGED, 'refused')], ['state stale']],
  [[row(EMPTY, 'not for this app')], []],
  // That a row with another fault as well was refused says nothing when the row with this fault
  // alone is open.
  [
    [
      row('use/id_token.signature_missing', 'undetermined'),
      row('use/id_token.foreign_key_unknown_kid', 'refused'),
    ],
    ['signature undetermined', 'kid holds'],
  ],
  [[row('use/verified', 'too strict', { family: 'ending' })], ['ending too strict']],
  [[row('use/verified', 'accepted', { family: 'ending' })], ['ending holds']],
])('What rows come to is said of their check (%#): %2$j', (rows, expected) => {
  expect(verdictsOf(rows)).toEqual(expected)
})

test('The checks that count come before all others in the order of their verdicts', () => {
  const rows = [
    row(EMPTY, 'refused'),
    row(JKU, 'undetermined', { checks: ['key_source'] }),
    row('use/id_token.crit_unknown', 'let in', { counted: false, level: 'should' }),
    row('use/id_token.sub_empty', 'ignored'),
    row('use/verified', 'too strict', { family: 'ending' }),
    row('use/id_token.expired_issued_now', 'let in'),
  ]
  const order = [
    'exp missing',
    'ending too strict',
    'sub ignored',
    'crit missing',
    'key_source undetermined',
  ]
  expect(verdictsOf(rows)).toEqual([...order, 'state holds'])
})

test('An undetermined check says why', () => {
  const open = row(JKU, 'undetermined', { reason: 'masked', checks: ['key_source'] })
  expect(checksOf([open])[0]).toMatchObject({ reason: 'masked', counted: true })
})

test('A check that nobody failed has no evidence', () => {
  expect(checksOf([row(EMPTY, 'refused', { evidence: 'no' })])[0]).not.toHaveProperty('evidence')
})

test.each([
  ['let in', 'too strict'],
  ['too strict', 'stale'],
  ['stale', 'ignored'],
  ['ignored', 'broke'],
  ['broke', 'undetermined'],
  ['undetermined', 'known'],
  ['known', 'refused'],
] as const)('A check whose row is %s stands before a check whose row is %s', (worse, better) => {
  const row = (check: 'exp' | 'iss', verdict: AuditedRow['verdict']) =>
    auditedRow('use/id_token.jku', { checks: [check], verdict, counted: false })
  const checks = checksOf([row('exp', better), row('iss', worse)])
  expect(checks.map(({ check }) => check)).toEqual(['iss', 'exp'])
})

test('A check of level must stands before a check of level should', () => {
  const rows = [
    auditedRow('use/id_token.jku', { checks: ['exp'], verdict: 'let in', level: 'should' }),
    auditedRow('use/id_token.x5u', { checks: ['iss'], verdict: 'let in', level: 'must' }),
  ]
  expect(checksOf(rows).map(({ check }) => check)).toEqual(['iss', 'exp'])
})
