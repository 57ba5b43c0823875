import { compactVerify, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { signCompact } from '../../src/sandbox/compact-jws.ts'
import { deriveStoredKeys } from '../../src/sandbox/derived-keys.ts'
import { createKeyMaker } from '../../src/sandbox/key-maker.ts'
import { importKeys, SIGNING_ALGORITHMS } from '../../src/sandbox/signing-keys.ts'

test('derived keys sign what a library verifies, with 2,048 bits of RSA and P-256', async () => {
  const keys = await importKeys(await deriveStoredKeys('test'))
  for (const alg of SIGNING_ALGORITHMS) {
    const token = signCompact({ header: { alg }, payload: { sub: 'me' } }, keys[alg])
    const { payload } = await compactVerify(token, await importJWK(keys[alg].publicJwk, alg))
    expect(new TextDecoder().decode(payload)).toBe('{"sub":"me"}')
  }
  expect(keys.RS256.privateKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65_537n })
})

test('derived keys follow from their words', async () => {
  const [one, again, other] = await Promise.all(['a', 'a', 'b'].map(deriveStoredKeys))
  expect(again).toEqual(one)
  expect(other?.RS256.n).not.toBe(one?.RS256.n)
  expect(other?.ES256.x).not.toBe(one?.ES256.x)
})

test('rotations of one seed bring the same keys in the same order, and others without a seed', async () => {
  const twoOf = async (seed: number | undefined) => {
    const make = createKeyMaker(seed)
    return [(await make()).ES256.kid, (await make()).ES256.kid]
  }
  const [first, second] = await twoOf(7)
  expect(await twoOf(7)).toEqual([first, second])
  expect(second).not.toBe(first)
  expect(await twoOf(undefined)).not.toContain(first)
})
