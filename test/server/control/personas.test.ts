import { expect, test } from 'vitest'
import { generatePersonas } from '../../../src/sandbox/personas/generate-personas.ts'
import { personasYaml } from '../../../src/sandbox/personas/persona-files.ts'
import type { AgeSignal } from '../../../src/service/age/signal-schema.ts'
import { press, submit } from '../../support/forms.ts'
import type { Answer } from '../../support/http-client.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const names = async () => (await sandbox.personas.list()).map(({ name }) => name)

const born = (date_of_birth: string) => {
  const signal = {
    method: 'id_doc_scan',
    verified_at: 'now - 30d',
    provenance: '/veratad/roc',
  } as const
  return {
    title: 'Mine',
    purpose: 'A test.',
    age_key: { signals: [{ ...signal, age: { date_of_birth } }] },
  }
}

test('The dates of an added persona count from the clock', async () => {
  await sandbox.clock.set('2026-05-01T12:00:00Z')
  await sandbox.clock.freeze()
  const put = (body: object, status: number) =>
    sandbox.request.put('/_sandbox/personas/mine').send(body).expect(status)
  const made = await put(born('today - 30y'), 201)
  const signal = { age: { date_of_birth: '1996-05-01' }, verified_at: '2026-04-01T12:00:00.000Z' }
  expect(made.body).toMatchObject({ name: 'mine', age_key: { signals: [signal] } })
  expect(await sandbox.personas.get('mine')).toEqual(made.body)
})

test('An added persona decides until it is removed', async () => {
  await sandbox.clock.set('2026-05-01T12:00:00Z')
  await sandbox.clock.freeze()
  const put = (body: object, status: number) =>
    sandbox.request.put('/_sandbox/personas/mine').send(body).expect(status)
  await put(born('today - 30y'), 201)
  const ages = async () =>
    idTokenOf(await createRelyingParty(sandbox).use({ sandbox_persona: 'mine' })).age_thresholds
  expect(await ages()).toMatchObject({ 18: true, 21: true })
  await put(born('today - 16y'), 200)
  expect(await ages()).toMatchObject({ 16: true, 18: false })
  await sandbox.personas.remove('mine')
  await expect(sandbox.personas.get('mine')).rejects.toMatchObject({ status: 404 })
})

test('PUT personas adds several personas in one call', async () => {
  await sandbox.clock.set('2026-05-01T12:00:00Z')
  const before = await names()
  const adult = born('today - 30y')
  const grown = { name: 'teen-16', ...adult, title: 'Grown' }
  const put = await sandbox.personas.putAll([{ name: 'mine', ...adult }, grown])
  const mine = { name: 'mine', age_key: { signals: [{ age: { date_of_birth: '1996-05-01' } }] } }
  expect(put).toMatchObject([mine, { name: 'teen-16', title: 'Grown' }])
  expect(await names()).toEqual([...before, 'mine'])
})

const named = (name: string) => ({ name, ...born('today - 18y') })

const FILE = (name: string) => `name: ${name}
title: From a file
purpose: Put as it is.
age_key:
  signals:
    - { method: id_doc_scan, age: { date_of_birth: today - 18y }, verified_at: now - 1d, provenance: /veratad/roc, attributes: { face_match_performed: true, issuing_country: US } }
`
const LISTED = `personas:\n${FILE('listed')
  .replace(/^/, '  - ')
  .replaceAll(/\n(?=.)/g, '\n    ')}`

test.each([
  ['personas', 'application/yaml', FILE('alone'), 'alone'],
  ['personas', 'text/yaml', LISTED, 'listed'],
  ['personas/alone', 'application/x-yaml', FILE('alone'), 'alone'],
  ['personas/listed', 'application/yaml', LISTED, 'listed'],
  ['personas', 'application/json', JSON.stringify(named('json')), 'json'],
  ['personas', 'application/json', JSON.stringify([named('json')]), 'json'],
  ['personas/json', 'application/json', JSON.stringify({ personas: [named('json')] }), 'json'],
  ['personas/json', 'application/json', `\uFEFF${JSON.stringify(named('json'))}`, 'json'],
])('PUT %s takes a persona file as it is, in %s: %j', async (path, type, text, name) => {
  await sandbox.reset()
  const answer = await sandbox.request.put(`/_sandbox/${path}`).set('Content-Type', type).send(text)
  expect(answer.status).toEqual(path === 'personas' ? 200 : 201)
  expect(answer.body.error_description).toBeUndefined()
  expect(await sandbox.personas.get(name)).toMatchObject({
    name,
    age_key: { signals: [{ method: 'id_doc_scan' }] },
  })
})

test('PUT personas/NAME refuses what is not the persona of that name', async () => {
  const two = [named('a'), named('b')]
  const isList = 'body: expected one persona, found a list of 2; send a list to PUT personas'
  const isOther = 'name: "b" is not the name in the path, "a"; make them the same or leave it out'
  for (const [body, why] of [
    [two, isList],
    [{ personas: two }, isList],
    [named('b'), isOther],
  ] as const) {
    const { status, body: answer } = await sandbox.request.put('/_sandbox/personas/a').send(body)
    expect(status).toBe(400)
    expect(answer.error_description).toEqual(why)
  }
  expect(await names()).not.toContain('a')
})

