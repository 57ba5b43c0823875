import { expect, test, vi } from 'vitest'
import type { AuthorizationRequest } from '../../../src/audit/agent/browser.ts'
import { createCookies } from '../../../src/audit/agent/cookies.ts'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { MAX_REDIRECTS } from '../../../src/audit/agent/visit.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { visit } from '../../support/visit.ts'
import {
  page,
  type ReceivedRequest,
  redirectTo,
  routes,
  startWebApp,
  type WebHandler,
} from '../../support/web-app.ts'

/**
 * An app whose `/verify` sends the browser to E1 by `verify`, and whose callback page shows the
 * names of the parameters.
 */
async function startRelyingParty({
  mode = 'query',
  verify = redirectTo,
  callback,
}: {
  mode?: 'query' | 'form_post'
  verify?: (e1: string) => WebHandler
  callback?: WebHandler
} = {}) {
  const sandbox = await startSandbox()
  const app = await startWebApp((request, response) => {
    const [path, query] = request.path.split('?')
    if (path === '/callback' && callback) return callback(request, response)
    if (path !== '/verify') {
      return response.end(`got ${[...new URLSearchParams(query ?? request.body).keys()].join(' ')}`)
    }
    const parameters = useRequest({ redirect_uri: `${app.url}/callback`, response_mode: mode })
    return verify(`${sandbox.url}/v1/oidc/use?${new URLSearchParams(parameters)}`)(
      request,
      response,
    )
  })
  const open = (options: Parameters<typeof visit>[1] = {}) =>
    visit(`${app.url}/verify`, { sandboxUrl: sandbox.url, ...options })
  return { sandbox, app, open }
}

test.each([
  ['query', 302, 'GET'],
  ['form_post', 200, 'POST'],
] as const)(
  'The HTTP agent goes from an app by E1 with %s to the callback',
  async (mode, status, method) => {
    const { open } = await startRelyingParty({ mode })
    const { end, hops, page, url, problem } = await open()
    expect({ end, url, problem, text: page?.text }).toEqual({
      end: 'page',
      text: 'got id_token state',
    })
    expect(hops).toMatchObject([
      { party: 'app', method: 'GET', status: 302, isCallback: false },
      { party: 'sandbox', method: 'GET', status, endpoint: 'E1', isCallback: false },
      { party: 'app', method, status: 200, endpoint: undefined, isCallback: true },
    ])
  },
)

test('The HTTP agent forces the decision on the sandbox alone', async () => {
  const { open, app, sandbox } = await startRelyingParty()
  const decide = vi.fn(async (_request: AuthorizationRequest) => ({
    persona: 'child-12',
    outcome: 'access_denied',
  }))
  expect((await open({ decide })).page?.text).toContain('error')
  const asked = { endpoint: 'E1', parameters: { client_id: 'ak_test_sandbox', state: 'state-1' } }
  expect(decide.mock.calls).toMatchObject([[asked]])
  expect(sandbox.calls).toHaveLength(1)
  expect(
    app.requests.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^x-/.test(name)),
  ).toEqual([])
})

test('The HTTP agent goes to a callback at another origin, which belongs to the app from then on', async () => {
  const other = await startWebApp(
    routes({ '/callback': redirectTo('/welcome'), '/welcome': page('welcome') }),
  )
  const sandbox = await startWebApp(redirectTo(`${other.url}/callback`))
  const app = await startWebApp(redirectTo(`${sandbox.url}/v1/oidc/use`))
  const { end, hops } = await visit(app.url, { sandboxUrl: sandbox.url })
  expect(end).toBe('page')
  expect(hops.map(({ party }) => party)).toEqual(['app', 'sandbox', 'app', 'app'])
})

test('The HTTP agent stops before E1 when that is the decision', async () => {
  const { open, sandbox } = await startRelyingParty()
  const url = expect.stringContaining(`${sandbox.url}/v1/oidc/use?`)
  expect(await open({ decide: async () => 'stop' })).toMatchObject({
    end: 'stopped',
    hops: [{}],
    url,
  })
  expect(sandbox.calls).toEqual([])
})

test('The HTTP agent rejects when no decision can be made', async () => {
  const { open } = await startRelyingParty()
  const visited = open({ decide: () => Promise.reject(new Error('the sandbox is gone')) })
  await expect(visited).rejects.toThrow('the sandbox is gone')
})

test('A visit of the HTTP agent ends at a page that refuses the request', async () => {
  const { url: sandboxUrl } = await startSandbox()
  const url = `${sandboxUrl}/v1/oidc/use?client_id=nobody`
  const registered = 'ak_test_sandbox (and 6 more: USE-02, USE-03, USE-04, USE-07, USE-08, USE-09)'
  const why = `USE-01: client_id 'nobody' is not registered here. Registered: ${registered}`
  const problem = `This request cannot be answered: ${why}`
  const app = await startWebApp(redirectTo(url))
  expect(await visit(app.url, { sandboxUrl })).toMatchObject({
    end: 'sandbox_page',
    url,
    problem,
    page: { status: 400 },
  })
})

