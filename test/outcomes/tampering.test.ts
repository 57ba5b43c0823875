import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { runUse } from './flows.ts'
import { shareSandbox } from './shared-sandbox.ts'

const idTokenOf = async (sandbox: TestSandbox, name: string) =>
  (await runUse(sandbox, { name })).delivery?.params.get('id_token') ?? ''

async function publishedKids(sandbox: TestSandbox): Promise<string[]> {
  const keySet = z.object({ keys: z.array(z.object({ kid: z.string() })) })
  return keySet.parse((await sandbox.request.get('/.well-known/jwks.json')).body).keys.map(({ kid }) => kid)
}

describe('an id_token of id_token.key_rotated', () => {
  it('is signed by a key that was not published before, and is now', async () => {
    const sandbox = await startSandbox()
    const before = await publishedKids(sandbox)
    const { kid = '' } = decodeProtectedHeader(await idTokenOf(sandbox, 'id_token.key_rotated'))
    expect(before).not.toContain(kid)
    expect(await publishedKids(sandbox)).toEqual(expect.arrayContaining([...before, kid]))
  })

  it('leaves the key that signs all other tokens as it was, and the key set small', async () => {
    const sandbox = await startSandbox()
    const usual = decodeProtectedHeader(await idTokenOf(sandbox, 'verified'))
    for (let times = 0; times < 3; times += 1) await idTokenOf(sandbox, 'id_token.key_rotated')
    expect(decodeProtectedHeader(await idTokenOf(sandbox, 'verified'))).toEqual(usual)
    expect(await publishedKids(sandbox)).toHaveLength(4)
  })
})

it.each(['jku', 'x5u'])('an id_token of id_token.%s points at a trap below the base URL', async (member) => {
  const sandbox = await startSandbox()
  const header: Record<string, unknown> = { ...decodeProtectedHeader(await idTokenOf(sandbox, `id_token.${member}`)) }
  expect(header[member]).toMatch(`${sandbox.baseUrl}/_sandbox/trap/`)
})

it('a discovery document of discovery.jwks_uri_on_other_host names a trap that can be fetched under another host', async () => {
  const sandbox = await startSandbox()
  const path = '/v1/oidc/use/.well-known/openid-configuration'
  const reply = await sandbox.request.get(path).set('X-Sandbox-Outcome', 'discovery.jwks_uri_on_other_host')
  const address = new URL(String(reply.body['jwks_uri']))
  expect(address.hostname).not.toBe(new URL(sandbox.baseUrl).hostname)
  expect(address.pathname).toMatch(/^\/_sandbox\/trap\//)
  expect(await (await fetch(address)).json()).toEqual({ keys: [] })
})

it.each([0, 1, 2])('an id_token of id_token.padded shows the padding, also with %i bytes more', async (more) => {
  const sandbox = await startSandbox()
  const run = await runUse(sandbox, { name: 'id_token.padded' }, { nonce: 'n'.repeat(16 + more) })
  const payload = run.delivery?.params.get('id_token')?.split('.')[1] ?? ''
  expect(payload).toMatch(/[^=]={1,2}$/)
  expect(payload.length % 4).toBe(0)
})

it.each([
  ['callback.state_twice', 'state', false],
  ['callback.state_twice_right_first', 'state', true],
])('%s sends the wrong %s beside the right one, which comes first: %s', async (name, parameter, isRightFirst) => {
  const { session, delivery } = await runUse(await startSandbox(), { name })
  const values = delivery?.params.getAll(parameter) ?? []
  expect(values.map((value) => value === session.state)).toEqual([isRightFirst, !isRightFirst])
})

it('an id_token of id_token.huge has 64 KB', async () => {
  expect((await idTokenOf(await startSandbox(), 'id_token.huge')).length).toBeGreaterThan(64 * 1024)
})

describe('with the same seed, keys and instant', () => {
  // One makes a key, the other signs with ES256, which is never the same twice.
  const DIFFERENT = ['id_token.key_rotated', 'id_token.es256']
  const rows = OUTCOMES.filter(({ flow, name }) => flow === 'use' && !DIFFERENT.includes(name))
  const asked = { state: 'state-1', nonce: 'nonce-1' }

  const sandbox = shareSandbox({ seed: 7 })

  async function run(outcome: Outcome): Promise<string> {
    await sandbox().reset()
    await sandbox().clock.set('2026-01-15T10:00:00Z')
    await sandbox().clock.freeze()
    const { delivery } = await runUse(sandbox(), outcome, asked)
    return `${delivery?.mode} ${delivery?.params}`
  }

  it.each(rows)('$name gives the same answer, byte by byte', async (outcome) => {
    expect(await run(outcome)).toBe(await run(outcome))
  })
})
