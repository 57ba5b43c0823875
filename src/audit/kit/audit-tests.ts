import * as z from 'zod'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { isBroughtAnswer, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, bringsNothing } from '../../sandbox/outcomes/outcome.ts'
import { describeFlow } from '../../server/client/describe-flow.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { found } from '../../service/text/message-parts.ts'
import { checkAgainst, mustBe, problemLines } from '../../service/text/schema-problems.ts'
import { startRun } from '../audit.ts'
import { type AuditChoices, choicesSchema, seconds } from '../choices.ts'
import { type VisitFunction, visitedBy } from '../drive/visited-by.ts'
import { DEFAULTS } from '../options.ts'
import type { AuditedRow } from '../report/audit-report.ts'
import { checksOf } from '../report/checks-of.ts'
import { asSentence, explainReason, isFinding, linesOf, pointsOf } from '../report/points.ts'
import type { AuditRun } from '../trials/audit-run.ts'
import { isCounted } from '../trials/rows/describe-row.ts'
import { isReadAtStart } from '../trials/rows/known-before.ts'
import { requireKnownNames, selectRows } from '../trials/rows/select-rows.ts'
import { byRank, tryRows } from '../trials/rows/try-rows.ts'

/** A test that `auditTests` registers. */
interface AuditTest {
  /** A whole sentence: `use/id_token.expired is refused`. */
  readonly name: string
  /** The row; absent for a control. */
  readonly row?: AuditRow
  /** For a control: the user whom the app must have kept out during learning. */
  readonly keptOut?: keyof typeof HARMS
}

const CONTROLS: readonly AuditTest[] = [
  // Learning fails if the app does not let an adult in.
  { name: 'an adult is let in' },
  { name: 'a minor is kept out', keptOut: 'minor' },
  { name: 'a user who declines is kept out', keptOut: 'access_denied' },
]
const HARMS = {
  minor: 'the app does not read the thresholds, so that honest children get in.',
  access_denied: 'the app takes an error for a proof of age.',
}

/**
 * The timeout of one test in milliseconds: 40 times the limit of a visit. The longest test learns
 * the app, sends a right answer, and tries a finding twice.
 */
export const testTimeoutMs = ({ timeoutSeconds = DEFAULTS.timeoutSeconds }: AuditChoices): number =>
  timeoutSeconds * 40 * 1000

/**
 * The tests of an audit: the controls, then right answers, then wrong answers, the most severe
 * first.
 * @throws ConfigError with one line when no row can become a test
 */
export function auditTestsOf(choices: AuditChoices): readonly AuditTest[] {
  const { only, failOn = only === undefined ? 'must' : 'may', slow } = choices
  const rows = selectRows(choices).filter((row) => {
    // A visit function cannot try these rows.
    if (isBroughtAnswer(row) || isReadAtStart(row) || bringsNothing(row)) return false
    if (row.name.endsWith('.slow') && !slow) return false
    return isCounted(row, { verdict: 'refused', level: row.level }, { ...choices, failOn })
  })
  const problem =
    'auditTests: no row is left that can be a test; agekey-sandbox audit --list shows each with its level'
  if (rows.length === 0) throw ConfigError.of(problem)
  const nameOf = (row: AuditRow) =>
    `${rowId(row)} is ${row.correctClient === 'accept' ? 'accepted' : 'refused'}`
  return [...CONTROLS, ...rows.toSorted(byRank).map((row) => ({ name: nameOf(row), row }))]
}

const onProgress = z.custom((value) => typeof value === 'function', mustBe('a function'))
const optionsSchema = choicesSchema.extend(
  z
    .strictObject({ budgetSeconds: seconds, signal: z.instanceof(AbortSignal), onProgress })
    .partial().shape,
)

/**
 * Checks the arguments at run time, because callers in JavaScript are not type-checked.
 * @throws ConfigError with one line that names the caller
 */
export function checkChoices(
  caller: 'audit' | 'auditTests',
  visit: unknown,
  choices: object,
): void {
  const refuse = (problem: string) => ConfigError.of(`${caller}: ${problem}`)
  if (typeof visit !== 'function') throw refuse(`visit must be a function, ${found(visit)}`)
  const schema = caller === 'audit' ? optionsSchema : choicesSchema
  const checked = checkAgainst(schema.check(requireKnownNames), choices)
  if (checked.kind === 'invalid') throw refuse(problemLines(checked, 'options').join('; '))
}

