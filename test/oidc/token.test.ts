import { describe, expect, test } from 'vitest'
import { accessTokens, exchangeCode } from '../../src/oidc/token.ts'
import { CHILD, createProvider, NOW, OTHER_CLIENT } from '../support/provider.ts'
import { basic, type Changes, tokenRequest } from '../support/requests.ts'
import { createService, formRequest, refusalOf, refused } from '../support/service.ts'

const AUTHORIZATION = basic('ak_test_sandbox', 'sk_test_sandbox')

describe('exchangeCode', () => {
  test('answers with an opaque bearer token for 10800 seconds that names the age key', async () => {
    const service = createService()
    const code = await service.obtainCode()
    const { response, findings } = await service.exchange(code)
    expect(response).toEqual({
      access_token: expect.stringMatching(/^at_test_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 10_800,
    })
    expect(findings).toEqual([])
    expect(await accessTokens(service.provider).get(response.access_token)).toEqual({
      clientId: 'ak_test_sandbox',
      ageKeyId: CHILD.id,
      state: 'state-1',
      code,
      expiresAt: NOW + 10_800_000,
    })
  })

  test('takes a code once', async () => {
    const service = createService()
    const code = await service.obtainCode()
    await service.exchange(code)
    const again = await refused(() => service.exchange(code))
    expect(again).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-07'] })
  })

  test('gives a token to one of 20 exchanges at once', async () => {
    const service = createService()
    const code = await service.obtainCode()
    const exchanges = await Promise.allSettled(Array.from({ length: 20 }, () => service.exchange(code)))
    expect(exchanges.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('takes a code for 600 seconds to the millisecond', async () => {
    const service = createService()
    const { clock } = service.provider
    const [early, late] = [await service.obtainCode(), await service.obtainCode()]
    clock.advance(599.999)
    await service.exchange(early)
    clock.advance(0.001)
    const expired = await refused(() => service.exchange(late))
    expect(expired).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-06'] })
  })

  test('takes a code only from its own client, and another one that tries does not spend it', async () => {
    const service = createService()
    const code = await service.obtainCode()
    const theft = await refusalOf(() => service.exchange(code, {}, OTHER_CLIENT))
    const guess = await refusalOf(() => service.exchange('guess', {}, OTHER_CLIENT))
    expect(theft).toMatchObject({ status: 400, code: 'invalid_grant', findings: [{ rule: 'TOK-05' }] })
    expect([guess.message, guess.findings]).toEqual([theft.message, theft.findings])
    await service.exchange(code)
  })

  const ENDED = { status: 401, error: 'invalid_token', rules: ['UPG-08'] }

  test('ends the access token of a code that is exchanged again, and no other one', async () => {
    const service = createService()
    const code = await service.obtainCode()
    const [ended, other] = [(await service.exchange(code)).response.access_token, await service.obtainToken()]
    await service.upgrade(ended)
    await refused(() => service.exchange(code))
    const refusal = await refusalOf(() => service.upgrade(ended))
    expect(refusal).toMatchObject({ status: 401, code: 'invalid_token', findings: [{ rule: 'UPG-08' }] })
    expect(refusal.message).toContain('its code was exchanged again')
    expect(refusal.headers['WWW-Authenticate']).toContain('error="invalid_token"')
    await service.upgrade(other)
  })

  test('ends the access token also by a code that has expired since, until the token expires itself', async () => {
    const service = createService()
    const { clock } = service.provider
    const code = await service.obtainCode()
    const token = (await service.exchange(code)).response.access_token
    clock.advance(601)
    expect(await refused(() => service.exchange(code))).toMatchObject({ rules: ['TOK-07'] })
    clock.advance(10_000)
    expect(await refused(() => service.upgrade(token))).toEqual(ENDED)
  })

  test('ends the access token of a code that is exchanged twice at once', async () => {
    const service = createService()
    const code = await service.obtainCode()
    const exchanges = await Promise.allSettled([service.exchange(code), service.exchange(code)])
    const tokens = exchanges.flatMap((one) => (one.status === 'fulfilled' ? [one.value.response.access_token] : []))
    expect(tokens).toHaveLength(1)
    expect(await refused(() => service.upgrade(tokens[0] ?? ''))).toEqual(ENDED)
  })

  test.each([
    ['another client', OTHER_CLIENT],
    ['a wrong secret', { clientId: 'ak_test_sandbox', clientSecret: 'wrong' }],
  ])('ends no access token when %s sends its code again', async (_name, credentials) => {
    const service = createService()
    const code = await service.obtainCode()
    const token = (await service.exchange(code)).response.access_token
    await refused(() => service.exchange(code, {}, credentials))
    await service.upgrade(token)
  })

  test('spends no code in a request that it refuses', async () => {
    const service = createService()
    const code = await service.obtainCode()
    await refusalOf(() => service.exchange(code, { grant_type: 'refresh_token' }))
    await refusalOf(() => service.exchange(code, {}, { clientId: 'ak_test_sandbox', clientSecret: 'wrong' }))
    await service.exchange(code)
  })

  test('takes the client_id of the Authorization header in the form too', async () => {
    const service = createService()
    const { findings } = await service.exchange(await service.obtainCode(), { client_id: 'ak_test_sandbox' })
    expect(findings).toEqual([])
  })

  test('ignores parameters that it does not know, such as the redirect_uri of other providers', async () => {
    const service = createService()
    const { findings } = await service.exchange(await service.obtainCode(), { redirect_uri: 'http://localhost/' })
    expect(findings).toMatchObject([{ rule: 'TOK-09', level: 'advice', path: 'redirect_uri' }])
  })
})

describe('exchangeCode refuses', () => {
  test.each(['guess', '__proto__', 'x'.repeat(10_000)])('the unknown code %.20s with invalid_grant', async (code) => {
    const refusal = await refused(() => createService().exchange(code))
    expect(refusal).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-05'] })
  })

  test.each([
    ['no code', { code: undefined }, 'invalid_request', 'TOK-04'],
    ['an empty code', { code: '' }, 'invalid_request', 'TOK-04'],
    ['no grant_type', { grant_type: undefined }, 'invalid_request', 'TOK-03'],
    ['another grant_type', { grant_type: 'client_credentials' }, 'unsupported_grant_type', 'TOK-03'],
  ])('%s', async (_name, changes, error, rule) => {
    const service = createService()
    const code = await service.obtainCode()
    expect(await refused(() => service.exchange(code, changes))).toEqual({ status: 400, error, rules: [rule] })
  })

  test.each([
    ['no Authorization', undefined],
    ['a wrong secret', basic('ak_test_sandbox', 'wrong')],
    ['an unknown client', basic('nobody', 'sk_test_sandbox')],
    ['another scheme', 'Bearer x'],
  ])('%s with invalid_client and a challenge', async (_name, authorization) => {
    const request = formRequest(tokenRequest('x'), { authorization })
    const refusal = await refusalOf(() => exchangeCode(request, createProvider()))
    expect(refusal).toMatchObject({ status: 401, code: 'invalid_client', findings: [{ rule: 'TOK-02' }] })
    expect(refusal.headers['WWW-Authenticate']).toMatch(/^Basic /)
  })

  test.each<[string, Changes, string]>([
    ['the same credentials', { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' }, AUTHORIZATION],
    ['a client_secret', { client_secret: 'sk_test_sandbox' }, AUTHORIZATION],
    ['a wrong client_secret', { client_secret: 'wrong' }, AUTHORIZATION],
    ['the client_id of another client', { client_id: OTHER_CLIENT.clientId }, AUTHORIZATION],
    ['a client_secret, when the header is wrong', { client_secret: 'x' }, basic('ak_test_sandbox', 'wrong')],
    ['a client_secret, when the header is of another scheme', { client_secret: 'x' }, 'Bearer x'],
  ])('%s in the form beside the Authorization header, and spends nothing', async (_name, changes, authorization) => {
    const service = createService()
    const code = await service.obtainCode()
    const request = formRequest(tokenRequest(code, changes), { authorization })
    const refusal = await refusalOf(() => exchangeCode(request, service.provider))
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', findings: [{ rule: 'TOK-10' }] })
    expect(refusal.headers).toEqual({})
    await service.exchange(code)
  })

  test('another client_id in the form, and says which was received', async () => {
    const form = formRequest(tokenRequest('x', { client_id: 'other' }), { authorization: AUTHORIZATION })
    const { findings } = await refusalOf(() => exchangeCode(form, createProvider()))
    expect(findings[0]?.message).toBe(
      'client_id in the form is "other"; the Authorization header authenticates ak_test_sandbox',
    )
  })

  test('credentials in the form alone with invalid_client, and says where they belong', async () => {
    const form = tokenRequest('x', { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' })
    const refusal = await refusalOf(() => exchangeCode(formRequest(form), createProvider()))
    expect(refusal).toMatchObject({ status: 401, code: 'invalid_client', findings: [{ rule: 'TOK-02' }] })
    expect(refusal.message).toContain('client_secret in the form does not count here')
  })

  test.each(['grant_type', 'code'])('%s sent twice', async (name) => {
    const form = new URLSearchParams(tokenRequest('x'))
    form.append(name, form.get(name) ?? '')
    const request = formRequest(String(form), { authorization: AUTHORIZATION })
    const refusal = await refused(() => exchangeCode(request, createProvider()))
    expect(refusal).toMatchObject({ status: 400, error: 'invalid_request' })
    expect(refusal.rules).toContain('TOK-08')
  })

  test.each([undefined, 'application/json', 'text/plain'])('the content type %j with 415', async (contentType) => {
    const request = formRequest(tokenRequest('x'), { contentType, authorization: AUTHORIZATION })
    const refusal = await refused(() => exchangeCode(request, createProvider()))
    expect(refusal).toEqual({ status: 415, error: 'invalid_request', rules: ['TOK-01'] })
  })
})
