import { alignColumns, paint, paintError, print, printError, printSoon, visible } from '../terminal.ts'
import type { Ready, Report } from './report.ts'

/** Lines for people. */
export function createPrettyReport(now: () => number): Report {
  return {
    ready: (ready) => print(readyTable(ready)),
    call({ method, path, status, durationMs, endpoint, error, findings }) {
      const line = [
        paint('dim', new Date(now()).toISOString().slice(11, 19)),
        method.padEnd(4),
        paint(statusColor(status), String(status)),
        visible(path),
        ...(endpoint === undefined ? [] : [paint('cyan', endpoint)]),
        ...(error === undefined ? [] : [paint('red', visible(error))]),
        ...(findings.length === 0 ? [] : [paint('yellow', visible(findings.join(' ')))]),
        paint('dim', `${Math.round(durationMs)} ms`),
      ]
      printSoon(line.join(' '))
    },
    warning: (message) => printError(`${paintError('yellow', 'warning:')} ${message}`),
    defect: (error) => printError(`${paintError('red', 'error:')} ${(error instanceof Error && error.stack) || error}`),
  }
}

/** What to paste into the app and where to click. */
function readyTable({ url, baseUrl, internalUrl, certificateFile, clientId, clientSecret, version }: Ready): string {
  const rows = [
    ['open', `${baseUrl}/`],
    ['base URL', baseUrl],
    ...(url === baseUrl ? [] : [['listening on', url]]),
    ...(internalUrl === undefined ? [] : [['internal URL', internalUrl]]),
    ...(certificateFile === undefined ? [] : [['certificate', `${certificateFile} (NODE_EXTRA_CA_CERTS)`]]),
    ['discovery', `${baseUrl}/v1/oidc/use/.well-known/openid-configuration`],
    ['client_id', clientId],
    ['client_secret', clientSecret],
  ]
  return [
    '',
    `  ${paint('bold', `agekey-sandbox ${version}`)}  ${paint('inverse', ' TESTING ONLY ')} no real ages, no real keys`,
    '',
    ...alignColumns(rows).map((line) => `  ${line}`),
    '',
    paint('dim', '  Ctrl+C stops it.'),
    '',
  ].join('\n')
}

function statusColor(status: number) {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
