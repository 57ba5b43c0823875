import { expect, test, vi } from 'vitest'
import type { AuthorizationRequest } from '../../../src/audit/agent/browser.ts'
import { createHttpAgent, MAX_REDIRECTS } from '../../../src/audit/agent/http-agent.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { visit } from '../../support/visit.ts'
import { page, type ReceivedRequest, redirectTo, routes, startWebApp, type WebHandler } from '../../support/web-app.ts'

interface RelyingPartyOptions {
  mode?: 'query' | 'form_post'
  /** How it sends the browser to E1. */
  verify?: (e1: string) => WebHandler
  callback?: WebHandler
}

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
  const open = (options: Parameters<typeof visit>[1] = {}) =>
    visit(`${app.url}/verify`, { sandboxUrl: sandbox.url, ...options })
  return { sandbox, app, open }
}

test.each([
  ['query', 302, 'GET'],
  ['form_post', 200, 'POST'],
] as const)('The HTTP agent goes from an app to E1, and by %s to the callback', async (mode, status, method) => {
  const { open } = await startRelyingParty({ mode })
  const { end, hops, page, url, problem } = await open()
  expect({ end, url, problem, text: page?.text }).toEqual({ end: 'page', text: 'got id_token state' })
  expect(hops).toMatchObject([
    { party: 'app', method: 'GET', status: 302, endpoint: undefined, isCallback: false },
    { party: 'sandbox', method: 'GET', status, endpoint: 'E1', isCallback: false },
    { party: 'app', method, status: 200, endpoint: undefined, isCallback: true },
  ])
})

test('The HTTP agent asks how a request of E1 is to end, and forces that on the sandbox alone', async () => {
  const { open, app, sandbox } = await startRelyingParty()
  const decide = vi.fn(async (_request: AuthorizationRequest) => ({ persona: 'child-12', outcome: 'access_denied' }))
  expect((await open({ decide })).page?.text).toContain('error')
  const asked = { endpoint: 'E1', parameters: { client_id: 'ak_test_sandbox', state: 'state-1' } }
  expect(decide.mock.calls).toMatchObject([[asked]])
  expect(sandbox.calls).toHaveLength(1)
  expect(app.requests.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^x-/.test(name))).toEqual([])
})

test('The HTTP agent goes to a callback at another origin, which belongs to the app from then on', async () => {
  const other = await startWebApp(routes({ '/callback': redirectTo('/welcome'), '/welcome': page('welcome') }))
  const sandbox = await startWebApp(redirectTo(`${other.url}/callback`))
  const app = await startWebApp(redirectTo(`${sandbox.url}/v1/oidc/use`))
  const { end, hops } = await visit(app.url, { sandboxUrl: sandbox.url })
  expect([end, hops.map(({ party }) => party)]).toEqual(['page', ['app', 'sandbox', 'app', 'app']])
})

test('The HTTP agent stops before E1 when that is the decision', async () => {
  const { open, sandbox } = await startRelyingParty()
  const { end, hops, url } = await open({ decide: async () => 'stop' })
  expect([end, hops.length]).toEqual(['stopped', 1])
  expect(url).toMatch(`${sandbox.url}/v1/oidc/use?`)
  expect(sandbox.calls).toEqual([])
})

test('A visit of the HTTP agent rejects with the reason for which the decision cannot be made', async () => {
  const { open } = await startRelyingParty()
  const visited = open({ decide: () => Promise.reject(new Error('the sandbox is gone')) })
  await expect(visited).rejects.toThrow('the sandbox is gone')
})

test('A visit of the HTTP agent ends at a page of the sandbox that refuses the request, and says why', async () => {
  const { url: sandboxUrl } = await startSandbox()
  const url = `${sandboxUrl}/v1/oidc/use?client_id=nobody`
  const app = await startWebApp(redirectTo(url))
  const { page, ...visited } = await visit(app.url, { sandboxUrl })
  expect([page?.status, app.requests.length]).toEqual([400, 1])
  const registered = 'ak_test_sandbox (and 6 more: USE-02, USE-03, USE-04, USE-07, USE-08, USE-09)'
  const why = `USE-01: client_id 'nobody' is not registered here. Registered: ${registered}`
  const problem = `This request cannot be answered: ${why}`
  expect(visited).toMatchObject({ end: 'sandbox_page', url, problem })
})

