import { describe, expect, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { visit } from '../../support/visit.ts'
import { page, type ReceivedRequest, redirectTo, routes, startWebApp, type WebHandler } from '../../support/web-app.ts'

const KINDS = ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax', 'none=1; SameSite=None; Secure', 'fresh=1']
const ALL = ['fresh', 'lax', 'none', 'strict']

/** Names of the cookies that came with a request. */
const cookiesOf = ({ headers }: ReceivedRequest): readonly string[] =>
  (headers.cookie ?? '')
    .split('; ')
    .map((pair) => pair.split('=', 1).join())
    .sort()

const setsCookies: WebHandler = (_request, response) => response.setHeader('Set-Cookie', KINDS).end()

/** The requests of a visit to an app that sets a cookie of each kind before E1, and whose callback leads to `/welcome`. */
async function requestsBy(mode: 'query' | 'form_post', welcome = redirectTo('/welcome', 303)) {
  const sandbox = await startSandbox()
  const app = await startWebApp(
    routes({
      '/verify': (request, response) => {
        response.setHeader('Set-Cookie', KINDS)
        const parameters = useRequest({ redirect_uri: `${app.url}/callback`, response_mode: mode })
        redirectTo(`${sandbox.url}/v1/oidc/use?${new URLSearchParams(parameters)}`)(request, response)
      },
      '/callback': welcome,
      '/welcome': page('welcome'),
    }),
  )
  await visit(`${app.url}/verify`, { sandboxUrl: sandbox.url })
  const [, callback, end] = app.requests.map(cookiesOf)
  return { app, callback, end }
}

describe('The cookies of an app', () => {
  test.each([
    ['query', ['fresh', 'lax', 'none']],
    ['form_post', ['fresh', 'none']],
  ] as const)(
    'come with a callback by %s as %j, and with the redirect after the callback but for those with SameSite=Strict',
    async (mode, expected) => {
      expect(await requestsBy(mode)).toMatchObject({ callback: expected, end: ['fresh', 'lax', 'none'] })
    },
  )

  test('all come when a page of the app itself leads on', async () => {
    const { end } = await requestsBy('form_post', page('<meta http-equiv="refresh" content="0; url=/welcome">'))
    expect(end).toEqual(ALL)
  })

  test('never go to the sandbox, though it has the same host', async () => {
    const sandbox = await startWebApp(redirectTo('http://127.0.0.1:1/callback'))
    const app = await startWebApp((request, response) => {
      response.setHeader('Set-Cookie', KINDS)
      redirectTo(`${sandbox.url}/v1/oidc/use`)(request, response)
    })
    await visit(app.url, { sandboxUrl: sandbox.url })
    expect(sandbox.requests.map(({ headers }) => headers.cookie)).toEqual([undefined])
  })

  test('last from visit to visit of a browser, and do not reach another browser', async () => {
    const app = await startWebApp(setsCookies)
    const agent = createHttpAgent()
    const browser = agent.newBrowser()
    await visit(app.url, { browser })
    await visit(app.url, { browser })
    await visit(app.url, { browser: agent.newBrowser() })
    expect(app.requests.map(cookiesOf)).toEqual([[''], ALL, ['']])
  })

  test('are named in the hop whose answer set them', async () => {
    const app = await startWebApp((_request, response) => response.setHeader('Set-Cookie', [...KINDS, '']).end())
    expect((await visit(app.url)).hops).toMatchObject([{ cookies: ['strict', 'lax', 'none', 'fresh'] }])
  })
})

describe('The headers of a request', () => {
  const site = ({ headers }: ReceivedRequest) => [headers['sec-fetch-site'], headers.origin]

  test('say whether the user, the app or another site made it', async () => {
    const form = '<form method="post" action="/welcome"></form><script>document.forms[0].submit()</script>'
    const { app } = await requestsBy('form_post', page(form))
    expect(app.requests.map(site)).toEqual([
      ['none', undefined],
      // The pages of the sandbox have a referrer policy that hides their origin.
      ['cross-site', 'null'],
      ['same-origin', app.url],
    ])
  })

  test('name the origin of the app when its user posts, and none of another site', async () => {
    const app = await startWebApp(page(''))
    await visit({ url: app.url, method: 'POST' })
    await visit({ url: app.url, method: 'POST', isCrossSite: true })
    expect(app.requests.map(site)).toEqual([
      ['none', app.url],
      ['cross-site', 'null'],
    ])
  })

  test('are those of a browser that opens a page', async () => {
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
})