test('PUT personas says of a text that it takes a persona or a list of them', async () => {
  const put = sandbox.request.put('/_sandbox/personas').set('Content-Type', 'application/yaml')
  const why = 'body: expected a persona or a list of personas, found the text "name aa"'
  expect((await put.send('name aa')).body.error_description).toBe(why)
})

test('PUT personas takes YAML, as `personas generate` writes it', async () => {
  const personas = await generatePersonas(20, 7)
  const put = sandbox.request
    .put('/_sandbox/personas')
    .set('Content-Type', 'application/yaml; charset=utf-8')
  const { body } = await put.send(`# made\n${personasYaml(personas)}`).expect(200)
  expect(body.personas.map(({ name }: { name: string }) => name)).toEqual(
    personas.map(({ name }) => name),
  )
  expect(await names()).toEqual(expect.arrayContaining(personas.map(({ name }) => name)))
})

const use = (changes: Readonly<Record<string, string>>, Cookie: string) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes)).set({ Cookie })

/** Two cookies, which decide, and a third one, which the console reads. */
const cookiesOf = (answer: Answer) =>
  (answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';', 1)[0] ?? '')
const cleared = (part: string) => expect.stringMatching(`^agekey_sandbox_${part}=; Max-Age=0;`)
const CLEARED = ['persona', 'outcome', 'acting'].map(cleared)

test('The cookie of act-as makes this browser act as the persona until DELETE clears it', async () => {
  const answer = await sandbox.request
    .post('/_sandbox/act-as/teen-16')
    .set('Accept', 'application/json')
  expect(answer.body).toEqual({ persona: 'teen-16' })
  const [cookie = '', second] = answer.get('Set-Cookie') ?? []
  expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16;(?=.*HttpOnly).*SameSite=Lax/i)
  expect(second).toEqual(CLEARED[1])
  await use({}, cookie.split(';', 1)[0] ?? '')
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'verified' })

  const cleared = await sandbox.request.delete('/_sandbox/act-as')
  expect(cleared.status).toBe(204)
  expect(cleared.get('Set-Cookie')).toEqual(CLEARED)
})

test('With an outcome act-as sets a second cookie, which ends the flows of the browser that can have it', async () => {
  const answer = await sandbox.request.post('/_sandbox/act-as/no-age-key?outcome=create_requested')
  expect(answer.body).toEqual({ persona: 'no-age-key', outcome: 'create_requested' })
  const Cookie = cookiesOf(answer).slice(0, 2).join('; ')
  expect(Cookie).toBe('agekey_sandbox_persona=no-age-key; agekey_sandbox_outcome=create_requested')
  expect((await use({ can_create: 'true' }, Cookie)).headers['location']).toContain(
    'create_requested=true',
  )
  // Create has no such outcome: the persona alone decides there.
  const query = createRequest(await createRelyingParty(sandbox).obtainRequestUri())
  await sandbox.request.get('/v1/oidc/create').query(query).set({ Cookie })
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'no-age-key', outcome: 'created' })
})

test.each([
  ['acess_denied', 'access_denied'],
  ['token.503', 'is an outcome of token, a call that no browser makes'],
])(
  'The outcome %s is refused by act-as as on a flow that something else decides',
  async (outcome, reason) => {
    const actAs = await sandbox.request.post(`/_sandbox/act-as/teen-16?outcome=${outcome}`)
    expect(actAs.status).toBe(400)
    expect(actAs.text).toContain(reason)
    expect(actAs.headers['set-cookie']).toBeUndefined()
    const decided = { sandbox_persona: 'teen-16', sandbox_outcome: 'verified' }
    const flow = await use(decided, `agekey_sandbox_outcome=${outcome}`)
    expect(flow.status).toBe(400)
    expect(flow.text).toContain('cookie agekey_sandbox_outcome')
    expect(flow.text).toContain(reason)
  },
)

test('GET act-as is a page whose one button acts in the tenant of the address', async () => {
  const path = '/t/one/_sandbox/act-as/teen-16?outcome=access_denied'
  const page = await sandbox.request.get(path).expect(200)
  expect(page.headers['set-cookie']).toBeUndefined()
  expect(page.text.match(/<button/g)).toEqual(['<button'])
  const form = press(page.text, 'act-as')
  expect(form.action).toBe(path)
  const pressed = await submit(sandbox, form)
  const cookies = ['agekey_sandbox_persona=teen-16', 'agekey_sandbox_outcome=access_denied']
  expect(cookiesOf(pressed).slice(0, 2)).toEqual(cookies)
  expect(pressed.get('Set-Cookie')).toEqual(Array(3).fill(expect.stringContaining('Path=/t/one/')))
  expect(pressed.text).toContain('agekey_sandbox_outcome')
})

