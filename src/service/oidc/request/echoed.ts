import * as z from 'zod'
import { excerpt } from '../../text/message-parts.ts'
import { Refusal } from '../refusal.ts'

/**
 * Decision: a value that is sent back, shown or compared is at most so many bytes of UTF-8:
 * `state`, `nonce` and the like. It is kept for as long as its flow.
 */
export const MAX_ECHOED_BYTES = 4_096

/**
 * `is 5000 bytes long; at most 4096 are taken`, or `undefined` for a value that is short enough.
 */
export function echoProblem(value: string): string | undefined {
  const bytes = Buffer.byteLength(value)
  return bytes > MAX_ECHOED_BYTES
    ? `is ${bytes} bytes long; at most ${MAX_ECHOED_BYTES} are taken`
    : undefined
}

/**
 * @throws Refusal 400 for the first pair with a value that is too long, but for those of a name in
 * `except`
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

/** A text to compare with such a value. */
export const echoedText = z.string().check(({ value, issues }) => {
  const message = echoProblem(value)
  if (message !== undefined) issues.push({ code: 'custom', message, input: value })
})
