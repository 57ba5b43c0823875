import { expect, test } from 'vitest'
import type { VisitOptions } from '../../../src/audit/agent/browser.ts'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { visit } from '../../support/visit.ts'
import { page, redirectTo, routes, startWebApp } from '../../support/web-app.ts'

const button = (path: string, text: string) =>
  `<form method=post action="${path}"><input type=hidden name=csrf value=c1><button>${text}</button></form>`

/** An app whose first page posts a hidden field to `/go`, which leads to the sandbox. */
async function startApp(first: string) {
  const sandbox = await startWebApp((_request, response) =>
    redirectTo(`${app.url}/callback?state=s1#token=1`)(_request, response),
  )
  const app = await startWebApp(
    routes({
      '/': page(first),
      '/signin': page(`${button('/go', 'Sign in with AgeKey')}${button('/news', 'Subscribe')}`),
      '/go': (request, response) =>
        request.body === 'csrf=c1'
          ? redirectTo(`${sandbox.url}/v1/oidc/use`)(request, response)
          : response.end('no'),
      '/callback': page(button('/go', 'Verify your age again')),
    }),
  )
  const open = (options: Partial<VisitOptions> = {}) =>
    visit(app.url, { sandboxUrl: sandbox.url, ...options })
  return { app, sandbox, open }
}

const BUY = button('/buy', 'Buy')

test.each<[string, string, Partial<VisitOptions>]>([
  ['posts a form of the app that speaks of an age', `${BUY}${button('/go', 'Prove your age')}`, {}],
  ['posts a form in Japanese', `${BUY}${button('/go', '年齢を確認する')}`, {}],
  [
    'posts the only form beside a cookie banner',
    `${button('/ok', 'Accept cookies')}${button('/go', 'Enter')}`,
    {},
  ],
  [
    'takes the button with the better words',
    `${button('/x', 'Confirm')}${button('/go', 'Confirm age')}`,
    {},
  ],
  [
    'goes by a link to a page of its own to sign in',
    `<a href="/help">Help</a><a href="/signin">Sign in</a>`,
    {},
  ],
  [
    'presses what is named by its text',
    `${BUY}${button('/go', 'Abracadabra')}`,
    { begin: { click: 'abracadabra' } },
  ],
  [
    'presses what a selector names',
    `${BUY}${button('/go', 'X')}`,
    { begin: { click: 'form[action="/go"]' } },
  ],
  [
    'sends the request that is named',
    BUY,
    { begin: { request: { url: '/go', form: { csrf: 'c1' } } } },
  ],
])('The HTTP agent begins: it %s', async (_what, first, options) => {
  const { open } = await startApp(first)
  const { end, answer, hops } = await open(options)
  expect(end).toBe('page')
  expect(answer?.isAnswer).toBe(true)
  expect(hops.filter(({ endpoint }) => endpoint === 'E1')).toHaveLength(1)
})

test.each<[string, Partial<VisitOptions>, string]>([
  [
    'there are two buttons without a word of it',
    {},
    'no way to the sandbox was found; the page has "Buy", "Sell"',
  ],
  [
    'nothing has the name',
    { begin: { click: 'Go' } },
    'nothing on the page is "Go"; the page has "Buy", "Sell"',
  ],
])(
  'A visit of the HTTP agent that cannot begin because %s says how to name it',
  async (_why, options, what) => {
    const { open, app } = await startApp(`${BUY}${button('/sell', 'Sell')}`)
    const { end, problem } = await open(options)
    expect(end).toBe('page')
    expect(problem).toBe(`${what}; say how a user begins: use: { begin: { click: "Buy" } }`)
    expect(app.requests).toHaveLength(1)
  },
)

test('What a visit names to begin by is no button that cancels', async () => {
  const { open } = await startApp(`${button('/no', 'Cancel')}${BUY}${button('/sell', 'Sell')}`)
  expect((await open()).problem).toMatch(/begin: { click: "Buy" } }$/)
})

test('An answer that was held back is brought by another browser, which does not begin anew', async () => {
  const { open, app, sandbox } = await startApp(button('/go', 'Prove your age'))
  const held = await open({ holds: 'E1' })
  expect(held).toMatchObject({
    end: 'held',
    answer: { url: `${app.url}/callback?state=s1#token=1`, isAnswer: true },
  })
  expect(app.requests).toHaveLength(2)
  expect(sandbox.requests[0]?.headers['x-sandbox-audit']).toBe('1')
  const brought = await visit(held.answer ?? '', { sandboxUrl: sandbox.url })
  expect(brought).toMatchObject({ end: 'page', hops: [{ isCallback: true }] })
})

test('A form of form_post that was held back is posted again from another site', async () => {
  const app = await startWebApp(page('here'))
  const sandbox = await startWebApp((...call) =>
    page(`<form method=post action="${app.url}"><input name=state value=s1></form>`)(...call),
  )
  const { answer } = await visit(`${sandbox.url}/v1/oidc/use`, {
    sandboxUrl: sandbox.url,
    holds: 'E1',
  })
  const form = { state: 's1' }
  expect(answer).toEqual({ url: `${app.url}/`, method: 'POST', form, isAnswer: true })
  await visit(answer ?? '', { sandboxUrl: sandbox.url })
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'null' }
  expect(app.requests).toMatchObject([{ body: 'state=s1', headers }])
})

test('A peek stops before the sandbox', async () => {
  const { app, sandbox } = await startApp(button('/go', 'Prove your age'))
  const start = await startWebApp((request, response) =>
    request.path === '/'
      ? response.setHeader('Set-Cookie', 'me=1').end()
      : redirectTo(request.path === '/in' ? '/' : `${sandbox.url}/v1/oidc/use`)(request, response),
  )
  const browser = createHttpAgent().newBrowser()
  const peek = (url: string) => visit(url, { browser, sandboxUrl: sandbox.url, peeks: true })
  expect(await peek(app.url)).toMatchObject({ end: 'page', hops: [{ status: 200 }] })
  await peek(start.url)
  expect(await peek(`${start.url}/in`)).toMatchObject({ end: 'page', hops: [{}, {}] })
  expect(await peek(`${start.url}/out`)).toMatchObject({ end: 'stopped' })
  expect(start.requests.map(({ headers }) => headers.cookie)).toEqual([
    undefined,
    'me=1',
    'me=1',
    'me=1',
  ])
  expect(app.requests).toHaveLength(1)
  expect(sandbox.requests).toHaveLength(0)
})

const isLinux = process.platform === 'linux'

test.runIf(isLinux)(
  'Browsers with addresses of their own are other clients to an app',
  async () => {
    const app = await startWebApp(page(''))
    const agent = createHttpAgent()
    for (const ownAddress of [true, true, false]) {
      const browser = agent.newBrowser({ ownAddress })
      expect((await visit(app.url.replace('127.0.0.1', 'localhost'), { browser })).end).toBe('page')
    }
    const clients = app.requests.map(({ headers }) => headers['x-forwarded-for'])
    expect(clients).toEqual([
      expect.stringMatching(/^127\./),
      expect.stringMatching(/^127\./),
      undefined,
    ])
    expect(clients[0]).not.toBe(clients[1])
  },
)
