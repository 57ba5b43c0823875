import { print, printError, printSoon } from '../terminal.ts'
import type { Report } from './report.ts'

/** One JSON object a line, told apart by `event`; members in snake_case. */
export function createJsonReport(now: () => number): Report {
  return {
    ready({ url, baseUrl, internalUrl, certificateFile, clientId, version }) {
      const addresses = { url, base_url: baseUrl, internal_url: internalUrl, certificate: certificateFile }
      print(JSON.stringify({ event: 'ready', ...addresses, client_id: clientId, version }))
    },
    call({ durationMs, ...call }) {
      printSoon(JSON.stringify({ event: 'call', at: new Date(now()).toISOString(), ...call, duration_ms: durationMs }))
    },
    warning(message) {
      printError(JSON.stringify({ event: 'warning', message }))
    },
    defect(error) {
      const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
      printError(JSON.stringify({ event: 'error', message, stack }))
    },
  }
}
