import { describe, expect, test } from 'vitest'
import type { AuthorizationRequest } from '../../../src/audit/agent/browser.ts'
import { createHttpAgent, MAX_REDIRECTS } from '../../../src/audit/agent/http-agent.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { visit } from '../../support/visit.ts'
import { page, redirectTo, routes, startWebApp, type WebHandler } from '../../support/web-app.ts'

/** An app that `/verify` sends to E1, and that shows the names of what came back. */
async function startRelyingParty({ mode = 'query', verify = redirectTo, callback }: RelyingPartyOptions = {}) {
  const sandbox = await startSandbox()
  const app = await startWebApp((request, response) => {
    const [path, query] = request.path.split('?')
    if (path === '/callback' && callback) return callback(request, response)
    if (path !== '/verify') {
      return response.end(`got ${[...new URLSearchParams(query ?? request.body).keys()].join(' ')}`)
    }
    const parameters = useRequest({ redirect_uri: `${app.url}/callback`, response_mode: mode })
    return verify(`${sandbox.url}/v1/oidc/use?${new URLSearchParams(parameters)}`)(request, response)
  })
  return { sandbox, app, sandboxUrl: sandbox.url, start: `${app.url}/verify` }
}

interface RelyingPartyOptions {
  mode?: 'query' | 'fragment' | 'form_post'
  /** How it sends the browser to E1. */
  verify?: (e1: string) => WebHandler
  callback?: WebHandler
}

