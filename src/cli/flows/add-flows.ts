import type { Command } from 'commander'
import { addressOptions, HELP_WIDTH, jsonOption, type ReadFlags } from '../command.ts'
import { addFilterFlags, withNames } from '../remote/filter-flags.ts'

const EXAMPLES = `
Formats of --as: scenario, vitest, playwright, pytest, mermaid, har, curl. The file goes to the standard output.

Examples:
  agekey-sandbox flows                             the flows of the running sandbox, the newest first
  agekey-sandbox flows --status error --limit 5    the last five that went wrong
  agekey-sandbox flows f12                         one flow: what happened, and why, as explain shows it
  agekey-sandbox flows f12 --as vitest > teen.test.ts
  agekey-sandbox flows last --as mermaid           the newest flow as a diagram`

/** Registers `flows`. What it does is loaded when it runs. */
export function addFlows(program: Command, flags: ReadFlags): void {
  const command = program
    .command('flows [id]')
    .description('list the flows of a sandbox, show one, or take one along as a test, a scenario or a diagram')
    .option('--as <format>', 'print the flow as a file of this format')
    .option('--limit <count>', 'at most so many flows (default: 20)')
  addFilterFlags(addressOptions(command.configureHelp({ helpWidth: HELP_WIDTH })))
    .addOption(jsonOption())
    .addHelpText('after', EXAMPLES)
    .action(async (id: string | undefined, options) => {
      const { flows } = await import('./flows.ts')
      await flows(id, flags(), withNames(options, flags))
    })
}
