import { spawnSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import type { Browser, VisitOptions } from '../../../../src/audit/agent/browser.ts'
import { createChromiumAgent } from '../../../../src/audit/agent/chromium/chromium-agent.ts'
import { launchChromium } from '../../../../src/audit/agent/chromium/launch-chromium.ts'
import { AuditProblem } from '../../../../src/audit/audit-problem.ts'
import { shareChromiumAgent } from '../../../support/chromium-agent.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { chromiumPath, describeWith } from '../../../support/tools.ts'
import { visit as openPage } from '../../../support/visit.ts'
import { page, redirectTo, routes, startWebApp, type WebHandler } from '../../../support/web-app.ts'

vi.setConfig({ testTimeout: 60_000 })

const html = (body: string) => page(`<!doctype html><title>Shop</title><body>${body}</body>`)

/** An app, and a sandbox that answers its request in the fragment. */
async function startPages(handlers: Readonly<Record<string, WebHandler>>) {
  const sandbox = await startWebApp((request, response) => {
    const callback = new URL(request.path, sandbox.url).searchParams.get('redirect_uri')
    const headers = { 'X-AgeKey-Sandbox-Flow': 'f1', Location: `${callback}#state=state-1` }
    response.writeHead(302, headers).end()
  })
  const app = await startWebApp(routes(handlers))
  const e1 = `${sandbox.url}/v1/oidc/use?redirect_uri=${encodeURIComponent(`${app.url}/callback`)}`
  return { app, sandbox, e1 }
}

const LOOK = { decide: undefined }
const decide = async () => ({})

test.each([
  ['nothing', '/nowhere/chrome'],
  ['another program', '/bin/true'],
])(
  'An audit ends in one line with the remedy when CHROME_PATH names %s',
  async (_what, chromePath) => {
    const message = `^CHROME_PATH: ${chromePath} does not start as a browser \\(.*\\); name another by CHROME_PATH=/path/to/chrome$`
    const problem = await launchChromium({ chromePath }).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(AuditProblem)
    expect(problem).toMatchObject({ message: expect.stringMatching(new RegExp(message)) })
  },
)

test('An audit ends in one line with the remedy when nothing listens at the address of --cdp', async () => {
  const cdpUrl = `http://127.0.0.1:${await findFreePort()}`
  await expect(launchChromium({ cdpUrl })).rejects.toThrow(
    `--cdp: no Chromium answers at ${cdpUrl}; start it with --remote-debugging-port=9222, or leave --cdp out`,
  )
})

/** Process ids of the Chromium that this process has started. */
const running = (): string[] =>
  spawnSync('pgrep', ['-P', String(process.pid), 'chrom'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)

describeWith('chromium', 'Chromium', async () => {
  const agent = await shareChromiumAgent()
  const visit = (
    url: string,
    sandboxUrl: string,
    options: Partial<VisitOptions & { browser: Browser }> = {},
  ) => openPage(url, { browser: agent.newBrowser(), sandboxUrl, ...options })

  test('A visit by Chromium asks how to end before a redirect to E1', async () => {
    const read =
      '<p id="a"></p><script>a.textContent = location.hash; document.cookie = "proof=1"</script>'
    const { app, sandbox, e1 } = await startPages({
      '/': (request, response) =>
        redirectTo(e1)(request, response.setHeader('Set-Cookie', 'shop=1; Path=/v1')),
      '/callback': html(read),
    })
    const asked: string[] = []
    const { end, page, hops } = await visit(app.url, sandbox.url, {
      decide: async ({ endpoint }) => {
        asked.push(`${endpoint} after ${sandbox.requests.length}`)
        return { persona: 'child-12', outcome: 'verified' }
      },
    })
    expect(asked).toEqual(['E1 after 0'])
    const forced = {
      'x-sandbox-audit': '1',
      'x-sandbox-outcome': 'verified',
      'x-sandbox-persona': 'child-12',
    }
    expect(sandbox.requests).toMatchObject([{ headers: forced }])
    // On localhost a cookie belongs to all ports, in production only to the app.
    expect(sandbox.requests[0]?.headers.cookie).toBeUndefined()
    expect(end).toBe('page')
    expect(page?.status).toBe(200)
    expect(page?.text).toContain('<p id="a">#state=state-1</p>')
    expect(hops).toMatchObject([
      { party: 'app', status: 302, isCallback: false },
      { party: 'sandbox', status: 302, endpoint: 'E1', flow: 'f1' },
      { party: 'app', status: 200, isCallback: true, cookies: ['proof'] },
    ])
  })

  test('A visit by Chromium presses the button that speaks of an age', async () => {
    const buttons = () =>
      `<button>Log out</button><button onclick="location.assign('${e1}')">Prove that you are 18</button>`
    const { app, sandbox, e1 } = await startPages({ '/': (...call) => html(buttons())(...call) })
    const { end, url } = await visit(app.url, sandbox.url, { decide: async () => 'stop' })
    expect({ end, url }).toEqual({ end: 'stopped', url: e1 })
    expect(sandbox.requests).toEqual([])
  })

  test('A visit by Chromium checks the required boxes of a form that it sends', async () => {
    const form =
      '<form action="/next"><input type="checkbox" name="a" required><input type="checkbox" name="b">'
    const { app, sandbox } = await startPages({
      '/': html(`${form}<button>Prove your age</button></form>`),
      '/next': html(''),
    })
    await visit(app.url, sandbox.url)
    expect(app.requests.map(({ path }) => path)).toContain('/next?a=on')
  })

  test('A visit by Chromium waits for the answer that a script requests', async () => {
    const { app, sandbox } = await startPages({
      '/': html(`<p id="a">No age was proved.</p><script>
        alert('Hello')
        fetch('/late').then((answer) => answer.text()).then((text) => { a.textContent = text })</script>`),
      '/late': (_request, response) => void setTimeout(() => response.end('Welcome'), 700),
    })
    const { page, asked } = await visit(app.url, sandbox.url, LOOK)
    expect(page?.text).toContain('Welcome')
    expect(asked).toEqual([`${app.url}/late`])
    expect(agent.notes()).toContain('your app opens a dialog, which was dismissed: alert "Hello"')
  })

  test('A visit by Chromium runs what a script puts off to the next frame, or until it is idle or seen', async () => {
    const { app, sandbox } = await startPages({
      '/': html(`<p id="a"></p><script>
        requestAnimationFrame(() => { a.textContent += 'frame ' })
        requestIdleCallback(() => { a.textContent += 'idle ' })
        new IntersectionObserver(() => { a.textContent += 'seen ' }).observe(a)</script>`),
    })
    const { page } = await visit(app.url, sandbox.url, LOOK)
    expect(page?.text).toContain('<p id="a">frame idle seen </p>')
  })

  test('A visit by Chromium says what keeps a page from coming to rest', async () => {
    const over = new AbortController()
    const ticks = 'setInterval(() => { clock.textContent = performance.now() }, 20)'
    const { app, sandbox } = await startPages({
      '/': html(`<p id="clock"></p><script>${ticks}; fetch('/ready')</script>`),
      '/ready': (_request, response) => response.end(() => setTimeout(() => over.abort(), 300)),
    })
    const { end, problem } = await visit(app.url, sandbox.url, { signal: over.signal })
    expect({ end, problem }).toEqual({ end: 'restless', problem: '<p id="clock"> keeps changing' })
  })

  test.each(['window.open(E1)', 'const popup = window.open("", "age"); popup.location.href = E1'])(
    'A visit by Chromium goes on in its own window when a button calls %s',
    async (script) => {
      const handlers: Record<string, WebHandler> = { '/callback': html('back') }
      const { app, sandbox, e1 } = await startPages(handlers)
      handlers['/'] = html(`<button id="b">Prüfe dein Alter</button><button>Menu</button>
        <script>const E1 = '${e1}'; b.onclick = () => { ${script} }</script>`)
      expect(await visit(app.url, sandbox.url)).toMatchObject({
        end: 'page',
        answer: { isAnswer: true },
      })
    },
  )

  test('A visit by Chromium waits for the answer of a worker', async () => {
    const { app, sandbox } = await startPages({
      '/': html(`<p id="a">wait</p><script>
        const worker = new Worker('/worker.js')
        worker.onmessage = ({ data }) => { a.textContent = data }
        worker.postMessage('token')</script>`),
      '/worker.js': (_request, response) =>
        response.setHeader('Content-Type', 'text/javascript').end(`setInterval(() => {}, 9)
          onmessage = async () => { await fetch('/late'); setTimeout(() => postMessage('Welcome'), 200) }`),
      '/late': (_request, response) => void setTimeout(() => response.end(''), 300),
    })
    expect((await visit(app.url, sandbox.url, LOOK)).page?.text).toContain('Welcome')
  })

  test('An answer that Chromium held back is brought by another browser, which has what its own visits left', async () => {
    const read =
      '<p id="a"></p><script>a.textContent = location.hash + sessionStorage.me + document.cookie</script>'
    const { app, sandbox, e1 } = await startPages({
      '/': (...call) =>
        html(`<a href="${e1}">Prove your age</a><script>document.cookie = 'me=first'</script>`)(
          ...call,
        ),
      '/other': html(`<script>sessionStorage.me = ' second '</script>`),
      '/callback': html(read),
    })
    const [first, second] = [agent.newBrowser(), agent.newBrowser()]
    const held = await visit(app.url, sandbox.url, { browser: first, holds: 'E1' })
    expect(held).toMatchObject({
      end: 'held',
      answer: { url: `${app.url}/callback#state=state-1`, isAnswer: true },
    })
    expect(sandbox.requests).toHaveLength(1)
    await visit(`${app.url}/other`, sandbox.url, { browser: second, ...LOOK })
    // A wrong answer takes the tab of either.
    await visit(app.url, sandbox.url, { ...LOOK })
    const bring = (browser: typeof first) =>
      browser.open(held.answer ?? { url: '' }, {
        sandboxUrl: sandbox.url,
        signal: new AbortController().signal,
        decide,
      })
    const [{ hops, page }, own] = [await bring(second), await bring(first)]
    expect(hops).toMatchObject([{ isCallback: true, status: 200 }])
    expect(page?.text).toContain('>#state=state-1 second </p>')
    expect(own.page?.text).toContain('>#state=state-1undefinedme=first</p>')
    const seen = await visit(`${app.url}/callback`, sandbox.url, { browser: first, peeks: true })
    expect(seen.end).toBe('page')
    expect(app.requests.at(-1)?.headers.cookie).toBe('me=first')
  })

  test('A visit by Chromium loads nothing from beyond this machine', async () => {
    const { app, sandbox } = await startPages({
      '/': html(`<script>navigator.serviceWorker.register('/worker.js').catch(() => {})</script>
        <script src="https://cdn.example/x.js"></script><p>Here`),
      '/worker.js': (_request, response) =>
        response.setHeader('Content-Type', 'text/javascript').end(''),
    })
    expect((await visit(app.url, sandbox.url, LOOK)).end).toBe('page')
    expect(agent.notes()).toContainEqual(
      expect.stringMatching(/^your app registers a service worker/),
    )
    expect(agent.notes()).toContainEqual(
      expect.stringMatching(/from https:\/\/cdn\.example was not loaded/),
    )
    expect(app.requests.map(({ path }) => path)).not.toContain('/worker.js')
  })

  test('A Chromium that an audit has started ends with its agent, also in the middle of a visit', async () => {
    const before = running()
    const agent = createChromiumAgent(await launchChromium({ chromePath: chromiumPath }))
    const started = running().filter((pid) => !before.includes(pid))
    expect(started).not.toEqual([])
    const stopping = new AbortController()
    const url = `http://127.0.0.1:${await findFreePort()}/`
    const options = {
      sandboxUrl: 'http://sandbox.test',
      signal: stopping.signal,
      decide: async () => 'stop' as const,
    }
    const visit = agent.newBrowser().open({ url }, options)
    stopping.abort()
    await agent.close()
    expect((await visit).end).toBeOneOf(['timed_out', 'unreachable', 'dropped'])
    expect(running().filter((pid) => started.includes(pid))).toEqual([])
  })
})
