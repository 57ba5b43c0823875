import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { headerOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

/** A relying party that keeps the key set until a token names a key it does not know. */
async function startVerifier() {
  const sandbox = await startSandbox()
  const issue = () => createRelyingParty(sandbox).use()
  const readKeySet = () => createRemoteJWKSet(new URL(`${sandbox.url}/.well-known/jwks.json`), { cooldownDuration: 0 })
  const kept = readKeySet()
  const verify = async ({ params }: Awaited<ReturnType<typeof issue>>, keySet = kept) =>
    (await jwtVerify(params['id_token'] ?? '', keySet)).protectedHeader.kid
  return { sandbox, issue, verify, readKeySet }
}

test('A client that keeps the key set knows a published key before it signs, and the old key goes last', async () => {
  const { sandbox, issue, verify, readKeySet } = await startVerifier()
  const old = await issue()
  const oldKid = await verify(old)
  const { published, signing } = await sandbox.keys.rotate('publish')
  expect([signing, published.length]).toEqual([oldKid, 4])
  expect(await verify(await issue())).toBe(oldKid)

  const { signing: newKid } = await sandbox.keys.rotate('use')
  expect(newKid).not.toBe(oldKid)
  expect(await verify(await issue())).toBe(newKid)
  expect(await verify(old)).toBe(oldKid)
  await sandbox.reset()
  expect(headerOf(await issue()).kid).toBe(newKid)

  const { published: left } = await sandbox.keys.rotate('retire')
  expect(left).toEqual(Array(2).fill(expect.stringMatching(/^sandbox-/)))
  expect(left).not.toContain(oldKid)
  expect(headerOf(await issue()).kid).toBe(newKid)
  await expect(verify(old, readKeySet())).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
})

test.each([
  [['use']],
  [['retire']],
  [['publish', 'publish']],
  [['publish', 'retire']],
  [['publish', 'use', 'use']],
  [['publish', 'use', 'retire', 'retire']],
])('The last stage of a rotation by %j is out of turn: 409', async (stages) => {
  const { request } = await startSandbox()
  const statuses: number[] = []
  for (const stage of stages) statuses.push((await request.post('/_sandbox/keys/rotate').send({ stage })).status)
  expect(statuses).toEqual([...stages.slice(1).map(() => 200), 409])
})
