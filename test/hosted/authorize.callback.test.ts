import { describe, expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const MODES = ['fragment', 'query', 'form_post'] as const

describe('E1 answers', () => {
  test.each(MODES)('in the response mode %s that was asked for, success and error alike', async (mode) => {
    const rp = createRelyingParty(await startSandbox())
    expect(await rp.use({ response_mode: mode })).toMatchObject({ mode, params: { id_token: expect.any(String) } })
    expect(await rp.use({ response_mode: mode, scope: 'profile' })).toMatchObject({
      mode,
      params: { error: 'invalid_scope', error_description: expect.any(String), state: 'state-1' },
    })
  })

  test.each([undefined, ''])('in the fragment when response_mode is %j', async (response_mode) => {
    expect((await createRelyingParty(await startSandbox()).use({ response_mode })).mode).toBe('fragment')
  })

  test('an unknown response_mode in the fragment, with invalid_request and state', async () => {
    const callback = await createRelyingParty(await startSandbox()).use({ response_mode: 'web_message' })
    expect(callback).toMatchObject({ mode: 'fragment', params: { error: 'invalid_request', state: 'state-1' } })
  })

  test.each(MODES)('a redirect_uri with a query of its own and keeps that query, in mode %s', async (mode) => {
    const redirect_uri = 'http://localhost:3000/cb?tenant=a%20b&x=1&state=mine'
    const answer = await (await startSandbox()).request
      .get('/v1/oidc/use')
      .query(useRequest({ redirect_uri, response_mode: mode, sandbox_outcome: 'access_denied' }))
    if (mode === 'query') {
      expect(answer.headers.location).toMatch(/^http:\/\/localhost:3000\/cb\?tenant=a%20b&x=1&state=mine&error=/)
      expect(new URL(answer.headers.location ?? '').searchParams.getAll('state')).toEqual(['mine', 'state-1'])
    } else expect(readCallback(answer)).toMatchObject({ address: redirect_uri, params: { state: 'state-1' } })
  })

  const STATES = {
    unicode: 'ünïcødé 漢字 🔑',
    spaces: ' a  b ',
    'form characters': 'a+b&c=d%20%2B;e',
    markup: '"><script>alert(1)</script>\'',
    'line breaks': 'one\r\ntwo\nthree',
    'a URL': 'https://evil.example/?x=1#y',
    JSON: '{"a":["b"]}',
    '4 KiB': 'x'.repeat(4096),
  }
  for (const mode of MODES) {
    test.each(Object.entries(STATES))(`%s in state unchanged, in mode ${mode}`, async (_name, state) => {
      const { params } = await createRelyingParty(await startSandbox()).use({ response_mode: mode, state })
      expect(params['state']).toBe(state)
    })
  }

  test('spaces as %20, which every client reads the same', async () => {
    const query = useRequest({ response_mode: 'query', state: 'a b', sandbox_outcome: 'access_denied' })
    const answer = await (await startSandbox()).request.get('/v1/oidc/use').query(query)
    expect(answer.headers.location).toContain('state=a%20b')
    expect(answer.headers.location).not.toContain('+')
  })

  test('with 302 and no-store', async () => {
    const query = useRequest({ sandbox_persona: 'teen-16' })
    const answer = await (await startSandbox()).request.get('/v1/oidc/use').query(query).expect(302)
    expect(answer.headers['cache-control']).toContain('no-store')
  })

  test('an error_description in the characters of RFC 6749, whatever was sent', async () => {
    const rp = createRelyingParty(await startSandbox())
    const { params } = await rp.use({ claims: '{"ünknown \\"member\\\\": 1, "age_thresholds": [18]}' })
    expect(params['error_description']).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  })
})

test('E1 in mode form_post answers a page that is never stored and may post only to the relying party', async () => {
  const query = useRequest({ response_mode: 'form_post', sandbox_persona: 'teen-16' })
  const answer = await (await startSandbox()).request.get('/v1/oidc/use').query(query).expect(200)
  expect(answer.headers['cache-control']).toContain('no-store')
  expect(answer.headers['content-security-policy']).toMatch(/form-action [^;]*http:\/\/localhost:3000(;|$)/)
  expect(answer.headers['content-security-policy']).not.toContain('unsafe-inline')
})