test('A visit of the HTTP agent ends at the page on which a user would choose when nothing is forced', async () => {
  const { open } = await startRelyingParty()
  const problem = 'Your app wants to check your age'
  expect(await open({ decide: async () => ({}) })).toMatchObject({ end: 'sandbox_page', problem })
})

test('The HTTP agent reads the id of a flow from the header of the sandbox, and from none of an app', async () => {
  const { url } = await startWebApp((_, response) => response.setHeader('X-AgeKey-Sandbox-Flow', 'f1').end())
  expect((await visit(url)).hops).toMatchObject([{ party: 'app', flow: undefined }])
  expect((await visit(url, { sandboxUrl: url })).hops).toMatchObject([{ party: 'sandbox', flow: 'f1' }])
})

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

const linkTo = (e1: string) => `<p>Adults only. <a href="/help">Help</a> <a href="${attribute(e1)}">Prove your age</a>`
const refreshTo = (e1: string) => `<meta http-equiv="Refresh" content="1; URL='${attribute(e1)}'"><p>One moment`

test.each(Object.entries({ link: linkTo, refresh: refreshTo }))(
  'A page of an app leads the HTTP agent to E1 by a %s',
  async (_by, html) => {
    const { open } = await startRelyingParty({ verify: (e1) => page(html(e1)) })
    const { end, hops, page: shown } = await open()
    expect([end, hops.length, shown?.text]).toEqual(['page', 3, 'got id_token state'])
  },
)

test.each([
  ['ends the visit though it links to E1 once more', 'use', ['E1']],
  ['that links to E3 leads there, once', 'create?request_uri=x', ['E1', 'E3']],
])('A page after the callback %s', async (_what, path, expected) => {
  const callback: WebHandler = (...call) => page(`<a href="${sandbox.url}/v1/oidc/${path}">Try again</a>`)(...call)
  const { open, sandbox } = await startRelyingParty({ callback })
  expect((await open()).hops.flatMap(({ endpoint = [] }) => endpoint)).toEqual(expected)
})

const FORM = '<form method=post action=/done><input name=ok value=1><button>Go</button></form>'

test.each([
  ['leads on by a form that a script submits', `${FORM}<script>document.forms[0].submit()</script>`, 'got ok'],
  ['stays when it has a form for its user', FORM, FORM],
])('A page after the callback %s', async (_what, html, text) => {
  const { open } = await startRelyingParty({ callback: page(html) })
  expect(await open()).toMatchObject({ end: 'page', page: { text } })
})

test.each([
  [301, 'GET', '', undefined],
  [302, 'GET', '', undefined],
  [303, 'GET', '', undefined],
  [307, 'POST', '{"name":"Ada"}', 'application/json'],
  [308, 'POST', '{"name":"Ada"}', 'application/json'],
])('A redirect with %i after a POST is followed by %s with the body %j', async (status, method, body, type) => {
  const app = await startWebApp(routes({ '/': redirectTo('next?a=1', status), '/next': page('') }))
  await visit({ url: app.url, json: { name: 'Ada' } })
  expect(app.requests).toMatchObject([
    { method: 'POST', path: '/', body: '{"name":"Ada"}' },
    { method, body },
  ])
  expect([app.requests[1]?.path, app.requests[1]?.headers['content-type']]).toEqual(['/next?a=1', type])
})

test('An answer is a page when it redirects without a location, or has a location without a redirect', async () => {
  const { url } = await startWebApp(({ path }, response) =>
    path === '/' ? response.writeHead(302).end('here') : response.writeHead(201, { Location: '/' }).end('made'),
  )
  expect((await visit(url)).page).toMatchObject({ status: 302, text: 'here' })
  expect((await visit(`${url}/created`)).page).toMatchObject({ status: 201, text: 'made' })
})

