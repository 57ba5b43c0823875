import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Sends bytes (one per character) and reads until the server ends the connection, or the answer is
 * whole. An https URL sends them by TLS, whatever the certificate.
 */
export function exchangeRaw(
  url: string,
  request: string,
  {
    ending = 'wait',
    until = 'closed',
  }: { ending?: 'wait' | 'end' | 'close'; until?: 'closed' | 'answered' } = {},
): Promise<ReturnType<typeof parse>> {
  const { protocol, hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    const socket =
      protocol === 'https:'
        ? connectTls({ port: Number(port), host: hostname, rejectUnauthorized: false })
        : connect(Number(port), hostname)
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (until === 'answered' && isWhole(received)) socket.destroy()
    })
    // A server that ends the connection while we still write resets it: what it said before counts.
    socket.on('error', () => {})
    socket.on('close', () => resolve(parse(received)))
    socket.write(Buffer.from(request, 'latin1'), () => {
      if (ending === 'end') socket.end()
      if (ending === 'close') socket.destroy()
    })
  })
}

function isWhole(received: string): boolean {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1]
  return length !== undefined && rest.length > 0 && rest.join('\r\n\r\n').length >= Number(length)
}

/**
 * An answer as it came over the wire; header names in lower case. Status 0: the connection ended
 * without an answer.
 */
function parse(received: string) {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const lines = [...head.matchAll(/^([^:\r\n]+):(.*)$/gm)]
  const headers: Readonly<Record<string, string>> = Object.fromEntries(
    lines.map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]),
  )
  const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8')
  return { status: Number(head.split(' ')[1] ?? 0), headers, body }
}
