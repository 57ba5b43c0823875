import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createHeldBytes, type HeldBytes, MAX_HELD_BYTES, tooHeavy } from './held-bytes.ts'

/** Connections at a time. */
const MAX_CONNECTIONS = 2_000

/** File descriptors that connections leave alone: those of Node, of parts that are loaded later, of assets and stores. */
const RESERVED_DESCRIPTORS = 48

/** Milliseconds between two counts of the bytes that connections hold, while there are more than a few. */
const COUNT_EVERY_MS = 100
const FEW_CONNECTIONS = 32

/** A connection with the call on it, until that is answered and the answer is read. */
interface Connection {
  readonly socket: Socket
  readonly caller: string
  readonly held: HeldBytes
  call?: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined
}

/**
 * Bounds the connections of a server: a caller that opens many takes neither the memory nor the file descriptors that the
 * sandbox needs, and keeps no other caller out. A new connection beyond the bound closes the one that has been without a
 * call in progress for longest; it is closed itself when there is no such one. When connections hold too many bytes, those
 * that hold most are closed. The first time of each causes a warning.
 */
export function boundConnections(server: Server, onWarning: (message: string) => void): void {
  const limit = connectionLimit(openFilesLimit())
  /** By the address of the caller, which a TLS connection shares with the socket below it; those with the latest call last. */
  const connections = new Map<string, Connection>()
  const known = new WeakMap<Socket, Connection>()
  const warned = new Set<string>()
  const warnOnce = (message: string) => {
    if (!warned.has(message)) onWarning(message)
    warned.add(message)
  }
  let counting: NodeJS.Timeout | undefined
  const countBytes = () => {
    for (const { socket } of tooHeavy(connections.values())) {
      warnOnce(TOO_HEAVY)
      socket.destroy()
    }
    counting = connections.size > FEW_CONNECTIONS ? setTimeout(countBytes, COUNT_EVERY_MS).unref() : undefined
  }
  server.on('connection', (socket: Socket) => {
    if (connections.size >= limit) {
      warnOnce(tooMany(limit))
      const waiting = longestWaiting(connections)
      if (waiting === undefined) {
        socket.destroy()
        return
      }
      connections.get(waiting)?.socket.destroy()
      connections.delete(waiting)
    }
    const caller = callerOf(socket)
    connections.set(caller, { socket, caller, held: createHeldBytes(socket) })
    if (counting === undefined) countBytes()
    socket.once('close', () => {
      if (connections.get(caller)?.socket === socket) connections.delete(caller)
    })
  })
  const connectionOf = (socket: Socket) => {
    const connection = known.get(socket) ?? connections.get(callerOf(socket))
    if (connection) known.set(socket, connection)
    return connection
  }
  server.on('request', (request, response) => {
    if (request.socket.destroyed) return
    const connection = connectionOf(request.socket)
    if (!connection || !connections.delete(connection.caller)) return
    const call = { request, response }
    connection.call = call
    connections.set(connection.caller, connection)
    connection.held.add(request)
    response.on('close', () => {
      connection.held.remove(request)
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

const TOO_HEAVY = `connections hold more than ${MAX_HELD_BYTES / 1024 / 1024} MiB: those with the largest requests in progress, or with the longest answers that they do not read, are closed.`

/** The limit of this process for open files; `Infinity` where the system has no file that says it. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
