import { describe, expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { readError } from '../support/error-body.ts'
import { openEndings, press, submit } from '../support/forms.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { byTestId } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const openUse = async (sandbox: TestSandbox, changes: Changes = {}) =>
  (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).text

async function openCreate(sandbox: TestSandbox) {
  const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
  return (await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri))).text
}

describe('The choice page of E1', () => {
  test('answers as the persona whose button is pressed', async () => {
    const sandbox = await startSandbox()
    const answer = await submit(sandbox, press(await openUse(sandbox), 'persona-teen-16'))
    expect(answer.status).toBe(303)
    expect(idTokenOf(readCallback(answer)).age_thresholds).toEqual({ 13: true, 16: true, 18: false, 21: false })
  })

  test('answers as adult-passport when only use is pressed', async () => {
    const sandbox = await startSandbox()
    const answer = await submit(sandbox, press(await openUse(sandbox), 'use'))
    expect(idTokenOf(readCallback(answer)).age_thresholds).toMatchObject({ 21: true })
  })

  test('answers access_denied when the user declines', async () => {
    const sandbox = await startSandbox()
    const { params } = readCallback(await submit(sandbox, press(await openUse(sandbox), 'decline')))
    expect(params).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 'state-1' })
  })

  test('offers creation only when can_create=true was sent', async () => {
    const sandbox = await startSandbox()
    const page = await openUse(sandbox, { can_create: 'true' })
    expect(readCallback(await submit(sandbox, press(page, 'create'))).params).toEqual({
      create_requested: 'true',
      state: 'state-1',
    })
    for (const can_create of [undefined, 'false', 'TRUE']) {
      const without = await openUse(sandbox, { can_create })
      expect(byTestId(without, 'create'), String(can_create)).toHaveLength(0)
      expect(
        byTestId(await openEndings(sandbox, without), 'outcome-create_requested'),
        String(can_create),
      ).toHaveLength(0)
    }
  })

  test('offers a code as a button when the upgrade scope was asked for, and only then', async () => {
    const sandbox = await startSandbox()
    const page = await openUse(sandbox, { scope: 'openid svc.upgrade' })
    expect(byTestId(page, 'outcome-code_issued')).toHaveLength(1)
    const callback = readCallback(await submit(sandbox, press(page, 'outcome-code_issued')))
    expect(idTokenOf(callback).age_thresholds).toEqual({ 13: false, 16: false, 18: false, 21: false })
    expect((await createRelyingParty(sandbox).exchange(callback.params['code'] ?? '')).status).toBe(200)
    expect(byTestId(await openUse(sandbox), 'outcome-code_issued')).toHaveLength(0)
  })

  test('forces an ending for a persona that is typed in', async () => {
    const sandbox = await startSandbox()
    const form = press(await openEndings(sandbox, await openUse(sandbox)), 'outcome-verified', {
      with_persona: 'child-12',
    })
    expect(idTokenOf(readCallback(await submit(sandbox, form))).age_thresholds).toMatchObject({ 13: false })
  })

  test('offers every persona, and explains one without an age key', async () => {
    const sandbox = await startSandbox()
    const page = await openUse(sandbox)
    for (const { name } of await sandbox.personas.list())
      expect(byTestId(page, `persona-${name}`), name).toHaveLength(1)
    const { params } = readCallback(await submit(sandbox, press(page, 'persona-no-age-key')))
    expect(params).toMatchObject({ error: 'access_denied' })
  })

  test.each(['query', 'form_post'] as const)('answers in the response mode %s', async (response_mode) => {
    const sandbox = await startSandbox()
    const page = await openUse(sandbox, { response_mode })
    expect(readCallback(await submit(sandbox, press(page, 'use'))).mode).toBe(response_mode)
  })

  test('hides learn more only when learn_more=false', async () => {
    const sandbox = await startSandbox()
    expect(byTestId(await openUse(sandbox), 'learn-more')).toHaveLength(1)
    expect(byTestId(await openUse(sandbox, { learn_more: 'nonsense' }), 'learn-more')).toHaveLength(1)
    expect(byTestId(await openUse(sandbox, { learn_more: 'false' }), 'learn-more')).toHaveLength(0)
  })

  test('lets forms go to the sandbox and to the relying party, and nowhere else', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    expect(answer.headers['content-security-policy']).toContain("form-action 'self' http://localhost:3000")
    expect(answer.headers['cache-control']).toMatch(/no-(store|cache)/)
  })
})

describe('The page of E3', () => {
  test('saves for the selected persona', async () => {
    const sandbox = await startSandbox()
    const form = press(await openCreate(sandbox), 'save', { persona: 'child-12' })
    const answer = await submit(sandbox, form)
    expect(answer.status).toBe(303)
    expect(readCallback(answer).params).toEqual({ state: 'state-1' })
    const rp = createRelyingParty(sandbox)
    expect(idTokenOf(await rp.use({ sandbox_persona: 'child-12' })).age_thresholds).toMatchObject({ 21: true })
  })

  test('saves for a new persona, which the choice page offers from then on', async () => {
    const sandbox = await startSandbox()
    const before = await sandbox.personas.list()
    await submit(sandbox, press(await openCreate(sandbox), 'save-new'))
    const after = await sandbox.personas.list()
    expect(after).toHaveLength(before.length + 1)
    expect(byTestId(await openUse(sandbox), `persona-${after.at(-1)?.name}`)).toHaveLength(1)
  })

  test('declines', async () => {
    const sandbox = await startSandbox()
    const { params } = readCallback(await submit(sandbox, press(await openCreate(sandbox), 'decline')))
    expect(params).toMatchObject({ error: 'access_denied', state: 'state-1' })
  })

  test('can be decided after the lifetime of its request_uri, when it was opened before', async () => {
    const sandbox = await startSandbox()
    const page = await openCreate(sandbox)
    await sandbox.clock.advance(600)
    expect(readCallback(await submit(sandbox, press(page, 'save'))).params).toEqual({ state: 'state-1' })
  })

  test('opened twice decides once: the second decision gets invalid_request_uri with state', async () => {
    const sandbox = await startSandbox()
    const query = createRequest(await createRelyingParty(sandbox).obtainRequestUri())
    const open = async () => (await sandbox.request.get('/v1/oidc/create').query(query)).text
    const [first, second] = [await open(), await open()]
    expect(readCallback(await submit(sandbox, press(first, 'decline'))).params).toMatchObject({
      error: 'access_denied',
    })
    expect(readCallback(await submit(sandbox, press(second, 'save'))).params).toMatchObject({
      error: 'invalid_request_uri',
      state: 'state-1',
    })
  })
})

