import { messageOf } from '../../sandbox/files/caught.ts'
import { type AuditRow, CHECKS, type ClientCheck } from '../../sandbox/outcomes/outcome.ts'
import type { AppCopies, AuditedApp, Driver } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { type AuditRunOptions, DEFAULTS } from '../options.ts'
import type { VerdictName } from '../report/audit-report.ts'
import { isFinding } from '../report/points.ts'
/** A running copy of the app, and its tenant. */
export interface Worker extends Pick<AuditedApp, 'sandbox' | 'program'> {
  /** `your app`, or the number of the copy. */
  readonly name: string
  readonly driver: Driver
}

export interface AuditRun extends Pick<AppCopies, 'visitsEach' | 'startFresh'> {
  readonly learned: LearnedApp
  readonly workers: readonly Worker[]
  readonly options: AuditRunOptions
  /** Whether a function of a test suite drives the app. */
  readonly isVisited: boolean
  readonly today: string
  /** Ends the audit early: the budget is used up, or the user has interrupted it. */
  readonly signal: AbortSignal
  /** Notes of the report, in one line each; the runner adds to them. */
  readonly notes: string[]
  drive(app: AuditedApp): Driver
}

export interface TrialFinding {
  readonly verdict: VerdictName
  /** A `Reason`, or in words why a row is not for this app. */
  readonly reason?: string | undefined
  /** A sentence. */
  readonly evidence: string
  readonly flows: readonly string[]
  /** Whether the app answered that there were too many requests. */
  readonly isLimited?: boolean | undefined
  /** The last lines of the log during the visit; absent when they may belong to another visit. */
  readonly log?: readonly string[] | undefined
  /** The check that the log names as the refusing one. */
  readonly refusedBy?: ClientCheck | undefined
}

export function undetermined(
  evidence: string,
  reason?: string,
  flows: readonly string[] = [],
): TrialFinding {
  return { verdict: 'undetermined', reason, evidence, flows }
}

export interface Trial<Seen = unknown> {
  readonly name: string
  readonly row?: AuditRow
  /**
   * Trials `in turn` run one after the other, beside the rest: the journal does not say to which of
   * them a call of the app belongs.
   */
  readonly runs: 'beside' | 'in turn' | 'alone'
  drive(worker: Worker): Promise<Seen>
  /** The verdict by what is known of the app now. */
  proof(seen: Seen): TrialFinding
  /**
   * Reads the same browsers again, some seconds later; absent when no page can be requested again.
   */
  lookAgain?(seen: Seen, worker: Worker): Promise<Seen>
}

/**
 * With one visit at a time on each worker, calls of its server and lines of its log belong to that
 * visit.
 */
export interface RunSettings
  extends Pick<AuditRun, 'workers' | 'visitsEach' | 'options' | 'signal' | 'notes'> {
  /**
   * The plain good flow that follows each batch: a worker is right as long as it lets an adult in.
   */
  readonly control: Trial
  onFinding(trial: Trial, finding: TrialFinding): void
}

const TRIALS_PER_CONTROL = 50
/** After a loss each batch is smaller, so that the trial that breaks the app is found. */
const SMALLER = 10
const MAX_LOSSES = 2
const WAITS_MS = [0, 1000, 3000, 6000]
/** Milliseconds in which jobs of an app may let a user in after the answer. */
const LATER_MS = 2000

const ENDED = ['timed_out', 'the audit ended before; raise --budget'] as const
const LOST = ['control_lost', 'before it, your app refused a plain good flow'] as const
const OF_REFUSAL: readonly VerdictName[] = ['refused', 'broke', 'ignored', 'too strict']

interface Progress {
  readonly trial: Trial
  seen: readonly { worker: Worker; value: unknown; log: readonly string[] | undefined }[]
  /** How often the good flow after this trial was refused. */
  losses: number
  /** How often the trial was repeated because of a rate limit, which is no attempt. */
  pauses: number
}

