import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { callHttp } from '../../src/cli/remote/http-call.ts'
import { connectionLimit } from '../../src/server/bounded-connections.ts'
import { buildCli } from '../cli/built-cli.ts'

test('A process takes 2,000 connections, fewer when it can open fewer files, and a few in any case', () => {
  expect([Number.POSITIVE_INFINITY, 2_048, 2_047, 64, 20].map(connectionLimit)).toEqual([2_000, 2_000, 1_999, 16, 5])
})

const { start } = await buildCli(afterAll)

async function open(url: string, head = ''): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(head)
  return socket
}

const openMany = async (url: string, count: number, head?: string): Promise<readonly Socket[]> => {
  const sockets: Socket[] = []
  while (sockets.length < count) sockets.push(await open(url, head))
  return sockets
}

const EVENTS = 'GET /_sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n'
const BODY = 'POST /v1/oidc/create/par HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n'

/** Has a call in progress until the connection ends; the server has begun to answer. */
async function openBusy(url: string, head = EVENTS): Promise<Socket> {
  const socket = await open(url, head)
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}

const health = async (url: string) =>
  (await callHttp(`${url}/_sandbox/health`, { timeoutMs: 10_000, anyCertificate: true })).status
const openOf = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed)

describe('A process that takes 16 connections', () => {
  let url = ''
  let printed: { readonly stderr: string }
  beforeAll(async () => {
    const started = await start(['-p', '0', '--log', 'json', '--state-dir', 'none'], { before: 'ulimit -n 64' })
    printed = started.printed
    url = JSON.parse(started.output.split('\n')[0] ?? '').url
  })

  test('At its limit of connections a sandbox closes the oldest idle one for a caller, with one warning', async () => {
    const sockets = await openMany(url, 60)
    expect(await health(url)).toBe(200)
    await expect.poll(() => openOf(sockets).length).toBe(15)
    expect(openOf(sockets)).toEqual(sockets.slice(-15))
    expect(printed.stderr.trim()).toMatch(/^[^\n]*16 connections are open[^\n]*ulimit -n[^\n]*$/)
  })

  test('At its limit of connections a sandbox is not held by heads or bodies that never end', async () => {
    await openMany(url, 20, 'GET / HTTP/1.1\r\nX-Slow: ')
    expect(await health(url)).toBe(200)
    for (let n = 0; n < 16; n++) await openBusy(url, BODY)
    expect(await health(url)).toBe(200)
  })

  test('At its limit of connections a sandbox closes none with a call in progress for another one', async () => {
    const busy = await openBusy(url)
    await openMany(url, 40)
    expect([await health(url), busy.destroyed]).toEqual([200, false])
  })

  test('A sandbox closes a new connection when all it may have are in use by calls, until one ends', async () => {
    const busy: Socket[] = []
    while (busy.length < 16) busy.push(await openBusy(url))
    await expect(health(url)).rejects.toMatchObject({ code: 'ECONNRESET' })
    busy[0]?.destroy()
    await expect.poll(() => health(url).catch(() => 0)).toBe(200)
  })
})
