import { expect, test } from 'vitest'
import { openEndings, press, submit } from '../../support/forms.ts'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const TOKEN = 'not-a-real-token'
/** An outcome of E4, which a Use request with the upgrade scope leads to. */
const LATER = 'token.token_type_missing'

type Headers = Readonly<Record<string, string>>
const local = await shareSandbox()

const ask = ({ request }: TestSandbox, headers: Headers, changes = {}) =>
  request
    .get('/v1/oidc/use')
    .query(useRequest({ scope: 'openid svc.upgrade', ...changes }))
    .set(headers)
const usePage = async (sandbox: TestSandbox, headers: Headers = {}) =>
  (await ask(sandbox, headers)).text
const post = (sandbox: TestSandbox, form: ReturnType<typeof press>, headers: Headers = {}) =>
  sandbox.request
    .post(form.action)
    .set('Sec-Fetch-Site', 'same-origin')
    .set(headers)
    .send(String(form.fields))

/** A form of the page with other fields than its own, as anything but a browser can send it. */
function forged(page: string, action: string, fields: Readonly<Record<string, string>>) {
  const transaction = press(page, 'decline').fields.get('transaction') ?? ''
  return { action, fields: new URLSearchParams({ transaction, ...fields }) }
}
const laterForm = (page: string) => forged(page, '/v1/oidc/use/choice', { outcome: LATER })

/** How often the later outcome and the bar stand on a page and on that of its endings. */
const shows = async (sandbox: TestSandbox, page: string, headers: Headers = {}) => {
  const endings = await openEndings(sandbox, page, headers)
  const places = [byTestId(endings, `outcome-${LATER}`), byTestId(page, 'driving-bar')]
  return places.map(({ length }) => length)
}
const driven = async ({ expectations }: TestSandbox) => (await expectations.list()).length

/** Where calls may come from beyond this machine, and the headers of one that does. */
const BEYOND: readonly [string, Parameters<typeof startSandbox>[0], Headers][] = [
  ['Where the sandbox listens beyond this machine', { host: '0.0.0.0' }, {}],
  [
    'With a base URL beyond this machine',
    { baseUrl: 'https://sandbox.example.com' },
    { Host: 'sandbox.example.com' },
  ],
  ['Through a proxy', {}, { 'X-Forwarded-For': '203.0.113.9' }],
]

test.each(BEYOND)(
  '%s a hosted page drives nothing for a user who has not signed in',
  async (_, options, headers) => {
    for (const [settings, status, reason] of [
      [{}, 403, '--control-token'],
      [{ controlToken: TOKEN }, 401, 'sign in to the console'],
    ] as const) {
      const sandbox = await startSandbox({ ...options, ...settings })
      const page = await usePage(sandbox, headers)
      const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
      const create = (
        await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri)).set(headers)
      ).text
      for (const one of [page, create]) {
        expect(await shows(sandbox, one, headers)).toEqual([0, 1])
        expect(textOf(one)).toContain(
          'Beyond its own machine they need the control token: sign in to the console',
        )
      }
      const refused = await post(sandbox, laterForm(page), headers)
      expect(refused.status).toEqual(status)
      expect(refused.text).toContain(reason)
      expect((await ask(sandbox, headers, { sandbox_outcome: LATER })).status).toBe(status)
      expect((await ask(sandbox, { ...headers, 'X-Sandbox-Outcome': LATER })).status).toBe(status)
      expect(await driven(sandbox)).toBe(0)
      // The requests still wait, and what ends a request needs no token.
      const ending = press(await openEndings(sandbox, page, headers), 'outcome-id_token.expired')
      for (const form of [ending, press(create, 'save')])
        expect((await post(sandbox, form, headers)).status).toBe(303)
      expect((await ask(sandbox, headers, { sandbox_outcome: 'id_token.expired' })).status).toBe(
        302,
      )
    }
  },
)

