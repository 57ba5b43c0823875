import { expect, test } from 'vitest'
import { findPushedRequest } from '../../../src/service/oidc/pushed-request.ts'
import { createProvider, NOW } from '../../support/provider.ts'
import { ageSignal, REDIRECT_URI } from '../../support/requests.ts'
import { createService } from '../../support/service.ts'

test('pushRequest answers with a request_uri of its own that lives 90 seconds', async () => {
  const service = createService()
  const answer = await service.push({ scope: '  openid  openid ' })
  const request_uri = expect.stringMatching(/^urn:svc:request:[A-Za-z0-9_-]{22}$/)
  expect(answer).toEqual({ response: { request_uri, expires_in: 90 }, findings: [] })
  expect(await service.obtainRequestUri()).not.toBe(answer.response.request_uri)
})

test('pushRequest keeps what was pushed for findPushedRequest, which finds nothing else', async () => {
  const { provider, obtainRequestUri } = createService()
  const requestUri = await obtainRequestUri()
  const { type: _type, verification_id: _id, ...signal } = ageSignal()
  const target = { clientId: 'ak_test_sandbox', redirectUri: REDIRECT_URI }
  const record = { ...target, state: 'state-1', signals: [signal], expiresAt: NOW + 90_000 }
  const id = requestUri.replace('urn:svc:request:', '')
  expect(await findPushedRequest(requestUri, provider)).toEqual({ id, record, isSpent: false })
  const altered = [requestUri.replace('svc', 'agekey'), requestUri.replace('urn', 'uri')]
  for (const other of ['urn:svc:request:other', 'other', ...altered])
    expect(await findPushedRequest(other, provider)).toBeUndefined()
})

test('pushRequest certifies the signals of a known provider among 10 of every method', async () => {
  const age = { at_least_years: 18 }
  const details = [
    { age, method: 'email_age_estimation', attributes: undefined },
    { age, method: 'facial_age_estimation', attributes: { on_device: true } },
    { method: 'national_id_number', attributes: { issuing_country: 'SE' } },
    {
      method: 'digital_credential',
      attributes: { platform: 'apple_wallet', issuing_country: 'US' },
    },
    { attributes: { face_match_performed: true, issuing_country: 'US' } },
    {
      age,
      method: 'payment_card_network',
      attributes: { card_type: 'credit' },
      provenance: '/stripe',
    },
    ...Array(4).fill({}),
  ].map((changes) => ageSignal(changes))
  const certifications = {
    '/veratad/roc': { id_doc_scan: 'effective', payment_card_network: 'strict' },
    '/stripe': { id_doc_scan: 'strict' },
  } as const
  const service = createService(createProvider({ certifications }))
  const authorization_details = JSON.stringify(details, null, 8).padEnd(4_097)
  const pushed = await findPushedRequest(
    await service.obtainRequestUri({ authorization_details }),
    service.provider,
  )
  const level = (method: unknown) => (method === 'id_doc_scan' ? 'effective' : undefined)
  expect(pushed?.record.signals.map(({ method, iso_27566_1 }) => [method, iso_27566_1])).toEqual(
    details.map(({ method }) => [method, level(method)]),
  )
})
