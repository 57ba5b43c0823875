import { expect, test } from 'vitest'
import { CHILD } from '../../support/provider.ts'
import { ageSignal } from '../../support/requests.ts'
import { createService, jsonRequest, refusalOf, refused, upgradeBy } from '../../support/service.ts'

test('upgradeAgeKey adds the signals to the age key that the token names', async () => {
  const service = createService()
  const { ageKeys } = service.provider
  const adult = await ageKeys.of('adult')
  expect(await service.upgrade(await service.obtainToken())).toEqual({
    response: 'OK',
    findings: [],
  })
  const { type: _type, verification_id: _id, ...signal } = ageSignal()
  expect((await ageKeys.of('child'))?.signals).toStrictEqual([...CHILD.signals, signal])
  expect(await ageKeys.of('adult')).toEqual(adult)
})

test('An access token serves upgrades for 10800 seconds to the millisecond', async () => {
  const service = createService()
  const { clock } = service.provider
  const token = await service.obtainToken()
  await service.upgrade(token)
  clock.advance(10_799.999)
  await service.upgrade(token)
  clock.advance(0.001)
  expect(await refused(() => service.upgrade(token))).toMatchObject({
    status: 401,
    rules: ['UPG-03'],
  })
})

test('upgradeAgeKey names the mistakes of header with those of the body', async () => {
  const { provider } = createService()
  const { findings } = await refusalOf(() => upgradeBy(jsonRequest({}, undefined), provider))
  const mistakes = ['the Authorization header is missing', 'authorization_details is missing']
  expect(findings.map(({ message }) => message)).toEqual(mistakes)
})

test('upgradeAgeKey adds no signal when one of the signals is refused', async () => {
  const service = createService()
  const token = await service.obtainToken()
  const details = [ageSignal(), ageSignal({ attributes: { colour: 'red' } })]
  expect(await refusalOf(() => service.upgrade(token, details))).toMatchObject({
    status: 400,
    code: 'invalid_authorization_details',
    findings: [{ rule: 'SIG-16', path: 'authorization_details[1].attributes.colour' }],
    headers: {},
  })
  expect(await service.provider.ageKeys.of('child')).toEqual(CHILD)
})