/** The `test` function of a test runner, such as Vitest, Jest or node:test. */
export type RegisterTest = (
  name: string,
  run: (...context: readonly unknown[]) => Promise<void>,
  timeoutMs: number,
) => unknown

/**
 * Registers the tests. The visits begin when the first test runs.
 * @throws ConfigError with one line for invalid options
 */
export function registerTests(
  { test, ...app }: { sandbox: SandboxApi; visit: VisitFunction; test: RegisterTest },
  choices: AuditChoices,
): void {
  checkChoices('auditTests', app.visit, choices)
  const run = createTestRun(app, choices)
  for (const one of auditTestsOf(choices)) {
    // A rest parameter, because Jest passes a `done` callback to a function with a named parameter.
    const body = async (...[context]: readonly unknown[]) => {
      const reason = await run(one)
      // Decision: Jest cannot skip a running test, so there the test passes. The context of Vitest
      // is a function with members, so `Object()` and not a type check gives access to `skip`.
      const { skip } = Object(context)
      if (reason !== undefined && typeof skip === 'function') skip.call(context, reason)
    }
    test(one.name, body, testTimeoutMs(choices))
  }
}

/**
 * Creates a function that runs one test. Tests run one after the other; the first test learns the
 * app. The function throws AuditProblem if the app cannot be learned.
 */
export function createTestRun(
  { sandbox, visit }: { sandbox: SandboxApi; visit: VisitFunction },
  choices: AuditChoices,
) {
  // Never aborted: the test runner itself limits each test.
  const { signal } = new AbortController()
  let learning: Promise<AuditRun> | undefined

  async function act({ row, keptOut }: AuditTest): Promise<string | undefined> {
    // Each test counts, whatever its level.
    learning ??= startRun(
      { copies: [visitedBy(sandbox, visit)], visitsEach: 1 },
      { ...choices, failOn: 'may' },
      signal,
    )
    const audit = await learning
    const { personas, letsIn } = audit.learned
    if (keptOut && letsIn.includes(keptOut)) {
      const user = keptOut === 'minor' ? personas[keptOut] : keptOut
      throw new AuditFinding(`visit returned true for ${user}: ${HARMS[keptOut]}`)
    }
    if (!row) return undefined
    const judged = await tryRows([row], audit)
    const own = judged.find((one) => one.row === rowId(row))
    if (!own) throw new Error(`${rowId(row)} was not judged`)
    const { verdict, reason = '' } = own
    if (verdict === 'refused' || verdict === 'accepted') return undefined
    if (verdict === 'not for this app' || verdict === 'known') return `${verdict}: ${reason}`
    throw await explainRow(own, sandbox)
  }

  // A runner may start tests concurrently, but all visits share one queue.
  let last: Promise<unknown> = Promise.resolve()
  /** @returns why the row was not judged; `undefined` if the test passed @throws AuditFinding */
  return (test: AuditTest): Promise<string | undefined> => {
    const turn = last.then(() => act(test))
    last = turn.catch(() => {})
    return turn
  }
}

/** A test failed because of a finding. The message is complete without a stack. */
export class AuditFinding extends Error {
  override readonly name = 'AuditFinding'
  // A stack would point into this package, not into the app.
  override readonly stack = `AuditFinding: ${this.message}`
}

/** Describes a failed row with its calls, because a test kit resets the journal after the test. */
async function explainRow(row: AuditedRow, { baseUrl, flows }: SandboxApi): Promise<AuditFinding> {
  const { verdict, level, severity } = row
  const [point] = pointsOf({ checks: checksOf([row]), rows: [{ ...row, reason: undefined }] })
  const [last] = await Promise.all(
    row.flows.slice(-1).map((id) => flows.get(id).catch(() => undefined)),
  )
  const facts = point?.facts.filter(({ kind }) => kind !== 'harm' || isFinding(row)) ?? []
  const lines = [
    `${row.row}: ${verdict} (${level}, severity ${severity.toFixed(1)})`,
    ...(row.reason === undefined ? [] : [asSentence(explainReason(row.reason))]),
    ...linesOf({ facts, flows: row.flows }, `${baseUrl}/_sandbox/console`),
    ...(last ? ['', ...describeFlow(last).map(({ text }) => text)] : []),
  ]
  return new AuditFinding(lines.join('\n'))
}
