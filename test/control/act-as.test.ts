import { expect, test } from 'vitest'
import { press, submit } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

test('the cookie makes this browser act as the persona until DELETE clears it', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/_sandbox/act-as/teen-16').set('Accept', 'application/json')
  expect(answer.body).toEqual({ persona: 'teen-16' })
  const cookie = answer.get('Set-Cookie')?.[0] ?? ''
  expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16;/)
  expect(cookie).toMatch(/HttpOnly/i)
  expect(cookie).toMatch(/SameSite=Lax/i)
  await sandbox.request
    .get('/v1/oidc/use')
    .set('Cookie', cookie.split(';', 1)[0] ?? '')
    .query(useRequest())
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'verified' })

  const cleared = await sandbox.request.delete('/_sandbox/act-as')
  expect([cleared.status, cleared.get('Set-Cookie')]).toEqual([204, CLEARED])
})

/** All its cookies, to be removed by the browser. */
const CLEARED = ['persona', 'outcome', 'acting'].map((part) =>
  expect.stringMatching(`^agekey_sandbox_${part}=; Max-Age=0;`),
)

const cookiesOf = (answer: Answer) => (answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';', 1)[0] ?? '')

test('with an outcome it sets a second cookie, which ends the flows of the browser that can have it', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/_sandbox/act-as/no-age-key?outcome=create_requested')
  expect(answer.body).toEqual({ persona: 'no-age-key', outcome: 'create_requested' })
  const Cookie = cookiesOf(answer).slice(0, 2).join('; ')
  expect(Cookie).toBe('agekey_sandbox_persona=no-age-key; agekey_sandbox_outcome=create_requested')
  const party = createRelyingParty(sandbox)
  const use = sandbox.request
    .get('/v1/oidc/use')
    .query(useRequest({ can_create: 'true' }))
    .set({ Cookie })
  expect((await use).headers['location']).toContain('create_requested=true')
  // Create has no such outcome: the persona alone decides there.
  const query = createRequest(await party.obtainRequestUri())
  await sandbox.request.get('/v1/oidc/create').query(query).set({ Cookie })
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'no-age-key', outcome: 'created' })
})

test('without an outcome it clears the cookie of an earlier one', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/_sandbox/act-as/teen-16')
  expect(answer.get('Set-Cookie')?.[1]).toMatch(/^agekey_sandbox_outcome=; Max-Age=0;/)
})

test.each([
  ['acess_denied', 'access_denied'],
  ['token.503', 'is an outcome of token, a call that no browser makes'],
])('the outcome %s is refused by act-as and on a flow that something else decides', async (outcome, reason) => {
  const sandbox = await startSandbox()
  const actAs = await sandbox.request.post(`/_sandbox/act-as/teen-16?outcome=${outcome}`)
  expect([actAs.status, actAs.text]).toEqual([400, expect.stringContaining(reason)])
  expect(actAs.headers['set-cookie']).toBeUndefined()
  const query = useRequest({ sandbox_persona: 'teen-16', sandbox_outcome: 'verified' })
  const flow = await sandbox.request
    .get('/v1/oidc/use')
    .query(query)
    .set({ Cookie: `agekey_sandbox_outcome=${outcome}` })
  expect([flow.status, flow.text]).toEqual([400, expect.stringContaining('cookie agekey_sandbox_outcome')])
  expect(flow.text).toContain(reason)
})

test('the page and its button keep the outcome of their address', async () => {
  const sandbox = await startSandbox()
  const page = await sandbox.request.get('/_sandbox/act-as/teen-16?outcome=access_denied')
  const form = press(page.text, 'act-as')
  expect(form.action).toBe('/_sandbox/act-as/teen-16?outcome=access_denied')
  const pressed = await submit(sandbox, form)
  expect(cookiesOf(pressed).slice(0, 2)).toEqual([
    'agekey_sandbox_persona=teen-16',
    'agekey_sandbox_outcome=access_denied',
  ])
  expect(pressed.text).toContain('agekey_sandbox_outcome')
})

test('GET is a page with one button and sets nothing', async () => {
  const sandbox = await startSandbox()
  const page = await sandbox.request.get('/_sandbox/act-as/teen-16')
  expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined])
  expect(page.text.match(/<button/g)).toHaveLength(1)
  expect(page.text).toContain('action="/_sandbox/act-as/teen-16"')
})

test('the cookies of a tenant are sent to that tenant only', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/t/one/_sandbox/act-as/teen-16')
  expect(answer.get('Set-Cookie')).toEqual(Array(3).fill(expect.stringContaining('Path=/t/one/')))
})

test.each(['get', 'post'] as const)('%s of an unknown persona answers with the nearest names', async (method) => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request[method]('/_sandbox/act-as/teen-61').set('Accept', 'application/json')
  expect(answer.body).toMatchObject({ error: 'not_found', suggestions: expect.arrayContaining(['teen-16']) })
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test.each(['*/*', undefined])(
  'a program that accepts %j is refused in JSON, as by every other call',
  async (accept) => {
    const sandbox = await startSandbox()
    const headers = accept === undefined ? {} : { Accept: accept }
    const answer = await sandbox.request.post('/_sandbox/act-as/teen-61').set(headers)
    expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
  },
)

test('the form of the page is refused by a page', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/_sandbox/act-as/teen-61').set('Accept', 'text/html').type('form')
  expect([answer.status, answer.headers['content-type']]).toEqual([404, expect.stringContaining('text/html')])
})
