import * as z from 'zod'
import { DamagedRecord } from '../../service/oidc/collection.ts'
import {
  type Awaitable,
  type Signer,
  type SigningAlgorithm,
  whenThere,
} from '../../service/oidc/ports.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { messageOf } from '../files/caught.ts'
import { signCompact } from './compact-jws.ts'
import { importKeptKeys } from './kept-keys.ts'
import {
  type SigningKey,
  type SigningKeys,
  type StoredKeys,
  storedForm,
  storedKeysSchema,
} from './signing-keys.ts'

/** The stages of a key rotation, in order. */
export const ROTATION_STAGES = ['publish', 'use', 'retire', 'withdraw'] as const
export type RotationStage = (typeof ROTATION_STAGES)[number]
/** `lend` publishes the next key for an outcome. */
type Stage = RotationStage | 'lend'

/**
 * The signing keys of one tenant. A pair has a key for each algorithm. Several pairs can be
 * published; one pair signs.
 */
export interface KeyRing extends Signer, Signing {
  /** The key that currently signs. */
  signingKey(): Promise<SigningKey>
  withAlg(alg: SigningAlgorithm): KeyRing
  /** The key of the signing pair for `alg`. */
  keyFor(alg: SigningAlgorithm): Promise<SigningKey>
  /**
   * Returns a new ring after a stage; this ring does not change. `publish` adds keys to the key
   * set, `use` signs with the newest keys, `retire` removes the other keys. `withdraw` removes keys
   * that `lend` added, unless they are used already.
   * @throws Refusal when the stage is out of order
   */
  rotate(stage: Stage, generate: () => Promise<SigningKeys>): KeyRing
  /** The ring as JSON, including its private keys. */
  toStored(): Promise<StoredRing>
}

export const storedRingSchema = z.object({
  /** Oldest first. */
  published: z.array(storedKeysSchema),
  /** The index of the signing pair. */
  signing: z.int(),
  /** Whether the newest pair was published for an outcome (`lend`). */
  lent: z.literal(true).optional(),
})

/** A ring as JSON. */
export type StoredRing = Readonly<z.infer<typeof storedRingSchema>>

interface Rotation {
  /**
   * Oldest first. A pair may still be generated, because generating an RSA key takes longer than
   * starting a server.
   */
  readonly published: readonly KeySource[]
  /** The published pair that signs. */
  readonly signing: KeySource
  readonly lent?: true | undefined
}

/** The settings of a ring for signing. */
interface Signing {
  readonly alg: SigningAlgorithm
  /** Whether equal claims give equal tokens. With RS256 they always do; ES256 needs this option. */
  readonly isRepeatable: boolean
}

/**
 * A source of keys. It reads the keys on first use, and later returns them without a promise. The
 * keys are constant unless processes that share keys agree on other keys.
 */
export type KeySource = () => Awaitable<SigningKeys>

/** A source for keys that are being generated. */
export function keysOf(keys: Promise<SigningKeys>): KeySource {
  let known: SigningKeys | undefined
  // Callers of the source receive the rejection. Without a caller it must not count as unhandled.
  keys.then((there) => (known = there)).catch(() => {})
  return () => known ?? keys
}

/**
 * A source that generates keys on first use, or after `milliseconds` if nothing uses it. A failed
 * attempt is repeated on the next use.
 */
export function keysSoon(make: () => Promise<SigningKeys>, milliseconds: number): KeySource {
  let made: KeySource | undefined
  const ask = () => {
    clearTimeout(timer)
    if (made) return made()
    const making = make()
    made = keysOf(making)
    making.catch(() => {
      made = undefined
    })
    return making
  }
  const timer = setTimeout(ask, milliseconds).unref()
  return ask
}

/** Creates a ring with one pair of keys. */
export function createKeyRing({ keys, ...signing }: Signing & { keys: KeySource }): KeyRing {
  return ringOf(signing, { published: [keys], signing: keys })
}

/** Restores a stored ring. */
export function restoreKeyRing(
  { alg, isRepeatable }: Signing,
  { published, signing, lent }: StoredRing,
): KeyRing {
  const keys = published.map((stored) => keysOf(importRotated(stored)))
  const signer = keys[signing]
  if (!signer) throw new RangeError(`signing: there is no key ${signing} in the ring`)
  return ringOf({ alg, isRepeatable }, { published: keys, signing: signer, lent })
}

async function importRotated(stored: StoredKeys): Promise<SigningKeys> {
  try {
    return await importKeptKeys(stored)
  } catch (cause) {
    const how = `: ${messageOf(cause)}`
    throw new DamagedRecord('the record of rotated signing keys', {
      how,
      remedy: 'reset the tenant',
      cause,
    })
  }
}

function ringOf({ alg, isRepeatable }: Signing, rotation: Rotation): KeyRing {
  const { published, signing, lent } = rotation
  const keyFor = async (wanted: SigningAlgorithm) => (await signing())[wanted]
  const ring: KeyRing = {
    alg,
    isRepeatable,
    withAlg: (other) => (other === alg ? ring : ringOf({ alg: other, isRepeatable }, rotation)),
    keyFor,
    signingKey: () => keyFor(alg),
    sign: (claims) =>
      whenThere(signing(), (keys) => {
        const key = keys[alg]
        return signCompact(
          { header: { alg, kid: key.kid, typ: 'JWT' }, payload: claims, isRepeatable },
          key,
        )
      }),
    async jwks() {
      const all = await Promise.all(published.map((keys) => keys()))
      return { keys: all.flatMap(({ RS256, ES256 }) => [RS256.publicJwk, ES256.publicJwk]) }
    },
    rotate: (stage, generate) =>
      ringOf({ alg, isRepeatable }, nextRotation(rotation, stage, generate)),
    async toStored() {
      return {
        published: (await Promise.all(published.map((keys) => keys()))).map(storedForm),
        signing: published.indexOf(signing),
        ...(lent && { lent }),
      }
    },
  }
  return ring
}

function nextRotation(
  { published, signing, lent }: Rotation,
  stage: Stage,
  generate: () => Promise<SigningKeys>,
): Rotation {
  const newest = published.at(-1) ?? signing
  switch (stage) {
    case 'publish':
    case 'lend':
      if (newest !== signing)
        throw Refusal.conflict('publish: a newer key is published already; use it first')
      return {
        published: [...published, keysOf(generate())],
        signing,
        lent: stage === 'lend' || undefined,
      }
    case 'use':
      if (newest === signing)
        throw Refusal.conflict('use: the newest key signs already; publish another one first')
      return { published, signing: newest }
    case 'retire':
      if (newest !== signing)
        throw Refusal.conflict('retire: the newest key does not sign yet; use it first')
      if (published.length === 1)
        throw Refusal.conflict('retire: there is no older key; publish and use one first')
      return { published: [signing], signing }
    case 'withdraw':
      if (!lent)
        throw Refusal.conflict('withdraw: no outcome has published a key that does not sign yet')
      return { published: published.slice(0, -1), signing }
  }
}