test('A visit of the HTTP agent ends at a page where a user would choose', async () => {
  const chosen = await (await startRelyingParty()).open({ decide: async () => ({}) })
  expect(chosen).toMatchObject({ end: 'sandbox_page', problem: 'Your app wants to check your age' })
})

test('The HTTP agent reads the id of a flow from the header of the sandbox alone', async () => {
  const { url } = await startWebApp((_, response) =>
    response.setHeader('X-AgeKey-Sandbox-Flow', 'f1').end(),
  )
  expect((await visit(url)).hops).toMatchObject([{ party: 'app', flow: undefined }])
  expect((await visit(url, { sandboxUrl: url })).hops).toMatchObject([
    { party: 'sandbox', flow: 'f1' },
  ])
})

const attribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

test.each([
  [
    'a link',
    (e1: string) => `<p>Adults only. <a href="/help">Help</a> <a href="${e1}">Prove your age</a>`,
  ],
  [
    'a refresh',
    (e1: string) => `<meta http-equiv="Refresh" content="1; URL='${e1}'"><p>One moment`,
  ],
])('A page of an app leads the HTTP agent to E1 by %s', async (_by, html) => {
  const { open } = await startRelyingParty({ verify: (e1) => page(html(attribute(e1))) })
  const { end, hops, page: shown } = await open()
  expect(end).toBe('page')
  expect(hops).toHaveLength(3)
  expect(shown?.text).toBe('got id_token state')
})

const FORM = '<form method=post action=/done><input name=ok value=1><button>Go</button></form>'
const AGAIN = (path: string) => `<a href="SANDBOX/v1/oidc/${path}">Try again</a>`

test.each([
  ['ends the visit though it links to E1 once more', AGAIN('use'), ['E1'], /^<a/],
  ['that links to E3 leads there, once', AGAIN('create?request_uri=x'), ['E1', 'E3'], /./],
  [
    'leads on by a form of a script',
    `${FORM}<script>document.forms[0].submit()</script>`,
    ['E1'],
    /^got ok$/,
  ],
  ['stays when it has a form for its user', FORM, ['E1'], /^<form/],
])('A page after the callback %s', async (_what, html, endpoints, text) => {
  const callback: WebHandler = (...call) => page(html.replace('SANDBOX', sandbox.url))(...call)
  const { open, sandbox } = await startRelyingParty({ callback })
  const { hops, page: shown } = await open()
  expect(hops.flatMap(({ endpoint = [] }) => endpoint)).toEqual(endpoints)
  expect(shown?.text).toMatch(text)
})

test.each([
  ...[301, 302, 303].map((status) => [status, 'GET', '', undefined] as const),
  ...[307, 308].map((status) => [status, 'POST', '{"name":"Ada"}', 'application/json'] as const),
])(
  'A redirect with %i after a POST is followed by %s with the body %j',
  async (status, method, body, type) => {
    const app = await startWebApp(
      routes({ '/': redirectTo('next?a=1', status), '/next': page('') }),
    )
    await visit({ url: app.url, json: { name: 'Ada' } })
    expect(app.requests).toMatchObject([
      { method: 'POST', path: '/', body: '{"name":"Ada"}' },
      { method, body },
    ])
    expect(app.requests[1]?.path).toBe('/next?a=1')
    expect(app.requests[1]?.headers['content-type']).toEqual(type)
  },
)

test('An answer is a page when it redirects without a location, or has a location without a redirect', async () => {
  const { url } = await startWebApp(({ path }, response) =>
    path === '/'
      ? response.writeHead(302).end('here')
      : response.writeHead(201, { Location: '/' }).end('made'),
  )
  expect((await visit(url)).page).toMatchObject({ status: 302, text: 'here' })
  expect((await visit(`${url}/created`)).page).toMatchObject({ status: 201, text: 'made' })
})

test('The HTTP agent follows 20 redirects of an app', async () => {
  const app = await startWebApp(redirectTo('/again'))
  const { end, hops, url, problem } = await visit(app.url)
  expect(end).toBe('too_many_redirects')
  expect(hops).toHaveLength(MAX_REDIRECTS + 1)
  expect(url).toBe(`${app.url}/again`)
  expect(problem).toBe('it goes on after 20 redirects')
})

