import { expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { readError } from '../support/error-body.ts'
import { openEndings, press, submit } from '../support/forms.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { byTestId, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const openUse = async (changes: Changes = {}) =>
  (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).text
const choose = async (page: string, testId: string, values = {}) =>
  readCallback(await submit(sandbox, press(page, testId, values)))

test('The choice page of E1 answers as the persona that is pressed, or as adult-passport, in any mode', async () => {
  const teen = idTokenOf(await choose(await openUse(), 'persona-teen-16')).age_thresholds
  expect(teen).toEqual({ 13: true, 16: true, 18: false, 21: false })
  for (const response_mode of ['query', 'form_post', 'fragment']) {
    const callback = await choose(await openUse({ response_mode }), 'use')
    expect(callback.mode).toBe(response_mode)
    expect(idTokenOf(callback).age_thresholds).toMatchObject({ 21: true })
  }
})

test.each(['decline', 'persona-no-age-key'])('The choice page of E1 answers access_denied to %s', async (testId) => {
  const form = press(await openUse(), testId)
  // A form names no redirect target.
  form.fields.append('redirect_uri', 'https://evil.example/')
  const { address, params } = readCallback(await submit(sandbox, form))
  expect(address).toBe('http://localhost:3000/callback')
  expect(params).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 'state-1' })
})

test('The choice page of E1 offers creation only when can_create=true was sent', async () => {
  const { params } = await choose(await openUse({ can_create: 'true' }), 'create')
  expect(params).toEqual({ create_requested: 'true', state: 'state-1' })
  const without = await openUse({ can_create: 'TRUE' })
  const ending = byTestId(await openEndings(sandbox, without), 'outcome-create_requested')
  for (const [button] of [byTestId(without, 'create'), ending]) expect(button?.attributes).toHaveProperty('disabled')
})

test('The choice page of E1 offers a code when the upgrade scope was asked for, and only then', async () => {
  const callback = await choose(await openUse({ scope: 'openid svc.upgrade' }), 'outcome-code_issued')
  expect(idTokenOf(callback).age_thresholds).toEqual({ 13: false, 16: false, 18: false, 21: false })
  expect((await createRelyingParty(sandbox).exchange(callback.params['code'])).status).toBe(200)
  expect(byTestId(await openUse(), 'outcome-code_issued')[0]?.attributes).toHaveProperty('disabled')
})

test('A choice is refused with 410 when it comes again, when its transaction is unknown, or older than an hour', async () => {
  const form = press(await openUse(), 'use')
  expect((await submit(sandbox, form)).status).toBe(303)
  const again = await submit(sandbox, form)
  expect([again.status, again.headers.location]).toEqual([410, undefined])
  expect(textOf(again.text)).toMatch(/answered already.*Go back to the app and start again/)
  const unknown = new URLSearchParams({ transaction: 'unknown', outcome: 'verified' })
  const refused = await submit(sandbox, { action: form.action, fields: unknown })
  expect([refused.status, textOf(refused.text)]).toEqual([410, expect.stringContaining('unknown or expired')])
  const late = press(await openUse(), 'use')
  await sandbox.clock.advance(3_600)
  expect((await submit(sandbox, late)).status).toBe(410)
})

test('A form without a transaction, or with a broken one, is refused by a page instead of a choice', async () => {
  for (const body of ['', 'outcome=verified', 'transaction=', 'transaction=%ff']) {
    const { status, headers } = await sandbox.request.post('/v1/oidc/use/choice').send(body)
    expect([status, headers['content-type']], body).toEqual([400, expect.stringMatching(/^text\/html/)])
  }
})

test.each([
  [{}, 'persona or outcome'],
  [{ persona: 'teen-17' }, 'teen-16'],
  [{ outcome: 'access_denyed' }, 'access_denied'],
  [{ outcome: 'create_requested' }, 'can_create'],
  [{ outcome: 'created' }, 'created'],
  [{ outcome: 'code_issued' }, 'svc.upgrade'],
  [{ outcome: 'id_token.expired', persona: 'no-age-key' }, 'no age key'],
])('The choice %j is refused with 400, and the request still waits', async (choice, hint) => {
  const form = press(await openUse(), 'use')
  const transaction = form.fields.get('transaction') ?? ''
  const wrong = await submit(sandbox, { ...form, fields: new URLSearchParams({ transaction, ...choice }) })
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining(hint)])
  expect((await submit(sandbox, form)).status).toBe(303)
})

const UNKNOWN: readonly [source: string, Changes, Readonly<Record<string, string>>, near: string][] = [
  ['the persona of the query', { sandbox_persona: 'teen-61' }, {}, 'teen-16'],
  ['the outcome of the query', { sandbox_outcome: 'acess_denied' }, {}, 'access_denied'],
  ['a parameter', { sandbox_person: 'teen-16' }, {}, 'sandbox_persona'],
  ['the persona of a header', {}, { 'X-Sandbox-Persona': 'teen-61' }, 'teen-16'],
  ['the outcome of a header', {}, { 'X-Sandbox-Outcome': 'acess_denied' }, 'access_denied'],
  ['the persona of a cookie', {}, { Cookie: 'agekey_sandbox_persona=teen-61' }, 'teen-16'],
  ['the outcome of a cookie', {}, { Cookie: 'agekey_sandbox_outcome=acess_denied' }, 'access_denied'],
  ['a header that the query overrules', { sandbox_persona: 'teen-16' }, { 'X-Sandbox-Persona': 'teen-61' }, 'teen-16'],
]

test.each(UNKNOWN)('E1 and E3 never redirect an unknown name in %s, but name near misses', async (_, ...row) => {
  const [changes, headers, near] = row
  const create = createRequest(await createRelyingParty(sandbox).obtainRequestUri(), changes)
  for (const [path, query] of [['use', useRequest(changes)] as const, ['create', create] as const]) {
    const ask = (more = {}) =>
      sandbox.request
        .get(`/v1/oidc/${path}`)
        .set({ ...headers, ...more })
        .query(query)
    const page = await ask()
    expect([page.status, page.headers.location], path).toEqual([400, undefined])
    expect(page.headers['content-type'], path).toContain('text/html')
    expect(page.text, path).toContain(near)
    const { error, suggestions } = readError(await ask({ Accept: 'application/json' }))
    expect([error, suggestions], path).toEqual(['invalid_request', expect.arrayContaining([near])])
  }
})
