import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from '../../support/listen-on-free-port.ts'

/** Starts a way to a Redis that a test can make bad, for one test. */
export async function startRedisProxy(redisUrl: string) {
  const { hostname, port, pathname } = new URL(redisUrl)
  const sockets = new Set<Socket>()
  let isStalled = false
  let wanted: string | undefined
  let lost = 0

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let losesAnswer = false
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    client.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined
        losesAnswer = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!losesAnswer) return void client.write(chunk)
      lost += 1
      end()
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', end).on('error', end)
      if (isStalled) socket.pause()
    }
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return {
    url: `redis://${await listenOnFreePort(server)}${pathname}`,
    /** Carries nothing any more and closes no connection. */
    stall() {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
    /** Carries the next request that holds this text, and closes its connection when Redis has answered it: the answer is lost. */
    loseAnswerTo(text: string) {
      wanted = text
    },
    lost: () => lost,
  }
}
