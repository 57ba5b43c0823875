import { describe, expect, test } from 'vitest'
import { accessTokens } from '../../src/oidc/token.ts'
import { upgradeAgeKey } from '../../src/oidc/upgrade.ts'
import { CHILD, createProvider } from '../support/provider.ts'
import { ageSignal } from '../support/requests.ts'
import { createService, formRequest, jsonRequest, refusalOf, refused } from '../support/service.ts'

const DETAILS = { authorization_details: [ageSignal()] }

describe('upgradeAgeKey', () => {
  test('adds the signals to the age key that the token names, and to no other', async () => {
    const service = createService()
    const { ageKeys } = service.provider
    const adult = ageKeys.of('adult')
    expect(await service.upgrade(await service.obtainToken())).toEqual({ response: 'OK', findings: [] })
    expect(ageKeys.of('child')?.signals).toMatchObject([...CHILD.signals, { age: { date_of_birth: '1990-05-17' } }])
    expect(ageKeys.of('adult')).toBe(adult)
  })

  test('takes a token again and again for 10800 seconds to the millisecond', async () => {
    const service = createService()
    const { clock } = service.provider
    const token = await service.obtainToken()
    await service.upgrade(token)
    clock.advance(10_799.999)
    await service.upgrade(token)
    clock.advance(0.001)
    const refusal = await refusalOf(() => service.upgrade(token))
    expect(refusal).toMatchObject({ status: 401, code: 'invalid_token', findings: [{ rule: 'UPG-03' }] })
    expect(refusal.headers['WWW-Authenticate']).toMatch(/^Bearer .*error="invalid_token"/)
  })

  test('takes a token that an earlier version kept, without the state of its flow', async () => {
    const service = createService()
    const expiresAt = service.provider.clock.now() + 1_000
    const record = { clientId: 'ak_test_sandbox', ageKeyId: CHILD.id, code: 'c', expiresAt }
    await accessTokens(service.provider).put('at_test_kept', record, expiresAt)
    expect(await service.upgrade('at_test_kept')).toEqual({ response: 'OK', findings: [] })
  })

  test('takes a token until the age key that it names is replaced', async () => {
    const service = createService()
    const token = await service.obtainToken()
    await service.create(await service.obtainRequestUri(), {}, { kind: 'created', holder: 'child' })
    const refusal = await refused(() => service.upgrade(token))
    expect(refusal).toEqual({ status: 401, error: 'invalid_token', rules: ['UPG-04'] })
  })

  test('ignores fields that it does not know', async () => {
    const service = createService()
    const request = jsonRequest({ ...DETAILS, colour: 'red' }, `Bearer ${await service.obtainToken()}`)
    const { findings } = await upgradeAgeKey(request, service.provider)
    expect(findings).toMatchObject([{ rule: 'UPG-07', level: 'advice', path: 'colour' }])
  })
})

describe('upgradeAgeKey answers 401 invalid_token with a challenge to', () => {
  test.each([
    ['no Authorization', undefined, 'UPG-02'],
    ['another scheme', 'Basic YWJj', 'UPG-02'],
    ['no token', 'Bearer', 'UPG-02'],
    ['a token with blanks', 'Bearer a b', 'UPG-02'],
    ['an unknown token', 'Bearer unknown', 'UPG-03'],
    ['a name of every object', 'Bearer constructor', 'UPG-03'],
  ])('%s', async (_name, authorization, rule) => {
    const refusal = await refusalOf(() => upgradeAgeKey(jsonRequest(DETAILS, authorization), createProvider()))
    expect(refusal).toMatchObject({ status: 401, code: 'invalid_token', findings: [{ rule }] })
    const challenge = refusal.headers['WWW-Authenticate']
    expect(challenge).toMatch(/^Bearer/)
    // RFC 6750 section 3.1: no error code for a request without any credentials.
    expect(challenge?.includes('error=')).toBe(authorization !== undefined)
  })

  test('a code instead of a token', async () => {
    const service = createService()
    const code = await service.obtainCode()
    expect(await refused(() => service.upgrade(code))).toMatchObject({ error: 'invalid_token', rules: ['UPG-03'] })
  })
})

describe('upgradeAgeKey refuses', () => {
  const send = async (body: string) => {
    const service = createService()
    const request = jsonRequest(body, `Bearer ${await service.obtainToken()}`)
    return refused(() => upgradeAgeKey(request, service.provider))
  }

  test.each([
    '',
    'x',
    '{',
    '[]',
    'null',
    '1',
    '"text"',
    '{}',
    '{"details":[]}',
    '{"__proto__":{"authorization_details":[]}}',
  ])('the body %j with invalid_request', async (body) => {
    expect(await send(body)).toEqual({ status: 400, error: 'invalid_request', rules: ['UPG-05'] })
  })

  test('a body without authorization_details, without a guess about a header that is wrong too', async () => {
    const service = createService()
    const { findings } = await refusalOf(() => upgradeAgeKey(jsonRequest({}, undefined), service.provider))
    expect(findings.map(({ message }) => message)).toEqual([
      'the Authorization header is missing',
      'authorization_details is missing',
    ])
  })

  test.each([
    'null',
    '{}',
    '1',
    'true',
    '[]',
    '[1]',
    '[null]',
    '[[]]',
    `[${JSON.stringify(ageSignal({ type: 'x' }))}]`,
  ])('authorization_details %s with invalid_authorization_details', async (details) => {
    expect(await send(`{"authorization_details":${details}}`)).toMatchObject({
      status: 400,
      error: 'invalid_authorization_details',
    })
  })

  test('an attribute that the method does not have, and changes nothing', async () => {
    const service = createService()
    const token = await service.obtainToken()
    const details = [ageSignal(), ageSignal({ attributes: { colour: 'red' } })]
    const refusal = await refusalOf(() => service.upgrade(token, details))
    expect(refusal).toMatchObject({
      status: 400,
      code: 'invalid_authorization_details',
      findings: [{ rule: 'SIG-16', path: 'authorization_details[1].attributes.colour' }],
    })
    expect(service.provider.ageKeys.of('child')).toEqual(CHILD)
  })

  test.each([undefined, 'application/x-www-form-urlencoded', 'text/json'])(
    'the content type %j with 415',
    async (contentType) => {
      const refusal = await refused(() =>
        upgradeAgeKey({ ...jsonRequest(DETAILS, undefined), contentType }, createProvider()),
      )
      expect(refusal).toEqual({ status: 415, error: 'invalid_request', rules: ['UPG-01'] })
    },
  )

  test('bytes that are not UTF-8', async () => {
    const request = { ...formRequest(''), contentType: 'application/json', body: Buffer.from([0x7b, 0xff, 0x7d]) }
    const refusal = await refused(() => upgradeAgeKey(request, createProvider()))
    expect(refusal).toEqual({ status: 400, error: 'invalid_request', rules: ['UPG-05'] })
  })
})
