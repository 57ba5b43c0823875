import * as z from 'zod'
import { packageVersion } from '../../package-root.ts'
import { CHECKS, REQUIREMENT_LEVELS } from '../../sandbox/outcomes/outcome.ts'
import { CALLS } from '../../service/oidc/endpoints.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import { checkAgainst, mustBe, problemLines } from '../../service/text/schema-problems.ts'

/** Verdicts that count against an app. */
export const FINDINGS = ['let in', 'too strict', 'stale', 'ignored', 'broke'] as const

// biome-ignore format: the order of totals
/** The verdicts on a row. */
export const VERDICTS = [
  ...FINDINGS, 'undetermined', 'refused', 'accepted', 'observed', 'not for this app', 'known',
] as const
export type VerdictName = (typeof VERDICTS)[number]

// biome-ignore format: a line for each reason
/** Reasons why a row is undetermined, each with its meaning and remedy. */
const REASON_TABLE = [
  ['page_unknown', 'the page is neither the yes nor the no that was learned; --accepted says how success is known, for Create and Upgrade accepted in agekey-audit.yaml'],
  ['visit_failed', 'the visit function has to return true or false in time, whatever the app shows'],
  ['timed_out', 'the visit or the budget ended before the answer was delivered; raise timeout or budget'],
  ['not_delivered', 'the journal does not show that the wrong answer reached the app'],
  ['not_reached', 'the app did not begin the flow, or did not make the call that the row changes'],
  ['control_lost', 'the app no longer takes right answers, so that its refusals say nothing; look for a limit or a lock-out'],
  ['masked', 'the app refuses the same answer without the fault'],
  ['flaky', 'a second visit had another result'],
] as const
export const REASON_ROWS = REASON_TABLE.map(([name, meaning]) => ({ name, meaning }))
export const REASONS = REASON_ROWS.map(({ name }) => name)
export type Reason = (typeof REASONS)[number]

// biome-ignore format: from bad to good
/**
 * The verdicts on a check, the worst first. `missing`: the app accepted a row that breaks the
 * check.
 */
export const CHECK_VERDICTS = [
  'missing', 'too strict', 'stale', 'ignored', 'broke', 'undetermined', 'known', 'holds',
] as const

/** The lowest level of findings that count for the exit code. With `none`, no finding counts. */
export const FAIL_ON = [...REQUIREMENT_LEVELS, 'none'] as const

const lines = () => z.array(z.string()).readonly()

const auditedRowSchema = z.strictObject({
  row: z.string().describe('Flow and name: use/id_token.expired'),
  flow: z.enum(CALLS),
  family: z.string(),
  checks: z
    .array(z.enum(CHECKS))
    .readonly()
    .describe('The checks of a relying party that the answer fails'),
  summary: z.string().describe('What is wrong with the answer'),
  rule: z.string().describe('What a correct relying party checks'),
  harm: z.string().describe('What is gained by an attacker or a child when it gets through'),
  level: z.enum(REQUIREMENT_LEVELS),
  severity: z.number().min(0).max(10).describe('Like a CVSS base score'),
  verdict: z.enum(VERDICTS),
  reason: z
    .string()
    .optional()
    .describe(
      `Of undetermined one of ${REASONS.join(', ')}; of not for this app, known and stale a sentence`,
    ),
  evidence: z.string().optional().describe('What the app did: a sentence'),
  log: lines()
    .optional()
    .describe(
      'The last lines that the app wrote meanwhile, without secrets; absent when other visits ran beside this one, and when the audit did not start the app',
    ),
  refused_by: z
    .enum(CHECKS)
    .optional()
    .describe('The check that refused, by a message of a client library in the log of the app'),
  flows: lines().describe('Flows in the journal of the sandbox'),
  refs: lines().describe('Sections of specifications'),
  cwe: z
    .array(z.string().regex(/^CWE-\d+$/, mustBe('a name like CWE-347')))
    .readonly()
    .describe('CWE-347'),
  counted: z
    .boolean()
    .describe(
      'Whether the verdict counts for the exit code: by level, catalogue version and list of known findings',
    ),
})

export type AuditedRow = Readonly<z.infer<typeof auditedRowSchema>>

const auditedCheckSchema = auditedRowSchema
  .pick({
    flow: true,
    rule: true,
    harm: true,
    level: true,
    severity: true,
    evidence: true,
    refs: true,
    cwe: true,
  })
  .extend({
    check: z
      .string()
      .describe(
        'signature; of a call its flow too: par/status; of right answers their family: control',
      ),
    title: z.string().describe('Names it in a list: signature'),
    verdict: z.enum(CHECK_VERDICTS),
    reason: z.string().optional().describe('Why it is undetermined: page_unknown, masked'),
    rows: lines().describe('The rows that show it, the worst first'),
    flows: lines().describe('One flow to look at'),
    library: z
      .string()
      .optional()
      .describe('What the app uses to read tokens, by the files in its folder: jose'),
    lines: z.string().optional().describe('What to write, with the library of the app'),
    counted: z.boolean().describe('Whether it counts for the exit code'),
  })

/** A check and its verdict, which follows from the verdicts on rows. */
export type AuditedCheck = Readonly<z.infer<typeof auditedCheckSchema>>

