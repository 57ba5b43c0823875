import * as z from 'zod'
import { LEVELS } from './rule.ts'
import { RULE_IDS } from './rules.ts'

export const findingSchema = z.object({
  rule: z.enum(RULE_IDS).describe('The id of the rule: `PAR-07`'),
  level: z
    .enum(LEVELS)
    .describe('`error`: the request is refused. `advice`: it is legal but risky'),
  path: z.string().describe('`nonce`, `claims.age_thresholds[1]`, `authorization_details[0].age`'),
  message: z.string(),
  hint: z.string(),
})

/** A rule that a request breaks: what is wrong, where, and what to do. */
export type Finding = Readonly<z.infer<typeof findingSchema>>

/**
 * The finding that explains a call best: the first error, or the first advice if there is no error.
 * Expects the order of `Findings.all`.
 */
export const leadingFinding = (findings: readonly Finding[]): Finding | undefined =>
  findings.find(({ level }) => level === 'error') ?? findings[0]