describe('A choice is refused with a page', () => {
  test('and 410 when it comes a second time', async () => {
    const sandbox = await startSandbox()
    const form = press(await openUse(sandbox), 'use')
    expect((await submit(sandbox, form)).status).toBe(303)
    const again = await submit(sandbox, form)
    expect(again.status).toBe(410)
    expect(again.headers.location).toBeUndefined()
  })

  test('for all but one of 20 submits at once', async () => {
    const sandbox = await startSandbox()
    const form = press(await openUse(sandbox), 'use')
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit(sandbox, form)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 19 }, () => 410)])
  })

  test('and 410 when its transaction is unknown, or older than an hour', async () => {
    const sandbox = await startSandbox()
    const form = press(await openUse(sandbox), 'use')
    const unknown = new URLSearchParams({ transaction: 'unknown', outcome: 'verified' })
    expect((await submit(sandbox, { action: form.action, fields: unknown })).status).toBe(410)
    await sandbox.clock.advance(3_600)
    expect((await submit(sandbox, form)).status).toBe(410)
  })

  test.each(['', 'outcome=verified', 'transaction=', 'transaction=%ff'])('and 400 for the form %j', async (body) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.post('/v1/oidc/use/choice').send(String(new URLSearchParams(body)))
    expect([400, 410]).toContain(answer.status)
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
  })

  test.each([
    [{}, 'persona or outcome'],
    [{ persona: 'teen-17' }, 'teen-16'],
    [{ outcome: 'access_denyed' }, 'access_denied'],
    [{ outcome: 'create_requested' }, 'can_create'],
    [{ outcome: 'created' }, 'created'],
    [{ outcome: 'code_issued' }, 'svc.upgrade'],
    [{ outcome: 'id_token.expired', persona: 'no-age-key' }, 'no age key'],
  ])('and 400 for %j, and the request still waits', async (choice, hint) => {
    const sandbox = await startSandbox()
    const form = press(await openUse(sandbox), 'use')
    const transaction = form.fields.get('transaction') ?? ''
    const wrong = await submit(sandbox, { ...form, fields: new URLSearchParams({ transaction, ...choice }) })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain(hint)
    expect((await submit(sandbox, form)).status).toBe(303)
  })

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
  ])('and 403 when another site sends it: %j', async (headers) => {
    const sandbox = await startSandbox()
    const { action, fields } = press(await openUse(sandbox), 'use')
    await sandbox.request.post(action).set(headers).send(String(fields)).expect(403)
    await sandbox.request.post(action).set('Origin', sandbox.url).send(String(fields)).expect(303)
  })

  test('never takes a redirect target from the form', async () => {
    const sandbox = await startSandbox()
    const form = press(await openUse(sandbox), 'decline')
    form.fields.append('redirect_uri', 'https://evil.example/')
    expect(readCallback(await submit(sandbox, form)).address).toBe('http://localhost:3000/callback')
  })
})

describe('E1 and E3 refuse an unknown name with 400 and near misses, never a redirect:', () => {
  test.each([
    [{ sandbox_persona: 'teen-17' }, {}, 'teen-16'],
    [{ sandbox_outcome: 'acces_denied' }, {}, 'access_denied'],
    [{ sandbox_person: 'teen-16' }, {}, 'sandbox_persona'],
    [{}, { 'X-Sandbox-Persona': 'adult-pasport' }, 'adult-passport'],
    [{}, { 'X-Sandbox-Outcome': 'server_eror' }, 'server_error'],
  ])('%j %j', async (changes: Changes, headers: Record<string, string>, nearMiss) => {
    const sandbox = await startSandbox()
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
    for (const [path, query] of [
      ['/v1/oidc/use', useRequest(changes)],
      ['/v1/oidc/create', createRequest(requestUri, changes)],
    ] as const) {
      const page = await sandbox.request.get(path).set(headers).query(query)
      expect(page.status, path).toBe(400)
      expect(page.headers.location, path).toBeUndefined()
      expect(page.text, path).toContain(nearMiss)
      const answer = await sandbox.request
        .get(path)
        .set({ ...headers, Accept: 'application/json' })
        .query(query)
      expect(readError(answer).suggestions, path).toContain(nearMiss)
    }
  })

  test('a name in the query outvotes one in the headers, but a wrong one is never ignored', async () => {
    const sandbox = await startSandbox()
    const query = useRequest({ sandbox_persona: 'teen-16' })
    const right = await sandbox.request.get('/v1/oidc/use').set('X-Sandbox-Persona', 'child-12').query(query)
    expect(idTokenOf(readCallback(right)).age_thresholds).toMatchObject({ 16: true, 18: false })
    await sandbox.request.get('/v1/oidc/use').set('X-Sandbox-Persona', 'nobody-at-all').query(query).expect(400)
  })
})
