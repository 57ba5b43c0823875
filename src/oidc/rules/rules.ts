import type { Profile } from '../profile.ts'
import { AGE_SIGNAL_RULES } from './age-signal.ts'
import { CLAIMS_RULES } from './claims.ts'
import { CREATE_RULES } from './create.ts'
import type { Level, RuleRow } from './rule.ts'
import { UPGRADE_RULES } from './upgrade.ts'
import { USE_RULES } from './use.ts'

/** Every sentence of the specification that a request can break, in the order in which the flows are met. */
export const RULES = [
  ...USE_RULES,
  ...CLAIMS_RULES,
  ...CREATE_RULES,
  ...AGE_SIGNAL_RULES,
  ...UPGRADE_RULES,
] as const satisfies readonly RuleRow[]

/** The stable name of a rule, for example `PAR-07`. */
export type RuleId = (typeof RULES)[number]['id']

export const RULE_IDS: readonly RuleId[] = RULES.map(({ id }) => id)

/** A row of the table, with the id that the compiler knows. */
type Rule = RuleRow & { readonly id: RuleId }

const rowById: ReadonlyMap<string, Rule> = new Map(RULES.map((row) => [row.id, row]))

/** The row of a rule. @throws Error when no row has this id: a mistake of ours. */
export function ruleRow(id: string): Rule {
  const row = rowById.get(id)
  if (!row) throw new Error(`no rule has the id ${id}`)
  return row
}

/** Whether breaking the rule refuses a request or only advises, in `profile`. */
export function levelOf(row: RuleRow, profile: Profile): Level {
  if (row.level === undefined) return 'error'
  return typeof row.level === 'string' ? row.level : row.level[profile]
}
