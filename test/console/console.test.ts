import { describe, expect, it } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const CONSOLE = '/_sandbox/console'
const PAGES = ['flows', 'personas', 'outcomes', 'expectations', 'clock', 'rules', 'tenants']

const browserOf = (sandbox: TestSandbox) => createBrowserClient(sandbox.url)

describe('a page of the console', () => {
  it.each([...PAGES.map((page) => `${CONSOLE}/${page}`), '/', '/_sandbox/demo', `/t/qa${CONSOLE}/flows`])(
    '%s loads nothing from elsewhere, and less than 100 KB in all',
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
      expect(bytes).toBeLessThan(100_000)
    },
  )

  it('redirects from the entrance to the flows', async () => {
    const { request } = await startSandbox()
    const answer = await request.get(CONSOLE)
    expect([answer.status, answer.headers.location]).toEqual([302, `${CONSOLE}/flows`])
  })

  it('stays below 100 KB with large requests and answers', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.use({ sandbox_outcome: 'id_token.huge', response_mode: 'form_post' })
    const ages = Array.from({ length: 60 }, (_, index) => index)
    for (let count = 0; count < 50; count++) {
      await party.use({ state: 's'.repeat(3_000), claims: JSON.stringify({ age_thresholds: ages }) })
    }
    for (const path of ['flows/f1', 'flows/f2', 'flows']) {
      const { text } = await sandbox.request.get(`${CONSOLE}/${path}`)
      expect(Buffer.byteLength(text), path).toBeLessThan(70_000)
    }
  })

  it('answers an unknown flow with a page that names it', async () => {
    const { request } = await startSandbox()
    const answer = await request.get(`${CONSOLE}/flows/f99`).expect(404)
    expect(textOf(answer.text)).toContain('there is none with the id "f99"')
  })
})

describe('the flows page', () => {
  it('lists the flows of an app with their errors, and filters them', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.use({ state: 'good' })
    await sandbox.request.get('/v1/oidc/use').query('state=bad')
    const text = textOf((await sandbox.request.get(`${CONSOLE}/flows`)).text)
    expect(text.indexOf('bad')).toBeLessThan(text.indexOf('good'))
    expect(text).toMatch(/adult-passport → verified/)
    const filtered = textOf((await sandbox.request.get(`${CONSOLE}/flows?state=good`)).text)
    expect(filtered).not.toContain('bad')
  })

  it('shows why a request that breaks no rule is refused', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-61' }))
    const problem = 'there is no persona "teen-61"'
    expect(textOf((await sandbox.request.get(`${CONSOLE}/flows`)).text)).toMatch(new RegExp(`refused 400 .*${problem}`))
    const page = textOf((await sandbox.request.get(`${CONSOLE}/flows/f1`)).text)
    expect(page).toContain(problem)
    expect(page).toContain('Correct the request')
  })

  it('shows the newest 50 and leads to the older ones', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    for (let index = 1; index <= 51; index += 1) await party.use({ state: `state-${index}` })
    const flowsOn = (page: string) =>
      tagsOf(page).filter(({ attributes }) => /^flow-f\d+$/.test(attributes['data-testid'] ?? ''))
    const first = (await sandbox.request.get(`${CONSOLE}/flows`)).text
    expect(flowsOn(first)).toHaveLength(50)
    const older = tagsOf(first).find(({ attributes }) => attributes['href']?.startsWith('?before='))?.attributes['href']
    expect(older).toBe('?before=f2')
    expect(flowsOn((await sandbox.request.get(`${CONSOLE}/flows${older}`)).text)).toHaveLength(1)
  })
})

describe('the page of a flow', () => {
  it('explains token, decision and trace, and repeats each call without a secret', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.obtainToken()
    const page = (await sandbox.request.get(`${CONSOLE}/flows/f1`)).text
    const text = textOf(page)
    expect(text).toContain('child-12')
    expect(text).toContain('req_claims_hash')
    expect(text).toMatch(/needs 18 by age_thresholds\[2\], has 12/)
    expect(text).toContain(`curl -i '${sandbox.baseUrl}/v1/oidc/use/token'`)
    expect(text).toContain(`-u 'ak_test_sandbox:'"$AGE_CLIENT_SECRET"`)
    expect(text).not.toContain('sk_test_sandbox')
    expect(textOf(page)).toContain('call E5 with the access token within 10800 seconds')
  })

  it.each(['fragment', 'query', 'form_post'])('shows the id_token of a callback in mode %s', async (mode) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ response_mode: mode })
    expect(byTestId((await sandbox.request.get(`${CONSOLE}/flows/f1`)).text, 'id-token')).toHaveLength(1)
  })

  it.each([
    ['id_token.expired', 'refuse'],
    ['verified', 'accept'],
  ])('says of %s that a correct client has to %s it', async (outcome, verdict) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ sandbox_outcome: outcome })
    const page = (await sandbox.request.get(`${CONSOLE}/flows/f1`)).text
    expect(byTestId(page, 'verdict')).toHaveLength(1)
    expect(textOf(page)).toContain(`${verdict} A correct client ${verdict}s it`)
  })

  it('shows the outcome of a flow without an id_token', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ sandbox_persona: 'no-age-key', can_create: 'true' })
    expect(textOf((await sandbox.request.get(`${CONSOLE}/flows/f1`)).text)).toContain('Outcome create_requested')
  })
})

