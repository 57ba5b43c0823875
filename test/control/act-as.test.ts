import { expect, test } from 'vitest'
import { press, submit } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const use = (changes: Readonly<Record<string, string>>, Cookie: string) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes)).set({ Cookie })

/** Two cookies, which decide, and a third one, which the console reads. */
const cookiesOf = (answer: Answer) => (answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';', 1)[0] ?? '')
const cleared = (part: string) => expect.stringMatching(`^agekey_sandbox_${part}=; Max-Age=0;`)
const CLEARED = ['persona', 'outcome', 'acting'].map(cleared)

test('The cookie of act-as makes this browser act as the persona until DELETE clears it', async () => {
  const answer = await sandbox.request.post('/_sandbox/act-as/teen-16').set('Accept', 'application/json')
  expect(answer.body).toEqual({ persona: 'teen-16' })
  const [cookie = '', second] = answer.get('Set-Cookie') ?? []
  expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16;(?=.*HttpOnly).*SameSite=Lax/i)
  expect(second).toEqual(CLEARED[1])
  await use({}, cookie.split(';', 1)[0] ?? '')
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'verified' })

  const cleared = await sandbox.request.delete('/_sandbox/act-as')
  expect([cleared.status, cleared.get('Set-Cookie')]).toEqual([204, CLEARED])
})

test('With an outcome act-as sets a second cookie, which ends the flows of the browser that can have it', async () => {
  const answer = await sandbox.request.post('/_sandbox/act-as/no-age-key?outcome=create_requested')
  expect(answer.body).toEqual({ persona: 'no-age-key', outcome: 'create_requested' })
  const Cookie = cookiesOf(answer).slice(0, 2).join('; ')
  expect(Cookie).toBe('agekey_sandbox_persona=no-age-key; agekey_sandbox_outcome=create_requested')
  expect((await use({ can_create: 'true' }, Cookie)).headers['location']).toContain('create_requested=true')
  // Create has no such outcome: the persona alone decides there.
  const query = createRequest(await createRelyingParty(sandbox).obtainRequestUri())
  await sandbox.request.get('/v1/oidc/create').query(query).set({ Cookie })
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'no-age-key', outcome: 'created' })
})

test.each([
  ['acess_denied', 'access_denied'],
  ['token.503', 'is an outcome of token, a call that no browser makes'],
])('The outcome %s is refused by act-as and on a flow that something else decides', async (outcome, reason) => {
  const actAs = await sandbox.request.post(`/_sandbox/act-as/teen-16?outcome=${outcome}`)
  expect([actAs.status, actAs.text]).toEqual([400, expect.stringContaining(reason)])
  expect(actAs.headers['set-cookie']).toBeUndefined()
  const decided = { sandbox_persona: 'teen-16', sandbox_outcome: 'verified' }
  const flow = await use(decided, `agekey_sandbox_outcome=${outcome}`)
  expect([flow.status, flow.text]).toEqual([400, expect.stringContaining('cookie agekey_sandbox_outcome')])
  expect(flow.text).toContain(reason)
})

test('GET act-as is a page with one button, which acts in the tenant of the address with its outcome, and sets nothing itself', async () => {
  const path = '/t/one/_sandbox/act-as/teen-16?outcome=access_denied'
  const page = await sandbox.request.get(path).expect(200)
  expect([page.headers['set-cookie'], page.text.match(/<button/g)]).toEqual([undefined, ['<button']])
  const form = press(page.text, 'act-as')
  expect(form.action).toBe(path)
  const pressed = await submit(sandbox, form)
  const cookies = ['agekey_sandbox_persona=teen-16', 'agekey_sandbox_outcome=access_denied']
  expect(cookiesOf(pressed).slice(0, 2)).toEqual(cookies)
  expect(pressed.get('Set-Cookie')).toEqual(Array(3).fill(expect.stringContaining('Path=/t/one/')))
  expect(pressed.text).toContain('agekey_sandbox_outcome')
  const refused = await sandbox.request.post('/_sandbox/act-as/teen-61').set('Accept', 'text/html').type('form')
  expect([refused.status, refused.headers['content-type']]).toEqual([404, expect.stringContaining('text/html')])
  const { body, headers } = await sandbox.request.post('/_sandbox/act-as/teen-61').expect(404)
  expect(body).toMatchObject({ error: 'not_found', suggestions: expect.arrayContaining(['teen-16']) })
  expect(headers['set-cookie']).toBeUndefined()
})
