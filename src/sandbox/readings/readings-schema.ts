import * as z from 'zod'
import { parseReadings, problemsOf, readingsOf } from './parse-readings.ts'

const variant = z.union([z.string(), z.number()], { error: 'expected the name of a variant' })

/** Variants by the names of their readings. A list of texts such as `refused_token_status=403` is refused for what is wrong with it. */
export const readingsSchema = z
  .record(z.string(), variant, { error: ({ input }) => problemOfList(input) })
  .check(({ value, issues }) => {
    for (const { reading, message } of problemsOf(readingsOf(value))) {
      issues.push({ code: 'custom', message, input: value, path: reading === undefined ? [] : [reading] })
    }
  })

/** A change of them: null takes one back. What is set beside it decides whether it can hold. */
export const readingsChangeSchema = z.record(z.string(), variant.nullable())

function problemOfList(input: unknown): string {
  const texts = z.array(z.string()).safeParse(input)
  const parsed = texts.success ? parseReadings(texts.data) : undefined
  return parsed && 'problem' in parsed ? parsed.problem : 'expected variants by the names of their readings'
}
