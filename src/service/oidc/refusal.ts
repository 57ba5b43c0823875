import { nearest, unknownName } from '../text/message-parts.ts'
import type { ServerCall } from './endpoints.ts'
import type { Policy } from './policy.ts'
import { ERROR_STATUS, type ErrorCode, printableDescription } from './rules/error-codes.ts'
import type { Finding } from './rules/finding.ts'

/** The error codes of OAuth 2.0, and three codes of the control API. */
export type RefusalCode = ErrorCode | 'not_found' | 'conflict' | 'too_many_requests'

/**
 * How the service answers a refused server-to-server call, and the readings that select this form.
 */
export interface RefusalForm {
  readonly call: ServerCall
  readonly policy: Policy
  readonly readings: readonly string[] | undefined
}

interface Details {
  /** The heading of the error page. */
  readonly title?: string
  readonly findings?: readonly Finding[]
  /** Similar names that exist, the most similar first. */
  readonly suggestions?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** What the user can do, shown on the error page. */
  readonly restartHint?: string | undefined
  /** The path of the page on which the user can choose again. */
  readonly backPath?: string | undefined
  readonly form?: RefusalForm | undefined
}

/**
 * A refused request: every error that a caller can cause. A refused request changes nothing, with
 * one exception: a code that is sent again revokes its access token. Only `refusalAnswer` in
 * `server/http/refusals/` turns a refusal into JSON `{error, error_description, error_uri,
 * findings}` or a page.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly status: number
  readonly title: string
  readonly findings: readonly Finding[]
  readonly suggestions: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly restartHint: string | undefined
  readonly backPath: string | undefined
  /** The form of the answer to a server-to-server call; absent for the default form. */
  readonly form: RefusalForm | undefined

  private constructor(
    code: RefusalCode,
    status: number,
    message: string,
    details: Details,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.title = details.title ?? 'Refused'
    this.findings = details.findings ?? []
    this.suggestions = details.suggestions ?? []
    this.headers = details.headers ?? {}
    this.restartHint = details.restartHint
    this.backPath = details.backPath
    this.form = details.form
  }

  /** Copies the refusal with more details. */
  with(details: Pick<Details, 'form' | 'backPath'>): Refusal {
    return new Refusal(this.code, this.status, this.message, { ...this, ...details }, this.cause)
  }

  /**
   * A request that breaks rules of the service.
   * @param options.status the HTTP status (default: the status of the code)
   */
  static byRules(
    code: ErrorCode,
    description: string,
    { status = ERROR_STATUS[code], ...details }: Details & { status?: number | undefined } = {},
  ): Refusal {
    return new Refusal(code, status, printableDescription(description), {
      title: 'This request cannot be answered',
      ...details,
    })
  }

  /** 400 `invalid_request`. */
  static invalidRequest(message: string, details: Details = {}): Refusal {
    return new Refusal('invalid_request', 400, message, details)
  }

  /** 401 `invalid_token`, with the challenge that RFC 9110 section 11.6.1 requires. */
  static unauthorized(message: string, challenge: string): Refusal {
    return new Refusal('invalid_token', 401, message, {
      headers: { 'WWW-Authenticate': challenge },
    })
  }

  /** 403 `access_denied`. */
  static forbidden(message: string): Refusal {
    return new Refusal('access_denied', 403, message, {})
  }

  /** 404 `not_found`. */
  static notFound(message: string, details: Details = {}): Refusal {
    return new Refusal('not_found', 404, message, details)
  }

  /** 409 `conflict`: the call may succeed at another time. */
  static conflict(message: string): Refusal {
    return new Refusal('conflict', 409, message, {})
  }

  /** `invalid_request` with another HTTP status, such as 405, 410, 413 or 415. */
  static byHttp(status: number, message: string, details: Details): Refusal {
    return new Refusal('invalid_request', status, message, details)
  }

  /**
   * 503 `temporarily_unavailable`: as far as known nothing was changed, and the caller may repeat
   * the call.
   */
  static unavailable(message: string, cause?: unknown): Refusal {
    const details = { title: 'The sandbox cannot answer now', headers: { 'Retry-After': '1' } }
    return new Refusal('temporarily_unavailable', 503, message, details, cause)
  }

  /**
   * A name that does not exist: 404 when the name is part of the path, otherwise 400.
   * @param lookup.source where the name was given: `query parameter sandbox_persona`
   * @param lookup.kind the kind of thing that the name should identify: `persona`
   * @param lookup.known every existing name
   * @param lookup.problem a more specific message than that the name does not exist
   * @param lookup.listedBy the call that lists all names: `GET /_sandbox/personas`
   */
  static unknownName({
    source,
    kind,
    name,
    known,
    problem = unknownName(kind, name, known),
    listedBy,
    status = 400,
  }: {
    source: string
    kind: string
    name: string
    known: readonly string[]
    problem?: string | undefined
    listedBy?: string
    status?: 400 | 404
  }): Refusal {
    const details = {
      title: 'This test decision is not possible',
      suggestions: nearest(name, known),
    }
    return new Refusal(
      status === 404 ? 'not_found' : 'invalid_request',
      status,
      `${source}: ${problem}${listedBy === undefined ? '' : ` ${listedBy} lists all.`}`,
      details,
    )
  }
}

/** Whether an error says that the store is unreachable. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'temporarily_unavailable'

/** A handler for `catch` that ignores an unreachable store and rethrows any other error. */
export function unlessUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error
}