/**
 * Runs trials in order on all workers. A worker takes a batch: first the trials that may run side
 * by side, then the others, then a plain good flow. If the app refuses the good flow, its refusals
 * in this batch do not count: the app is started again, or given time, and the batch is run once
 * more.
 */
export async function runTrials(trials: readonly Trial[], settings: RunSettings) {
  const { workers, visitsEach, signal, notes, control, onFinding } = settings
  const { repeat = DEFAULTS.repeat } = settings.options
  const begin = (trial: Trial): Progress => ({ trial, seen: [], losses: 0, pauses: 0 })
  const all = trials.map(begin)
  const queue = [...all]
  let isLimited = false

  function findingOf({ trial, seen, losses }: Progress): TrialFinding {
    const [first, ...again] = seen.map(({ value, log }) => {
      const finding = trial.proof(value)
      return log?.length ? withLog(finding, log, trial.row?.breaks) : finding
    })
    if (!first) {
      const [reason, why] = signal.aborted ? ENDED : LOST
      return undetermined(`it was not tried: ${why}`, reason)
    }
    const flows = [first, ...again].flatMap((one) => one.flows)
    if (losses >= MAX_LOSSES && OF_REFUSAL.includes(first.verdict)) {
      const evidence = `${first.evidence}; then a plain good flow was refused too`
      return { ...first, verdict: 'undetermined', reason: 'control_lost', evidence }
    }
    const other = isFinding(first)
      ? again.find(({ verdict }) => verdict !== first.verdict)
      : undefined
    if (!other) return { ...first, flows }
    const evidence = `${first.verdict} at first (${first.evidence}), then ${other.verdict} (${other.evidence})`
    return {
      verdict: 'undetermined',
      reason: 'flaky',
      evidence,
      flows,
      log: other.log,
      isLimited: other.isLimited,
    }
  }

  /**
   * @returns false when other runs may have disturbed this one, or the app was away: it must be run
   * again, alone
   */
  async function tryOne(progress: Progress, worker: Worker, isAlone: boolean): Promise<boolean> {
    const { trial } = progress
    const found: Progress['seen'][number][] = []
    do {
      if (signal.aborted) return true
      const recorded = isAlone ? worker.program?.record() : undefined
      const value = await trial.drive(worker)
      found.push({ worker, value, log: await recorded?.() })
    } while (found.length < repeat && isFinding(trial.proof(found[0]?.value)))
    // Visits that the end of the audit interrupted show nothing.
    if (signal.aborted) return true
    progress.seen = found
    const finding = findingOf(progress)
    if (finding.isLimited) {
      // Each browser gets its own address, and the app some time.
      if (!isLimited)
        notes.push(
          `your app answers 429 since ${trial.name}; the audit goes on more slowly, by other client addresses. Raise its limit for tests, or give reset:`,
        )
      isLimited = true
      worker.driver.spreadOut()
      const ms = WAITS_MS[progress.pauses++]
      if (ms !== undefined) {
        await worker.driver.wait(ms)
        return tryOne(progress, worker, isAlone)
      }
    }
    const isOpen = finding.verdict === 'undetermined' && finding.reason !== 'timed_out'
    if (!isAlone && (finding.verdict === 'broke' || isOpen)) return false
    if (trial !== control) onFinding(trial, finding)
    return true
  }

  /** The verdict on a worker that no longer lets an adult in; `undefined` when it does. */
  async function findLoss(worker: Worker): Promise<string | undefined> {
    const progress = begin(control)
    await tryOne(progress, worker, false)
    const { verdict, reason, evidence } = findingOf(progress)
    const isRight = verdict === 'accepted' || reason === 'flaky' || signal.aborted
    return isRight ? undefined : evidence.replace(/^as [^:]+: /, '')
  }

  async function runWorker(worker: Worker): Promise<void> {
    // The workers share the trials; the fastest takes most.
    const share =
      workers.length > 1 ? Math.ceil(trials.length / workers.length / 2) : TRIALS_PER_CONTROL
    let size = Math.min(TRIALS_PER_CONTROL, share)
    while (queue.length > 0 && !signal.aborted) {
      const batch = queue.splice(0, size)
      const isSerial = visitsEach === 1 || isLimited
      const those = (runs: Trial['runs']) =>
        batch.filter(({ trial }) => (isSerial ? 'alone' : trial.runs) === runs)
      const alone = those('alone')
      const tryBeside = async (one: Progress) => {
        if (!(await tryOne(one, worker, false))) alone.push(one)
      }
      await Promise.all([
        inTurn(those('beside'), tryBeside, visitsEach),
        inTurn(those('in turn'), tryBeside),
      ])
      for (const one of alone) await tryOne(one, worker, true)
      const shown = await findLoss(worker)
      if (shown === undefined) continue
      const { isBack, remedy } = await recover(worker)
      notes.push(
        `after ${batch.at(-1)?.trial.name} ${worker.name} no longer lets an adult in: ${shown}; what it refused since the last good flow does not count${remedy}`,
      )
      for (const one of batch.toReversed()) {
        one.losses += isBack ? 1 : MAX_LOSSES
        if (one.losses >= MAX_LOSSES) continue
        one.seen = []
        queue.unshift(one)
      }
      size = Math.max(1, Math.floor(size / SMALLER))
      if (!isBack) return
    }
  }

  /** Starts the app again, or gives it time. @returns the end of a note too */
  async function recover(worker: Worker): Promise<{ isBack: boolean; remedy: string }> {
    const { program, driver } = worker
    const problem = await program?.restart().catch(messageOf)
    if (problem) return { isBack: false, remedy: `, and your app did not start again: ${problem}` }
    if (!program) driver.spreadOut()
    let shown: string | undefined
    for (const ms of program ? [0] : [1000, 3000]) {
      await driver.wait(ms)
      shown = await findLoss(worker)
      const how = program ? 'was started again' : 'did so again some seconds later'
      if (shown === undefined) return { isBack: true, remedy: `; it ${how}` }
    }
    return { isBack: false, remedy: program ? `, and started again it showed ${shown}` : '' }
  }

  /** Reads refused users once more: a job of the app may let them in. */
  async function lookLater(): Promise<void> {
    const refused = all.filter(
      (one) => one.trial.lookAgain && OF_REFUSAL.includes(findingOf(one).verdict),
    )
    await refused[0]?.seen[0]?.worker.driver.wait(LATER_MS)
    const lookAgain = async ({ trial, seen: [first] }: Progress) => {
      if (!first || signal.aborted) return
      const value = await trial.lookAgain?.(first.value, first.worker)
      if (trial.proof(value).verdict !== 'undetermined') first.value = value
    }
    await inTurn(refused, lookAgain, visitsEach * workers.length)
  }

  await Promise.all(workers.map(runWorker))
  await lookLater()
  const findings = new Map(all.map((one) => [one.trial, findingOf(one)]))
  return (trial: Trial): TrialFinding => findings.get(trial) ?? findingOf(begin(trial))
}