/** How the audit recognises success and failure of a flow. */
const learnedSchema = z.strictObject({
  yes: z.string().describe('In words: 200 at /callback, "welcome"'),
  no: lines(),
})

const triedVariantSchema = z.strictObject({
  reading: z.string().describe('What the specification leaves open: refused_token_status'),
  variant: z.string().describe('How the sandbox read it in these flows: 200'),
  usual: z
    .string()
    .describe('How it reads it otherwise, which every flow of the app was compared with: 201'),
  summary: z.string().describe('What the sandbox does under the variant'),
  silent: z.string().describe('The part of the specification that does not say it'),
  verdict: z
    .enum(['depends', 'undetermined', 'works', 'not for this app'])
    .describe('works: each flow ended as it usually does; depends: one did not'),
  reason: z.string().optional().describe('Why it is undetermined or not for this app'),
  evidence: z.string().optional().describe('What the app did: a sentence'),
  flows: lines().describe('Flows in the journal of the sandbox'),
})

/** The verdict on one variant of a reading. */
export type TriedVariant = Readonly<z.infer<typeof triedVariantSchema>>

const failedSchema = z.strictObject({
  variants: lines().describe(
    'The smallest set that fails: refused_token_status=403, error_body=plain',
  ),
  evidence: z.string(),
  flows: lines(),
})

const combinationsSchema = z.strictObject({
  tried: z
    .int()
    .min(0)
    .describe('Combinations that together hold every pair of the variants that work'),
  undetermined: z
    .array(z.strictObject({ reason: z.string(), count: z.int().min(1) }).readonly())
    .readonly()
    .describe('Combinations of which no verdict was found, as when the budget was over'),
  failed: z.array(failedSchema.readonly()).readonly(),
})

/** The result of `audit --readings`: which readings an app works with. */
const readingsReportSchema = z.strictObject({
  started_at: z.iso.datetime(mustBe('an instant like 2026-01-31T12:00:00Z')),
  seconds: z.number().min(0),
  variants: z.array(triedVariantSchema.readonly()).readonly(),
  combinations: combinationsSchema.readonly(),
  counted: z
    .boolean()
    .describe('Whether what the app depends on counts for the exit code: --fail-on-readings'),
})

export type ReadingsReport = Readonly<z.infer<typeof readingsReportSchema>>

/**
 * The report of an audit, as `--json` writes it and `.agekey-audit/last.json` stores it. The
 * published JSON Schema is `public/schemas/audit-report.schema.json`.
 */
export const auditReportSchema = z.strictObject({
  version: z.string().describe('Of agekey-sandbox'),
  catalogue: z.string().describe('Version of the catalogue that was judged by'),
  app: z
    .string()
    .describe(
      'The page that the audit began at, as it was given: {port} is a free port, another one in each run. Of agent function the redirect_uri',
    ),
  agent: z
    .enum(['http', 'chromium', 'function'])
    .describe('What drove the app: function is the visit of a test suite'),
  started_at: z.iso.datetime(mustBe('an instant like 2026-01-31T12:00:00Z')),
  seconds: z.number().min(0),
  first_started_at: z.iso
    .datetime(mustBe('an instant like 2026-01-31T12:00:00Z'))
    .optional()
    .describe(
      'When --again put rows in the place of earlier ones: the beginning of the earliest of these audits',
    ),
  learned: z
    .strictObject({ use: learnedSchema, create: learnedSchema, upgrade: learnedSchema })
    .partial()
    .readonly()
    .describe('What success and failure look like'),
  checks: z
    .array(auditedCheckSchema.readonly())
    .readonly()
    .describe('What the rows come to, the worst first'),
  rows: z.array(auditedRowSchema.readonly()).readonly(),
  totals: z
    .partialRecord(z.enum(VERDICTS), z.int().min(0))
    .readonly()
    .describe('How many rows have each verdict'),
  readings: readingsReportSchema.readonly().optional().describe('What --readings found'),
  notes: lines().describe('What the whole run met, in one line each'),
  exit_code: z
    .literal([0, 1, 2, 3])
    .describe(
      '0 all is well, 1 a finding, 2 nothing could be shown, 3 counted rows are undetermined',
    ),
})

export type AuditReport = Readonly<z.infer<typeof auditReportSchema>>

/** The file with the report of the last whole audit, relative to the working folder. */
export const LAST_AUDIT = '.agekey-audit/last.json'

/**
 * Parses the report of an audit, as `--json` writes it.
 * @returns the report, or the rest of a sentence about the text: `is not JSON: ...`
 */
export function readReport(
  text: string,
): { ok: true; report: AuditReport } | { ok: false; problem: string } {
  const json = parseJson(text)
  if (!json.ok) return { ok: false, problem: `is not JSON: ${json.reason}` }
  const checked = checkAgainst(auditReportSchema, json.value)
  if (checked.kind === 'valid') return { ok: true, report: checked.value }
  const [place = ''] = problemLines(checked, 'the value')
  // Another version may have written the report with members that this version does not know.
  const { data: { version } = {} } = z.object({ version: z.string().max(20) }).safeParse(json.value)
  const isOther = version !== undefined && version !== packageVersion()
  const by = isOther
    ? `; agekey-sandbox ${JSON.stringify(version)} wrote it, and this is ${packageVersion()}`
    : ''
  return { ok: false, problem: `is no report of agekey-sandbox audit: ${place}${by}` }
}
