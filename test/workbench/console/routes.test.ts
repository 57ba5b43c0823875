import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CONSOLE_PAGES } from '../../../src/server/http/console-page.ts'
import { createBrowserClient } from '../../support/browser-client.ts'
import type { Answer } from '../../support/http-client.ts'
import { byTestId, decodeReferences, tagsOf, textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'
import { WEB_SHOP } from './views.ts'

const CONSOLE = '/_sandbox/console'
const PAGES = CONSOLE_PAGES.filter(({ path }) => path !== 'docs').map(
  ({ path }) => `${CONSOLE}/${path}`,
)
const DOCS = [
  '/_sandbox/docs',
  '/_sandbox/docs/outcomes',
  '/_sandbox/docs/readme',
  '/_sandbox/docs/search?q=code',
]

const WEIGHED = [...PAGES, ...DOCS, '/', '/_sandbox/demo', `/t/qa${CONSOLE}/flows`]
const MAX_BYTES = 100_000

/** The pages with the status strip. */
const FRAMED = ['/', '/_sandbox/demo', '/_sandbox/docs', ...PAGES]
const STATUS = `${CONSOLE}/status`

const sandbox = await shareSandbox()
const read = async (path = '/') => (await sandbox.request.get(path)).text

test.each(WEIGHED)(
  'The page %s weighs at most 100 KB with its style sheets and scripts',
  async (path) => {
    const { headers } = await sandbox.request.head(path).set('Accept-Encoding', 'gzip').expect(200)
    const { text } = await sandbox.request.get(path).expect('Content-Type', /text\/html/)
    const files = [...new Set(text.match(/(?<=_sandbox\/assets\/)[^"]+/g))]
    const sizes = files.map(
      (file) => statSync(new URL(`../../../public/${file}`, import.meta.url)).size,
    )
    expect(files).toContain('console.css')
    expect(sizes.reduce((sum, size) => sum + size, Number(headers['content-length']))).toBeLessThan(
      MAX_BYTES,
    )
  },
)

test('Every link of the console leads to the part that the link names', async () => {
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-16' }))
  await sandbox.next({ persona: 'teen-16' })
  const [flow] = await sandbox.flows.list()
  const pages = new Map<string, Promise<Answer>>()
  const open = (path: string) => {
    const page = pages.get(path) ?? sandbox.request.get(path).then()
    pages.set(path, page)
    return page
  }
  const dead: string[] = []
  for (const from of [...WEIGHED, `${CONSOLE}/flows/${flow?.id}`]) {
    const hrefs = tagsOf((await open(from)).text).flatMap(({ name, attributes }) =>
      name === 'a' ? (attributes['href'] ?? []) : [],
    )
    for (const { origin, pathname, search, hash } of hrefs.map(
      (href) => new URL(href, sandbox.baseUrl + from),
    )) {
      // An address of each of 300 outcomes takes seconds: their table has a test of its own.
      if (
        origin !== sandbox.baseUrl ||
        pathname.includes('/outcomes/') ||
        search.includes('outcome=')
      )
        continue
      const { status, text } = await open(pathname + search)
      const isThere = hash === '' || text.includes(`id="${decodeURIComponent(hash.slice(1))}"`)
      if (status >= 400 || !isThere) dead.push(`${from} -> ${pathname}${search}${hash}: ${status}`)
    }
  }
  expect(dead).toEqual([])
})

test('The entrance of the console redirects to the flows', async () => {
  await sandbox.request.get(CONSOLE).expect(302).expect('Location', `${CONSOLE}/flows`)
})

test.each([
  ['force', { set: 'tomorrow' }, 'must be an ISO 8601 date'],
  ['force', { advance: '' }, 'write a date to go to, or the seconds that shall pass'],
  [
    'force',
    { flow: 'use', persona: 'teen-16', times: 'twice' },
    'times: expected a number, found the text "twice"',
  ],
  ['force', { flow: 'use', outcome: 'verifed' }, 'Did you mean'],
  ['tenants', { add: 'Bad Name' }, 'is not a name'],
  ['tenants', { remove: 'nobody' }, 'there is no'],
  ['personas', { persona: 'teen-61' }, 'there is no'],
  [
    'force',
    { arm: 'true', yaml: 'name: x\nsteps:\n  - await: tokn' },
    /line 3: steps\[0\]\.await.*name: x steps:/,
  ],
])(
  'The console form of %s given %o is shown again with the problem',
  async (page, fields, problem) => {
    const { status, text } = await createBrowserClient(sandbox.baseUrl).submit(
      `${CONSOLE}/${page}`,
      fields,
    )
    expect(Math.floor(status / 100)).toBe(4)
    expect(byTestId(text, 'problem')).toHaveLength(1)
    expect(textOf(text)).toMatch(problem)
  },
)

test('A form of the console from another site is refused', async () => {
  const post = () => sandbox.request.post(`${CONSOLE}/force`)
  await post().set('Sec-Fetch-Site', 'cross-site').send('advance=60').expect(403)
})

test('JSON is refused by the forms of the console', async () => {
  const post = () => sandbox.request.post(`${CONSOLE}/force`)
  await sandbox.clock.reset()
  await post().send({ advance: 60 }).expect(415)
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
})

test('The home page is the list of flows, with an .env block to paste above the list until the first flow has come', async () => {
  const empty = await read()
  const [, environment = ''] = /<pre><code>([^<]*)<\/code>/.exec(empty) ?? []
  expect(decodeReferences(environment).split('\n')).toEqual([
    `AGE_BASE_URL=${sandbox.baseUrl}`,
    'AGE_CLIENT_ID=ak_test_sandbox',
    'AGE_CLIENT_SECRET=sk_test_sandbox',
    `AGE_ISSUER=${sandbox.baseUrl}/v1/oidc/use`,
    `AGE_JWKS_URI=${sandbox.baseUrl}/.well-known/jwks.json`,
  ])
  expect(byTestId(empty, 'try-it')[0]?.attributes['href']).toBe('/_sandbox/demo')
  expect(byTestId(empty, 'no-flows')).toHaveLength(1)
  expect(byTestId(await read('/?q=nothing'), 'try-it')).toEqual([])
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-16' }))
  const page = await read()
  const id = `flow-${(await sandbox.flows.last())?.id}`
  expect(byTestId(page, id)).toHaveLength(1)
  expect(byTestId(page, 'try-it')).toHaveLength(0)
  // The choice page links to it.
  expect(tagsOf(page).map(({ attributes }) => attributes['id'])).toContain('age-keys')
})

test('The home page leads by six entries to every page of the console', async () => {
  const entries = [...(await read()).matchAll(/<nav class="menu"[^>]*>(.*?)<\/nav>/gs)].flatMap(
    ([, menu = '']) => tagsOf(menu).flatMap(({ attributes }) => attributes['href'] ?? []),
  )
  const names = [
    'console/flows',
    'console/personas',
    'console/force',
    'console/audit',
    'console/setup',
    'docs',
  ]
  expect(entries).toEqual(names.map((name) => `/_sandbox/${name}`))
})

test('Beyond this machine the home page shows neither flows nor the secret of the config, unless the browser has signed in', async () => {
  const readHome = async (options: Parameters<typeof startSandbox>[0]) => {
    const { request, url } = await startSandbox({
      clients: [WEB_SHOP],
      builtinClient: false,
      ...options,
    })
    const [redirect_uri] = WEB_SHOP.redirectUris
    const before = (await request.get('/')).text
    await request
      .get('/v1/oidc/use')
      .query(useRequest({ nonce: undefined, client_id: 'web-shop', redirect_uri }))
    const browser = createBrowserClient(url)
    const after = (await browser.get('/')).text
    await browser.submit('/_sandbox/console/sign-in', { token: 'a-token-of-the-test' })
    return [before, after, (await browser.get('/')).text].map(textOf)
  }
  const here = await readHome({})
  const beyond = await readHome({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  const shows = (text: string) => [...here, ...beyond].map((page) => page.includes(text))
  expect(shows(WEB_SHOP.clientSecret)).toEqual([true, false, false, false, false, false])
  expect(shows('nonce is missing')).toEqual([false, true, true, false, false, true])
})

test.each(FRAMED)(
  'The page %s shows what is set, and has a button that takes it back',
  async (path) => {
    const browser = createBrowserClient(sandbox.baseUrl)
    const calm = await browser.get(path)
    expect(calm.status).toBe(200)
    expect(byTestId(calm.text, 'nothing-set')).toHaveLength(1)
    await sandbox.clock.advance(86_400)
    await browser.submit('/_sandbox/console/personas', { persona: 'teen-16' })
    const { text } = await browser.get(`${path}?q=x`)
    expect(textOf(text)).toMatch(/Clock \+1 day .*Acting as teen-16/)
    expect(text).toContain(`name="here" value="${path}?q=x"`)
    const answer = await browser.submit(STATUS, { take_back: 'clock', here: `${path}?q=x` })
    expect(answer.status).toBe(303)
    expect(answer.headers.location).toBe(`${path}?q=x`)
    expect(byTestId((await browser.get(path)).text, 'mode-clock')).toEqual([])
    await browser.submit(STATUS, { take_back: 'acting', here: path })
    expect(byTestId((await browser.get(path)).text, 'nothing-set')).toHaveLength(1)
  },
)

test.each([
  '//evil.example/_sandbox/console/',
  'https://evil.example/',
  '/_sandbox/..//evil.example',
  '/v1/oidc/use',
  '',
  '/\\evil',
])('Taking a mode back never leads to %j, which is no page of this sandbox', async (here) => {
  const answer = await createBrowserClient(sandbox.baseUrl).submit(STATUS, {
    take_back: 'clock',
    here,
  })
  expect(answer.status).toBe(303)
  expect(answer.headers.location).toBe('/_sandbox/console')
})

test('A mode is taken back in its own tenant alone', async () => {
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.tenant('qa').next({ persona: 'teen-16' })
  const here = '/t/qa/_sandbox/console/force'
  const browser = createBrowserClient(sandbox.baseUrl)
  const takeBack = async (mode: string) =>
    (await browser.submit(`/t/qa${STATUS}`, { take_back: mode, here })).headers.location
  expect(byTestId((await browser.get(here)).text, 'mode-tenant')).toHaveLength(1)
  expect(await takeBack('expectations')).toBe(here)
  const queues = [await sandbox.tenant('qa').expectations.list(), await sandbox.expectations.list()]
  expect(queues.map(({ length }) => length)).toEqual([0, 1])
})

test('A mode of the address is taken back by leaving the tenant', async () => {
  const here = '/t/qa/_sandbox/console/force'
  const browser = createBrowserClient(sandbox.baseUrl)
  const takeBack = async (mode: string) =>
    (await browser.submit(`/t/qa${STATUS}`, { take_back: mode, here })).headers.location
  expect(await takeBack('tenant')).toBe('/_sandbox/console')
})

test('The open pages name nothing that is queued beyond this machine', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.clock.advance(86_400)
  const browser = createBrowserClient(sandbox.baseUrl)
  const { text } = await browser.get('/_sandbox/demo')
  expect(byTestId(text, 'mode-clock')).toHaveLength(1)
  expect(byTestId(text, 'mode-expectations')).toHaveLength(0)
})

test('Only a user who has signed in takes a mode back beyond this machine', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  await sandbox.clock.advance(86_400)
  const browser = createBrowserClient(sandbox.baseUrl)
  expect((await browser.submit(STATUS, { take_back: 'clock' })).status).toBe(401)
})

describe('Beyond loopback', async () => {
  const CONTROL_TOKEN = 'a-control-token-of-the-test'
  const sandbox = await shareSandbox({ host: '0.0.0.0', controlToken: CONTROL_TOKEN })

  test('The console asks for the token on every page beyond loopback', async () => {
    const browser = createBrowserClient(sandbox.baseUrl)
    for (const page of [CONSOLE, ...PAGES]) {
      const { status, text } = await browser.get(page)
      const asks = tagsOf(text).some(({ attributes }) => attributes['name'] === 'token')
      expect(status, page).toBe(401)
      expect(asks, page).toBe(true)
    }
  })

  test('The console accepts the token once for a browser', async () => {
    const browser = createBrowserClient(sandbox.baseUrl)
    const send = async (page: string, fields: Readonly<Record<string, string>>) =>
      (await browser.submit(`${CONSOLE}/${page}`, fields)).status
    expect(await send('force', { advance: '60' })).toBe(401)
    expect(await send('sign-in', { token: 'wrong' })).toBe(401)
    const signedIn = await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })
    expect(signedIn.status).toBe(303)
    const cookie = signedIn.get('Set-Cookie')?.join()
    expect(cookie).toMatch(/^agekey_sandbox_control=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(CONTROL_TOKEN)
    expect((await browser.get(`${CONSOLE}/flows`)).status).toBe(200)
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(404)
    await sandbox.tenant('qa').configure({})
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(200)
    expect(await send('force', { advance: '60' })).toBe(303)
  })

  test('The cookie of a sign-in by https goes to the base path alone', async () => {
    const { url } = await startSandbox({
      baseUrl: 'https://sandbox.example/age',
      controlToken: CONTROL_TOKEN,
    })
    const signedIn = await createBrowserClient(url).submit(`/age${CONSOLE}/sign-in`, {
      token: CONTROL_TOKEN,
    })
    expect(signedIn.get('Set-Cookie')?.join()).toMatch(
      /; Path=\/age; HttpOnly; Secure; SameSite=Strict$/,
    )
  })

  test('A browser that signs in at a tenant is signed in to the whole sandbox', async () => {
    await sandbox.tenant('signed-in').configure({})
    const browser = createBrowserClient(sandbox.baseUrl)
    await browser.submit(`/t/signed-in${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })
    expect((await browser.get(`/t/signed-in${CONSOLE}/flows`)).status).toBe(200)
    expect((await browser.get(`${CONSOLE}/flows`)).status).toBe(200)
  })

  test('The cookie of a sign-in opens the console with its events alone', async () => {
    const { url } = sandbox
    const signedIn = await createBrowserClient(url).submit(`${CONSOLE}/sign-in`, {
      token: CONTROL_TOKEN,
    })
    const Cookie = signedIn.get('Set-Cookie')?.[0]?.split(';')[0] ?? ''
    const statusAt = async (path: string, origin = url) => {
      const answer = await fetch(`${origin}/_sandbox/${path}`, { headers: { Cookie } })
      await answer.body?.cancel()
      return answer.status
    }
    const statuses = ['console/flows', 'events', 'flows'].map((path) => statusAt(path))
    expect(await Promise.all(statuses)).toEqual([200, 200, 401])
  })

  test('The cookie of a sign-in opens no other sandbox', async () => {
    const { url } = sandbox
    const signedIn = await createBrowserClient(url).submit(`${CONSOLE}/sign-in`, {
      token: CONTROL_TOKEN,
    })
    const Cookie = signedIn.get('Set-Cookie')?.[0]?.split(';')[0] ?? ''
    const statusAt = async (path: string, origin = url) => {
      const answer = await fetch(`${origin}/_sandbox/${path}`, { headers: { Cookie } })
      await answer.body?.cancel()
      return answer.status
    }
    const other = await startSandbox({ host: '0.0.0.0', controlToken: 'another-token' })
    expect(await statusAt('console/flows', other.url)).toBe(401)
  })
})
