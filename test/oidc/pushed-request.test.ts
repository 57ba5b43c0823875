import { describe, expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, type Changes, pushedRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PATH = '/v1/oidc/create/par'

test('E2 answers 201 with a request_uri that lives 90 seconds, as JSON that is never stored', async () => {
  const answer = await createRelyingParty(await startSandbox()).push()
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    request_uri: expect.stringMatching(/^urn:svc:request:[A-Za-z0-9_-]{22,}$/),
    expires_in: 90,
  })
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expect(answer.headers['cache-control']).toContain('no-store')
})

test('E2 gives a new request_uri to each request', async () => {
  const rp = createRelyingParty(await startSandbox())
  expect(await rp.obtainRequestUri()).not.toBe(await rp.obtainRequestUri())
})

describe('E2 refuses', () => {
  const wrong: readonly (readonly [string, Changes, { status: number; error: string; rules: string[] }])[] = [
    ['a wrong client_secret', { client_secret: 'wrong' }, { status: 401, error: 'invalid_client', rules: ['PAR-02'] }],
    ['no client_secret', { client_secret: undefined }, { status: 401, error: 'invalid_client', rules: ['PAR-02'] }],
    ['an empty client_secret', { client_secret: '' }, { status: 401, error: 'invalid_client', rules: ['PAR-02'] }],
    ['no client_id', { client_id: undefined }, { status: 401, error: 'invalid_client', rules: ['PAR-02'] }],
    ['an unknown client', { client_id: 'nobody' }, { status: 401, error: 'invalid_client', rules: ['PAR-02'] }],
    ['another scope', { scope: 'openid profile' }, { status: 400, error: 'invalid_scope', rules: ['PAR-03'] }],
    ['no scope', { scope: undefined }, { status: 400, error: 'invalid_request', rules: ['PAR-03'] }],
    [
      'another response_type',
      { response_type: 'id_token' },
      { status: 400, error: 'unsupported_response_type', rules: ['PAR-05'] },
    ],
    ['no response_type', { response_type: undefined }, { status: 400, error: 'invalid_request', rules: ['PAR-05'] }],
    ['another type', { type: 'payment' }, { status: 400, error: 'invalid_request', rules: ['PAR-06'] }],
    ['no type', { type: undefined }, { status: 400, error: 'invalid_request', rules: ['PAR-07'] }],
    [
      'an unregistered redirect_uri',
      { redirect_uri: 'https://evil.example/' },
      { status: 400, error: 'invalid_request', rules: ['PAR-08'] },
    ],
    ['no redirect_uri', { redirect_uri: undefined }, { status: 400, error: 'invalid_request', rules: ['PAR-08'] }],
    ['no state', { state: undefined }, { status: 400, error: 'invalid_request', rules: ['PAR-09'] }],
    ['an empty state', { state: '' }, { status: 400, error: 'invalid_request', rules: ['PAR-09'] }],
    [
      'no authorization_details',
      { authorization_details: undefined },
      { status: 400, error: 'invalid_request', rules: ['PAR-10'] },
    ],
  ]
  test.each(wrong)('%s', async (_name, changes, expected) => {
    expect(refusal(await createRelyingParty(await startSandbox()).push(changes))).toEqual(expected)
  })

  test.each(['', 'x', '{', '[{]', 'undefined', '{}', '"text"', 'null', '1', '[]', '[1]', '[null]', '[[]]'])(
    'authorization_details %j, which is no JSON array of age signals',
    async (authorization_details) => {
      const answer = await createRelyingParty(await startSandbox()).push({ authorization_details })
      const error = authorization_details === '' ? 'invalid_request' : 'invalid_authorization_details'
      expect(refusal(answer)).toMatchObject({ status: 400, error })
    },
  )

  test.each(['client_id', 'state', 'authorization_details', 'unheard_of'])('%s sent twice', async (name) => {
    const form = new URLSearchParams(pushedRequest({ unheard_of: 'x' }))
    form.append(name, form.get(name) ?? '')
    expect(refusal(await (await startSandbox()).request.post(PATH).send(String(form)))).toMatchObject({
      status: 400,
      error: 'invalid_request',
      rules: ['PAR-11'],
    })
  })

  test.each(['state=%ff', 'state=%', 'state=%zz', 'state=a%00b', 'state=%ed%a0%80'])(
    'a field that is not well-formed UTF-8: %s',
    async (field) => {
      const body = `${new URLSearchParams(pushedRequest({ state: undefined }))}&${field}`
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      expect(refusal(await (await startSandbox()).request.post(PATH).set(headers).send(body))).toEqual({
        status: 400,
        error: 'invalid_request',
        rules: ['PAR-11'],
      })
    },
  )

  test.each(['%=1', '%zz=1', '%ff', 'x%=1', 'x%00y=1'])(
    'a field whose name is not well-formed UTF-8: %s',
    async (field) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const answer = await (await startSandbox()).request
        .post(PATH)
        .set(headers)
        .send(`${new URLSearchParams(pushedRequest())}&${field}`)
      expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_request', rules: ['PAR-11'] })
    },
  )

  test('in an error_description of the characters that RFC 6749 allows; the findings quote what was sent', async () => {
    const authorization_details = JSON.stringify([ageSignal({ method: 'café "\\' })])
    const answer = await createRelyingParty(await startSandbox()).push({ authorization_details })
    const { error_description, findings } = readError(answer)
    expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(error_description).toContain("is 'caf? ")
    expect(findings[0]?.message).toContain('is "café ')
  })

  test('credentials by HTTP Basic in place of the form', async () => {
    const form = pushedRequest({ client_id: undefined, client_secret: undefined })
    const headers = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }
    expect(refusal(await (await startSandbox()).request.post(PATH).set(headers).type('form').send(form))).toMatchObject(
      { error: 'invalid_client' },
    )
  })

  test.each([
    undefined,
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/x-www-form',
    '',
  ])('the content type %j with 415', async (type) => {
    const sandbox = await startSandbox()
    const body = Buffer.from(String(new URLSearchParams(pushedRequest())))
    const answer = await sandbox.request
      .post(PATH)
      .set(type === undefined ? {} : { 'Content-Type': type })
      .send(body)
    expect(refusal(answer)).toEqual({ status: 415, error: 'invalid_request', rules: ['PAR-01'] })
  })

  test('a body above 64 KiB with 413, and takes one just below', async () => {
    const rp = createRelyingParty(await startSandbox())
    const room = 64 * 1024 - String(new URLSearchParams(pushedRequest({ state: '' }))).length
    expect((await rp.push({ state: 'x'.repeat(room) })).status).toBe(201)
    const answer = await rp.push({ state: 'x'.repeat(room + 1) })
    expect(answer.status).toBe(413)
    expect(readError(answer).error).toBe('invalid_request')
  })

  test.each([0, 11])('%i age signals', async (count) => {
    const authorization_details = JSON.stringify(Array.from({ length: count }, () => ageSignal()))
    expect(refusal(await createRelyingParty(await startSandbox()).push({ authorization_details }))).toEqual({
      status: 400,
      error: 'invalid_authorization_details',
      rules: ['SIG-02'],
    })
  })

  test('an attribute that the method does not have, and a provenance that is not on the allowlist', async () => {
    const rp = createRelyingParty(await startSandbox())
    const submit = async (changes: Record<string, unknown>) =>
      refusal(await rp.push({ authorization_details: JSON.stringify([ageSignal(changes)]) }))
    const refused = { status: 400, error: 'invalid_authorization_details' }
    expect(await submit({ attributes: { on_device: true } })).toEqual({ ...refused, rules: ['SIG-16'] })
    expect(await submit({ provenance: '/acme/scan' })).toEqual({ ...refused, rules: ['SIG-20'] })
  })

  test('everything that is wrong at once, the credentials first', async () => {
    const form = { client_secret: 'wrong', scope: 'x', response_type: 'y', type: 'z', state: undefined }
    const { error, rules } = refusal(await createRelyingParty(await startSandbox()).push(form))
    expect(error).toBe('invalid_client')
    expect(rules.sort()).toEqual(['PAR-02', 'PAR-03', 'PAR-05', 'PAR-06', 'PAR-09'])
  })
})

