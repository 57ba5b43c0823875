import {
  type AuditedRow,
  type AuditReport,
  type ReadingsReport,
  type TriedVariant,
  VERDICTS,
} from '../../../src/audit/report/audit-report.ts'
import { checksOf } from '../../../src/audit/report/checks-of.ts'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'

/**
 * A row of the catalogue as an audit judges it: `use/id_token.expired`, refused unless `changes`
 * say otherwise.
 */
export function auditedRow(row: string, changes: Partial<AuditedRow> = {}): AuditedRow {
  const outcome = OUTCOMES.find(({ flow, name }) => `${flow}/${name}` === row)
  if (outcome === undefined) throw new Error(`${row} is not in the catalogue`)
  return {
    row,
    flow: outcome.flow,
    family: 'times',
    checks: outcome.breaks,
    summary: outcome.summary,
    rule: outcome.rule,
    harm: 'An old proof is good for ever.',
    level: 'must',
    severity: 7.4,
    verdict: 'refused',
    flows: ['f12'],
    refs: ['RFC 7519 section 4.1.4'],
    cwe: ['CWE-613'],
    counted: true,
    ...changes,
  }
}

/** A report of these rows, with their totals and exit code. */
export function auditReport(
  rows: readonly AuditedRow[],
  changes: Partial<AuditReport> = {},
): AuditReport {
  const verdicts = new Set(rows.map(({ verdict }) => verdict))
  const countOf = (verdict: string) => rows.filter((row) => row.verdict === verdict).length
  return {
    version: '0.1.0',
    catalogue: '0.2',
    app: 'http://localhost:3000/verify',
    agent: 'http',
    started_at: '2026-01-02T03:04:05.678Z',
    seconds: 12.34,
    learned: { use: { yes: '200 at /callback, "welcome"', no: ['400 at /callback'] } },
    checks: checksOf(rows),
    rows,
    totals: Object.fromEntries(
      VERDICTS.filter((name) => verdicts.has(name)).map((name) => [name, countOf(name)]),
    ),
    notes: [],
    exit_code: rows.some(({ verdict }) => verdict === 'let in') ? 1 : 0,
    ...changes,
  }
}

const state = (name: string, reason?: string) =>
  auditedRow(`use/callback.state_${name}`, {
    family: 'state',
    ...(reason && { verdict: 'undetermined', reason }),
  })

/** A row of each verdict, as in an audit of an app with faults. */
export const MIXED: AuditReport = auditReport(
  [
    auditedRow('use/verified', { verdict: 'accepted', family: 'controls' }),
    auditedRow('use/id_token.expired', {
      verdict: 'let in',
      evidence: '200 at /callback, "welcome"',
    }),
    auditedRow('use/id_token.payload_changed', {
      ...{ verdict: 'let in', family: 'signature', severity: 9.8, flows: ['f2', 'f3'] },
      ...{ cwe: ['CWE-347'], refs: ['OpenID Connect Core 1.0 section 3.1.3.7 (6)'] },
      evidence: '200 at /callback, "welcome"',
    }),
    auditedRow('use/id_token.alg_none', {
      verdict: 'broke',
      family: 'algorithm',
      evidence: '500 at /callback',
    }),
    auditedRow('use/id_token.typ_other', {
      ...{ verdict: 'let in', family: 'header', level: 'may', severity: 3.1, counted: false },
      ...{ cwe: [], refs: [], flows: [] },
    }),
    ...[
      state('missing', 'page_unknown'),
      state('empty', 'page_unknown'),
      state('changed', 'flaky'),
    ],
    state('of_other_session'),
    auditedRow('create/created', {
      verdict: 'not for this app',
      family: 'controls',
      reason: 'no can_create',
    }),
    auditedRow('use/id_token.jku', {
      verdict: 'known',
      family: 'key_source',
      reason: 'mended in May',
    }),
    auditedRow('use/id_token.x5u', {
      verdict: 'stale',
      family: 'key_source',
      reason: 'it is refused now',
    }),
    auditedRow('use/id_token.embedded_jwk', {
      verdict: 'observed',
      family: 'key_source',
      evidence: '200 at /x',
    }),
  ],
  { notes: ['your app answers 429 since row 38; raise its limit for tests, or --jobs 1'] },
)

const VARIANT: TriedVariant = {
  ...{
    reading: 'refused_token_status',
    variant: '403',
    usual: '401',
    verdict: 'works',
    flows: ['f3'],
  },
  summary: 'An access token that E5 refuses is answered with 403.',
  silent: 'Errors: “HTTP status codes: not shown.”',
}

const variant = (
  reading: string,
  usual: string,
  name: string,
  changes: Partial<TriedVariant> = {},
): TriedVariant => ({
  ...VARIANT,
  ...{ reading, usual, variant: name },
  ...changes,
})

/** A result of `--readings`: a dependence, a pair, and one variant of each other verdict. */
export const READINGS_FOUND: ReadingsReport = {
  started_at: '2026-01-02T03:04:05.678Z',
  seconds: 4.2,
  variants: [
    {
      ...VARIANT,
      verdict: 'depends',
      evidence: 'in create/created as newcomer your app showed 400 at /callback',
    },
    variant('typ', 'JWT', 'absent'),
    variant('code_use', 'single', 'repeated', { verdict: 'undetermined', reason: 'used once' }),
    variant('upgrade_effect', 'adds', 'replaces', {
      verdict: 'not for this app',
      reason: 'no upgrade',
    }),
  ],
  combinations: {
    tried: 3,
    undetermined: [{ reason: 'timed_out', count: 2 }],
    failed: [
      {
        variants: ['typ=absent', 'azp=present'],
        evidence: 'your app showed 500 at /callback',
        flows: ['f9'],
      },
    ],
  },
  counted: false,
}

/** The report of `audit --readings`. */
export const readingsAudit = (changes: Partial<ReadingsReport> = {}): AuditReport =>
  auditReport([], {
    readings: { ...READINGS_FOUND, ...changes },
    exit_code: changes.counted ? 1 : 0,
  })

/** A text in each place where a report quotes an app, a page or an attacker. */
export const hostileTexts = (text: string) =>
  ({
    summary: text,
    rule: text,
    evidence: text,
    refs: [text],
    flows: [text],
  }) satisfies Partial<AuditedRow>

/** A text that an app, a page or an attacker may write there. */
export const HOSTILE = [
  '<script>alert(1)</script> & "quotes" \'single\'',
  '](http://evil.example) [click](http://evil.example) ![x](http://evil.example/x.png)',
  '| a | b |\n\n# heading\n- item\n```\nfence',
  '``` `` ` unbalanced',
  'https://evil.example/path www.evil.example user@evil.example @octocat #12',
  '</details></summary><!-- --> <![CDATA[ ]]> ]]>',
  'control \u0000\u0007\u001b[31m\u0085 bidi \u202e zero \u200b half \ud800 not a character \uffff',
  'emoji 🔑 and 日本語 {0} {{1}} %s $x^2$ \\ \\| **bold** _it_ ~~gone~~',
]
