import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import type { SigningAlgorithm } from '../../service/oidc/ports.ts'
import attackerKeys from './attacker-keys.json' with { type: 'json' }

/** A private key ready to sign, with its public half as the key set shows it. */
export interface SigningKey {
  /** Begins with `sandbox-`: nobody takes the key for one of the live service. */
  readonly kid: string
  readonly alg: SigningAlgorithm
  readonly privateKey: KeyObject
  /** The private key as it is stored. */
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}

/** One key per algorithm: the key set publishes both. */
export type SigningKeys = Readonly<Record<SigningAlgorithm, SigningKey>>

/** Whether a key is of the right kind shows when it is imported. */
export const jwkSchema = z.custom<JWK>(
  (value) => isJsonObject(value) && typeof value['kty'] === 'string',
  {
    error: 'not a JSON Web Key',
  },
)

export const storedKeysSchema = z.object({ RS256: jwkSchema, ES256: jwkSchema })

/** Private keys as they are stored. */
export type StoredKeys = Readonly<z.infer<typeof storedKeysSchema>>

/** Makes new private keys: 2048-bit RSA and P-256. */
export async function generateStoredKeys(): Promise<StoredKeys> {
  const [RS256, ES256] = await Promise.all([generateJwk('RS256'), generateJwk('ES256')])
  return { RS256, ES256 }
}

/** The keys as they were before `importKeys`. */
export const storedForm = ({ RS256, ES256 }: SigningKeys): StoredKeys => ({
  RS256: RS256.privateJwk,
  ES256: ES256.privateJwk,
})

/**
 * Parses keys of this process once: a key parsed for each signature would cost three times the
 * signature. Keys that were kept are parsed by `importKeptKeys`.
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

/** Parses one private key. @throws Error of OpenSSL; most damage shows only in a signature */
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

/** A key for forged tokens: never published, no secret, the same in every run. */
export async function foreignKey(alg: SigningAlgorithm): Promise<SigningKey> {
  imported ??= importKeys(attackerKeys)
  return (await imported)[alg]
}