test('The HTTP agent follows 20 redirects of an app, and ends the visit at the next one', async () => {
  const app = await startWebApp(redirectTo('/again'))
  const { end, hops, url, problem } = await visit(app.url)
  expect([end, hops.length, url]).toEqual(['too_many_redirects', MAX_REDIRECTS + 1, `${app.url}/again`])
  expect(problem).toBe('it goes on after 20 redirects')
})

test('The fragment of a redirect is kept from the server, and handed on to an address without a fragment', async () => {
  const pages = { '/': redirectTo('/one#token=1'), '/one': redirectTo('/two'), '/two': page('') }
  const app = await startWebApp(routes(pages))
  const { page: shown } = await visit(app.url)
  expect(app.requests.map(({ path }) => path)).toEqual(['/', '/one', '/two'])
  expect(shown?.url).toBe(`${app.url}/two#token=1`)
})

test.each(['javascript:alert(1)', 'myapp://callback?x=1', 'http://', 'http://[::1'])(
  'A redirect to %s ends the visit of the HTTP agent with that address',
  async (location) => {
    const app = await startWebApp(redirectTo(location))
    const { end, url, problem } = await visit(app.url)
    expect({ end, url }).toEqual({ end: 'elsewhere', url: location })
    expect(problem).toBe(`${app.url} redirects to ${JSON.stringify(location)}, which is no http or https address`)
  },
)

test('A redirect to a path with letters beyond ASCII is followed', async () => {
  const app = await startWebApp(routes({ '/': redirectTo(Buffer.from('/über').toString('latin1')) }))
  await visit(app.url)
  expect(app.requests.map(({ path }) => path)).toEqual(['/', '/%C3%BCber'])
})

test('A redirect to another origin ends the visit of the HTTP agent without a request', async () => {
  const other = await startWebApp(page('other'))
  const app = await startWebApp(redirectTo(`${other.url}/login`))
  expect(await visit(app.url)).toMatchObject({ end: 'elsewhere', url: `${other.url}/login`, page: undefined })
  expect(other.requests).toEqual([])
})

test('The HTTP agent sends the form of a GET request in the query of the address', async () => {
  const app = await startWebApp(page(''))
  await visit({ url: `${app.url}/search?old=1`, method: 'GET', form: { q: 'a b' } })
  expect(app.requests).toMatchObject([{ method: 'GET', path: '/search?q=a+b', body: '' }])
})

test.each(['/verify', 'mailto:a@example.test', 'ftp://localhost/'])('The HTTP agent never opens %s', async (url) => {
  const { end, problem } = await visit(url)
  expect([end, problem]).toEqual(['unreachable', `${url} is no http or https address`])
})

test('The HTTP agent requests nothing of a public address unless that is allowed', async () => {
  expect(await visit('http://203.0.113.1/verify')).toMatchObject({
    end: 'elsewhere',
    problem: 'http://203.0.113.1 is neither on this machine nor in a private network',
    hops: [],
  })
  const browser = createHttpAgent({ anyAddress: true }).newBrowser()
  const allowed = await visit('http://203.0.113.1/', { browser, signal: AbortSignal.abort() })
  expect(allowed).toMatchObject({ end: 'timed_out', hops: [{ party: 'app', status: 0 }] })
})

test('An address below the base URL of a tenant is of the sandbox, and an address beside that is not', async () => {
  const server = await startWebApp(page('a page'))
  const sandboxUrl = `${server.url}/t/audit`
  const app = await startWebApp((request, response) => redirectTo(`${server.url}${request.path}`)(request, response))
  const endAt = async (path: string) => (await visit(`${app.url}${path}/v1/oidc/use`, { sandboxUrl })).end
  expect(await endAt('/t/audit')).toBe('sandbox_page')
  expect([await endAt('/t/audit2'), await endAt('')]).toEqual(['elsewhere', 'elsewhere'])
})

