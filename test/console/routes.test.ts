import { describe, expect, test } from 'vitest'
import { CONSOLE_PAGES } from '../../src/http/html/console-page.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const CONSOLE = '/_sandbox/console'
const PAGES = CONSOLE_PAGES.map(({ path }) => `${CONSOLE}/${path}`)

/** Bytes of pages that show a whole list: of every outcome and rule, and of every persona with its YAML. */
const BUDGETS: Readonly<Record<string, number>> = {
  [`${CONSOLE}/outcomes`]: 250_000,
  [`${CONSOLE}/rules`]: 250_000,
  [`${CONSOLE}/personas`]: 125_000,
}

describe('the console', () => {
  const sandbox = shareSandbox()

  test.each([...PAGES, '/', '/_sandbox/demo', `/t/qa${CONSOLE}/flows`])(
    '%s loads nothing from elsewhere, and no more bytes in all than it may',
    async (path) => {
      const { request } = sandbox()
      const answer = await request
        .get(path)
        .expect(200)
        .expect('Content-Type', /text\/html/)
      const policy = answer.headers['content-security-policy']
      expect(policy).toMatch(/^default-src 'none'/)
      expect(policy).not.toContain('unsafe')
      const links = tagsOf(answer.text).flatMap(({ name, attributes }) =>
        ['script', 'img', 'link'].includes(name) ? [attributes['src'] ?? attributes['href'] ?? ''] : [],
      )
      const loaded = await Promise.all([...new Set(links)].map((link) => request.get(link).responseType('blob')))
      expect(loaded.filter(({ status }) => status !== 200)).toEqual([])
      const bytes = loaded.reduce((sum, { body }) => sum + body.length, Buffer.byteLength(answer.text))
      expect(bytes).toBeLessThan(BUDGETS[path] ?? 100_000)
    },
  )

  test('The entrance of the console redirects to the flows', async () => {
    await sandbox().request.get(CONSOLE).expect(302).expect('Location', `${CONSOLE}/flows`)
  })

  test.each([
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
  ])('The form of %s given %o is shown again with the problem', async (page, fields, problem) => {
    const { status, text } = await createBrowserClient(sandbox().url).submit(`${CONSOLE}/${page}`, fields)
    expect(Math.floor(status / 100)).toBe(4)
    expect(byTestId(text, 'problem')).toHaveLength(1)
    expect(textOf(text)).toContain(problem)
  })

  test.each([[{ Origin: 'https://evil.example' }], [{ 'Sec-Fetch-Site': 'cross-site' }]])(
    'A form of the console from another site (%o) is refused with 403 and changes nothing',
    async (headers) => {
      await sandbox().request.post(`${CONSOLE}/clock`).set(headers).send('advance=60').expect(403)
      expect((await sandbox().clock.state()).advanced_seconds).toBe(0)
    },
  )

  test('A form of the console is refused with 415 when it is JSON', async () => {
    await sandbox().request.post(`${CONSOLE}/clock`).send({ advance: 60 }).expect(415)
  })
})

test('The console is closed beyond loopback without a control token', async () => {
  const { request } = await startSandbox({ host: '0.0.0.0' })
  await request.get(`${CONSOLE}/flows`).expect(403)
})

describe('beyond loopback', () => {
  const CONTROL_TOKEN = 'a-control-token-of-the-test'
  const sandbox = shareSandbox({ host: '0.0.0.0', controlToken: CONTROL_TOKEN })

  test('The console asks for the token on every page, and accepts it once for a browser', async () => {
    const browser = createBrowserClient(sandbox().url)
    for (const page of [CONSOLE, ...PAGES]) {
      const { status, text } = await browser.get(page)
      const asks = tagsOf(text).some(({ attributes }) => attributes['name'] === 'token')
      expect([page, status, asks]).toEqual([page, 401, true])
    }
    const send = async (page: string, fields: Readonly<Record<string, string>>) =>
      (await browser.submit(`${CONSOLE}/${page}`, fields)).status
    expect(await send('clock', { advance: '60' })).toBe(401)
    expect(await send('sign-in', { token: 'wrong' })).toBe(401)
    const signedIn = await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })
    expect(signedIn.status).toBe(303)
    const cookie = signedIn.get('Set-Cookie')?.join()
    expect(cookie).toMatch(/^agekey_sandbox_control=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(CONTROL_TOKEN)
    expect((await browser.get(`${CONSOLE}/flows`)).status).toBe(200)
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(404)
    await sandbox().tenant('qa').configure({})
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(200)
    expect(await send('clock', { advance: '60' })).toBe(303)
  })

  /** What a browser that signs in keeps. */
  const cookieOf = async (url: string, token: string) => {
    const signedIn = await createBrowserClient(url).submit(`${CONSOLE}/sign-in`, { token })
    return signedIn.get('Set-Cookie')?.[0]?.split(';')[0] ?? ''
  }
  const statusAt = async (address: string, Cookie: string) => {
    const answer = await fetch(address, { headers: { Cookie } })
    await answer.body?.cancel()
    return answer.status
  }

  test('The cookie of a sandbox with another token opens nothing', async () => {
    const other = await startSandbox({ host: '0.0.0.0', controlToken: 'another-token' })
    const cookie = await cookieOf(other.url, 'another-token')
    const statuses = [other.url, sandbox().url].map((url) => statusAt(`${url}${CONSOLE}/flows`, cookie))
    expect(await Promise.all(statuses)).toEqual([200, 401])
  })

  test('The cookie opens the console and its events, not the control API', async () => {
    const { url } = sandbox()
    const cookie = await cookieOf(url, CONTROL_TOKEN)
    expect(await statusAt(`${url}/_sandbox/events`, cookie)).toBe(200)
    expect(await statusAt(`${url}/_sandbox/flows`, cookie)).toBe(401)
  })
})