test('The fragment of a redirect is kept from the server', async () => {
  const umlaut = Buffer.from('/über').toString('latin1')
  const pages = {
    '/': redirectTo('/one#token=1'),
    '/one': redirectTo(umlaut),
    '/%C3%BCber': page(''),
  }
  const app = await startWebApp(routes(pages))
  const { page: shown } = await visit(app.url)
  expect(app.requests.map(({ path }) => path)).toEqual(['/', '/one', '/%C3%BCber'])
  expect(shown?.url).toBe(`${app.url}/%C3%BCber#token=1`)
})

test.each(['javascript:alert(1)', 'myapp://callback?x=1', 'http://', 'http://[::1'])(
  'A redirect to %s ends the visit of the HTTP agent with that address',
  async (location) => {
    const app = await startWebApp(redirectTo(location))
    const problem = `${app.url} redirects to ${JSON.stringify(location)}, which is no http or https address`
    expect(await visit(app.url)).toMatchObject({ end: 'elsewhere', url: location, problem })
  },
)

test('A redirect to another origin ends the visit of the HTTP agent without a request', async () => {
  const other = await startWebApp(page('other'))
  const app = await startWebApp(redirectTo(`${other.url}/login`))
  expect(await visit(app.url)).toMatchObject({
    end: 'elsewhere',
    url: `${other.url}/login`,
    page: undefined,
  })
  expect(other.requests).toEqual([])
})

test.each(['/verify', 'mailto:a@example.test', 'ftp://localhost/'])(
  'The HTTP agent never opens %s',
  async (url) => {
    const { end, problem } = await visit(url)
    expect(end).toBe('unreachable')
    expect(problem).toBe(`${url} is no http or https address`)
  },
)

test('The HTTP agent requests nothing of a public address unless that is allowed', async () => {
  const problem = 'http://203.0.113.1 is neither on this machine nor in a private network'
  expect(await visit('http://203.0.113.1/verify')).toMatchObject({
    end: 'elsewhere',
    problem,
    hops: [],
  })
  const browser = createHttpAgent({ anyAddress: true }).newBrowser()
  const allowed = await visit('http://203.0.113.1/', { browser, signal: AbortSignal.abort() })
  expect(allowed).toMatchObject({ end: 'timed_out', hops: [{ party: 'app', status: 0 }] })
})

test('Only an address below the base URL of a tenant belongs to the sandbox', async () => {
  const server = await startWebApp(page('a page'))
  const sandboxUrl = `${server.url}/t/audit`
  const app = await startWebApp((request, response) =>
    redirectTo(`${server.url}${request.path}`)(request, response),
  )
  const endAt = async (path: string) =>
    (await visit(`${app.url}${path}/v1/oidc/use`, { sandboxUrl })).end
  expect(await endAt('/t/audit')).toBe('sandbox_page')
  expect(await endAt('/t/audit2')).toBe('elsewhere')
  expect(await endAt('')).toBe('elsewhere')
})

const KINDS = [
  'strict=1; SameSite=Strict',
  'lax=1; SameSite=Lax',
  'none=1; SameSite=None; Secure',
  'fresh=1',
]
const ALL = ['fresh', 'lax', 'none', 'strict']

/** Names of the cookies in a request. */
const cookiesOf = ({ headers }: ReceivedRequest): readonly string[] =>
  (headers.cookie ?? '')
    .split('; ')
    .map((pair) => pair.split('=', 1).join())
    .sort()

/** A visited app, which sets a cookie of each kind before E1. */
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
] as const)('The cookies of an app come with a callback by %s as %j', async (mode, expected) => {
  const { requests } = await visitedBy(mode)
  expect(requests.map(cookiesOf)).toEqual([[''], expected, ['fresh', 'lax', 'none']])
})

test('The cookies of an app never go to a sandbox on the same host', async () => {
  const sandbox = await startWebApp(redirectTo('http://127.0.0.1:1/callback'))
  const app = await startWebApp((request, response) => {
    response.setHeader('Set-Cookie', KINDS)
    redirectTo(`${sandbox.url}/v1/oidc/use`)(request, response)
  })
  await visit(app.url, { sandboxUrl: sandbox.url })
  expect(sandbox.requests.map(({ headers }) => headers.cookie)).toEqual([undefined])
})

test('Cookies last from visit to visit of one browser', async () => {
  const app = await startWebApp((_request, response) =>
    response.setHeader('Set-Cookie', [...KINDS, '']).end(),
  )
  const agent = createHttpAgent()
  const browser = agent.newBrowser()
  const { hops } = await visit(app.url, { browser })
  expect(hops).toMatchObject([{ cookies: ['strict', 'lax', 'none', 'fresh'] }])
  await visit(app.url, { browser })
  await visit(app.url, { browser: agent.newBrowser() })
  expect(app.requests.map(cookiesOf)).toEqual([[''], ALL, ['']])
})

