import type { Issue } from '../../age/explain.ts'
import { excerpt, isNearMiss, nearest } from '../../text/message-parts.ts'
import { formatPath } from '../../text/schema-problems.ts'
import { Refusal } from '../refusal.ts'
import type { ErrorCode } from './error-codes.ts'
import type { Finding } from './finding.ts'
import type { Profile } from './profile.ts'
import { levelOf, type RuleId, ruleRow } from './rules.ts'

interface RecordedError {
  readonly code: ErrorCode
  readonly finding: Finding
}

/** Maximum number of findings for one request. */
const MAX_FINDINGS = 100

const UNAUTHENTICATED: readonly ErrorCode[] = ['invalid_client', 'invalid_token']

/** Collects all rules that a request breaks, before the service decides how to answer. */
export class Findings {
  readonly #profile: Profile
  readonly #found: Finding[] = []
  readonly #errors: RecordedError[] = []
  readonly #withoutValue = new Set<string>()
  readonly #spread = new Map<string, string>()
  #isForm = true

  constructor(profile: Profile) {
    this.#profile = profile
  }

  /**
   * All findings: first the leading error, which explains the other findings best, then the others
   * in the order of the checks.
   */
  get all(): readonly Finding[] {
    const leading = this.#leading?.finding
    return leading === undefined
      ? [...this.#found]
      : [leading, ...this.#found.filter((one) => one !== leading)]
  }

  /**
   * Notes a parameter that was received without a value. It counts as omitted, and the finding of
   * the missing parameter says so.
   */
  noteEmpty(name: string): void {
    this.#withoutValue.add(name)
  }

  /**
   * Notes that a parameter is missing because a library made a parameter of each of its members.
   */
  noteSpread(name: string, problem: string): void {
    this.#spread.set(name, problem)
  }

  /** Notes that the body is JSON instead of a form, which explains why parameters are missing. */
  noteJsonBody(): void {
    this.#isForm = false
  }

  add(rule: RuleId, finding: { path: string; message: string }): void {
    this.#record(rule, finding)
  }

  /**
   * Records an absent required parameter as `invalid_request`, whatever the error code of a wrong
   * value is.
   */
  missing(rule: RuleId, name: string): void {
    if (this.mentions(name)) return
    this.#record(rule, { path: name, message: this.absenceOf(name), error: 'invalid_request' })
  }

  /**
   * The message for a missing parameter: `redirect_uri is missing; redirect_url was received: did
   * you mean redirect_uri?`
   */
  absenceOf(name: string): string {
    const spread = this.#spread.get(name)
    if (spread !== undefined) return `${name} is missing; ${spread}`
    if (this.#withoutValue.has(name)) return `${name} is missing: it was received without a value`
    if (!this.#isForm) return `${name} is missing: JSON was received instead of a form`
    // An unknown parameter is reported as advice. Its name may misspell the missing parameter.
    const similar = this.#found.find(
      ({ level, path }) => level === 'advice' && nearest(path, [name]).length > 0,
    )?.path
    if (similar === undefined) return `${name} is missing`
    return `${name} is missing; ${excerpt(similar)} was received: did you mean ${name}?`
  }

  /** Records the issues that `service/age/` found in the value of `root`. */
  addIssues(root: string, issues: readonly Issue[]): void {
    for (const issue of issues) {
      this.#record(issue.rule, { path: formatPath([root, ...issue.path]), message: issue.message })
    }
  }

  /** Records JSON members whose name is repeated, by their paths. */
  addRepeated(rule: RuleId, paths: readonly string[]): void {
    for (const path of paths)
      this.add(rule, { path, message: `${path} stands more than once: only the last one is read` })
  }

  /** Whether a finding has one of these paths. */
  mentions(...paths: readonly string[]): boolean {
    return this.#found.some((finding) => paths.includes(finding.path))
  }

  /**
   * Why the request is refused: code and hint of the leading error, and a description that names
   * every broken rule; `undefined` without an error.
   */
  get refusal() {
    const first = this.#leading
    if (!first) return undefined
    const rest = this.#errors.filter((error) => error !== first).map(({ finding }) => finding.rule)
    const others = [...new Set(rest)].slice(0, 8).join(', ')
    const count = this.#found.length < MAX_FINDINGS ? rest.length : `at least ${rest.length}`
    const more = rest.length === 0 ? '' : ` (and ${count} more: ${others})`
    const { rule, message, hint } = first.finding
    const sentence = more === '' ? message : message.replace(/\.$/, '')
    return { error: first.code, description: `${rule}: ${sentence}${more}`, hint }
  }

  /** @throws Refusal with all findings if one of them is an error */
  throwIfRefused(
    options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ): void {
    if (this.refusal) throw this.toRefusal(options)
  }

  /** Makes a refusal with all findings. */
  toRefusal(
    options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ): Refusal {
    const { error, description } = this.refusal ?? {
      error: 'server_error',
      description: 'refused without a finding',
    }
    return Refusal.byRules(error, description, { ...options, findings: this.all })
  }

  get #leading(): RecordedError | undefined {
    const [leading] = this.#errors.toSorted((one, other) => rankOf(one) - rankOf(other))
    return leading
  }

  #record(id: string, finding: { path: string; message: string; error?: ErrorCode }): void {
    const row = ruleRow(id)
    const level = levelOf(row, this.#profile)
    const isFull =
      this.#found.length >= MAX_FINDINGS && (level === 'advice' || this.#errors.length > 0)
    if (isFull) return
    const recorded: Finding = {
      rule: row.id,
      level,
      path: finding.path,
      message: finding.message,
      hint: row.hint,
    }
    this.#found.push(recorded)
    if (level === 'error')
      this.#errors.push({ code: finding.error ?? row.error, finding: recorded })
  }
}

/**
 * The rank of an error; the lowest rank leads. First a failed authentication, then an unusable
 * client or redirect URI, then a message with a suggestion. Other errors keep the order of the
 * checks.
 */
function rankOf({ code, finding: { path, message } }: RecordedError): number {
  if (UNAUTHENTICATED.includes(code)) return 0
  if (path === 'client_id' || path === 'redirect_uri') return 1
  return isNearMiss(message) ? 2 : 3
}
