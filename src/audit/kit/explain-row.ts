import { describeFlow } from '../../client/describe-flow.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { type AuditedRow, REASONS } from '../../sandbox/outcomes/audit-report.ts'
import {
  asSentence,
  flowAddress,
  isFinding,
  referencesOf,
  whatHappened,
} from '../../sandbox/outcomes/report/audited-row.ts'

/** What has to be done before a row can be judged. */
const REMEDIES: Readonly<Record<(typeof REASONS)[number], string>> = {
  visit_failed:
    'visit has to return true or false whatever the app shows; mend what it threw, or raise timeoutSeconds.',
  page_unknown: 'Neither true nor false is what visit returned after a right answer and after a denial.',
  timed_out: 'The sandbox did not answer in time; raise timeoutSeconds.',
  not_delivered: 'visit has to bring the answer of the sandbox to the app, without a persona or an outcome of its own.',
  not_reached: 'visit has to go through the whole flow: the app did not make the call that the row changes.',
  control_lost:
    'The app no longer lets an adult in: look for a limit or a lock-out, or make each visit another user by n.',
  masked: 'Make the app take the right answer first: its refusal of the wrong one shows nothing.',
  flaky: 'Two visits ended differently; look at both flows.',
}

/** A test that failed by what the audit found: its message is meant to be read as it is. */
export class AuditFinding extends Error {
  override readonly name = 'AuditFinding'

  constructor(message: string) {
    super(message)
    // A stack would lead into this package.
    this.stack = `${this.name}: ${message}`
  }
}

/** Makes the failure of a row: what happened, which rule it breaks, what it costs, where to look. */
export async function explainRow(row: AuditedRow, sandbox: SandboxApi): Promise<AuditFinding> {
  const reason = REASONS.find((name) => name === row.reason)
  const lines = [
    `${row.row}: ${reason === undefined ? row.verdict : `${row.verdict}, ${reason}`} (${row.level}, severity ${row.severity.toFixed(1)})`,
    whatHappened(reason === undefined ? row : { ...row, reason: undefined }),
    ...(reason === undefined ? [] : [REMEDIES[reason]]),
    `Check: ${asSentence(row.rule)}`,
    ...(isFinding(row) && row.verdict !== 'stale' ? [`Harm: ${asSentence(row.harm)}`] : []),
    referencesOf(row),
    ...row.flows.map((id) => flowAddress(`${sandbox.baseUrl}/_sandbox/console`, id)),
    ...(await lastFlow(row, sandbox)),
  ]
  return new AuditFinding(lines.join('\n'))
}

/** The flow itself: a test kit resets the journal after the test. */
async function lastFlow({ flows: ids }: AuditedRow, { flows }: SandboxApi): Promise<readonly string[]> {
  const id = ids.at(-1)
  const flow = id === undefined ? undefined : await flows.get(id).catch(() => undefined)
  return flow === undefined ? [] : ['', ...describeFlow(flow).map(({ text }) => text)]
}