describe('A visit of the HTTP agent', () => {
  test('goes from the app to E1 and with the answer in the query to the callback', async () => {
    const { start, sandboxUrl } = await startRelyingParty()
    const { end, hops, page, url, problem } = await visit(start, { sandboxUrl })
    expect({ end, url, problem, text: page?.text }).toEqual({ end: 'page', text: 'got id_token state' })
    expect(hops.map(({ party, method, status, endpoint, isCallback }) => [party, method, status, endpoint, isCallback]))
      // biome-ignore format: a table
      .toEqual([
      ['app', 'GET', 302, undefined, false],
      ['sandbox', 'GET', 302, 'E1', false],
      ['app', 'GET', 200, undefined, true],
    ])
  })

  test('posts the answer of the sandbox to the callback when the app asks for form_post', async () => {
    const { start, sandboxUrl, app } = await startRelyingParty({ mode: 'form_post' })
    const { end, hops, page } = await visit(start, { sandboxUrl })
    expect([end, page?.text]).toEqual(['page', 'got id_token state'])
    expect(hops.at(-1)).toMatchObject({ party: 'app', method: 'POST', url: `${app.url}/callback`, isCallback: true })
  })

  test('keeps an answer in the fragment to itself, and shows it in the address of the page', async () => {
    const { start, sandboxUrl, app } = await startRelyingParty({ mode: 'fragment' })
    const { page, hops } = await visit(start, { sandboxUrl })
    expect(app.requests.at(-1)).toMatchObject({ path: '/callback', body: '' })
    expect(page?.url).toMatch(/\/callback#.*\bid_token=/)
    expect(hops.at(-1)).toMatchObject({ isCallback: true })
  })

  test('asks how E1 is to end with its parameters, and forces that on the sandbox alone', async () => {
    const { start, sandboxUrl, app, sandbox } = await startRelyingParty()
    const asked: AuthorizationRequest[] = []
    const { page } = await visit(start, {
      sandboxUrl,
      decide: async (request) => {
        asked.push(request)
        return { persona: 'child-12', outcome: 'access_denied' }
      },
    })
    expect(page?.text).toContain('error')
    expect(asked).toMatchObject([{ endpoint: 'E1', parameters: { client_id: 'ak_test_sandbox', state: 'state-1' } }])
    expect(sandbox.calls).toHaveLength(1)
    expect(app.requests.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^x-/.test(name))).toEqual([])
  })

  test('goes to a callback at another origin, which is the app too from then on', async () => {
    const other = await startWebApp(routes({ '/callback': redirectTo('/welcome'), '/welcome': page('welcome') }))
    const sandbox = await startWebApp(redirectTo(`${other.url}/callback`))
    const app = await startWebApp(redirectTo(`${sandbox.url}/v1/oidc/use`))
    const { end, hops } = await visit(app.url, { sandboxUrl: sandbox.url })
    expect([end, hops.map(({ party }) => party)]).toEqual(['page', ['app', 'sandbox', 'app', 'app']])
  })

  test('stops before E1 when it is to stop there', async () => {
    const { start, sandboxUrl, sandbox } = await startRelyingParty()
    const { end, hops, url } = await visit(start, { sandboxUrl, decide: async () => 'stop' })
    expect([end, hops.length]).toEqual(['stopped', 1])
    expect(url).toMatch(`${sandboxUrl}/v1/oidc/use?`)
    expect(sandbox.calls).toEqual([])
  })

  test('rejects with the reason for which the decision cannot be made', async () => {
    const { start, sandboxUrl } = await startRelyingParty()
    const decide = async () => Promise.reject(new Error('the sandbox is gone'))
    await expect(visit(start, { sandboxUrl, decide })).rejects.toThrow('the sandbox is gone')
  })

  test('ends at a page of the sandbox that refuses the request, and says why', async () => {
    const sandbox = await startSandbox()
    const app = await startWebApp(redirectTo(`${sandbox.url}/v1/oidc/use?client_id=nobody`))
    const { end, problem, page, url } = await visit(app.url, { sandboxUrl: sandbox.url })
    expect([end, page?.status, app.requests.length]).toEqual(['sandbox_page', 400, 1])
    expect(url).toBe(`${sandbox.url}/v1/oidc/use?client_id=nobody`)
    expect(problem).toMatchInlineSnapshot(
      `"This request cannot be answered: USE-01: client_id 'nobody' is not registered here. Registered: ak_test_sandbox (and 6 more: USE-02, USE-03, USE-04, USE-07, USE-08, USE-09)"`,
    )
  })

  test('ends at the page on which a user would choose when nothing is forced', async () => {
    const { start, sandboxUrl } = await startRelyingParty()
    const { end, problem } = await visit(start, { sandboxUrl, decide: async () => ({}) })
    expect(end).toBe('sandbox_page')
    expect(problem).toMatchInlineSnapshot(`"Your app wants to check your age"`)
  })

  test('knows the flow in which the sandbox answers by its header, and believes no app that sends it', async () => {
    const flow: WebHandler = (_request, response) => response.setHeader('X-AgeKey-Sandbox-Flow', 'f1').end()
    const app = await startWebApp(flow)
    expect((await visit(app.url)).hops).toMatchObject([{ party: 'app', flow: undefined }])
    expect((await visit(app.url, { sandboxUrl: app.url })).hops).toMatchObject([{ party: 'sandbox', flow: 'f1' }])
  })
})

describe('A page before E1', () => {
  test.each([
    [
      'a link',
      (e1: string) => `<p>Adults only. <a href="/help">Help</a> <a href="${attribute(e1)}">Prove your age</a>`,
    ],
    ['a refresh', (e1: string) => `<meta http-equiv="Refresh" content="5; URL='${attribute(e1)}'"><p>One moment`],
    ['a form', formTo],
  ])('leads on by %s to it', async (_by, html) => {
    const { start, sandboxUrl } = await startRelyingParty({ verify: (e1) => page(html(e1)) })
    const { end, hops, page: shown } = await visit(start, { sandboxUrl })
    expect([end, hops.length, shown?.text]).toEqual(['page', 3, 'got id_token state'])
  })

  test('that leads nowhere ends the visit', async () => {
    const { start, sandboxUrl, app } = await startRelyingParty({ verify: () => page('<a href="/other">Other</a>') })
    expect(await visit(start, { sandboxUrl })).toMatchObject({ end: 'page', page: { status: 200 } })
    expect(app.requests).toHaveLength(1)
  })
})

