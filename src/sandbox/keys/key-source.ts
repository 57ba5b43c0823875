import type { SigningKeys } from './signing-keys.ts'

/** Where keys come from: read on first use, and the same ones each time. */
export type KeySource = () => Promise<SigningKeys>

/** Keys that exist or are being made. */
export function keysOf(keys: Promise<SigningKeys>): KeySource {
  // A damaged key is reported to each caller of the source; without a caller it is no unhandled rejection.
  keys.catch(() => {})
  return () => keys
}

/** Keys that are made on first use, at the latest after `milliseconds`; tried again when that failed. */
export function keysSoon(make: () => Promise<SigningKeys>, milliseconds: number): KeySource {
  let made: Promise<SigningKeys> | undefined
  const ask = () => {
    clearTimeout(timer)
    made ??= make()
    made.catch(() => {
      made = undefined
    })
    return made
  }
  const timer = setTimeout(ask, milliseconds).unref()
  return ask
}
