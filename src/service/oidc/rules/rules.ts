import { AGE_SIGNAL_RULES } from './age-signal.ts'
import { CLAIMS_RULES } from './claims.ts'
import { CREATE_RULES } from './create.ts'
import type { Profile } from './profile.ts'
import type { Level, RuleRow } from './rule.ts'
import { UPGRADE_RULES } from './upgrade.ts'
import { USE_RULES } from './use.ts'

const TABLE = {
  ...USE_RULES,
  ...CLAIMS_RULES,
  ...CREATE_RULES,
  ...AGE_SIGNAL_RULES,
  ...UPGRADE_RULES,
} as const

/** The stable name of a rule, for example `PAR-07`. */
export type RuleId = keyof typeof TABLE

type Rule = RuleRow & { readonly id: RuleId }

const isRuleId = (id: string): id is RuleId => Object.hasOwn(TABLE, id)

export const RULE_IDS: readonly RuleId[] = Object.keys(TABLE).filter(isRuleId)

/** Every rule that a request can break, in the order of the flows. */
export const RULES: readonly Rule[] = RULE_IDS.map(ruleRow)

/** The rules by endpoint and topic. The first part of an id names the topic. */
export const RULE_CHAPTERS = [
  { prefix: 'USE', title: 'E1: Use authorization' },
  { prefix: 'CLM', title: 'E1: the claims object' },
  { prefix: 'PAR', title: 'E2: pushed Create request' },
  { prefix: 'CRE', title: 'E3: Create authorization' },
  { prefix: 'SIG', title: 'E2 and E5: age signals' },
  { prefix: 'TOK', title: 'E4: a code for a token' },
  { prefix: 'UPG', title: 'E5: upgrade' },
].map(({ prefix, title }) => ({
  title,
  rules: RULES.filter(({ id }) => id.startsWith(`${prefix}-`)),
}))

/**
 * The row of a rule.
 * @throws Error when no row has this id: a bug of the sandbox
 */
export function ruleRow(id: string): Rule {
  if (!isRuleId(id)) throw new Error(`no rule has the id ${id}`)
  return { id, ...TABLE[id] }
}

/**
 * Whether breaking the rule refuses the request (`error`) or only advises (`advice`) in `profile`.
 */
export function levelOf(row: RuleRow, profile: Profile): Level {
  if (row.level === undefined) return 'error'
  return typeof row.level === 'string' ? row.level : row.level[profile]
}
