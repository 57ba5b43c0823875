import { Refusal } from '../../oidc/refusal.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'

/** Wrong control tokens that one address may send within a second. */
export const MAX_WRONG_TOKENS = 20

/** Addresses whose wrong tokens are counted at the same time: the one that began first goes. */
export const MAX_COUNTED_ADDRESSES = 10_000

const WINDOW_MS = 1_000

/** Counts wrong control tokens by address. It counts real seconds, whatever the clock of the sandbox. */
export interface WrongTokens {
  /**
   * Judges a token that came from an address, and counts it when it is wrong.
   * @throws Refusal 429 for any token of an address that has sent too many, for the rest of its second
   */
  judge(address: string, isRight: () => boolean): boolean
}

/** @param elapsed milliseconds since any fixed moment */
export function createWrongTokens(elapsed: () => number = startStopwatch()): WrongTokens {
  const windows = new Map<string, { readonly endsAt: number; count: number }>()
  return {
    judge(address, isRight) {
      const now = elapsed()
      // Windows end in the order in which they began.
      for (const [counted, { endsAt }] of windows) {
        if (endsAt > now) break
        windows.delete(counted)
      }
      const window = windows.get(address)
      if (window !== undefined && window.count >= MAX_WRONG_TOKENS) throw tooMany(address)
      if (isRight()) return true
      if (window) window.count++
      else windows.set(address, { endsAt: now + WINDOW_MS, count: 1 })
      const [oldest] = windows.keys()
      if (windows.size > MAX_COUNTED_ADDRESSES && oldest !== undefined) windows.delete(oldest)
      return false
    },
  }
}

const tooMany = (address: string) =>
  Refusal.tooManyRequests(
    `control token: ${address} has sent ${MAX_WRONG_TOKENS} wrong ones within a second, so that none of it is looked at for the rest of that second; wait a second and send the right one`,
  )
