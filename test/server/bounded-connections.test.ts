import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callHttp } from '../../src/cli/remote/http-call.ts'
import { connectionLimit } from '../../src/server/bounded-connections.ts'
import { buildCli } from '../cli/built-cli.ts'

const { start } = await buildCli()

test('A process takes 2,000 connections, fewer when it can open fewer files, and a few in any case', () => {
  expect([Number.POSITIVE_INFINITY, 2_048, 2_047, 64, 20].map(connectionLimit)).toEqual([2_000, 2_000, 1_999, 16, 5])
})

/** Starts a sandbox that can have 64 files open, so that it takes 16 connections. */
async function startWith16Connections(...flags: string[]) {
  const { child, ended, output } = await start(['-p', '0', '--log', 'json', '--state-dir', 'none', ...flags], {
    before: 'ulimit -n 64',
  })
  const { url }: { url: string } = JSON.parse(output.split('\n')[0] ?? '')
  const open = async (head = ''): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(head)
    return socket
  }
  const openIdle = async (count: number) => {
    const sockets: Socket[] = []
    while (sockets.length < count) sockets.push(await open())
    return sockets
  }
  /** Has a call in progress until it ends. */
  const openBusy = async () => {
    const socket = await open('GET /_sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    return socket
  }
  const health = async () =>
    (await callHttp(`${url}/_sandbox/health`, { timeoutMs: 10_000, trust: { kind: 'any' } })).status
  const stop = async () => {
    child.kill('SIGTERM')
    return (await ended).stderr
  }
  return { health, open, openIdle, openBusy, stop }
}

test('A flood of idle connections keeps no caller out: the oldest of them are closed, with one warning', async () => {
  const { health, openIdle, stop } = await startWith16Connections()
  const sockets = await openIdle(60)
  expect(await health()).toBe(200)
  await expect.poll(() => sockets.filter((socket) => !socket.destroyed).length).toBe(15)
  expect(sockets.slice(-15).every((socket) => !socket.destroyed)).toBe(true)
  const warnings = (await stop()).trim().split('\n')
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/16 connections are open.*ulimit -n/)
})

test('A head or a body that never ends holds no connection', async () => {
  const { health, open } = await startWith16Connections()
  for (let n = 0; n < 20; n++) await open('GET / HTTP/1.1\r\nX-Slow: ')
  expect(await health()).toBe(200)
  for (let n = 0; n < 20; n++) {
    await open('POST /v1/oidc/create/par HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na')
  }
  expect(await health()).toBe(200)
})

test('A connection with a call in progress is not closed for another one', async () => {
  const { health, openBusy, openIdle } = await startWith16Connections()
  const busy = await openBusy()
  await openIdle(40)
  expect(await health()).toBe(200)
  expect(busy.destroyed).toBe(false)
})

test('When every connection has a call in progress a new one is closed, until one of them ends', async () => {
  const { health, openBusy } = await startWith16Connections()
  const busy: Socket[] = []
  while (busy.length < 16) busy.push(await openBusy())
  await expect(health()).rejects.toMatchObject({ code: 'ECONNRESET' })
  busy[0]?.destroy()
  await expect.poll(() => health().catch(() => 0)).toBe(200)
})

test('A flood of connections that never begin a TLS handshake keeps no caller out', async () => {
  const { health, openIdle } = await startWith16Connections('--https')
  const sockets = await openIdle(60)
  expect(await health()).toBe(200)
  await expect.poll(() => sockets.filter((socket) => !socket.destroyed).length).toBeLessThan(16)
})
