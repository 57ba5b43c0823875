import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import type { SigningAlgorithm } from '../../service/oidc/ports.ts'
import attackerKeys from './attacker-keys.json' with { type: 'json' }

/** A private key, and its public key in the shape of the key set. */
export interface SigningKey {
  /** Begins with `sandbox-`, to distinguish the key from keys of the live service. */
  readonly kid: string
  readonly alg: SigningAlgorithm
  readonly privateKey: KeyObject
  /** The private key as it is stored. */
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}

/** One key for each algorithm. The key set publishes both public keys. */
export type SigningKeys = Readonly<Record<SigningAlgorithm, SigningKey>>

/** Checks only the shape of a key. The import checks its type. */
export const jwkSchema = z.custom<JWK>(
  (value) => isJsonObject(value) && typeof value['kty'] === 'string',
  {
    error: 'not a JSON Web Key',
  },
)

export const storedKeysSchema = z.object({ RS256: jwkSchema, ES256: jwkSchema })

/** Private keys in the form in which they are stored. */
export type StoredKeys = Readonly<z.infer<typeof storedKeysSchema>>

/** Generates private keys: 2048-bit RSA and P-256. */
export async function generateStoredKeys(): Promise<StoredKeys> {
  const [RS256, ES256] = await Promise.all([generateJwk('RS256'), generateJwk('ES256')])
  return { RS256, ES256 }
}

/** The stored form of imported keys. */
export const storedForm = ({ RS256, ES256 }: SigningKeys): StoredKeys => ({
  RS256: RS256.privateJwk,
  ES256: ES256.privateJwk,
})

/**
 * Imports keys that this process generated. Importing a key for each signature would take three
 * times as long as the signature. For stored keys use `importKeptKeys`.
 */
export async function importKeys(stored: StoredKeys): Promise<SigningKeys> {
  const [RS256, ES256] = await Promise.all([
    importSigningKey('RS256', stored.RS256),
    importSigningKey('ES256', stored.ES256),
  ])
  return { RS256, ES256 }
}

async function generateJwk(alg: SigningAlgorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return exportJWK(privateKey)
}

/**
 * Imports one private key.
 * @throws Error of OpenSSL; most damaged keys are only noticed by their signatures
 */
export async function importSigningKey(alg: SigningAlgorithm, jwk: JWK): Promise<SigningKey> {
  const privateKey = createPrivateKey({ key: { ...jwk }, format: 'jwk' })
  const publicJwk = createPublicKey(privateKey).export({ format: 'jwk' })
  const kid = `sandbox-${alg.toLowerCase()}-${(await calculateJwkThumbprint(publicJwk)).slice(0, 12)}`
  return {
    kid,
    alg,
    privateKey,
    privateJwk: jwk,
    publicJwk: { ...publicJwk, kid, alg, use: 'sig' },
  }
}

let imported: Promise<SigningKeys> | undefined

/** A key for forged tokens. It is never published, is the same in every run, and is not secret. */
export async function foreignKey(alg: SigningAlgorithm): Promise<SigningKey> {
  imported ??= importKeys(attackerKeys)
  return (await imported)[alg]
}