test.each(BEYOND)(
  '%s a browser that has signed in to the console drives the sandbox',
  async (_, options, headers) => {
    const sandbox = await startSandbox({ ...options, controlToken: TOKEN })
    const signIn = sandbox.request.post('/_sandbox/console/sign-in').set(headers)
    const [cookie = ''] = (await signIn.type('form').send({ token: TOKEN })).get('Set-Cookie') ?? []
    const signedIn = { ...headers, Cookie: cookie.split(';')[0] ?? '' }
    const page = await usePage(sandbox, signedIn)
    expect(await shows(sandbox, page, signedIn)).toEqual([1, 0])
    const endings = await openEndings(sandbox, page, signedIn)
    expect((await post(sandbox, press(endings, `outcome-${LATER}`), signedIn)).status).toBe(303)
    expect(await driven(sandbox)).toBe(1)
    const byToken = await ask(
      sandbox,
      { ...headers, Authorization: `Bearer ${TOKEN}` },
      { sandbox_outcome: LATER },
    )
    expect(byToken.status).toBe(302)
    expect(await driven(sandbox)).toBe(2)
    // The cookie opens nothing at the endpoints of servers.
    await sandbox.request.get('/_sandbox/flows').set(signedIn).expect(401)
  },
)

test('A hosted page in an iframe offers no endings', async () => {
  const framed = { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' }
  const page = await usePage(local, { ...framed, 'Sec-Fetch-Site': 'cross-site' })
  // A script asks for the endings without a header that says iframe.
  expect(await shows(local, page)).toEqual([0, 1])
  expect(textOf(page)).toContain('an iframe leaves them out')
  const inGerman = forged(page, '/v1/oidc/use/language', { language: 'de', framed: 'true' })
  expect(await shows(local, (await submit(local, inGerman)).text)).toEqual([0, 1])
})

test('An ending from within an iframe is refused', async () => {
  const framed = { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' }
  const page = await usePage(local, { ...framed, 'Sec-Fetch-Site': 'cross-site' })
  const byScript = laterForm(page)
  byScript.fields.set('framed', 'true')
  for (const answer of [
    await post(local, laterForm(page), framed),
    await submit(local, byScript),
  ]) {
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('open it in a window of its own')
  }
  expect((await ask(local, framed, { sandbox_outcome: LATER })).status).toBe(403)
  expect(await driven(local)).toBe(0)
})

test('A choice in an iframe ends the flow with a page', async () => {
  const framed = { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' }
  const page = await usePage(local, { ...framed, 'Sec-Fetch-Site': 'cross-site' })
  expect((await post(local, press(page, 'decline'), framed)).text).toContain('ended-in-iframe')
})

const FORMS = [
  ['language', { language: 'de' }],
  ['continue', {}],
  ['choice', { persona: 'teen-16' }],
] as const

test('No form of a hosted page is taken at a host name that was made to resolve to this machine', async () => {
  const Host = '127.0.0.1.evil.example'
  for (const [name, fields] of FORMS) {
    const form = forged(await usePage(local, { Host }), `/v1/oidc/use/${name}`, fields)
    const { status, text } = await post(local, form, { Host })
    const names =
      'is not a name of this sandbox; use localhost, an IP address, the base URL or the internal URL'
    expect(status, name).toBe(403)
    expect(text, name).toContain(names)
  }
  expect(await driven(local)).toBe(0)
})

test('A form of a hosted page that came by a host name of this sandbox ends its flow', async () => {
  const addresses = { internalUrl: 'http://agekey-sandbox:2435', baseUrl: 'http://age.example' }
  const sandbox = await startSandbox({ host: '0.0.0.0', ...addresses })
  const named = ['localhost:1', 'age.example', 'agekey-sandbox:2435', 'shop.localhost']
  for (const Host of [...named, '127.0.0.1', '192.168.1.7:2435', '[::1]', '[2001:db8::7]']) {
    const form = press(await usePage(sandbox, { Host }), 'decline')
    expect((await post(sandbox, form, { Host })).status, Host).toBe(303)
  }
})

test('The host name that a trusted proxy names decides whether a form of a hosted page is taken', async () => {
  const sandbox = await startSandbox({ trustProxy: ['loopback'], baseUrl: 'https://age.example' })
  const form = press(await usePage(sandbox), 'decline')
  const by = (host: string) => ({
    Host: 'localhost',
    'X-Forwarded-Host': host,
    'X-Forwarded-Proto': 'https',
  })
  expect((await post(sandbox, form, by('evil.example'))).status).toBe(403)
  expect((await post(sandbox, form, by('age.example'))).status).toBe(303)
})
