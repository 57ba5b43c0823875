import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { generateCertificate } from '../../../src/tls/self-signed.ts'
import { findFreePort } from '../../support/free-port.ts'
import { visit } from '../../support/visit.ts'
import { page, redirectTo, startWebApp } from '../../support/web-app.ts'

const MEBIBYTE = 1024 * 1024

/** A server of bytes: what it does when the first bytes of a request are there. */
async function startRawServer(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
    onTestFinished(() => {
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

describe('An app that', () => {
  test('does not run is unreachable', async () => {
    const url = `http://localhost:${await findFreePort()}`
    expect(await visit(url)).toEqual({
      end: 'unreachable',
      url: `${url}/`,
      problem: `${url} cannot be reached: nothing answers there`,
      hops: [expect.objectContaining({ party: 'app', status: 0 })],
      page: undefined,
    })
  })

  test('has an unknown host name is unreachable', async () => {
    const { end, problem } = await visit('http://nothing-here.test/')
    expect([end, problem]).toEqual([
      'unreachable',
      'http://nothing-here.test cannot be reached: its host name is not known',
    ])
  })

  test('is named below localhost is on this machine', async () => {
    const app = await startWebApp(page('here'))
    expect(await visit(app.url.replace('127.0.0.1', 'shop.localhost'))).toMatchObject({ end: 'page' })
  })

  test('closes the connection without an answer has dropped it', async () => {
    const url = await startRawServer((socket) => socket.destroy())
    const { end, problem, hops, page: shown } = await visit(url)
    expect({ end, problem, shown }).toEqual({
      end: 'dropped',
      problem: `${url} closed the connection without an answer`,
      shown: undefined,
    })
    expect(hops).toMatchObject([{ status: 0 }])
  })

  test.each([
    ['in its headers', 'HTTP/1.1 200 OK\r\nContent-', { status: 0 }, undefined],
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nWelc', { status: 200 }, 'Welc'],
    ['in a chunk', 'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWelc\r\n', { status: 500 }, 'Welc'],
  ])('dies %s has dropped the connection, and what came is there', async (_where, bytes, hop, text) => {
    const url = await startRawServer((socket) => socket.end(bytes))
    const visited = await visit(url)
    expect(visited).toMatchObject({ end: 'dropped', hops: [hop] })
    expect(visited.page?.text).toBe(text)
    expect(visited.problem).toMatch(/^http:\/\/127.0.0.1:\d+ closed the connection /)
  })

  test('resets the connection after an answer without a length has answered', async () => {
    const url = await startRawServer((socket) =>
      socket.write('HTTP/1.1 431 Too Large\r\nConnection: close\r\n\r\n', () => socket.resetAndDestroy()),
    )
    expect(await visit(url)).toMatchObject({ end: 'page', page: { status: 431 } })
  })

  test('dies after the headers of a redirect has redirected', async () => {
    const url = await startRawServer((socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: http://elsewhere.test/\r\nContent-Length: 9\r\n\r\n'),
    )
    expect(await visit(url)).toMatchObject({ end: 'elsewhere', url: 'http://elsewhere.test/', hops: [{ status: 302 }] })
  })

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', /cannot be read: Parse Error: Expected HTTP/],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(300 * 1024)}`,
      /cannot be read: Parse Error: Header overflow/,
    ],
  ])('answers by %s gives no answer', async (_what, bytes, problem) => {
    const url = await startRawServer((socket) => socket.write(bytes))
    const visited = await visit(url)
    expect(visited.end).toBe('dropped')
    expect(visited.problem).toMatch(problem)
  })

  test('changes to another protocol gives no answer', async () => {
    const url = await startRawServer((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    )
    expect((await visit(url)).end).toBe('dropped')
  })

  test('never answers is left when the time is up', async () => {
    const over = new AbortController()
    const app = await startWebApp(() => over.abort())
    expect(await visit(app.url, { signal: over.signal })).toEqual({
      end: 'timed_out',
      url: `${app.url}/`,
      problem: `${app.url} did not answer in time`,
      hops: [expect.objectContaining({ status: 0 })],
      page: undefined,
    })
    await app.allClosed()
  })

  test.each(['', 'Content-Length: 99\r\n', 'Transfer-Encoding: chunked\r\n'])(
    'never ends its page (%j) is left when the time is up, and what came is there',
    async (header) => {
      const url = await startRawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n4\r\nWelc\r\n`))
      const over = new AbortController()
      const abort = () => setImmediate(() => over.abort())
      subscribe('http.client.response.finish', abort)
      onTestFinished(() => {
        unsubscribe('http.client.response.finish', abort)
      })
      const { end, hops, page: shown } = await visit(url, { signal: over.signal })
      expect([end, hops[0]?.status, shown?.text]).toEqual(['timed_out', 200, expect.stringContaining('Welc')])
    },
  )

  test('sends 50 MB is read up to the first of them', async () => {
    const chunk = 'x'.repeat(MEBIBYTE)
    let sent = 0
    const app = await startWebApp((_request, response) => {
      const send = () => {
        while (sent < 50 && !response.destroyed) {
          sent += 1
          if (!response.write(chunk)) return response.once('drain', send)
        }
        return response.end()
      }
      send()
    })
    const { end, page: shown } = await visit(app.url)
    expect([end, shown?.text.length]).toEqual(['page', MEBIBYTE])
    await app.allClosed()
    expect(sent).toBeLessThan(50)
  })

  test('compresses nothing is read in its own charset', async () => {
    const app = await startWebApp((_request, response) => {
      response.setHeader('Content-Type', 'Text/HTML; Charset="ISO-8859-1"').end(Buffer.from('gültig', 'latin1'))
    })
    expect((await visit(app.url)).page).toMatchObject({ text: 'gültig', mediaType: 'text/html' })
  })

  test('names a charset that does not exist is read as UTF-8', async () => {
    const app = await startWebApp((_request, response) => {
      response.setHeader('Content-Type', 'text/plain; charset=utf-99').end('gültig')
    })
    expect((await visit(app.url)).page?.text).toBe('gültig')
  })

  test('is sent a token of 64 KB answers that it is too long, each time', async () => {
    const app = await startWebApp(page(''))
    const url = `${app.url}/callback?id_token=${'x'.repeat(64 * 1024)}`
    const visits = await Promise.all(Array.from({ length: 20 }, () => visit(url)))
    expect(new Set(visits.map(({ end, page: shown }) => `${end} ${shown?.status}`))).toEqual(new Set(['page 431']))
  })

  test('sends a token of 200 KB on in a redirect is followed', async () => {
    const path = `/callback?id_token=${'x'.repeat(200 * 1024)}`
    const app = await startWebApp(
      (request, response) => (request.path === '/' ? redirectTo(path) : page('long'))(request, response),
      { maxHeaderSize: MEBIBYTE },
    )
    expect((await visit(app.url)).page?.text).toBe('long')
    expect(app.requests[1]?.path).toBe(path)
  })

  test('answered has no connection left open', async () => {
    const app = await startWebApp(page('done'))
    await visit(app.url)
    await app.allClosed()
  })
})

describe('An app on https', () => {
  async function startHttps() {
    const { key, cert } = await generateCertificate(['localhost'], Date.now())
    const server = createHttpsServer({ key, cert }, (_request, response) => response.end('safe'))
    server.listen(0, 'localhost')
    onTestFinished(() => {
      server.close()
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { url: `https://localhost:${port}`, ca: cert }
  }

  test('with a certificate that is given is visited', async () => {
    const { url, ca } = await startHttps()
    const browser = createHttpAgent({ ca }).newBrowser()
    expect(await visit(url, { browser })).toMatchObject({ end: 'page', page: { text: 'safe' } })
  })

  test('with a certificate that nothing vouches for is unreachable', async () => {
    const { url } = await startHttps()
    const { end, problem } = await visit(url)
    expect([end, problem]).toEqual(['unreachable', `${url} cannot be reached: self-signed certificate`])
  })

  test('that speaks no TLS is unreachable', async () => {
    const app = await startWebApp(page(''))
    const url = app.url.replace('http:', 'https:')
    expect(await visit(url)).toMatchObject({
      end: 'unreachable',
      problem: `${url} cannot be reached: it does not speak TLS`,
    })
  })
})

describe('A sandbox', () => {
  test('that is asked when the time is up is not reached, though the decision never comes', async () => {
    const over = new AbortController()
    const sandbox = await startWebApp(page(''))
    const app = await startWebApp(redirectTo(`${sandbox.url}/v1/oidc/use`))
    const decide = () => {
      over.abort()
      return new Promise<'stop'>(() => {})
    }
    const { end, hops } = await visit(app.url, { sandboxUrl: sandbox.url, signal: over.signal, decide })
    expect([end, hops.length, sandbox.requests]).toEqual(['timed_out', 1, []])
  })

  test('is not asked about when the time was up before', async () => {
    const decide = () => Promise.reject(new Error('asked'))
    const visited = visit('http://sandbox.test/v1/oidc/use', { signal: AbortSignal.abort(), decide })
    await expect(visited).resolves.toMatchObject({ end: 'timed_out', hops: [] })
  })

  test('that drops the connection ends the visit', async () => {
    const sandboxUrl = await startRawServer((socket) => socket.destroy())
    const app = await startWebApp(redirectTo(`${sandboxUrl}/v1/oidc/use`))
    const { end, hops } = await visit(app.url, { sandboxUrl })
    expect([end, hops.at(-1)?.party]).toEqual(['dropped', 'sandbox'])
  })

  test('cannot be sent a persona with a line break', async () => {
    const { end, problem } = await visit('http://sandbox.test/v1/oidc/use', {
      decide: async () => ({ persona: 'adult\npassport' }),
    })
    expect(end).toBe('unreachable')
    expect(problem).toContain('Invalid character in header content')
  })
})
