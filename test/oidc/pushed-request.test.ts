import { describe, expect, test } from 'vitest'
import { findPushedRequest, pushRequest } from '../../src/oidc/pushed-request.ts'
import { createProvider, NOW } from '../support/provider.ts'
import { ageSignal, basic, type Changes, pushedRequest, REDIRECT_URI } from '../support/requests.ts'
import { createService, formRequest, refusalOf, refused } from '../support/service.ts'

const push = (body: string) => pushRequest(formRequest(body), createProvider())
const text = (changes?: Changes) => String(new URLSearchParams(pushedRequest(changes)))

describe('pushRequest', () => {
  test('answers with a request_uri that lives 90 seconds', async () => {
    expect(await createService().push()).toEqual({
      response: { request_uri: expect.stringMatching(/^urn:svc:request:[A-Za-z0-9_-]{22,}$/), expires_in: 90 },
      findings: [],
    })
  })

  test('gives a new request_uri to each request', async () => {
    const service = createService()
    expect(await service.obtainRequestUri()).not.toBe(await service.obtainRequestUri())
  })

  test('keeps what was pushed for findPushedRequest, which finds nothing else', async () => {
    const { provider, obtainRequestUri } = createService()
    const found = await findPushedRequest(await obtainRequestUri(), provider)
    expect(found?.record).toEqual({
      clientId: 'ak_test_sandbox',
      redirectUri: REDIRECT_URI,
      state: 'state-1',
      signals: [expect.objectContaining({ method: 'id_doc_scan' })],
      expiresAt: NOW + 90_000,
    })
    expect(await findPushedRequest('urn:svc:request:other', provider)).toBeUndefined()
    expect(await findPushedRequest('other', provider)).toBeUndefined()
  })

  test.each([' openid', 'openid ', 'openid openid', '  openid  openid '])(
    'takes the scope %j for openid',
    async (scope) => {
      expect((await createService().push({ scope })).findings).toEqual([])
    },
  )

  test('takes 10 age signals and every method', async () => {
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
    await createService().push({ authorization_details: JSON.stringify(details) })
  })
})