/**
 * Messages in which jose, oauth4webapi, PyJWT, Authlib and go-oidc name the check that refused,
 * most telling first.
 */
export const LIBRARY_MESSAGES: readonly (readonly [check: ClientCheck, message: RegExp])[] = [
  ['exp', /ExpiredSignatureError|ExpiredTokenError|expired_token|oidc: token is expired/],
  ['nbf', /ImmatureSignatureError: .*\(nbf\)|oidc: current time .* before the nbf/],
  ['iat', /ImmatureSignatureError: .*\(iat\)/],
  ['iss', /InvalidIssuerError|oidc: id token issued by a different provider/],
  ['aud', /InvalidAudienceError|oidc: expected audience/],
  ['azp', /includes additional untrusted audiences/],
  ['sub', /InvalidSubjectError/],
  ['typ', /unexpected "typ" JWT header value/],
  [
    'signature',
    /^(?:Uncaught )?JWSSignatureVerificationFailed|JWSSignatureVerificationFailed: signature/,
  ],
  [
    'signature',
    /JWT signature verification failed|InvalidSignatureError|BadSignatureError|bad_signature/,
  ],
  ['signature', /failed to verify (?:id token )?signature/],
  ['alg', /"alg" \(Algorithm\) Header Parameter (?:value not allowed|missing or invalid)/],
  [
    'alg',
    /JWT "alg"|InvalidAlgorithmError|signed with unsupported algorithm|unexpected signature algorithm/,
  ],
  [
    'crit',
    /Extension Header Parameter "[^"]*" is not recognized|"crit" \(Critical\) Header Parameter/,
  ],
  ['kid', /(?:no applicable key|multiple matching keys) found in the JSON Web Key Set/],
  [
    'kid',
    /error when selecting a JWT verification key|PyJWKClientError: Unable to find a signing key/,
  ],
  ['keys', /JSON Web Key Set malformed|"response" body "keys" property/],
  [
    'state',
    /"state" response parameter|response parameter "state" missing|MismatchingStateError|mismatching_state/,
  ],
  ['callback_iss', /response parameter "iss"|"iss" \(issuer\) response parameter/],
  [
    'issuer',
    /"response" body "issuer" property|discovered metadata issuer|oidc: issuer did not match the issuer/,
  ],
  ['status', /is not a conform (?:Authorization Server Metadata|JSON Web Key Set) response/],
  ['body', /failed to parse "response" body as JSON/],
  [
    'serialisation',
    /Invalid Compact JWS|JWTInvalid: |JWSInvalid: (?:Failed to base64url|JWS Protected Header is)/,
  ],
  ['serialisation', /failed to parse JWT (?:Header|Payload)|OperationProcessingError: Invalid JWT/],
  ['serialisation', /jwt\.exceptions\.DecodeError|oidc: malformed jwt/],
]

