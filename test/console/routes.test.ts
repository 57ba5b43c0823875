import { describe, expect, it } from 'vitest'
import { CONSOLE_PAGES } from '../../src/http/html/console-page.ts'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const CONSOLE = '/_sandbox/console'
const PAGES = CONSOLE_PAGES.map(({ path }) => path)

/** Bytes of pages that show a whole list: of every outcome and rule, and of every persona with its YAML. */
const BUDGETS: Readonly<Record<string, number>> = {
  [`${CONSOLE}/outcomes`]: 250_000,
  [`${CONSOLE}/rules`]: 250_000,
  [`${CONSOLE}/personas`]: 125_000,
}

describe('a page of the console', () => {
  it.each([...PAGES.map((page) => `${CONSOLE}/${page}`), '/', '/_sandbox/demo', `/t/qa${CONSOLE}/flows`])(
    '%s loads nothing from elsewhere, and no more bytes in all than it may',
    async (path) => {
      const sandbox = await startSandbox()
      const answer = await sandbox.request.get(path).expect(200)
      expect(answer.headers['content-type']).toContain('text/html')
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'/)
      expect(answer.headers['content-security-policy']).not.toContain('unsafe')
      const links = tagsOf(answer.text).flatMap(({ name, attributes }) =>
        ['script', 'img', 'link'].includes(name) ? [attributes['src'] ?? attributes['href'] ?? ''] : [],
      )
      const loaded = await Promise.all(
        [...new Set(links)].map((link) => sandbox.request.get(link).responseType('blob')),
      )
      expect(loaded.filter(({ status }) => status !== 200)).toEqual([])
      const bytes = loaded.reduce((sum, { body }) => sum + body.length, Buffer.byteLength(answer.text))
      expect(bytes).toBeLessThan(BUDGETS[path] ?? 100_000)
    },
  )

  it('redirects from the entrance to the flows', async () => {
    const { request } = await startSandbox()
    const answer = await request.get(CONSOLE)
    expect([answer.status, answer.headers.location]).toEqual([302, `${CONSOLE}/flows`])
  })
})

describe('a form of the console', () => {
  it.each([
    ['clock', { set: 'tomorrow' }, 'must be an ISO 8601 date'],
    ['clock', { advance: 'soon' }, 'advance'],
    ['clock', { advance: '1e15' }, 'advance'],
    ['clock', {}, 'give at least one'],
    ['expectations', { flow: 'use', outcome: 'verifed' }, 'Did you mean'],
    ['expectations', { flow: 'use' }, 'give persona, outcome or both'],
    ['tenants', { add: 'Bad Name' }, 'is not a name'],
    ['tenants', { remove: 'nobody' }, 'there is no'],
    ['personas', { persona: 'teen-61' }, 'there is no'],
    ['scenarios', {}, 'paste its YAML'],
    ['scenarios', { yaml: 'name: x\nsteps:\n  - await: tokn' }, 'line 3: steps[0].await'],
    ['scenarios', { yaml: 'name: x\nsteps:\n  - decide: { flow: use, persona: teen-61 }' }, 'teen-16'],
  ])('of %s given %o is shown again with the problem', async (page, fields, problem) => {
    const sandbox = await startSandbox()
    const answer = await createBrowserClient(sandbox.url).submit(`${CONSOLE}/${page}`, fields)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(byTestId(answer.text, 'problem')).toHaveLength(1)
    expect(textOf(answer.text)).toContain(problem)
  })

  it.each([[{ Origin: 'https://evil.example' }], [{ 'Sec-Fetch-Site': 'cross-site' }]])(
    'from another site (%o) is refused with 403 and changes nothing',
    async (headers) => {
      const sandbox = await startSandbox()
      const body = new URLSearchParams({ advance: '60' })
      await sandbox.request.post(`${CONSOLE}/clock`).set(headers).send(String(body)).expect(403)
      expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
    },
  )

  it('is refused with 415 when it is JSON', async () => {
    const { request } = await startSandbox()
    await request.post(`${CONSOLE}/clock`).send({ advance: 60 }).expect(415)
  })
})

describe('beyond loopback', () => {
  const CONTROL_TOKEN = 'a-control-token-of-the-test'

  it('is closed without a control token', async () => {
    const { request } = await startSandbox({ host: '0.0.0.0' })
    await request.get(`${CONSOLE}/flows`).expect(403)
  })

  it('asks for the token on every page, and accepts it once for a browser', async () => {
    const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: CONTROL_TOKEN })
    const browser = createBrowserClient(sandbox.url)
    for (const page of ['', ...PAGES.map((name) => `/${name}`)]) {
      const answer = await browser.get(CONSOLE + page)
      expect([answer.status, tagsOf(answer.text).some(({ attributes }) => attributes['name'] === 'token')]).toEqual([
        401,
        true,
      ])
    }
    expect((await browser.submit(`${CONSOLE}/clock`, { advance: '60' })).status).toBe(401)
    expect((await browser.submit(`${CONSOLE}/sign-in`, { token: 'wrong' })).status).toBe(401)
    const signedIn = await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })
    expect(signedIn.status).toBe(303)
    expect(signedIn.get('Set-Cookie')?.join()).toMatch(
      /^agekey_sandbox_control=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(signedIn.get('Set-Cookie')?.join()).not.toContain(CONTROL_TOKEN)
    expect((await browser.get(`${CONSOLE}/flows`)).status).toBe(200)
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(404)
    await sandbox.tenant('qa').configure({})
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(200)
    expect((await browser.submit(`${CONSOLE}/clock`, { advance: '60' })).status).toBe(303)
  })

  it('the cookie of a sandbox with another token opens nothing', async () => {
    const other = await startSandbox({ host: '0.0.0.0', controlToken: 'another-token' })
    const signedIn = await createBrowserClient(other.url).submit(`${CONSOLE}/sign-in`, { token: 'another-token' })
    const [Cookie = ''] = signedIn.get('Set-Cookie')?.map((cookie) => cookie.split(';')[0] ?? '') ?? []
    const statusAt = async (url: string) => (await fetch(`${url}${CONSOLE}/flows`, { headers: { Cookie } })).status
    const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: CONTROL_TOKEN })
    expect([await statusAt(other.url), await statusAt(sandbox.url)]).toEqual([200, 401])
  })

  it('the cookie opens the console and its events, not the control API', async () => {
    const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: CONTROL_TOKEN })
    const browser = createBrowserClient(sandbox.url)
    await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })
    expect((await browser.get('/_sandbox/flows')).status).toBe(401)
    const reader = new AbortController()
    const cookie = (await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })).get('Set-Cookie')?.[0] ?? ''
    const events = await fetch(`${sandbox.url}/_sandbox/events`, { headers: { Cookie: cookie }, signal: reader.signal })
    expect(events.status).toBe(200)
    reader.abort()
  })
})
