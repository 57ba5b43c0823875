import type { LogMode } from '../../config/settings/process-settings.ts'
import type { CallSummary } from '../../server/create-sandbox.ts'
import { createJsonReport } from './report-json.ts'
import { createPrettyReport } from './report-pretty.ts'

/** What a relying party needs to know of a sandbox that is up. */
export interface Ready {
  /** Where the process listens. */
  readonly url: string
  /** What a relying party configures. */
  readonly baseUrl: string
  /** What its servers use, when that is another address. */
  readonly internalUrl?: string | undefined
  /** The file of the certificate that clients have to trust, when https is served. */
  readonly certificateFile?: string | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly version: string
}

/** What a running sandbox tells: calls on stdout, after the line or table that says it is ready; the rest on stderr. */
export interface Report {
  ready(ready: Ready): void
  call(call: CallSummary): void
  warning(message: string): void
  /** A defect of the sandbox itself. */
  defect(error: unknown): void
}

const silent: Report = { ready() {}, call() {}, warning() {}, defect() {} }

/** Creates the report of a log mode. `now` gives epoch milliseconds. */
export function createReport(mode: LogMode, now: () => number): Report {
  switch (mode) {
    case 'pretty':
      return createPrettyReport(now)
    case 'json':
      return createJsonReport(now)
    case 'silent':
      return silent
  }
}
