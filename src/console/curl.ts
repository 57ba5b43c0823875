/** A recorded call, as far as repeating it goes. */
export interface CurlView {
  readonly endpoint: string
  readonly method: string
  /** Absolute, without a query. */
  readonly url: string
  /** Secrets are masked; parameters that carry JSON are parsed. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly clientId?: string | undefined
}

/** Where the journal has masked a secret, the command takes it from the environment. */
const SECRET_PLACEHOLDER = '"$AGE_CLIENT_SECRET"'

/** A shell command that repeats the call. Every value is quoted; secrets are variables to set before. */
export function curlCommand({ endpoint, method, url, parameters, clientId = '' }: CurlView): string {
  if (method === 'GET') return `curl -i ${shellWord(withQuery(url, parameters))}`
  if (endpoint === 'E5') {
    return lines([
      `curl -i ${shellWord(url)}`,
      '-H "Authorization: Bearer $AGE_ACCESS_TOKEN"',
      `--json ${shellWord(JSON.stringify(parameters))}`,
    ])
  }
  const basic = endpoint === 'E4' ? [`-u ${shellWord(`${clientId}:`)}${SECRET_PLACEHOLDER}`] : []
  const fields = Object.entries(parameters).map(([name, value]) =>
    name === 'client_secret'
      ? `--data-urlencode client_secret=${SECRET_PLACEHOLDER}`
      : `--data-urlencode ${shellWord(`${encodeURIComponent(name)}=${textOf(value)}`)}`,
  )
  return lines([`curl -i ${shellWord(url)}`, ...basic, ...fields])
}

function withQuery(url: string, parameters: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [name, textOf(value)])
  const query = new URLSearchParams(pairs).toString()
  return query === '' ? url : `${url}?${query}`
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const lines = (words: readonly string[]) => words.join(' \\\n  ')

/** A word of a POSIX shell: nothing in it is expanded. */
export const shellWord = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
