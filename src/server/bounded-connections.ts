import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Connections at a time: each may hold the 96 KiB of a head that never ends. */
const MAX_CONNECTIONS = 2_000

/** File descriptors that connections leave alone: those of Node, of parts that are loaded later, of assets and stores. */
const RESERVED_DESCRIPTORS = 48

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Bounds the connections of a server: a caller that opens many takes neither the memory nor the file descriptors that the
 * sandbox needs, and keeps no other caller out. A new connection beyond the bound closes the one that has been without a
 * call in progress for longest; it is closed itself when there is no such one. The first time causes a warning.
 */
export function boundConnections(
  server: Server,
  { event, onWarning }: { event: 'connection' | 'secureConnection'; onWarning(message: string): void },
): void {
  const limit = connectionLimit(openFilesLimit())
  /** The last call of each connection, those with the latest call last. */
  const calls = new Map<Socket, Call | undefined>()
  let hasWarned = false
  server.on(event, (socket: Socket) => {
    if (calls.size >= limit) {
      const closed = longestWaiting(calls) ?? socket
      calls.delete(closed)
      closed.destroy()
      if (!hasWarned) onWarning(tooMany(limit))
      hasWarned = true
    }
    if (socket.destroyed) return
    calls.set(socket, undefined)
    socket.once('close', () => calls.delete(socket))
  })
  server.on('request', (request, response) => {
    if (!calls.delete(request.socket)) return
    calls.set(request.socket, { request, response })
  })
}

/** How many connections a process takes that can have so many files open. */
export const connectionLimit = (openFiles: number): number =>
  Math.min(MAX_CONNECTIONS, Math.max(openFiles - RESERVED_DESCRIPTORS, Math.floor(openFiles / 4)))

/** The first one whose call has not arrived in full, or has its answer, read or not. */
function longestWaiting(calls: ReadonlyMap<Socket, Call | undefined>): Socket | undefined {
  for (const [socket, call] of calls) {
    if (call === undefined || !call.request.complete || call.response.writableEnded) return socket
  }
  return undefined
}

const tooMany = (limit: number) =>
  `${limit} connections are open: each new one closes the one that has been idle for longest. At most ${MAX_CONNECTIONS} are kept open, fewer where the limit for open files (ulimit -n) is lower.`

/** The limit of this process for open files; `Infinity` where the system has no file that says it. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
