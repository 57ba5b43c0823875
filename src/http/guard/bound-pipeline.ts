import type { Socket } from 'node:net'
import type { RequestHandler } from 'express'

/** Requests of one connection that wait for their answers: HTTP gives these in their order, and hardly any client sends ahead. */
export const MAX_PIPELINED = 10

const waiting = new WeakMap<Socket, number>()

/** Closes a connection that sends too many requests ahead of their answers: a few bytes each, they take the memory of a page. */
export const boundPipeline: RequestHandler = ({ socket }, response, next) => {
  const count = (waiting.get(socket) ?? 0) + 1
  if (count > MAX_PIPELINED) socket.destroy()
  if (socket.destroyed) return
  waiting.set(socket, count)
  response.once('close', () => release(socket))
  next()
}

function release(socket: Socket): void {
  const count = waiting.get(socket) ?? 0
  waiting.set(socket, count - 1)
}
