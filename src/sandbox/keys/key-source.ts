import type { SigningKeys } from './signing-keys.ts'

/** Where keys come from: asked when somebody needs them, and the same ones each time. */
export type KeySource = () => Promise<SigningKeys>

/** Keys that are there, or in the making. */
export function keysOf(keys: Promise<SigningKeys>): KeySource {
  // Whoever asks for a damaged key is told; nobody has to ask.
  keys.catch(() => {})
  return () => keys
}

/** Keys that are made when somebody asks for them, at the latest after `milliseconds`; then they are there in time for most. */
export function keysSoon(make: () => Promise<SigningKeys>, milliseconds: number): KeySource {
  let made: Promise<SigningKeys> | undefined
  const ask = () => {
    clearTimeout(timer)
    made ??= make()
    made.catch(() => {})
    return made
  }
  const timer = setTimeout(ask, milliseconds).unref()
  return ask
}
