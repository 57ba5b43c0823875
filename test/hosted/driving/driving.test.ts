import { describe, expect, test } from 'vitest'
import { openEndings, press, submit } from '../../support/forms.ts'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const TOKEN = 'not-a-real-token'
/** An outcome of E4, which a Use request with the upgrade scope leads to. */
const LATER = 'token.token_type_missing'

type Headers = Readonly<Record<string, string>>

const usePage = async (sandbox: TestSandbox, headers: Headers = {}) =>
  (await sandbox.request.get('/v1/oidc/use').query(upgradeRequest()).set(headers)).text
const upgradeRequest = (changes = {}) => useRequest({ scope: 'openid svc.upgrade', ...changes })

const post = (sandbox: TestSandbox, form: ReturnType<typeof press>, headers: Headers = {}) =>
  sandbox.request.post(form.action).set('Sec-Fetch-Site', 'same-origin').set(headers).send(String(form.fields))

/** A form of the page with other fields than its own, as anything but a browser can send it. */
function forged(page: string, action: string, fields: Readonly<Record<string, string>>) {
  const transaction = press(page, 'decline').fields.get('transaction') ?? ''
  return { action, fields: new URLSearchParams({ transaction, ...fields }) }
}
const clockForm = (page: string) => forged(page, '/v1/oidc/use/clock', { advance: '91' })
const laterForm = (page: string) => forged(page, '/v1/oidc/use/choice', { outcome: LATER })

/** How often the clock, the later outcome and the bar stand on a page and on that of its endings. */
const shows = async (sandbox: TestSandbox, page: string, headers: Headers = {}) => {
  const endings = await openEndings(sandbox, page, headers)
  return [byTestId(page, 'advance'), byTestId(endings, `outcome-${LATER}`), byTestId(page, 'driving-bar')].map(
    ({ length }) => length,
  )
}
const driven = async (sandbox: TestSandbox) => [
  (await sandbox.clock.state()).advanced_seconds,
  (await sandbox.expectations.list()).length,
]

/** Where calls may come from beyond this machine, and the headers of one that does. */
const BEYOND: readonly [string, Parameters<typeof startSandbox>[0], Headers][] = [
  ['where the sandbox listens beyond this machine', { host: '0.0.0.0' }, {}],
  ['with a base URL beyond this machine', { baseUrl: 'https://sandbox.example.com' }, { Host: 'sandbox.example.com' }],
  ['through a proxy', {}, { 'X-Forwarded-For': '203.0.113.9' }],
]

describe.each(BEYOND)('%s', (_sentence, options, headers) => {
  test('a hosted page moves no clock and queues nothing without the control token, and says so', async () => {
    for (const controlToken of [undefined, TOKEN]) {
      const sandbox = await startSandbox({ ...options, ...(controlToken === undefined ? {} : { controlToken }) })
      const page = await usePage(sandbox, headers)
      expect(await shows(sandbox, page, headers)).toEqual([0, 0, 1])
      expect(textOf(page)).toContain('Beyond its own machine they need the control token: sign in to the console')
      for (const form of [clockForm(page), laterForm(page)]) {
        const refused = await post(sandbox, form, headers)
        expect(refused.status).toBe(controlToken === undefined ? 403 : 401)
        expect(refused.text).toContain(controlToken === undefined ? '--control-token' : 'sign in to the console')
      }
      expect(await driven(sandbox)).toEqual([0, 0])
      // The request still waits, and every ending of its own needs no token.
      const endings = await openEndings(sandbox, page, headers)
      expect((await post(sandbox, press(endings, 'outcome-id_token.expired'), headers)).status).toBe(303)
    }
  })

  test('a browser that has signed in to the console drives the sandbox from a hosted page', async () => {
    const sandbox = await startSandbox({ ...options, controlToken: TOKEN })
    const signIn = sandbox.request.post('/_sandbox/console/sign-in').set(headers)
    const [cookie = ''] = (await signIn.type('form').send({ token: TOKEN })).get('Set-Cookie') ?? []
    const signedIn = { ...headers, Cookie: cookie.split(';')[0] ?? '' }
    const page = await usePage(sandbox, signedIn)
    expect(await shows(sandbox, page, signedIn)).toEqual([1, 1, 0])
    const moved = await post(sandbox, press(page, 'advance'), signedIn)
    expect([moved.status, await shows(sandbox, moved.text, signedIn)]).toEqual([200, [1, 1, 0]])
    const endings = await openEndings(sandbox, moved.text, signedIn)
    expect((await post(sandbox, press(endings, `outcome-${LATER}`), signedIn)).status).toBe(303)
    expect(await driven(sandbox)).toEqual([91, 1])
    // The cookie opens nothing at the endpoints of servers.
    await sandbox.request.get('/_sandbox/flows').set(signedIn).expect(401)
  })

  test('no address of a flow queues the outcome of a later call without the control token', async () => {
    const sandbox = await startSandbox({ ...options, controlToken: TOKEN })
    const ask = (sent: Headers, query: object) =>
      sandbox.request
        .get('/v1/oidc/use')
        .query(upgradeRequest(query))
        .set({ ...headers, ...sent })
    expect((await ask({}, { sandbox_outcome: LATER })).status).toBe(401)
    expect((await ask({ 'X-Sandbox-Outcome': LATER }, {})).status).toBe(401)
    expect(await driven(sandbox)).toEqual([0, 0])
    expect((await ask({}, { sandbox_outcome: 'id_token.expired' })).status).toBe(302)
    expect((await ask({ Authorization: `Bearer ${TOKEN}` }, { sandbox_outcome: LATER })).status).toBe(302)
    expect(await driven(sandbox)).toEqual([0, 1])
  })

  test('the Create page moves no clock either', async () => {
    const sandbox = await startSandbox(options)
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
    const page = await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri)).set(headers)
    expect(await shows(sandbox, page.text, headers)).toEqual([0, 0, 1])
    const form = forged(page.text, '/v1/oidc/create/clock', { advance: '91' })
    expect((await post(sandbox, form, headers)).status).toBe(403)
    expect((await post(sandbox, press(page.text, 'save'), headers)).status).toBe(303)
  })
})