/** A GET form with the parameters as hidden fields. */
function formTo(e1: string): string {
  const url = new URL(e1)
  const fields = [...url.searchParams].map(
    ([name, value]) => `<input type=hidden name="${name}" value="${attribute(value)}">`,
  )
  return `<form action="${url.origin}${url.pathname}">${fields.join('')}<button>Prove your age</button></form>`
}

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

describe('A page after the callback', () => {
  test('ends the visit though it links to E1 once more', async () => {
    const callback: WebHandler = (_request, response) =>
      response.setHeader('Content-Type', 'text/html').end(`<a href="${sandboxUrl}/v1/oidc/use">Try again</a>`)
    const { start, sandboxUrl, sandbox } = await startRelyingParty({ callback })
    expect((await visit(start, { sandboxUrl })).end).toBe('page')
    expect(sandbox.calls).toHaveLength(1)
  })

  test('that links to E3 leads there, once', async () => {
    const callback: WebHandler = (_request, response) =>
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<a href="${sandboxUrl}/v1/oidc/create?request_uri=x">Save</a>`)
    const { start, sandboxUrl } = await startRelyingParty({ callback })
    const { hops } = await visit(start, { sandboxUrl })
    expect(hops.map(({ endpoint }) => endpoint)).toEqual([undefined, 'E1', undefined, 'E3'])
  })

  test.each([
    [
      'a form that a script submits',
      '<form method=post action=/done><input name=ok value=1></form><script>document.forms[0].submit()</script>',
    ],
    [
      'a form that onload submits',
      '<body onload="document.forms[0].submit()"><form method=post action=/done><input name=ok value=1></form>',
    ],
    ['a refresh at once', '<meta http-equiv=refresh content="0;url=/done?ok=1">'],
  ])('leads on by %s', async (_by, html) => {
    const { start, sandboxUrl } = await startRelyingParty({ callback: page(html) })
    const { end, page: shown } = await visit(start, { sandboxUrl })
    expect([end, shown?.text]).toEqual(['page', 'got ok'])
  })

  test.each([
    ['a form for its user', '<form method=post action=/done><input name=ok value=1><button>Go</button></form>'],
    ['a refresh for readers', '<meta http-equiv=refresh content="5;url=/done">'],
    ['a refresh of itself', '<meta http-equiv=refresh content="0">'],
  ])('stays when it has %s', async (_what, html) => {
    const { start, sandboxUrl, app } = await startRelyingParty({ callback: page(html) })
    expect((await visit(start, { sandboxUrl })).page?.text).toBe(html)
    expect(app.requests).toHaveLength(2)
  })
})

describe('A redirect', () => {
  test.each([301, 302, 303])('%i makes GET of POST, without its body', async (status) => {
    const app = await startWebApp(routes({ '/': redirectTo('/next?a=1', status), '/next': page('') }))
    await visit({ url: app.url, form: { name: 'Ada' } })
    expect(app.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/', 'name=Ada'],
      ['GET', '/next?a=1', ''],
    ])
    expect(app.requests[1]?.headers['content-type']).toBeUndefined()
  })

  test.each([307, 308])('%i keeps POST and its body', async (status) => {
    const app = await startWebApp(routes({ '/': redirectTo('next', status), '/next': page('') }))
    await visit({ url: app.url, json: { name: 'Ada' } })
    expect(app.requests[1]).toMatchObject({ method: 'POST', path: '/next', body: '{"name":"Ada"}' })
    expect(app.requests[1]?.headers['content-type']).toBe('application/json')
  })

  test('without a location is a page, as is another answer with one', async () => {
    const app = await startWebApp(
      routes({
        '/without': (_request, response) => response.writeHead(302).end('here'),
        '/created': (_request, response) => response.writeHead(201, { Location: '/other' }).end('made'),
      }),
    )
    expect((await visit(`${app.url}/without`)).page).toMatchObject({ status: 302, text: 'here' })
    expect((await visit(`${app.url}/created`)).page).toMatchObject({ status: 201, text: 'made' })
  })

  test('for ever ends after the limit', async () => {
    const app = await startWebApp(redirectTo('/again'))
    const { end, hops, url, problem } = await visit(app.url)
    expect([end, hops.length, url]).toEqual(['too_many_redirects', MAX_REDIRECTS + 1, `${app.url}/again`])
    expect(problem).toBe('it goes on after 20 redirects')
  })

  test('keeps its fragment from the server, and hands it on to an address without one', async () => {
    const app = await startWebApp(
      routes({ '/': redirectTo('/one#token=1'), '/one': redirectTo('/two'), '/two': page('') }),
    )
    const { page: shown } = await visit(app.url)
    expect(app.requests.map(({ path }) => path)).toEqual(['/', '/one', '/two'])
    expect(shown?.url).toBe(`${app.url}/two#token=1`)
  })

  test.each(['javascript:alert(1)', 'myapp://callback?x=1', 'http://', 'http://[::1'])(
    'to %s ends the visit with that address',
    async (location) => {
      const app = await startWebApp(redirectTo(location))
      const { end, url, problem } = await visit(app.url)
      expect({ end, url }).toEqual({ end: 'elsewhere', url: location })
      expect(problem).toBe(`${app.url} redirects to ${JSON.stringify(location)}, which is no http or https address`)
    },
  )

  test('to a path with letters beyond ASCII is followed', async () => {
    const app = await startWebApp((request, response) => {
      if (request.path === '/') response.writeHead(302, { Location: Buffer.from('/über').toString('latin1') }).end()
      else response.end()
    })
    await visit(app.url)
    expect(app.requests.map(({ path }) => path)).toEqual(['/', '/%C3%BCber'])
  })

  test('to another origin ends the visit without a request', async () => {
    const other = await startWebApp(page('other'))
    const app = await startWebApp(redirectTo(`${other.url}/login`))
    expect(await visit(app.url)).toMatchObject({ end: 'elsewhere', url: `${other.url}/login`, page: undefined })
    expect(other.requests).toEqual([])
  })
})

