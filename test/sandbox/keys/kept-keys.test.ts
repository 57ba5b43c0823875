import { generateKeyPairSync } from 'node:crypto'
import type { JWK } from 'jose'
import { expect, test } from 'vitest'
import { importKeptKeys } from '../../../src/sandbox/keys/kept-keys.ts'
import { restoreKeyRing } from '../../../src/sandbox/keys/key-ring.ts'
import { generateStoredKeys, type StoredKeys } from '../../../src/sandbox/keys/signing-keys.ts'

const [GOOD, OTHER] = await Promise.all([generateStoredKeys(), generateStoredKeys()])
type Alg = keyof StoredKeys

const importWith = (alg: Alg, change: Readonly<Record<string, unknown>>) =>
  importKeptKeys({ ...GOOD, [alg]: { ...GOOD[alg], ...change } })

/** The text with another character in the place of the one at `index`. */
const damaged = (text = '', index = 0) => {
  const other = text[index] === 'B' ? 'C' : 'B'
  return `${text.slice(0, index)}${other}${text.slice(index + 1)}`
}

const RSA_MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const
const EC_MEMBERS = ['x', 'y', 'd'] as const
const MEMBERS: readonly (readonly [Alg, keyof JWK & string])[] = [
  ...RSA_MEMBERS.map((name) => ['RS256', name] as const),
  ...EC_MEMBERS.map((name) => ['ES256', name] as const),
]

test('Kept keys that are whole are imported', async () => {
  const { RS256, ES256 } = await importKeptKeys(GOOD)
  expect(RS256.kid).toMatch(/^sandbox-rs256-/)
  expect(ES256.kid).toMatch(/^sandbox-es256-/)
})

test.each(MEMBERS)(
  'A kept %s key is refused when one character of %s was changed, at any place',
  async (alg, name) => {
    const text = String(GOOD[alg][name])
    for (const index of [0, 1, Math.floor(text.length / 2), text.length - 2]) {
      const imported = importWith(alg, { [name]: damaged(text, index) })
      await expect(imported).rejects.toThrow(
        new RegExp(`^the ${alg} key (is damaged: |has \\d+ bits)`),
      )
    }
  },
)

test.each(MEMBERS)('A kept %s key is refused when %s was cut off', async (alg, name) => {
  const cut = importWith(alg, { [name]: String(GOOD[alg][name]).slice(0, -2) })
  await expect(cut).rejects.toThrow(
    new RegExp(`^the ${alg} key (is damaged: |has \\d+ bits|lacks)`),
  )
})

test.each(MEMBERS)('A kept %s key is refused by name without the member %s', async (alg, name) => {
  const message = name === 'd' ? 'is a public key' : `lacks ${name}: `
  await expect(importWith(alg, { [name]: undefined })).rejects.toThrow(`the ${alg} key ${message}`)
})

test.each(MEMBERS)('A kept %s key is refused when %s is a number', async (alg, name) => {
  const refused = importWith(alg, { [name]: 424_242 })
  await expect(refused).rejects.toThrow(`the ${alg} key lacks ${name}: each is a text in base64url`)
})

test('A kept RS256 key is refused when its public half is that of another key', async () => {
  const { n, e } = OTHER.RS256
  await expect(importWith('RS256', { n, e })).rejects.toThrow(
    'the RS256 key is damaged: n, p and q do not belong together',
  )
})

test('A kept ES256 key is refused when its public half is that of another key', async () => {
  const { x, y } = OTHER.ES256
  await expect(importWith('ES256', { x, y })).rejects.toThrow(
    'the ES256 key is damaged: its public half does not verify what its private half signs',
  )
})

const rsaOf = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' })

test.each([1024, 2040])(
  'A kept RS256 key of %i bits is refused with the bits that it needs',
  async (bits) => {
    const imported = importKeptKeys({ ...GOOD, RS256: { kty: 'RSA', ...rsaOf(bits) } })
    await expect(imported).rejects.toThrow(
      `the RS256 key has ${bits} bits; RS256 needs at least 2048`,
    )
  },
)

test('A kept RS256 key of 3072 bits is imported', async () => {
  const { RS256 } = await importKeptKeys({ ...GOOD, RS256: { kty: 'RSA', ...rsaOf(3072) } })
  expect(RS256.privateKey.asymmetricKeyDetails?.modulusLength).toBe(3072)
})

test.each(['P-384', 'P-521', 'secp256k1'])(
  'A kept ES256 key on the curve %s is refused',
  async (namedCurve) => {
    const ES256 = {
      kty: 'EC',
      ...generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' }),
    }
    const message = `the ES256 key needs crv "P-256" (found the text "${namedCurve}")`
    await expect(importKeptKeys({ ...GOOD, ES256 })).rejects.toThrow(message)
  },
)

test('A kept key of another type than its algorithm needs is refused with the type that was found', async () => {
  await expect(importKeptKeys({ ...GOOD, RS256: GOOD.ES256 })).rejects.toThrow(
    'the RS256 key needs kty "RSA" (found the text "EC")',
  )
})

test.each([
  [{ use: 'enc' }, 'needs use "sig", or none (found the text "enc")'],
  [{ key_ops: ['verify'] }, 'has key_ops without "sign"'],
])('A kept key with %j is refused', async (change, message) => {
  for (const alg of ['RS256', 'ES256'] as const) {
    await expect(importWith(alg, change)).rejects.toThrow(`the ${alg} key ${message}`)
  }
})

test.each([{ use: 'sig' }, { key_ops: ['sign'] }, { kid: undefined }, { kid: 'live-1' }])(
  'A kept key with %j is imported under an id of its own',
  async (change) => {
    const { RS256 } = await importWith('RS256', change)
    expect(RS256.publicJwk.kid).toMatch(/^sandbox-rs256-/)
  },
)

test('A ring whose stored key was damaged signs nothing, with a message that names the key', async () => {
  const stored = { ...GOOD, RS256: { ...GOOD.RS256, n: damaged(GOOD.RS256.n, 9) } }
  const ring = restoreKeyRing(
    { alg: 'RS256', isRepeatable: false },
    { published: [stored], signing: 0 },
  )
  await expect(ring.signingKey()).rejects.toThrow(
    'the record of rotated signing keys is damaged: the RS256 key is damaged: n, p and q do not belong together; reset the tenant',
  )
})
