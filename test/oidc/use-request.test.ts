import { describe, expect, test } from 'vitest'
import { decodePairs, type Pairs } from '../../src/oidc/request/parameters.ts'
import { beginUse } from '../../src/oidc/use.ts'
import { createProvider } from '../support/provider.ts'
import { type Changes, claims, useRequest } from '../support/requests.ts'
import { createService, received, refusalOf } from '../support/service.ts'

const begin = (changes: Changes) => beginUse(Object.entries(useRequest(changes)), createProvider())

/** The callback of a request that is refused at once. */
function refusedCallback(query: Pairs) {
  const beginning = beginUse(query, createProvider())
  if (beginning.kind !== 'refused') throw new Error('the request proceeds')
  return received(beginning.callback)
}

/** The rules that a request misses that proceeds. */
function advice(changes: Changes) {
  const { kind, findings } = begin(changes)
  if (kind !== 'proceed') throw new Error('the request is refused')
  return findings.map(({ rule }) => rule)
}

describe('beginUse redirects an error with state', () => {
  const wrong: readonly (readonly [string, Changes, string, string])[] = [
    ['no scope', { scope: undefined }, 'invalid_request', 'USE-03'],
    ['an empty scope', { scope: '' }, 'invalid_request', 'USE-03'],
    ['a blank scope', { scope: ' ' }, 'invalid_scope', 'USE-03'],
    ['another scope', { scope: 'openid email' }, 'invalid_scope', 'USE-03'],
    ['the upgrade scope alone', { scope: 'svc.upgrade' }, 'invalid_scope', 'USE-03'],
    ['the scope of the other profile', { scope: 'openid agekey.upgrade' }, 'invalid_scope', 'USE-03'],
    ['a scope in capitals', { scope: 'OpenID' }, 'invalid_scope', 'USE-03'],
    ['scopes divided by a comma', { scope: 'openid,svc.upgrade' }, 'invalid_scope', 'USE-03'],
    ['an older spelling of the upgrade scope', { scope: 'openid agekey_upgrade' }, 'invalid_scope', 'USE-17'],
    ['an older spelling without openid', { scope: 'agekey-upgrade' }, 'invalid_scope', 'USE-03'],
    ['no response_type', { response_type: undefined }, 'invalid_request', 'USE-04'],
    ['response_type code', { response_type: 'code' }, 'unsupported_response_type', 'USE-04'],
    ['response_type token', { response_type: 'id_token token' }, 'unsupported_response_type', 'USE-04'],
    ['an unknown response_mode', { response_mode: 'web_message' }, 'invalid_request', 'USE-06'],
    ['response_mode in capitals', { response_mode: 'QUERY' }, 'invalid_request', 'USE-06'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported', 'USE-18'],
    ['a request_uri', { request_uri: 'https://rp.example/r' }, 'request_uri_not_supported', 'USE-18'],
    ['no nonce', { nonce: undefined }, 'invalid_request', 'USE-08'],
    ['an empty nonce', { nonce: '' }, 'invalid_request', 'USE-08'],
    ['no claims', { claims: undefined }, 'invalid_request', 'USE-09'],
    ['empty claims', { claims: '' }, 'invalid_request', 'USE-09'],
    ['claims that are no JSON', { claims: '{age_thresholds:[18]}' }, 'invalid_request', 'USE-09'],
    ['claims encoded twice', { claims: encodeURIComponent(claims()) }, 'invalid_request', 'USE-09'],
    ['claims that are a list', { claims: '[18]' }, 'invalid_request', 'CLM-01'],
    ['claims that are null', { claims: 'null' }, 'invalid_request', 'CLM-01'],
    ['claims that are JSON in JSON', { claims: JSON.stringify(claims()) }, 'invalid_request', 'CLM-01'],
    ['an unknown member of claims', { claims: claims({ allowed_method: [] }) }, 'invalid_request', 'CLM-01'],
    ['no thresholds', { claims: '{}' }, 'invalid_request', 'CLM-02'],
    ['an empty list of thresholds', { claims: claims({ age_thresholds: [] }) }, 'invalid_request', 'CLM-02'],
    ['a threshold of 151', { claims: claims({ age_thresholds: [151] }) }, 'invalid_request', 'CLM-03'],
    ['a threshold as text', { claims: claims({ age_thresholds: ['18'] }) }, 'invalid_request', 'CLM-03'],
    [
      'neither of the facial pair',
      { claims: claims({ overrides: { facial_age_estimation: {} } }) },
      'invalid_request',
      'CLM-17',
    ],
  ]
  test.each(wrong)('for %s', async (_name, changes, error, rule) => {
    const { params } = await createService().use(changes)
    expect(params).toEqual({ error, error_description: expect.stringContaining(`${rule}: `), state: 'state-1' })
  })

  test.each([{ state: undefined }, { state: '' }])('without it, for a request that has none: %j', async (changes) => {
    const { params } = await createService().use(changes)
    expect(params).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('USE-07') })
  })

  test.each(['scope', 'response_type', 'response_mode', 'nonce', 'claims', 'theme', 'unheard_of'])(
    'for %s sent twice, even with the same value',
    (name) => {
      const query = new URLSearchParams(useRequest({ response_mode: 'fragment', theme: 'light', unheard_of: 'x' }))
      query.append(name, query.get(name) ?? '')
      const { params } = refusedCallback([...query])
      expect(params).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('USE-10'),
        state: 'state-1',
      })
    },
  )

  test('for state sent twice, without any of the two', () => {
    const query = new URLSearchParams(useRequest())
    query.append('state', 'state-2')
    const { params } = refusedCallback([...query])
    expect(params).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('USE-10') })
  })

  test.each(['nonce', 'response_mode', 'can_create', 'theme', 'language', 'font', 'gradient'])(
    'for a %s that is too long, with state',
    (name) => {
      const { params } = refusedCallback(Object.entries(useRequest({ [name]: 'x'.repeat(4_097) })))
      expect(params).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining(`USE-23: ${name} is 4097 bytes long; at most 4096 are taken.`),
        state: 'state-1',
      })
    },
  )

  test('for a state that is too long, without it', () => {
    const { params } = refusedCallback(Object.entries(useRequest({ state: 's'.repeat(60_000) })))
    expect(params).toEqual({
      error: 'invalid_request',
      error_description: expect.stringContaining('USE-23: state is 60000 bytes long; at most 4096 are taken.'),
    })
  })

  test.each(['nonce=%ff', 'nonce=%', 'nonce=%c3%28', 'nonce=a%00b', 'nonce=%ed%a0%80', 'nonce=%zz'])(
    'for a parameter that is not well-formed UTF-8: %s',
    (pair) => {
      const query = `${new URLSearchParams(useRequest({ nonce: undefined }))}&${pair}`
      const { params } = refusedCallback(decodePairs(query))
      expect(params).toMatchObject({ error: 'invalid_request', state: 'state-1' })
      expect(params['error_description']).toContain('USE-10')
    },
  )

  test.each(['%=1', '%zz=1', '%ff', 'x%=1', 'x%00y=1'])(
    'for a parameter whose name is not well-formed UTF-8: %s',
    (pair) => {
      const { params } = refusedCallback(decodePairs(`${new URLSearchParams(useRequest())}&${pair}`))
      expect(params).toMatchObject({ error: 'invalid_request', state: 'state-1' })
      expect(params['error_description']).toContain('USE-10')
    },
  )

  test('that names every broken rule, the first one in full', async () => {
    const service = createService()
    const { params } = await service.use({ scope: 'x', response_type: 'y', nonce: undefined, claims: '[]' })
    expect(params['error_description']).toMatch(/^USE-03: .*\(and 3 more: USE-04, USE-08, CLM-01\)/)
  })

  test('that does not give the number of those that were looked for no longer', async () => {
    const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 1]))
    const descriptionFor = async (count: number) =>
      (await createService().use({ claims: claims(unknown(count)) })).params['error_description']
    expect(await descriptionFor(99)).toMatch(/ \(and 98 more: CLM-\d\d\)/)
    expect(await descriptionFor(150)).toMatch(/ \(and at least 99 more: CLM-\d\d\)/)
  })

  test('in one sentence, also when the first message ends with a period', async () => {
    const service = createService()
    const { message } = await refusalOf(() => service.use({ client_id: 'x', nonce: undefined }))
    expect(message).toMatch(/^USE-01: .*[^.] \(and 1 more: USE-08\)$/)
  })
})

