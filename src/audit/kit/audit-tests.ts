import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import { ConfigError } from '../../files/config-error.ts'
import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS, isBroughtAnswer, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, LEVELS } from '../../sandbox/outcomes/outcome.ts'
import { selectRows } from '../trials/select-rows.ts'
import { AuditFinding, explainRow } from './explain-row.ts'
import type { RowAudit } from './row-audit.ts'

/** A test of an audit. */
export interface AuditTest {
  /** A whole sentence: `use/id_token.expired is refused`. */
  readonly name: string
  /** Absent for a control. */
  readonly row?: string
  /** @returns why it was not judged; nothing when it passed. @throws AuditFinding or AuditProblem */
  run(audit: RowAudit, sandbox: SandboxApi): Promise<string | undefined>
}

/** The tests of an audit: what has to be let in and kept out, then what has to be accepted, then the most severe rows. */
export function auditTestsOf(choices: AuditChoices): readonly AuditTest[] {
  const rows = selectRows(choices).filter((row) => isTest(row, choices))
  if (rows.length === 0) {
    throw ConfigError.of(
      'auditTests: no row is left that can be a test; agekey-sandbox audit --list shows each with its level',
    )
  }
  const order = rows.toSorted((one, other) => rankOf(one) - rankOf(other) || other.severity - one.severity)
  return [...CONTROLS, ...order.map(testOf)]
}

/** Rows that a function cannot try are left out, and those that count for nothing. */
function isTest(
  row: AuditRow,
  { only, failOn = only === undefined ? 'must' : 'may', catalogue = CATALOGUE_VERSION, slow = false }: AuditChoices,
): boolean {
  const { flow, name, ending, level, since, correctClient } = row
  if (isBroughtAnswer(row) || flow === 'jwks' || flow === 'discovery' || ending?.kind === 'no_answer') return false
  if (name.endsWith('.slow') && !slow) return false
  if (correctClient === 'depends' || failOn === 'none') return false
  const versions: readonly string[] = CATALOGUE_VERSIONS
  return versions.indexOf(since) <= versions.indexOf(catalogue) && LEVELS.indexOf(level) <= LEVELS.indexOf(failOn)
}

const rankOf = ({ correctClient }: AuditRow) => (correctClient === 'accept' ? 0 : 1)

const control = (name: string, check: (audit: RowAudit) => Promise<string | undefined>): AuditTest => ({
  name,
  async run(audit) {
    const problem = await check(audit)
    if (problem !== undefined) throw new AuditFinding(problem)
    return undefined
  },
})

const CONTROLS: readonly AuditTest[] = [
  // Learning fails when it is not so.
  control('an adult is let in', async (audit) => {
    await audit.learn()
    return undefined
  }),
  control('a minor is kept out', async (audit) => {
    const { letsIn, cast } = await audit.learn()
    return letsIn.includes('minor')
      ? `visit returned true for ${cast.nameOf('minor')}: a child gets in with an honest answer, because the app does not read the thresholds of the token.`
      : undefined
  }),
  control('a user who declines is kept out', async (audit) => {
    const { letsIn } = await audit.learn()
    return letsIn.includes('access_denied')
      ? 'visit returned true for access_denied: the app takes an error for a proof of age.'
      : undefined
  }),
]

function testOf(row: AuditRow): AuditTest {
  const id = rowId(row)
  return {
    name: `${id} is ${row.correctClient === 'accept' ? 'accepted' : 'refused'}`,
    row: id,
    async run(audit, sandbox) {
      const judged = await audit.judge(row)
      if (judged.verdict === 'refused' || judged.verdict === 'accepted') return undefined
      if (judged.verdict === 'not for this app' || judged.verdict === 'known') return reasonOf(judged)
      throw await explainRow(judged, sandbox)
    },
  }
}

const reasonOf = ({ verdict, reason = '' }: AuditedRow) => `${verdict}: ${reason}`