describe('the flow page of a request with a mistake', () => {
  it('advises to correct the request, not to try again', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ claims: '{}' }))
    const text = textOf((await sandbox.request.get(`${CONSOLE}/flows/f1`)).text)
    expect(text).toContain('Correct the request by the findings below')
    expect(text).not.toContain('offer to try again')
  })
})

describe('the personas page', () => {
  it('has the personas in the order of the choice page', async () => {
    const sandbox = await startSandbox()
    const choice = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const names = (page: string) =>
      tagsOf(page).flatMap(({ attributes }) => /^persona-(.+)/.exec(attributes['data-testid'] ?? '')?.[1] ?? [])
    expect(names((await sandbox.request.get(`${CONSOLE}/personas`)).text)).toEqual(names(choice.text))
  })
})

describe('a form of the console', () => {
  it('moves the clock and shows it again', async () => {
    const sandbox = await startSandbox()
    const browser = browserOf(sandbox)
    const before = await sandbox.clock.state()
    const answer = await browser.submit(`${CONSOLE}/clock`, { advance: '86400' })
    expect([answer.status, answer.headers.location]).toEqual([303, `${CONSOLE}/clock`])
    expect((await sandbox.clock.state()).advanced_seconds - before.advanced_seconds).toBe(86_400)
    await browser.submit(`${CONSOLE}/clock`, { set: '2030-01-01', freeze: 'true' })
    expect(await sandbox.clock.state()).toMatchObject({ now: '2030-01-01T00:00:00.000Z', frozen: true })
    await browser.submit(`${CONSOLE}/clock`, { reset: 'true' })
    expect(await sandbox.clock.state()).toMatchObject({ advanced_seconds: 0, frozen: false })
  })

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
  ])('of %s given %o says what is wrong, and keeps what was written', async (page, fields, problem) => {
    const sandbox = await startSandbox()
    const answer = await browserOf(sandbox).submit(`${CONSOLE}/${page}`, fields)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(byTestId(answer.text, 'problem')).toHaveLength(1)
    expect(textOf(answer.text)).toContain(problem)
  })

  it('queues an expectation and clears the queue', async () => {
    const sandbox = await startSandbox()
    const browser = browserOf(sandbox)
    await browser.submit(`${CONSOLE}/expectations`, {
      flow: 'use',
      persona: 'teen-16',
      outcome: '',
      state: 's',
      times: '2',
    })
    expect(await sandbox.expectations.list()).toMatchObject([
      { flow: 'use', persona: 'teen-16', times: 2, match: { state: 's' } },
    ])
    expect(textOf((await browser.get(`${CONSOLE}/expectations`)).text)).toContain('2 of 2')
    await browser.submit(`${CONSOLE}/expectations`, { clear: 'true' })
    expect(await sandbox.expectations.list()).toEqual([])
  })

  it('makes this browser act as a persona, until it stops', async () => {
    const sandbox = await startSandbox()
    const browser = browserOf(sandbox)
    const acting = await browser.submit(`${CONSOLE}/personas`, { persona: 'teen-16' })
    expect(acting.get('Set-Cookie')?.join()).toMatch(/^agekey_sandbox_persona=teen-16; .*HttpOnly/)
    expect(byTestId((await browser.get(acting.headers.location ?? '')).text, 'acting')).toHaveLength(1)
    const stopped = await browser.submit(`${CONSOLE}/personas`, { persona: '' })
    expect(stopped.get('Set-Cookie')?.join()).toMatch(/^agekey_sandbox_persona=; Max-Age=0/)
  })

  it('makes, resets and removes tenants', async () => {
    const sandbox = await startSandbox()
    const browser = browserOf(sandbox)
    await browser.submit(`${CONSOLE}/tenants`, { add: 'qa' })
    await sandbox.tenant('qa').next({ persona: 'teen-16' })
    await browser.submit(`${CONSOLE}/tenants`, { reset: 'qa' })
    expect(await sandbox.tenant('qa').expectations.list()).toEqual([])
    expect(textOf((await browser.get(`${CONSOLE}/tenants`)).text)).toContain('2 tenants')
    await browser.submit(`${CONSOLE}/tenants`, { remove: 'qa' })
    expect(textOf((await browser.get(`${CONSOLE}/tenants`)).text)).toContain('1 tenant ')
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
    const browser = browserOf(sandbox)
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
    expect((await browser.get(`/t/qa${CONSOLE}/flows`)).status).toBe(200)
    expect((await browser.submit(`${CONSOLE}/clock`, { advance: '60' })).status).toBe(303)
  })

  it('the cookie opens the console and its events, not the control API', async () => {
    const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: CONTROL_TOKEN })
    const browser = browserOf(sandbox)
    await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })
    expect((await browser.get('/_sandbox/flows')).status).toBe(401)
    const reader = new AbortController()
    const cookie = (await browser.submit(`${CONSOLE}/sign-in`, { token: CONTROL_TOKEN })).get('Set-Cookie')?.[0] ?? ''
    const events = await fetch(`${sandbox.url}/_sandbox/events`, { headers: { Cookie: cookie }, signal: reader.signal })
    expect(events.status).toBe(200)
    reader.abort()
  })
})
