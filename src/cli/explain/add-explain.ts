import type { Command } from 'commander'
import { addressOptions, jsonOption, type ReadFlags } from '../command.ts'

const EXPLAIN_EXAMPLES = `
Examples:
  agekey-sandbox explain use-04                    a rule: what it demands, and how to mend an app that breaks it
  agekey-sandbox explain id_token.expired          an outcome: what a correct client does, and how to force it
  agekey-sandbox explain readings                  what the specification leaves open; a star marks the default
  agekey-sandbox explain refused_token_status      one reading; start --reading refused_token_status=403 sets it
  agekey-sandbox explain f12                       a flow of the running sandbox: what happened, and why
  agekey-sandbox explain http://localhost:2435/_sandbox/console/flows/f12`

const OUTCOMES_EXAMPLES = `
Examples:
  agekey-sandbox outcomes expired                  whose name or text has the word
  agekey-sandbox outcomes 'id_token.exp*'          whose name fits the pattern
  agekey-sandbox outcomes --flow token             those of one flow or call
  agekey-sandbox outcomes show id_token.expired    one of them, and every way to force it`

/** Registers `explain` and `outcomes`. What they do is loaded when they run. */
export function addExplain(program: Command, flags: ReadFlags): void {
  const outcomes = program
    .command('outcomes [pattern]')
    .description('list the outcomes that can be forced')
    .option('--flow <flow>', 'only those of one flow or call: use, create, par, token, upgrade, discovery, jwks')
    .addOption(jsonOption())
    .addHelpText('after', OUTCOMES_EXAMPLES)
    .action(async (pattern: string | undefined, options) => {
      const { listOutcomes } = await import('./outcomes.ts')
      listOutcomes(pattern, options)
    })
  outcomes
    .command('show <name>')
    .description('explain one, with every way to force it: id_token.expired, or with its flow use/id_token.expired')
    .addOption(jsonOption())
    .action(async (name: string, _options: unknown, command: Command) => {
      const { showOutcome } = await import('./explain.ts')
      await showOutcome(name, flags(), command.optsWithGlobals())
    })
  const explain = program
    .command('explain <name>')
    .description('explain a rule, an outcome, a reading or a flow')
    .addHelpText('after', EXPLAIN_EXAMPLES)
  addressOptions(explain)
    .addOption(jsonOption())
    .action(async (name: string, options) => {
      const { explain } = await import('./explain.ts')
      await explain(name, flags(), options)
    })
}