describe('In an iframe, where another site can have the user click unawares,', () => {
  const framed = { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' }

  test('a hosted page moves no clock and queues nothing, says so, and ends its flow as ever', async () => {
    const sandbox = await startSandbox()
    const page = await usePage(sandbox, { ...framed, 'Sec-Fetch-Site': 'cross-site' })
    // A script asks for the endings without a header that says iframe.
    expect(await shows(sandbox, page)).toEqual([0, 0, 1])
    expect(textOf(page)).toContain('an iframe leaves them out')
    const byScript = { action: '/v1/oidc/use/clock', fields: new URLSearchParams(clockForm(page).fields) }
    byScript.fields.set('framed', 'true')
    for (const answer of [
      await post(sandbox, clockForm(page), framed),
      await post(sandbox, laterForm(page), framed),
      await submit(sandbox, byScript),
    ]) {
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('open it in a window of its own')])
    }
    const address = sandbox.request.get('/v1/oidc/use').query(upgradeRequest({ sandbox_outcome: LATER }))
    expect((await address.set(framed)).status).toBe(403)
    expect(await driven(sandbox)).toEqual([0, 0])
    expect((await post(sandbox, press(page, 'decline'), framed)).text).toContain('ended-in-iframe')
  })
})

test('On this machine a hosted page drives the sandbox without a token', async () => {
  const sandbox = await startSandbox({ controlToken: TOKEN })
  const page = await usePage(sandbox)
  expect(await shows(sandbox, page)).toEqual([1, 1, 0])
  await submit(sandbox, press(page, 'advance'))
  await submit(sandbox, press(await openEndings(sandbox, page), `outcome-${LATER}`))
  expect(await driven(sandbox)).toEqual([91, 1])
})

describe('A form of a hosted page that came by the host name', () => {
  const FORMS = [
    ['clock', { advance: '91' }],
    ['language', { language: 'de' }],
    ['continue', {}],
    ['choice', { persona: 'teen-16' }],
  ] as const
  const answers = async (sandbox: TestSandbox, host: string) => {
    const statuses: number[] = []
    for (const [name, fields] of FORMS) {
      const page = await usePage(sandbox, { Host: host })
      statuses.push((await post(sandbox, forged(page, `/v1/oidc/use/${name}`, fields), { Host: host })).status)
    }
    return statuses
  }

  test.each(['evil.example', 'evil.example:2435', '127.0.0.1.evil.example', 'localhost.evil.example', 'evil'])(
    '%s, which was made to resolve to this machine, is refused',
    async (host) => {
      const sandbox = await startSandbox()
      expect(await answers(sandbox, host)).toEqual([403, 403, 403, 403])
      const page = await usePage(sandbox, { Host: host })
      expect((await post(sandbox, press(page, 'decline'), { Host: host })).text).toContain(
        'is not a name of this sandbox; use localhost, an IP address, the base URL or the internal URL',
      )
      expect(await driven(sandbox)).toEqual([0, 0])
    },
  )

  test.each(['localhost:1', '127.0.0.1', '[::1]', 'age.example', 'agekey-sandbox:2435'])(
    '%s, a name of the sandbox, is taken',
    async (host) => {
      const sandbox = await startSandbox({ internalUrl: 'http://agekey-sandbox:2435', baseUrl: 'http://age.example' })
      expect((await answers(sandbox, host)).slice(1)).toEqual([200, 200, 303])
    },
  )

  test.each(['192.168.1.7:2435', '[2001:db8::7]', 'shop.localhost'])(
    '%s, which nobody can make resolve to this machine, ends its flow',
    async (host) => {
      expect((await answers(await startSandbox({ host: '0.0.0.0' }), host)).slice(1)).toEqual([200, 200, 303])
    },
  )

  test('that a trusted proxy names is the host name', async () => {
    const sandbox = await startSandbox({ trustProxy: ['loopback'], baseUrl: 'https://age.example' })
    const page = await usePage(sandbox)
    const by = (host: string) => ({ Host: 'localhost', 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'https' })
    expect((await post(sandbox, press(page, 'decline'), by('evil.example'))).status).toBe(403)
    expect((await post(sandbox, press(page, 'decline'), by('age.example'))).status).toBe(303)
  })
})
