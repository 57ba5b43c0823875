import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes that all connections hold together: of requests without an answer, and of answers that are not read. */
export const MAX_HELD_BYTES = 32 * 1024 * 1024

/** Counts what one connection holds. */
export interface HeldBytes {
  /** A request came. */
  add(request: IncomingMessage): void
  /** Its answer was sent. */
  remove(request: IncomingMessage): void
  count(): number
}

/** @param socket a TLS connection has one below it, which is meant here */
export function createHeldBytes(socket: Socket): HeldBytes {
  /** Of the bytes that were read, those of requests that have their answers. */
  let answered = 0
  let waiting = 0
  let answering = socket
  return {
    add(request) {
      waiting += 1
      answering = request.socket
    },
    remove(request) {
      waiting -= 1
      answered = waiting === 0 ? socket.bytesRead : Math.min(socket.bytesRead, answered + sentBytes(request))
    },
    count: () => socket.bytesRead - answered + answering.writableLength,
  }
}

/** The bytes of a request that has others behind it. */
function sentBytes({ method = '', url = '', rawHeaders, headers }: IncomingMessage): number {
  const head = [`${method} ${url} HTTP/1.1`, ...rawHeaders].reduce((sum, text) => sum + text.length + 2, 2)
  return head + Number(headers['content-length'] ?? 0)
}

/** The connections that have to go, those that hold most, so that the others hold no more than they may. */
export function tooHeavy<Connection extends { readonly held: HeldBytes }>(
  connections: Iterable<Connection>,
): Connection[] {
  const counted = [...connections].map((connection) => ({ connection, bytes: connection.held.count() }))
  let total = counted.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= MAX_HELD_BYTES) return []
  return counted
    .sort((one, other) => other.bytes - one.bytes)
    .filter(({ bytes }) => {
      const goes = total > MAX_HELD_BYTES
      total -= goes ? bytes : 0
      return goes
    })
    .map(({ connection }) => connection)
}