describe('An address', () => {
  test('takes the form of a GET request in its query', async () => {
    const app = await startWebApp(page(''))
    await visit({ url: `${app.url}/search?old=1`, method: 'GET', form: { q: 'a b' } })
    expect(app.requests).toMatchObject([{ method: 'GET', path: '/search?q=a+b', body: '' }])
  })

  test.each(['/verify', 'mailto:a@example.test', 'ftp://localhost/'])('%s is not opened', async (url) => {
    const { end, problem } = await visit(url)
    expect([end, problem]).toEqual(['unreachable', `${url} is no http or https address`])
  })

  test('in public is not requested unless that is allowed', async () => {
    const { end, problem, hops } = await visit('http://203.0.113.1/verify')
    expect([end, hops]).toEqual(['elsewhere', []])
    expect(problem).toBe('http://203.0.113.1 is neither on this machine nor in a private network')
    const signal = AbortSignal.abort()
    const allowed = await visit('http://203.0.113.1/', {
      browser: createHttpAgent({ anyAddress: true }).newBrowser(),
      signal,
    })
    expect(allowed).toMatchObject({ end: 'timed_out', hops: [{ party: 'app', status: 0 }] })
  })

  test('below the base URL of a tenant is of the sandbox, one beside it is not', async () => {
    const server = await startWebApp(page('a page'))
    const sandboxUrl = `${server.url}/t/audit`
    const app = await startWebApp((request, response) => redirectTo(`${server.url}${request.path}`)(request, response))
    expect((await visit(`${app.url}/t/audit/v1/oidc/use`, { sandboxUrl })).end).toBe('sandbox_page')
    expect((await visit(`${app.url}/t/audit2/v1/oidc/use`, { sandboxUrl })).end).toBe('elsewhere')
    expect((await visit(`${app.url}/v1/oidc/use`, { sandboxUrl })).end).toBe('elsewhere')
  })
})