const KINDS = ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax', 'none=1; SameSite=None; Secure', 'fresh=1']
const ALL = ['fresh', 'lax', 'none', 'strict']

/** Names of the cookies that came with a request. */
const cookiesOf = ({ headers }: ReceivedRequest): readonly string[] =>
  (headers.cookie ?? '')
    .split('; ')
    .map((pair) => pair.split('=', 1).join())
    .sort()

/** An app that was visited, which sets a cookie of each kind before E1. */
async function visitedBy(mode: 'query' | 'form_post', callback = redirectTo('/welcome', 303)) {
  const verify =
    (e1: string): WebHandler =>
    (request, response) =>
      redirectTo(e1)(request, response.setHeader('Set-Cookie', KINDS))
  const { app, open } = await startRelyingParty({ mode, verify, callback })
  await open()
  return app
}

test.each([
  ['query', ['fresh', 'lax', 'none']],
  ['form_post', ['fresh', 'none']],
] as const)(
  'The cookies of an app come with a callback by %s as %j, and with the next redirect but for SameSite=Strict',
  async (mode, expected) => {
    const { requests } = await visitedBy(mode)
    expect(requests.map(cookiesOf)).toEqual([[''], expected, ['fresh', 'lax', 'none']])
  },
)

test('The cookies of an app never go to a sandbox on the same host', async () => {
  const sandbox = await startWebApp(redirectTo('http://127.0.0.1:1/callback'))
  const app = await startWebApp((request, response) => {
    response.setHeader('Set-Cookie', KINDS)
    redirectTo(`${sandbox.url}/v1/oidc/use`)(request, response)
  })
  await visit(app.url, { sandboxUrl: sandbox.url })
  expect(sandbox.requests.map(({ headers }) => headers.cookie)).toEqual([undefined])
})

test('Cookies last from visit to visit of a browser, stand in the hop that set them, and reach no other', async () => {
  const app = await startWebApp((_request, response) => response.setHeader('Set-Cookie', [...KINDS, '']).end())
  const agent = createHttpAgent()
  const browser = agent.newBrowser()
  const { hops } = await visit(app.url, { browser })
  expect(hops).toMatchObject([{ cookies: ['strict', 'lax', 'none', 'fresh'] }])
  await visit(app.url, { browser })
  await visit(app.url, { browser: agent.newBrowser() })
  expect(app.requests.map(cookiesOf)).toEqual([[''], ALL, ['']])
})

const site = ({ headers }: ReceivedRequest) => [headers['sec-fetch-site'], headers.origin]

test('Sec-Fetch-Site says who made a request, and a request that the app made has all cookies', async () => {
  const app = await visitedBy('form_post', page(`${FORM}<script>document.forms[0].submit()</script>`))
  expect(app.requests.map(cookiesOf).at(-1)).toEqual(ALL)
  expect(app.requests.map(site)).toEqual([
    ['none', undefined],
    // The pages of the sandbox have a referrer policy that hides their origin.
    ['cross-site', 'null'],
    ['same-origin', app.url],
  ])
})

test('The Origin header of a POST names the app when the user posts, and no origin for another site', async () => {
  const app = await startWebApp(page(''))
  await visit({ url: app.url, method: 'POST' })
  await visit({ url: app.url, method: 'POST', isCrossSite: true })
  expect(app.requests.map(site)).toEqual([
    ['none', app.url],
    ['cross-site', 'null'],
  ])
})

test('The HTTP agent sends the headers of a browser that opens a page', async () => {
  const app = await startWebApp(page(''))
  await visit(app.url)
  expect(app.requests[0]?.headers).toMatchObject({
    accept: expect.stringMatching(/^text\/html,/),
    'accept-encoding': 'identity',
    'accept-language': 'en',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    'user-agent': expect.stringContaining('agekey-sandbox audit'),
  })
})
