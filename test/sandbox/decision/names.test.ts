import { describe, expect, test } from 'vitest'
import {
  outcomeProblem,
  requireOutcome,
  requireOutcomeName,
  requirePersona,
} from '../../../src/sandbox/decision/names.ts'
import { refusalOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

describe('requirePersona', () => {
  test('says what was received, which personas are meant by it and where all are listed', async () => {
    const { personas } = await createTestTenant()
    const refusal = await refusalOf(() => requirePersona('teen', { personas, source: 'cookie c' }))
    expect(refusal.message).toBe(
      'cookie c: there is no persona "teen". Did you mean "teen-14", "teen-16" or "teen-email-13"? GET /_sandbox/personas lists all.',
    )
  })
})

describe('requireOutcome', () => {
  test.each([
    ['use', 'expired', ['id_token.expired']],
    ['create', 'expired', ['request_uri.expired']],
    ['token', '401', ['token.401']],
    ['create', 'accessDenied', ['access_denied']],
  ] as const)('for %s suggests by "%s" first the names that it is a part of', async (flow, name, nearest) => {
    const { suggestions } = await refusalOf(async () => requireOutcome(flow, name))
    expect(suggestions.slice(0, nearest.length)).toEqual(nearest)
  })

  test('does not suggest another member for the beginning of a name', async () => {
    const { suggestions, message } = await refusalOf(async () => requireOutcome('use', 'id_token.nonce'))
    expect(suggestions).toContain('id_token.nonce_missing')
    expect(suggestions.every((name) => name.startsWith('id_token.nonce_'))).toBe(true)
    expect(message).toContain('Did you mean "id_token.nonce_')
  })

  test('says of which flows an outcome is that this call cannot have, and which ones it can', async () => {
    const { message } = await refusalOf(async () => requireOutcome('token', 'access_denied', 'header X'))
    expect(message).toMatch(
      /^header X: "access_denied" is an outcome of use and create, not of token\. Outcomes of token: token\.500, .* and \d+ more\. GET \/_sandbox\/catalog lists all\.$/,
    )
  })
})

describe('outcomeProblem', () => {
  test('is undefined for an outcome of the flow', () => {
    expect(outcomeProblem('create', 'request_uri.expired')).toBeUndefined()
  })

  test('names the flow of an outcome of another one', () => {
    expect(outcomeProblem('create', 'verified')).toContain('"verified" is an outcome of use, not of create.')
  })
})

describe('requireOutcomeName', () => {
  test('suggests the outcomes of every flow', async () => {
    const { message } = await refusalOf(async () => requireOutcomeName('expired'))
    expect(message).toContain('Did you mean "request_uri.expired" or "id_token.expired"?')
  })
})
