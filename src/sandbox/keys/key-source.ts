import type { Awaitable } from '../../oidc/ports.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Where keys come from: read on first use, and the same ones each time, at once when they are there. */
export type KeySource = () => Awaitable<SigningKeys>

/** Keys that exist or are being made. */
export function keysOf(keys: Promise<SigningKeys>): KeySource {
  let known: SigningKeys | undefined
  // A damaged key is reported to each caller of the source; without a caller it is no unhandled rejection.
  keys.then((there) => (known = there)).catch(() => {})
  return () => known ?? keys
}

/** Keys that are made on first use, at the latest after `milliseconds`; tried again when that failed. */
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
