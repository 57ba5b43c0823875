import { expect, test } from 'vitest'
import { accessTokens, findCode } from '../../../src/service/oidc/token.ts'
import { CHILD, NOW, OTHER_CLIENT } from '../../support/provider.ts'
import type { Changes } from '../../support/requests.ts'
import { createService, refusalOf, refused } from '../../support/service.ts'

test('exchangeCode answers with an opaque bearer token for 10800 seconds that names the age key', async () => {
  const service = createService()
  const code = await service.obtainCode()
  expect((await findCode(code, service.provider))?.record.state).toBe('state-1')
  expect(await findCode('other', service.provider)).toBeUndefined()
  // The client_id may stand in the form too.
  const { response, findings } = await service.exchange(code, { client_id: 'ak_test_sandbox' })
  const access_token = expect.stringMatching(/^at_test_[A-Za-z0-9_-]{43}$/)
  expect(response).toEqual({ access_token, token_type: 'Bearer', expires_in: 10_800 })
  expect(findings).toEqual([])
  const issuedFor = { clientId: 'ak_test_sandbox', ageKeyId: CHILD.id, state: 'state-1', code }
  const record = await accessTokens(service.provider).get(response.access_token)
  expect(record).toEqual({ ...issuedFor, expiresAt: NOW + 10_800_000 })
})

test('exchangeCode refuses a code that was issued to another client', async () => {
  const service = createService()
  const code = await service.obtainCode()
  const theft = await refusalOf(() => service.exchange(code, {}, OTHER_CLIENT))

  expect(theft).toMatchObject({
    status: 400,
    code: 'invalid_grant',
    findings: [{ rule: 'TOK-05' }],
  })
  expect(theft.message).toContain('the code was issued to another client than other')
})

test('A refused exchange does not spend the code', async () => {
  const service = createService()
  const code = await service.obtainCode()
  await refusalOf(() => service.exchange(code, { grant_type: 'refresh_token' }))
  await service.exchange(code)
})
test('exchangeCode refuses a code that was not issued', async () => {
  const guess = await refusalOf(() => createService().exchange('guess', {}, OTHER_CLIENT))
  expect(guess.message).toContain('no such code was issued')
})

async function exchangedOnce() {
  const service = createService()
  const code = await service.obtainCode()
  return { service, code, token: (await service.exchange(code)).response.access_token }
}

const ENDED = { status: 401, error: 'invalid_token', rules: ['UPG-08'] }

test('A code that is exchanged again ends its own access token alone', async () => {
  const { service, code, token } = await exchangedOnce()
  const other = await service.obtainToken()
  await service.upgrade(token)
  await refused(() => service.exchange(code))
  expect(await refused(() => service.upgrade(token))).toEqual(ENDED)
  await service.upgrade(other)
})

test('A code that has expired since ends its access token too, until the token expires itself', async () => {
  const { service, code, token } = await exchangedOnce()
  const { clock } = service.provider
  clock.advance(601)
  expect(await refused(() => service.exchange(code))).toMatchObject({ rules: ['TOK-07'] })
  clock.advance(10_000)
  expect(await refused(() => service.upgrade(token))).toEqual(ENDED)
})

test('A code that is exchanged twice at once ends its access token', async () => {
  const service = createService()
  const code = await service.obtainCode()
  const exchanges = await Promise.allSettled([service.exchange(code), service.exchange(code)])
  const tokens = exchanges.flatMap((one) =>
    one.status === 'fulfilled' ? [one.value.response.access_token] : [],
  )
  expect(tokens).toHaveLength(1)
  expect(await refused(() => service.upgrade(tokens[0] ?? ''))).toEqual(ENDED)
})

const WRONG = { clientId: 'ak_test_sandbox', clientSecret: 'wrong' }

test.each<[string, Changes, typeof WRONG?]>([
  ['a wrong secret', {}, WRONG],
  ['another client', {}, OTHER_CLIENT],
  ['a client_secret in the form', { client_secret: 'sk_test_sandbox' }],
  ['another client_id in the form', { client_id: 'other' }],
])('A request that exchangeCode refuses for %s spends no code', async (_, changes, credentials) => {
  const { service, code: spent, token } = await exchangedOnce()
  const code = await service.obtainCode()
  for (const one of [spent, code])
    await refusalOf(() => service.exchange(one, changes, credentials))
  await service.upgrade(token)
  await service.exchange(code)
})
