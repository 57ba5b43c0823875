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
