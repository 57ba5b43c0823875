import type { Visit } from '../browser.ts'

/** Errors of Chromium with which no connection came about. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ERR_CONNECTION_REFUSED: 'nothing answers there',
  ERR_NAME_NOT_RESOLVED: 'its host name is not known',
  ERR_ADDRESS_UNREACHABLE: 'its address is not reached',
  ERR_SSL_PROTOCOL_ERROR: 'it does not speak TLS',
  ERR_UNSAFE_PORT: 'browsers do not open this port',
}

/** How a navigation ended that failed. @param error such as `net::ERR_CONNECTION_REFUSED` */
export function failureOf(error: string, url: string): Pick<Visit, 'end' | 'url' | 'problem'> {
  const { origin } = new URL(url)
  const code = error.replace('net::', '')
  const reason =
    UNREACHABLE[code] ?? (code.startsWith('ERR_CERT_') ? `its certificate is not trusted (${code})` : undefined)
  if (reason !== undefined) return { end: 'unreachable', url, problem: `${origin} cannot be reached: ${reason}` }
  if (code === 'ERR_TIMED_OUT' || code === 'ERR_CONNECTION_TIMED_OUT') {
    return { end: 'timed_out', url, problem: `${origin} did not answer in time` }
  }
  if (code === 'ERR_TOO_MANY_REDIRECTS') {
    return { end: 'too_many_redirects', url, problem: 'it goes on after 20 redirects' }
  }
  const cut = ['ERR_EMPTY_RESPONSE', 'ERR_CONNECTION_RESET', 'ERR_CONNECTION_CLOSED', 'ERR_SOCKET_NOT_CONNECTED']
  const problem = cut.includes(code)
    ? `${origin} closed the connection without an answer`
    : `the answer of ${origin} cannot be read (${code})`
  return { end: 'dropped', url, problem }
}
