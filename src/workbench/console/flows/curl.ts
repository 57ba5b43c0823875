import type { CallRecord } from '../../../sandbox/journal/call-record.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { shellWord } from '../../../service/text/shell-word.ts'

/** The journal masks secrets, so the command reads them from environment variables. */
const SECRET_PLACEHOLDER = '"$AGE_CLIENT_SECRET"'

/**
 * The shell command that repeats a recorded call. Every value is quoted; secrets are environment
 * variables.
 */
export function curlCommand(
  {
    endpoint,
    method,
    path,
    parameters: recorded,
  }: Pick<CallRecord, 'endpoint' | 'method' | 'path' | 'parameters'>,
  { baseUrl, clientId = '' }: { baseUrl: string; clientId?: string | undefined },
): string {
  const url = `${baseUrl}${path}`
  const parameters = endpoint === 'trap' ? withoutHeader(recorded) : recorded
  if (method === 'GET') return `curl -i ${shellWord(withQuery(url, parameters))}`
  if (endpoint === ENDPOINTS.upgrade.number) {
    return lines([
      `curl -i ${shellWord(url)}`,
      '-H "Authorization: Bearer $AGE_ACCESS_TOKEN"',
      `--json ${shellWord(JSON.stringify(parameters))}`,
    ])
  }
  const basic =
    endpoint === ENDPOINTS.token.number
      ? [`-u ${shellWord(`${clientId}:`)}${SECRET_PLACEHOLDER}`]
      : []
  const fields = Object.entries(parameters).map(([name, value]) =>
    name === 'client_secret'
      ? `--data-urlencode client_secret=${SECRET_PLACEHOLDER}`
      : `--data-urlencode ${shellWord(`${encodeURIComponent(name)}=${textOf(value)}`)}`,
  )
  return lines([`curl -i ${shellWord(url)}`, ...basic, ...fields])
}

/**
 * Removes the masked Authorization header, which the journal lists among the parameters of a trap.
 */
const withoutHeader = ({ authorization: _, ...parameters }: CallRecord['parameters']) => parameters

function withQuery(url: string, parameters: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    textOf(value),
  ])
  const query = new URLSearchParams(pairs).toString()
  return query === '' ? url : `${url}?${query}`
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const lines = (words: readonly string[]) => words.join(' \\\n  ')