describe('pushRequest refuses', () => {
  test.each<[string, Changes, number, string, string]>([
    ['a wrong client_secret', { client_secret: 'wrong' }, 401, 'invalid_client', 'PAR-02'],
    ['no client_secret', { client_secret: undefined }, 401, 'invalid_client', 'PAR-02'],
    ['an empty client_secret', { client_secret: '' }, 401, 'invalid_client', 'PAR-02'],
    ['no client_id', { client_id: undefined }, 401, 'invalid_client', 'PAR-02'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client', 'PAR-02'],
    ['the secret of another client', { client_secret: 'sk_other' }, 401, 'invalid_client', 'PAR-02'],
    ['another scope', { scope: 'openid profile' }, 400, 'invalid_scope', 'PAR-03'],
    ['a blank scope', { scope: ' ' }, 400, 'invalid_scope', 'PAR-03'],
    ['the upgrade scope', { scope: 'svc.upgrade  openid openid' }, 400, 'invalid_scope', 'PAR-04'],
    ['an older spelling of the upgrade scope', { scope: 'openid agekey_upgrade' }, 400, 'invalid_scope', 'PAR-04'],
    ['no scope', { scope: undefined }, 400, 'invalid_request', 'PAR-03'],
    ['another response_type', { response_type: 'id_token' }, 400, 'unsupported_response_type', 'PAR-05'],
    ['no response_type', { response_type: undefined }, 400, 'invalid_request', 'PAR-05'],
    ['another type', { type: 'payment' }, 400, 'invalid_request', 'PAR-06'],
    ['no type', { type: undefined }, 400, 'invalid_request', 'PAR-07'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_request', 'PAR-08'],
    ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request', 'PAR-08'],
    ['a request object', { request: 'e30.e30.' }, 400, 'request_not_supported', 'PAR-14'],
    ['the request_uri of another request', { request_uri: 'urn:svc:request:x' }, 400, 'invalid_request', 'PAR-14'],
    ['no state', { state: undefined }, 400, 'invalid_request', 'PAR-09'],
    ['an empty state', { state: '' }, 400, 'invalid_request', 'PAR-09'],
    ['no authorization_details', { authorization_details: undefined }, 400, 'invalid_request', 'PAR-10'],
  ])('%s', async (_name, changes, status, error, rule) => {
    expect(await refused(() => createService().push(changes))).toEqual({ status, error, rules: [rule] })
  })

  test.each([basic('ak_test_sandbox', 'sk_test_sandbox'), basic('ak_test_sandbox', 'wrong'), 'Bearer x'])(
    'an Authorization header beside the credentials in the form: %s',
    async (authorization) => {
      const request = formRequest(pushedRequest(), { authorization })
      const refusal = await refused(() => pushRequest(request, createProvider()))
      expect(refusal).toEqual({ status: 400, error: 'invalid_request', rules: ['PAR-13'] })
    },
  )

  test('an Authorization header alone with invalid_client, and says where the credentials belong', async () => {
    const form = pushedRequest({ client_id: undefined, client_secret: undefined })
    const request = formRequest(form, { authorization: basic('ak_test_sandbox', 'sk_test_sandbox') })
    const refusal = await refusalOf(() => pushRequest(request, createProvider()))
    expect(refusal).toMatchObject({ status: 401, code: 'invalid_client', findings: [{ rule: 'PAR-02' }] })
    expect(refusal.message).toContain('the Authorization header does not count here')
  })

  test.each(['', 'x', '{', '[{]', 'undefined', '{}', '"text"', 'null', '1', '[]', '[1]', '[null]', '[[]]'])(
    'authorization_details %j, which is no JSON array of age signals',
    async (authorization_details) => {
      const error = authorization_details === '' ? 'invalid_request' : 'invalid_authorization_details'
      expect(await refused(() => createService().push({ authorization_details }))).toMatchObject({ status: 400, error })
    },
  )

  test.each(['client_id', 'state', 'authorization_details', 'unheard_of'])('%s sent twice', async (name) => {
    const body = text({ unheard_of: 'x' })
    const again = new URLSearchParams({ [name]: new URLSearchParams(body).get(name) ?? '' })
    expect(await refused(() => push(`${body}&${again}`))).toMatchObject({
      status: 400,
      error: 'invalid_request',
      rules: ['PAR-11'],
    })
  })

  test.each(['state=%ff', 'state=%', 'state=%zz', 'state=a%00b', 'state=%ed%a0%80'])(
    'a field that is not well-formed UTF-8: %s',
    async (field) => {
      const refusal = await refused(() => push(`${text({ state: undefined })}&${field}`))
      expect(refusal).toEqual({ status: 400, error: 'invalid_request', rules: ['PAR-11'] })
    },
  )

  test.each(['%=1', '%zz=1', '%ff', 'x%=1', 'x%00y=1'])(
    'a field whose name is not well-formed UTF-8: %s',
    async (field) => {
      const refusal = await refused(() => push(`${text()}&${field}`))
      expect(refusal).toEqual({ status: 400, error: 'invalid_request', rules: ['PAR-11'] })
    },
  )

  test('in a description of the characters that RFC 6749 allows; the findings quote what was sent', async () => {
    const authorization_details = JSON.stringify([ageSignal({ method: 'café "\\' })])
    const { message, findings } = await refusalOf(() => createService().push({ authorization_details }))
    expect(message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(message).toContain("is 'caf? ")
    expect(findings[0]?.message).toContain('is "café ')
  })

  test.each([
    undefined,
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/x-www-form',
    '',
  ])('the content type %j with 415', async (contentType) => {
    const request = formRequest(pushedRequest(), { contentType })
    const refusal = await refused(() => pushRequest(request, createProvider()))
    expect(refusal).toEqual({ status: 415, error: 'invalid_request', rules: ['PAR-01'] })
  })

  test.each([0, 11])('%i age signals', async (count) => {
    const authorization_details = JSON.stringify(Array.from({ length: count }, () => ageSignal()))
    expect(await refused(() => createService().push({ authorization_details }))).toEqual({
      status: 400,
      error: 'invalid_authorization_details',
      rules: ['SIG-02'],
    })
  })

  test('an attribute that the method does not have, and a provenance that is not on the allowlist', async () => {
    const submit = (changes: Record<string, unknown>) =>
      refused(() => createService().push({ authorization_details: JSON.stringify([ageSignal(changes)]) }))
    const expected = { status: 400, error: 'invalid_authorization_details' }
    expect(await submit({ attributes: { on_device: true } })).toEqual({ ...expected, rules: ['SIG-16'] })
    expect(await submit({ provenance: '/acme/scan' })).toEqual({ ...expected, rules: ['SIG-20'] })
  })

  test('everything that is wrong at once, the credentials first', async () => {
    const form = { client_secret: 'wrong', scope: 'x', response_type: 'y', type: 'z', state: undefined }
    const { error, rules } = await refused(() => createService().push(form))
    expect(error).toBe('invalid_client')
    expect(rules.sort()).toEqual(['PAR-02', 'PAR-03', 'PAR-05', 'PAR-06', 'PAR-09'])
  })

  test('with the place of each finding', async () => {
    const details = [ageSignal(), ageSignal({ age: { years: 20, at_least_years: 18 } })]
    const refusal = await refusalOf(() => createService().push({ authorization_details: JSON.stringify(details) }))
    expect(refusal.message).toMatch(/^SIG-05: /)
    expect(refusal.findings[0]).toMatchObject({ rule: 'SIG-05', level: 'error', path: 'authorization_details[1].age' })
  })
})