const site = ({ headers }: ReceivedRequest) => [headers['sec-fetch-site'], headers.origin]

test('Sec-Fetch-Site says who made a request', async () => {
  const app = await visitedBy(
    'form_post',
    page(`${FORM}<script>document.forms[0].submit()</script>`),
  )
  expect(app.requests.map(cookiesOf).at(-1)).toEqual(ALL)
  expect(app.requests.map(site)).toEqual([
    ['none', undefined],
    // The pages of the sandbox have a referrer policy that hides their origin.
    ['cross-site', 'null'],
    ['same-origin', app.url],
  ])
})

test('A form goes with the origin of the app from its user', async () => {
  const app = await startWebApp(page(''))
  for (const isAnswer of [false, true]) await visit({ url: app.url, method: 'POST', isAnswer })
  expect(app.requests.map(site)).toEqual([
    ['none', app.url],
    ['cross-site', 'null'],
  ])
})
test('A form by GET goes in the query', async () => {
  const app = await startWebApp(page(''))
  await visit({ url: `${app.url}/search?old=1`, method: 'GET', form: { q: 'a b' } })
  expect(app.requests.map(site)).toEqual([['none', undefined]])
  expect(app.requests[0]).toMatchObject({ method: 'GET', path: '/search?q=a+b', body: '' })
})

test('The HTTP agent sends the headers of a browser that opens a page', async () => {
  const app = await startWebApp((_request, response) =>
    response.setHeader('Content-Type', 'Text/HTML; a="b"').end(),
  )
  expect((await visit(app.url)).page?.mediaType).toBe('text/html')
  const sent = {
    'accept-encoding': 'identity',
    'accept-language': 'en',
    'sec-fetch-mode': 'navigate',
  }
  const userAgent = expect.stringContaining('agekey-sandbox audit')
  expect(app.requests[0]?.headers).toMatchObject({
    ...sent,
    'sec-fetch-dest': 'document',
    'user-agent': userAgent,
  })
})

/** The cookies that a browser sends to `to` after `from` set a cookie. */
function sent(setCookie: string, from: string, to = from): string | undefined {
  const cookies = createCookies()
  cookies.keep([setCookie], new URL(from))
  return cookies.headerFor(new URL(to), 'strict')
}

const SECURE = '__Host-a=1; Secure; Path=/'

test.each<readonly [string, string, string, string, string | undefined]>([
  [
    'goes to each port of its host',
    'a=1',
    'http://localhost:3000/',
    'http://localhost:4000/',
    'a=1',
  ],
  [
    'of localhost does not go to 127.0.0.1',
    'a=1',
    'http://localhost/',
    'http://127.0.0.1/',
    undefined,
  ],
  [
    'goes below its path',
    'a=1; Path=/auth',
    'http://localhost/',
    'http://localhost/auth/callback',
    'a=1',
  ],
  [
    'does not leave its path',
    'a=1; Path=/auth',
    'http://localhost/',
    'http://localhost/authors',
    undefined,
  ],
  [
    'may name a domain that is an address',
    'a=1; Domain=127.0.0.1',
    'http://127.0.0.1/',
    'http://127.0.0.1/',
    'a=1',
  ],
  [
    'with Secure is refused at another machine',
    'a=1; Secure',
    'http://app.test/',
    'http://app.test/',
    undefined,
  ],
  ...[
    'http://localhost/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://app.localhost/',
    'https://app.test/',
  ].map((url) => [`with Secure is sent at ${url}`, SECURE, url, url, '__Host-a=1'] as const),
])('A cookie %s', (_what, setCookie, from, to, expected) => {
  expect(sent(setCookie, from, to)).toBe(expected)
})

test.each(['a=; Max-Age=0', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
  'A cookie is deleted by %s, and not named as set',
  (deletion) => {
    const cookies = createCookies()
    const url = new URL('http://localhost/')
    expect(cookies.keep(['a=1', 'b=2; Max-Age=60'], url)).toEqual(['a', 'b'])
    expect(cookies.keep([deletion], url)).toEqual([])
    expect(cookies.headerFor(url, 'strict')).toBe('b=2')
  },
)

test('A cookie that is forgotten is gone, whatever its path', () => {
  const cookies = createCookies()
  cookies.keep(['session=1; Path=/app', 'session=2', 'other=3'], new URL('http://localhost/app/'))
  cookies.forget(['session'])
  expect(cookies.headerFor(new URL('http://localhost/app/'), 'strict')).toBe('other=3')
})

test.each(['', ';', '=; Secure', 'a\u0000b=1', 'Domain=else.test'])(
  'A cookie written as %j breaks nothing',
  (header) => {
    expect(() => sent(header, 'http://localhost/')).not.toThrow()
  },
)
