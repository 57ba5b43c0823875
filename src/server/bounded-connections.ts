import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Connections at a time: each may hold the 96 KiB of a head that never ends. */
const MAX_CONNECTIONS = 2_000

/** File descriptors that connections leave alone: those of Node, of parts that are loaded later, of assets and stores. */
const RESERVED_DESCRIPTORS = 48

/** A connection with the call on it, until that is answered and the answer is read. */
interface Connection {
  readonly socket: Socket
  call?: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined
}

/**
 * Bounds the connections of a server: a caller that opens many takes neither the memory nor the file descriptors that the
 * sandbox needs, and keeps no other caller out. A new connection beyond the bound closes the one that has been without a
 * call in progress for longest; it is closed itself when there is no such one. The first time causes a warning.
 */
export function boundConnections(server: Server, onWarning: (message: string) => void): void {
  const limit = connectionLimit(openFilesLimit())
  /** By the address of the caller, which a TLS connection shares with the socket below it; those with the latest call last. */
  const connections = new Map<string, Connection>()
  let hasWarned = false
  server.on('connection', (socket: Socket) => {
    if (connections.size >= limit) {
      if (!hasWarned) onWarning(tooMany(limit))
      hasWarned = true
      const waiting = longestWaiting(connections)
      if (waiting === undefined) {
        socket.destroy()
        return
      }
      connections.get(waiting)?.socket.destroy()
      connections.delete(waiting)
    }
    const caller = callerOf(socket)
    connections.set(caller, { socket })
    socket.once('close', () => {
      if (connections.get(caller)?.socket === socket) connections.delete(caller)
    })
  })
  server.on('request', (request, response) => {
    const caller = callerOf(request.socket)
    const connection = connections.get(caller)
    if (!connection) return
    const call = { request, response }
    connections.delete(caller)
    connections.set(caller, Object.assign(connection, { call }))
    response.once('close', () => {
      if (connection.call === call) connection.call = undefined
    })
  })
}

const callerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** How many connections a process takes that can have so many files open. */
export const connectionLimit = (openFiles: number): number =>
  Math.min(MAX_CONNECTIONS, Math.max(openFiles - RESERVED_DESCRIPTORS, Math.floor(openFiles / 4)))

/** The first one whose call has not arrived in full, or has its answer, read or not. */
function longestWaiting(connections: ReadonlyMap<string, Connection>): string | undefined {
  for (const [caller, { call }] of connections) {
    if (call === undefined || !call.request.complete || call.response.writableEnded) return caller
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
