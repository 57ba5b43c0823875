import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { shareSandbox } from '../support/sandbox.ts'
import { runUse } from './flows.ts'

const sandbox = await shareSandbox()

const idTokenOf = async (name: string, changes = {}) =>
  (await runUse(sandbox, { name }, changes)).delivery?.params.get('id_token') ?? ''

async function publishedKids(): Promise<string[]> {
  const keySet = z.object({ keys: z.array(z.object({ kid: z.string() })) })
  return keySet.parse((await sandbox.request.get('/.well-known/jwks.json')).body).keys.map(({ kid }) => kid)
}

test('id_token.key_rotated signs by one new key, published from then on, and leaves the key of all other tokens', async () => {
  const before = await publishedKids()
  const usual = decodeProtectedHeader(await idTokenOf('verified'))
  const { kid = '' } = decodeProtectedHeader(await idTokenOf('id_token.key_rotated'))
  expect(before).not.toContain(kid)
  for (let times = 0; times < 2; times += 1) await idTokenOf('id_token.key_rotated')
  const after = await publishedKids()
  expect(after).toEqual(expect.arrayContaining([...before, kid]))
  expect([before, after].map(({ length }) => length)).toEqual([2, 4])
  expect(decodeProtectedHeader(await idTokenOf('verified'))).toEqual(usual)
})

test('discovery.jwks_uri_on_other_host names a trap that can be fetched under another host', async () => {
  const path = '/v1/oidc/use/.well-known/openid-configuration'
  const reply = await sandbox.request.get(path).set('X-Sandbox-Outcome', 'discovery.jwks_uri_on_other_host')
  const address = new URL(String(reply.body['jwks_uri']))
  expect(address.hostname).not.toBe(new URL(sandbox.baseUrl).hostname)
  expect(address.pathname).toMatch(/^\/_sandbox\/trap\//)
  expect(await (await fetch(address)).json()).toEqual({ keys: [] })
})

test('An id_token of id_token.padded shows the padding, however long it is', async () => {
  for (const length of [16, 17, 18]) {
    const payload = (await idTokenOf('id_token.padded', { nonce: 'n'.repeat(length) })).split('.')[1] ?? ''
    expect([payload.length % 4, payload]).toEqual([0, expect.stringMatching(/[^=]={1,2}$/)])
  }
})
