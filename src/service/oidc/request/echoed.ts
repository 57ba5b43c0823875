import * as z from 'zod'
import { excerpt } from '../../text/message-parts.ts'
import { Refusal } from '../refusal.ts'

/**
 * Decision: a value that the service returns, shows or compares, such as `state` or `nonce`, has at
 * most this many bytes of UTF-8. The service stores it as long as its flow.
 */
export const MAX_ECHOED_BYTES = 4_096

/**
 * The problem of a value that is too long: `is 5000 bytes long; at most 4096 are taken`; otherwise
 * `undefined`.
 */
export function echoProblem(value: string): string | undefined {
  const bytes = Buffer.byteLength(value)
  return bytes > MAX_ECHOED_BYTES
    ? `is ${bytes} bytes long; at most ${MAX_ECHOED_BYTES} are taken`
    : undefined
}

/**
 * Checks the length of each value, except of the pairs named `except`.
 * @throws Refusal 400 for the first value that is too long
 */
export function refuseLongValues(
  pairs: Iterable<readonly [name: string, value: string | undefined]>,
  except: string,
): void {
  for (const [name, value = ''] of pairs) {
    const problem = name === except ? undefined : echoProblem(value)
    if (problem !== undefined) throw Refusal.invalidRequest(`${excerpt(name)} ${problem}`)
  }
}

/** A schema for a text that is compared with such a value. */
export const echoedText = z.string().check(({ value, issues }) => {
  const message = echoProblem(value)
  if (message !== undefined) issues.push({ code: 'custom', message, input: value })
})