/**
 * How the libraries name a claim: `"exp" claim`, `"aud" (audience) claim`, `ID Token "c_hash"`,
 * `InvalidClaimError: … 'iss'`.
 */
const CLAIM =
  /"(\w+)" (?:\([\w ]+\) )?claim|ID Token "(\w+)"|(?:Missing|Invalid|MissingRequired)ClaimError: .*["'](\w+)["']/

const MAX_LINES = 5
const STACK = /^\s+at |^\s+File "|^\s*$/

/** Adds the most telling lines of the log, and says when they name another check than `breaks`. */
export function withLog(
  finding: TrialFinding,
  lines: readonly string[],
  breaks: readonly ClientCheck[] = [],
): TrialFinding {
  const written = lines.filter((line) => !STACK.test(line))
  const checks = written.map(checkNamedIn)
  const telling = checks.findIndex((check) => check !== undefined)
  if (telling < 0) return { ...finding, log: written.slice(-MAX_LINES) }
  const refusedBy = checks[telling]
  const log = written.slice(telling, telling + MAX_LINES)
  if (!refusedBy || breaks.length === 0 || breaks.includes(refusedBy))
    return { ...finding, log, refusedBy }
  const evidence = `${finding.evidence}; your app's log names ${refusedBy}, while this row breaks ${breaks.join(', ')}`
  return { ...finding, evidence, log, refusedBy }
}

function checkNamedIn(line: string): ClientCheck | undefined {
  const [, one, other, last] = CLAIM.exec(line) ?? []
  const claim = one ?? other ?? last
  return (
    LIBRARY_MESSAGES.find(([, message]) => message.test(line))?.[0] ??
    CHECKS.find((check) => check === claim)
  )
}
