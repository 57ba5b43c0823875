import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../../service/oidc/refusal.ts'

/**
 * Checks the `Host` header (RFC 9112 section 3.2). Returns a refusal when it is absent, repeated or
 * invalid. HTTP/1.0 requests may omit it.
 * @param example a valid value for the message: `localhost:2435`
 */
export function hostProblem(
  {
    rawHeaders,
    headers,
    httpVersion,
  }: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'>,
  example: string,
): Refusal | undefined {
  const { host } = headers
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (isHost(rawHeaders[index])) count++
  if (count === 1 && isHostAndPort(host)) return undefined
  if (count === 0) return httpVersion === '1.0' ? undefined : refused('it is absent', example)
  const values = rawHeaders
    .filter((_, index) => index % 2 === 1 && isHost(rawHeaders[index - 1]))
    .slice(0, MAX_SHOWN)
  const shown = values.map((value) => JSON.stringify(value.slice(0, 80))).join(', ')
  if (count > 1) return refused(`it came ${count} times (${shown})`, example)
  return refused(
    host === '' ? 'it is empty' : `${shown} is no host name with an optional port`,
    example,
  )
}

/** Maximum number of received values in a message. */
const MAX_SHOWN = 3

const isHost = (name = '') => name.length === 4 && name.toLowerCase() === 'host'

/** A host name or address, and a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]+)(?::(\d*))?$/i
const MAX_PORT = 65_535

function isHostAndPort(host = ''): boolean {
  const parts = HOST.exec(host)
  return parts !== null && Number(parts[1] ?? 0) <= MAX_PORT
}

const refused = (received: string, example: string) =>
  Refusal.byHttp(
    400,
    `Host: ${received}; send one Host header with the name and port of the sandbox, for example "Host: ${example}" (RFC 9112 section 3.2)`,
    { title: 'This request cannot be read' },
  )
