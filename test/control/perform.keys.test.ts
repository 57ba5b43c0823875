import { createRemoteJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { headerOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

/** A relying party that keeps the key set until a token names a key it does not know. */
async function startVerifier() {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const keySet = createRemoteJWKSet(new URL(`${sandbox.url}/.well-known/jwks.json`), { cooldownDuration: 0 })
  const issue = () => rp.use()
  const verify = async (callback: Awaited<ReturnType<typeof issue>>) =>
    (await jwtVerify(callback.params['id_token'] ?? '', keySet)).protectedHeader.kid
  return { sandbox, issue, verify }
}

describe('keys are rotated in stages, seen by a client that keeps the key set:', () => {
  test('a published key is known before it signs, and the old one goes last', async () => {
    const { sandbox, issue, verify } = await startVerifier()
    const old = await issue()
    const oldKid = await verify(old)
    const { published, signing } = await sandbox.keys.rotate('publish')
    expect(signing).toBe(oldKid)
    expect(published).toHaveLength(4)
    expect(await verify(await issue())).toBe(oldKid)

    const { signing: newKid } = await sandbox.keys.rotate('use')
    expect(newKid).not.toBe(oldKid)
    expect(await verify(await issue())).toBe(newKid)
    expect(await verify(old)).toBe(oldKid)

    const { published: left } = await sandbox.keys.rotate('retire')
    expect(left).toHaveLength(2)
    expect(left).not.toContain(oldKid)
    expect(left.every((kid) => kid.startsWith('sandbox-'))).toBe(true)
    expect(headerOf(await issue()).kid).toBe(newKid)
  })

  test('a client that reads the key set again refuses a token of a retired key', async () => {
    const { sandbox, issue } = await startVerifier()
    const old = await issue()
    for (const stage of ['publish', 'use', 'retire'] as const) await sandbox.keys.rotate(stage)
    const fresh = createRemoteJWKSet(new URL(`${sandbox.url}/.well-known/jwks.json`))
    await expect(jwtVerify(old.params['id_token'] ?? '', fresh)).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    })
  })
})

test.each([
  [['use']],
  [['retire']],
  [['publish', 'publish']],
  [['publish', 'retire']],
  [['publish', 'use', 'use']],
  [['publish', 'use', 'retire', 'retire']],
])('the last of %j is out of turn: 409', async (stages) => {
  const sandbox = await startSandbox()
  const statuses: number[] = []
  for (const stage of stages)
    statuses.push((await sandbox.request.post('/_sandbox/keys/rotate').send({ stage })).status)
  expect(statuses).toEqual([...stages.slice(1).map(() => 200), 409])
})

test('a reset keeps the keys', async () => {
  const sandbox = await startSandbox()
  const { signing } = await sandbox.keys.rotate('publish').then(() => sandbox.keys.rotate('use'))
  await sandbox.reset()
  expect(headerOf(await createRelyingParty(sandbox).use()).kid).toBe(signing)
})
