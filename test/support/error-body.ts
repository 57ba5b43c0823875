import * as z from 'zod'
import type { Answer } from './http-client.ts'

const errorBody = z.strictObject({
  error: z.string(),
  error_description: z.string(),
  error_uri: z.string().optional(),
  findings: z.array(
    z.strictObject({
      rule: z.string(),
      level: z.enum(['error', 'advice']),
      path: z.string(),
      message: z.string(),
      hint: z.string(),
    }),
  ),
  suggestions: z.array(z.string()).optional(),
})

/** What a refused call says, in the one shape that all of them have. @throws when it is another shape */
export const readError = (answer: Answer) => errorBody.parse(answer.body)

/** The error code and the rules at fault. */
export function refusal(answer: Answer): { status: number; error: string; rules: string[] } {
  const { error, findings } = readError(answer)
  return { status: answer.status, error, rules: findings.filter((one) => one.level === 'error').map((one) => one.rule) }
}