describe('beginUse serves', () => {
  test.each([
    ['scopes in the other order', { scope: 'svc.upgrade openid' }],
    ['a scope that is named twice', { scope: 'openid openid' }],
    ['two blanks between scopes', { scope: 'openid  svc.upgrade' }],
    ['blanks around a scope', { scope: '  openid ' }],
    ['can_create=false', { can_create: 'false' }],
    ['empty optional parameters', { can_create: '', theme: '', language: '', response_mode: '', font: '' }],
  ])('%s', async (_name, changes) => {
    expect((await createService().use(changes)).params).toHaveProperty('id_token')
  })

  test.each([
    ['an unknown parameter', { prompt: 'login' }, 'USE-11'],
    ['can_create that is not exactly true', { can_create: 'TRUE' }, 'USE-12'],
    ['an unknown theme', { theme: 'blue' }, 'USE-13'],
    ['a language that is no tag', { language: 'e!n' }, 'USE-14'],
    ['learn_more that is neither true nor false', { learn_more: '1' }, 'USE-15'],
    ['an appearance value that is not permitted', { primary_color: 'url(x)' }, 'USE-16'],
  ])('%s, with an advice', (_name, changes, rule) => {
    expect(advice(changes)).toEqual([rule])
  })

  test('can_create that is not exactly true as if it were absent', () => {
    expect(begin({ can_create: 'TRUE' })).toMatchObject({ transaction: { canCreate: false } })
  })

  test('every permitted appearance, theme and language without a word', () => {
    const findings = advice({
      theme: 'system',
      learn_more: 'false',
      language: 'zh-Hant-TW',
      primary_color: '#0af',
      secondary_color: '#00AAFF',
      text_color: 'RebeccaPurple',
      background_color: 'white',
      text_align: 'center',
      button_radius: '32',
      gradient: 'true',
      font: 'Open Sans 3',
    })
    expect(findings).toEqual([])
  })

  test.each([
    { primary_color: '#ab' },
    { primary_color: '#12345g' },
    { text_color: 'constructor' },
    { text_align: 'justify' },
    { button_radius: '33' },
    { button_radius: '-1' },
    { button_radius: '1.5' },
    { gradient: 'yes' },
    { font: 'x'.repeat(61) },
    { font: 'Arial;}' },
  ])('the appearance %j as if it were absent, with an advice', (changes) => {
    expect(advice(changes)).toEqual(['USE-16'])
  })
})
