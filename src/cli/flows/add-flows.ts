import type { Command } from 'commander'
import { addressOptions, jsonOption, type ReadFlags } from '../command.ts'
import { addFilterFlags, withNames } from '../remote/filter-flags.ts'

const EXAMPLES = `
Formats of --as: scenario, vitest, playwright, pytest, har, curl. The file goes to the standard output. Ctrl-C ends --follow with exit code 0.

Examples:
  agekey-sandbox flows                             the flows of the running sandbox, the newest first
  agekey-sandbox flows --status error --limit 5    the last five that went wrong
  agekey-sandbox flows f12                         one flow: what happened, and why, as explain shows it
  agekey-sandbox flows f12 --as vitest > teen.test.ts
  agekey-sandbox flows --follow --status error     what goes wrong, as it happens`

/** Registers `flows`. What it does is loaded when it runs. */
export function addFlows(program: Command, flags: ReadFlags): void {
  const command = program
    .command('flows [id]')
    .description('list flows, show one, write one as a test or scenario')
    .option('--as <format>', 'print the flow as a file of this format')
    .option('--follow', 'print calls as they come, with what became of their flow')
    .option('--limit <count>', 'at most so many flows (default: 20)')
  addFilterFlags(addressOptions(command))
    .addOption(jsonOption())
    .addHelpText('after', EXAMPLES)
    .action(async (id: string | undefined, options) => {
      const { flows } = await import('./flows.ts')
      await flows(id, flags(), withNames(options, flags))
    })
}
