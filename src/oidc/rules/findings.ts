import type { Issue } from '../../age/issue.ts'
import { nearest } from '../../age/nearest.ts'
import { excerpt } from '../../age/quote.ts'
import type { Profile } from '../profile.ts'
import { Refusal } from '../refusal.ts'
import type { ErrorCode } from './error-codes.ts'
import type { Finding } from './finding.ts'
import { levelOf, type RuleId, ruleRow } from './rules.ts'

/** Why a request is refused: the code of the first error and a description that names every broken rule. */
interface Reason {
  readonly error: ErrorCode
  readonly description: string
  /** What to do about the first error. */
  readonly hint: string
}

/** The most findings of one request: more of them do not help. */
const MAX_FINDINGS = 100

const UNAUTHENTICATED: readonly ErrorCode[] = ['invalid_client', 'invalid_token']

/** Collects what a request breaks, all of it, before it is decided what becomes of the request. */
export class Findings {
  readonly all: Finding[] = []
  readonly #profile: Profile
  readonly #errors: { code: ErrorCode; finding: Finding }[] = []

  constructor(profile: Profile) {
    this.#profile = profile
  }

  /** Records a broken rule; `error` replaces the code of the rule's row. */
  add(rule: RuleId, finding: { path: string; message: string; error?: ErrorCode }): void {
    this.#record(rule, finding)
  }

  /** Records a required parameter that is absent: `invalid_request`, whatever a wrong value would be. */
  missing(rule: RuleId, name: string): void {
    if (this.mentions(name)) return
    // An unknown parameter is advice: its name may be a misspelling of this one.
    const similar = this.all.find(({ level, path }) => level === 'advice' && nearest(path, [name]).length > 0)?.path
    const sent = similar === undefined ? '' : ` (${excerpt(similar)} was sent)`
    this.#record(rule, { path: name, message: `${name} is missing or has no value${sent}`, error: 'invalid_request' })
  }

  /** Records what the age rooms found below `root`. */
  addIssues(root: string, issues: readonly Issue[]): void {
    for (const issue of issues) {
      this.#record(issue.rule, { path: pathText([root, ...issue.path]), message: issue.message })
    }
  }

  /** Whether something was already found at one of these places. */
  mentions(...paths: readonly string[]): boolean {
    return this.all.some((finding) => paths.includes(finding.path))
  }

  get refusal(): Reason | undefined {
    // A failed authentication is reported first, whatever else is wrong.
    const first = this.#errors.find(({ code }) => UNAUTHENTICATED.includes(code)) ?? this.#errors[0]
    if (!first) return undefined
    const rest = this.#errors.filter((error) => error !== first).map(({ finding }) => finding.rule)
    const others = [...new Set(rest)].slice(0, 8).join(', ')
    const count = this.all.length < MAX_FINDINGS ? rest.length : `at least ${rest.length}`
    const more = rest.length === 0 ? '' : ` (and ${count} more: ${others})`
    const { rule, message, hint } = first.finding
    const sentence = more === '' ? message : message.replace(/\.$/, '')
    return { error: first.code, description: `${rule}: ${sentence}${more}`, hint }
  }

  /** @throws Refusal with all findings when one of them is an error. */
  throwIfRefused(options: { status?: number; headers?: Readonly<Record<string, string>> } = {}): void {
    if (this.refusal) throw this.toRefusal(options)
  }

  /** The refusal, with all findings. */
  toRefusal(options: { status?: number; headers?: Readonly<Record<string, string>> } = {}): Refusal {
    const { error, description } = this.refusal ?? { error: 'server_error', description: 'refused without a finding' }
    return Refusal.byRules(error, description, { ...options, findings: this.all })
  }

  #record(id: string, finding: { path: string; message: string; error?: ErrorCode }): void {
    const row = ruleRow(id)
    const level = levelOf(row, this.#profile)
    const isFull = this.all.length >= MAX_FINDINGS && (level === 'advice' || this.#errors.length > 0)
    if (isFull) return
    const recorded: Finding = { rule: row.id, level, path: finding.path, message: finding.message, hint: row.hint }
    this.all.push(recorded)
    if (level === 'error') this.#errors.push({ code: finding.error ?? row.error, finding: recorded })
  }
}

/** `['claims', 'age_thresholds', 1]` as `claims.age_thresholds[1]`. */
function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}