test('E2 says what is wrong in one shape, names the place and what to do, and is never stored', async () => {
  const answer = await createRelyingParty(await startSandbox()).push({
    authorization_details: JSON.stringify([ageSignal(), ageSignal({ age: { years: 20, at_least_years: 18 } })]),
  })
  const body = readError(answer)
  expect(body.error_description).toMatch(/^SIG-05: /)
  expect(body.findings[0]).toMatchObject({ rule: 'SIG-05', level: 'error', path: 'authorization_details[1].age' })
  expect(answer.headers['cache-control']).toContain('no-store')
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
})

test.each(['APPLICATION/X-WWW-FORM-URLENCODED', 'application/x-www-form-urlencoded; charset=UTF-8'])(
  'E2 takes the content type %s',
  async (type) => {
    await (await startSandbox()).request
      .post(PATH)
      .set('Content-Type', type)
      .send(String(new URLSearchParams(pushedRequest())))
      .expect(201)
  },
)

test('E2 takes 10 age signals and every method', async () => {
  const details = [
    ageSignal({ method: 'email_age_estimation', age: { at_least_years: 18 }, attributes: undefined }),
    ageSignal({ method: 'facial_age_estimation', age: { at_least_years: 18 }, attributes: { on_device: true } }),
    ageSignal({ method: 'national_id_number', attributes: { issuing_country: 'SE' } }),
    ageSignal({ method: 'digital_credential', attributes: { platform: 'apple_wallet', issuing_country: 'US' } }),
    ageSignal({ attributes: { face_match_performed: true, issuing_country: 'US' } }),
    ageSignal({
      method: 'payment_card_network',
      age: { at_least_years: 18 },
      attributes: { card_type: 'credit' },
      provenance: '/stripe',
    }),
    ...Array.from({ length: 4 }, () => ageSignal()),
  ]
  const answer = await createRelyingParty(await startSandbox()).push({ authorization_details: JSON.stringify(details) })
  expect(answer.status).toBe(201)
})
