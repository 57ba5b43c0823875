import { expect, test } from 'vitest'
import {
  actingValue,
  type RequestedDecision,
  readActingValue,
  requireRequestedNames,
} from '../../../src/sandbox/decision/sources.ts'
import {
  isOfBrowser,
  outcomeProblem,
  requireBrowserOutcome,
  requireOutcome,
  requireOutcomeName,
  requirePersona,
} from '../../../src/sandbox/outcomes/names.ts'
import { CALLS } from '../../../src/service/oidc/endpoints.ts'
import { refusalOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

const LISTED = 'GET /_sandbox/catalog lists all.'
const { personas } = await createTestTenant()

test('A persona is found by its name', async () => {
  expect(await requirePersona('teen-16', { personas })).toMatchObject({ name: 'teen-16' })
})

test('An unknown persona is refused with the nearest names', async () => {
  const refused = (name: string, more: { source?: string; status?: 404 }) =>
    refusalOf(() => requirePersona(name, { personas, ...more }))
  expect(await refused('teen', { source: 'cookie c' })).toMatchObject({
    status: 400,
    message:
      'cookie c: there is no persona "teen". Did you mean "teen-14", "teen-16" or "teen-email-13"? GET /_sandbox/personas lists all.',
  })
})

test('A persona that resembles no known name is refused without a guess', async () => {
  const refused = (name: string, more: { source?: string; status?: 404 }) =>
    refusalOf(() => requirePersona(name, { personas, ...more }))
  const message = expect.stringMatching(/^persona: there is no persona "nobody-at-all"/)
  expect(await refused('nobody-at-all', { status: 404 })).toMatchObject({ status: 404, message })
})

test.each([
  ['use', 'expired', 'id_token.expired'],
  ['create', 'expired', 'request_uri.expired'],
  ['token', '401', 'token.401'],
  ['create', 'accessDenied', 'access_denied'],
] as const)(
  'An unknown outcome of %s is refused, for "%s" with %s',
  async (flow, name, nearest) => {
    const { suggestions, message, status } = await refusalOf(async () => requireOutcome(flow, name))
    expect(status).toBe(400)
    expect(suggestions[0]).toEqual(nearest)
    expect(message).toMatch(new RegExp(`^outcome: there is no outcome.* "${name}"\\. Did`))
    expect(message).toContain(LISTED)
  },
)

test('The beginning of an outcome suggests no outcome of another member', async () => {
  const { suggestions, message } = await refusalOf(async () =>
    requireOutcome('use', 'id_token.nonce'),
  )
  expect(suggestions).toContain('id_token.nonce_missing')
  for (const name of suggestions) expect(name).toMatch(/^id_token\.nonce_/)
  expect(message).toContain('Did you mean "id_token.nonce_')
})

test('An outcome is found among those of its call', () => {
  expect(requireOutcome('token', 'token.500')).toMatchObject({ flow: 'token', name: 'token.500' })
})

test('An outcome of another flow is refused with the outcomes of this call', async () => {
  const { message } = await refusalOf(async () =>
    requireOutcome('token', 'access_denied', 'header X'),
  )
  expect(message).toMatch(
    /^header X: "access_denied" is an outcome of use and create, not of token\. Outcomes of token: token\.500, .* and \d+ more\. GET \/_sandbox\/catalog lists all\.$/,
  )
})

test('An outcome is named a problem in another flow than its own', () => {
  expect(outcomeProblem('create', 'request_uri.expired')).toBeUndefined()
  const ofUse = /^"verified" is an outcome of use, not of create\. Outcomes of create: /
  expect(outcomeProblem('create', 'verified')).toMatch(ofUse)
  expect(outcomeProblem('use', 'acess_denied')).toMatch(
    /outcome of use "acess_denied"\. Did you mean "access_denied"/,
  )
})

test('The outcome of a cookie is one of Use or Create', async () => {
  expect(CALLS.filter(isOfBrowser)).toEqual(['use', 'create'])
  for (const name of ['access_denied', 'created', 'request_uri.expired'])
    requireBrowserOutcome(name, 'cookie c')
  const ofCall = await refusalOf(async () => requireBrowserOutcome('token.500', 'cookie c'))
  expect(ofCall.message).toBe(
    `cookie c: "token.500" is an outcome of token, a call that no browser makes with its cookies; queue it by POST /_sandbox/expectations, or name it in the authorization request. ${LISTED}`,
  )
  const unknown = await refusalOf(async () => requireBrowserOutcome('acess_denied', 'cookie c'))
  expect(unknown.message).toMatch(
    /^cookie c: there is no outcome "acess_denied"\. Did you mean "access_denied"/,
  )
})

test('The name of an outcome is that of any flow', async () => {
  for (const name of ['verified', 'created', 'jwks.500']) requireOutcomeName(name)
  const { message } = await refusalOf(async () => requireOutcomeName('expired'))
  expect(message).toBe(
    `outcome: there is no outcome "expired". Did you mean "request_uri.expired" or "id_token.expired"? ${LISTED}`,
  )
  const elsewhere = await refusalOf(async () => requireOutcomeName('x', 'defaults.outcome'))
  expect(elsewhere.message).toMatch(/^defaults\.outcome: /)
})

const named = (persona?: string, outcome?: string) => ({ persona, outcome })
const TEEN = named('teen-16')
const CALLED = named(undefined, 'token.500')

test.each<[RequestedDecision, RegExp]>([
  [{ query: TEEN, headers: named('nobody') }, /^request header X-Sandbox-Persona: /],
  [{ query: TEEN, headers: named(undefined, 'nothing') }, /^request header X-Sandbox-Outcome: /],
  [{ query: named('teen-16', 'nothing') }, /^query parameter sandbox_outcome: /],
  [{ query: named('nobody') }, /^query parameter sandbox_persona: /],
  [{ cookie: CALLED }, /^cookie agekey_sandbox_outcome: "token\.500"/],
])(
  'Every name in a request is checked, also one that another source overrules: %j',
  async (requested, message) => {
    expect(
      (await refusalOf(() => requireRequestedNames('use', requested, { personas }))).message,
    ).toMatch(message)
  },
)

test('The personas that a request names are found', async () => {
  const found = await requireRequestedNames('use', { query: TEEN }, { personas })
  expect(found.map(({ name }) => name)).toEqual(['teen-16'])
  const nothing = { query: named(), headers: named(), cookie: named() }
  expect(await requireRequestedNames('use', nothing, { personas })).toEqual([])
})

test('A cookie is ignored where no browser calls', async () => {
  expect(await requireRequestedNames('par', { cookie: CALLED }, { personas })).toEqual([])
})

test('The decisions of a browser are read from a cookie by the tenant that wrote the cookie alone', () => {
  const acting = named('teen-16', 'access_denied')
  const value = actingValue('/t/a', acting)
  expect(value).toBe('at=%2Ft%2Fa&persona=teen-16&outcome=access_denied')
  expect(readActingValue(value, '/t/a')).toEqual(acting)
  expect(readActingValue(value, '')).toStrictEqual(named())
  expect(readActingValue(actingValue('', { persona: 'teen-16' }), '')).toEqual(TEEN)
  expect(readActingValue(actingValue('', { outcome: 'x' }), '')).toEqual(named(undefined, 'x'))
  expect(actingValue('', {})).toBe('')
})
