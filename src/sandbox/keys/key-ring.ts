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

/** The stages of a key rotation, in their order. */
export const ROTATION_STAGES = ['publish', 'use', 'retire', 'withdraw'] as const
export type RotationStage = (typeof ROTATION_STAGES)[number]
/** `lend` is for an outcome that needs the next key. */
type Stage = RotationStage | 'lend'

/** The signing keys of one tenant: several are published, one pair of them signs. */
export interface KeyRing extends Signer, Signing {
  /** The key that signs now. */
  signingKey(): Promise<SigningKey>
  withAlg(alg: SigningAlgorithm): KeyRing
  /** The published key of the other algorithm. */
  keyFor(alg: SigningAlgorithm): Promise<SigningKey>
  /**
   * The ring after a stage; this ring stays as it is. `publish` adds keys to the key set, `use`
   * signs with the newest, `retire` removes the others. `withdraw` removes keys that `lend` added,
   * unless they were used meanwhile.
   * @throws Refusal when the stage is out of turn
   */
  rotate(stage: Stage, generate: () => Promise<SigningKeys>): KeyRing
  /** The ring as JSON, with its private keys. */
  toStored(): Promise<StoredRing>
}

export const storedRingSchema = z.object({
  /** Oldest first. */
  published: z.array(storedKeysSchema),
  /** The index of the pair that signs. */
  signing: z.int(),
  /** Whether the newest pair is lent to an outcome. */
  lent: z.literal(true).optional(),
})

/** A ring as JSON. */
export type StoredRing = Readonly<z.infer<typeof storedRingSchema>>

interface Rotation {
  /**
   * Oldest first. A pair may still be generated: an RSA key takes longer than starting a server.
   */
  readonly published: readonly KeySource[]
  /** The published pair that signs. */
  readonly signing: KeySource
  readonly lent?: true | undefined
}

/** How a ring signs. */
interface Signing {
  readonly alg: SigningAlgorithm
  /** The same claims give the same token: RS256 always does so, ES256 only on request. */
  readonly isRepeatable: boolean
}

/**
 * A source of keys. It reads them on first use and returns them at once when they are there. They
 * stay the same, unless processes that share keys agree on others.
 */
export type KeySource = () => Awaitable<SigningKeys>

/** Keys, or a promise of keys that are being generated. */
export function keysOf(keys: Promise<SigningKeys>): KeySource {
  let known: SigningKeys | undefined
  // Each caller of the source learns of a damaged key; without a caller, the rejection counts as
  // handled.
  keys.then((there) => (known = there)).catch(() => {})
  return () => known ?? keys
}

/**
 * Keys that are generated on first use, at the latest after `milliseconds`. A failed attempt is
 * repeated.
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

/** Creates a ring of one pair of keys. */
export function createKeyRing({ keys, ...signing }: Signing & { keys: KeySource }): KeyRing {
  return ringOf(signing, { published: [keys], signing: keys })
}

/** Creates a ring from what was stored. */
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
