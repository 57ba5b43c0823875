import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that wait for their answers: HTTP gives these in their order, and hardly any client sends ahead. */
export const MAX_PIPELINED = 10

/** What begins the requests of a connection; the first one has begun. */
const waiting = new WeakMap<Socket, (() => void)[]>()

/**
 * Begins a request when the one before it on the connection has its answer, so that a connection holds one answer at a time.
 * Closes a connection that sends too many requests ahead of their answers: a few bytes each, they make a sandbox work for long.
 */
export const oneAfterTheOther =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const requests = waiting.get(socket) ?? []
    if (requests.length === MAX_PIPELINED) {
      socket.destroy()
      return
    }
    waiting.set(socket, requests)
    requests.push(() => void serve(request, response))
    response.on('close', () => {
      requests.shift()
      if (!socket.destroyed) requests[0]?.()
    })
    if (requests.length === 1) serve(request, response)
  }
