import { describe, expect, test } from 'vitest'
import { basicProblem, credentialsProblem, mistakenFor } from '../../../src/oidc/request/client-mistakes.ts'
import { createProvider } from '../../support/provider.ts'
import { basic } from '../../support/requests.ts'

const { clients } = createProvider()
const SECRET = 'sk_test_sandbox'
const problemOf = (clientSecret: string, clientId = 'ak_test_sandbox') =>
  credentialsProblem({ clientId, clientSecret }, clients)

describe('credentialsProblem', () => {
  test.each([
    [` ${SECRET}\n`, ': there are blanks or line breaks around it'],
    [`"${SECRET}"`, ': there are quotation marks around it'],
    [SECRET.replaceAll('_', '%5F'), ': it is percent-encoded twice'],
    [`ak_test_sandbox:${SECRET}`, ': the client_id and a colon stand before it'],
    [Buffer.from(SECRET).toString('base64'), ': it is base64 here, where it must stand as it is'],
    ['ak_test_sandbox', ': it is the client_id'],
    ['wrong', ': 5 characters were received, which are another secret'],
    ['%', ': 1 characters were received, which are another secret'],
  ])('names the usual mistake in the secret %j', (secret, mistake) => {
    expect(problemOf(secret)).toBe(
      `client_secret is wrong for client "ak_test_sandbox", which is registered${mistake}. Registered: ak_test_sandbox, other.`,
    )
  })

  test('names the registered clients when the client is unknown', () => {
    expect(problemOf(SECRET, 'ak-test-sandbox')).toBe(
      'client_id "ak-test-sandbox" is not registered here. Did you mean "ak_test_sandbox"? Registered: ak_test_sandbox, other.',
    )
  })
})

describe('basicProblem', () => {
  test.each([
    ['Bearer abc', 'Authorization is Bearer; it must be Basic'],
    ['c2VjcmV0', 'Authorization names no scheme that is known; it must be Basic'],
    ['swordfish of the sea', 'Authorization names no scheme that is known; it must be Basic'],
    ['Basic', 'Authorization is Basic without the base64 of client_id:client_secret'],
    [`Basic ak_test_sandbox:${SECRET}`, 'Authorization has the credentials as they are; it must have their base64'],
    [basic('ak_test_sandbox', ''), 'Authorization is Basic with an empty client_secret'],
    [
      basic('ak_test_sandbox', 'wrong'),
      'client_secret is wrong for client "ak_test_sandbox", which is registered: 5 characters were received, which are another secret. Registered: ak_test_sandbox, other.',
    ],
  ])('of %s says what is wrong and repeats no secret', (authorization, problem) => {
    expect(basicProblem(authorization, clients)).toBe(problem)
  })
})

describe('mistakenFor', () => {
  test.each([
    ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', ': it is a JWT, such as the id_token'],
    ['urn:svc:request:abc', ': it is a request_uri'],
    [SECRET, ': it is a client_secret'],
    ['undefined', ': it is the text "undefined" of a variable without a value'],
    ['something-else', ''],
  ])('%s', (text, what) => {
    expect(mistakenFor(text, clients)).toBe(what)
  })
})