test('Act-as refuses an unknown persona', async () => {
  const refused = await sandbox.request
    .post('/_sandbox/act-as/teen-61')
    .set('Accept', 'text/html')
    .type('form')
  expect(refused.status).toBe(404)
  expect(refused.headers['content-type']).toContain('text/html')
  const { body, headers } = await sandbox.request.post('/_sandbox/act-as/teen-61').expect(404)
  expect(body).toMatchObject({
    error: 'not_found',
    suggestions: expect.arrayContaining(['teen-16']),
  })
  expect(headers['set-cookie']).toBeUndefined()
})

const certified = await shareSandbox({
  certifications: { '/veratad/roc': { id_doc_scan: 'effective' } },
})
const evaluate = (body: object) => certified.request.post('/_sandbox/evaluate').send(body)

test('evaluate gives a trace for signals at any instant', async () => {
  await certified.clock.set('2041-01-01')
  const signal = {
    method: 'id_doc_scan',
    verified_at: '2040-01-01',
    provenance: '/veratad/roc',
  } as const
  const signals: AgeSignal[] = [{ ...signal, age: { years: 17 } }]
  const claims = { age_thresholds: [16, 18], allowed_methods: ['id_doc_scan' as const] }
  expect(await certified.evaluate({ claims, signals, now: '2040-06-01' })).toMatchObject({
    age_thresholds: { 16: true, 18: false },
    trace: [
      { threshold: 16, satisfied: true, signals: [{ method: 'id_doc_scan', passed: true }] },
      { threshold: 18, satisfied: false, signals: [{ passed: false, checks: expect.any(Array) }] },
    ],
  })
})

test('evaluate says no to all without an age key', async () => {
  const claims = { age_thresholds: [16, 18], allowed_methods: ['id_doc_scan' as const] }
  expect((await certified.evaluate({ claims, persona: 'no-age-key' })).age_thresholds).toEqual({
    16: false,
    18: false,
  })
})

test('evaluate records no flow', async () => {
  await certified.evaluate({ claims: { age_thresholds: [18] }, persona: 'no-age-key' })
  expect(await certified.flows.list()).toEqual([])
})

const asPersona = ({ type: _type, verification_id: _id, ...signal }: Record<string, unknown>) =>
  signal

test.each([
  ['of what the config certifies, as in a flow', ageSignal(), true],
  ['of nothing that the config certifies', ageSignal({ provenance: '/yoti' }), false],
  ['of a level, which wins over the config', ageSignal({ iso_27566_1: 'basic' }), false],
  ['of a persona, which has no level but its own', asPersona(ageSignal()), false],
  ['of a persona with a level', asPersona(ageSignal({ iso_27566_1: 'strict' })), true],
])('evaluate for an effective verification by a signal %s', async (_which, signal, isEffective) => {
  const claims = { age_thresholds: [18], iso_27566_1: 'effective' }
  expect((await evaluate({ claims, signals: [signal] })).body).toMatchObject({
    age_thresholds: { 18: isEffective },
  })
})

test('evaluate counts the relative dates of signals as those of a persona', async () => {
  const dates = { age: { date_of_birth: 'today - 18y + 1d' }, verified_at: 'now - 3d' }
  const signals = [{ method: 'id_doc_scan', ...dates, provenance: '/yoti' }]
  const named = { name: 'nearly-18', title: 'Nearly 18', purpose: 'Turns 18 tomorrow.' }
  await certified.request
    .put('/_sandbox/personas/nearly-18')
    .send({ ...named, age_key: { signals } })
    .expect(201)
  await certified.clock.set('2041-01-01')
  for (const [days, isAdult] of [
    [0, false],
    [2, true],
  ] as const) {
    await certified.clock.advance(days * 86_400)
    const claims = { age_thresholds: [18], verified_after: '2040-12-28' }
    const { body } = await evaluate({ claims, signals })
    expect(body).toMatchObject({ age_thresholds: { 18: isAdult } })
    expect(body).toEqual((await evaluate({ claims, persona: 'nearly-18' })).body)
  }
})

test('evaluate names the rule of a mistake in the claims', async () => {
  const { body } = await evaluate({ claims: { age_thresholds: [200] }, persona: 'teen-16' })
  const findings = [{ rule: 'CLM-03', level: 'error', path: 'claims.age_thresholds[0]' }]
  expect(body).toMatchObject({ error: 'invalid_request', findings })
})

test('evaluate refuses to explain more than anybody reads, before it works', async () => {
  const signals = Array.from({ length: 50 }, (_, n) =>
    asPersona(ageSignal({ verification_id: `v${n}` })),
  )
  const thresholds = (count: number) => Array.from({ length: count }, (_, n) => n + 1)
  const { body } = await evaluate({ claims: { age_thresholds: thresholds(31) }, signals }).expect(
    400,
  )
  expect(body.error_description).toContain('thresholds times signals are 1550, and at most 1500')
  await evaluate({ claims: { age_thresholds: thresholds(30) }, signals }).expect(200)
})
