import * as z from 'zod'
import type { Answer } from './http-client.ts'

const text = z.string()
const levels = z.enum(['error', 'advice'])
const finding = z.strictObject({ rule: text, level: levels, path: text, message: text, hint: text })
const errorBody = z.strictObject({
  error: text,
  error_description: text,
  error_uri: text.optional(),
  findings: z.array(finding),
  suggestions: z.array(text).optional(),
})

/** The error of a refused call, in the shape of all refusals. @throws for another shape */
export const readError = (answer: Answer) => errorBody.parse(answer.body)

/** The error code and the broken rules. */
export function refusal(answer: Answer): { status: number; error: string; rules: string[] } {
  const { error, findings } = readError(answer)
  return {
    status: answer.status,
    error,
    rules: findings.filter((one) => one.level === 'error').map((one) => one.rule),
  }
}
