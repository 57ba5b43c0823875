import type { Command } from 'commander'
import { HELP_WIDTH, type ReadFlags } from '../command.ts'

/** Registers `run`. What it does is loaded when it runs. */
export function addRun(program: Command, flags: ReadFlags): void {
  program
    .command('run <file...>')
    .description('run scenario files one after the other; exit with 1 at the first step that fails')
    .configureHelp({ helpWidth: HELP_WIDTH, showGlobalOptions: true })
    .option(
      '--url <url>',
      'the sandbox to run them in, with --control-token when it asks for one (default: one of its own, with the flags of start)',
    )
    .option('--tenant <name>', 'the tenant of that sandbox')
    .option('--timeout <seconds>', 'how long a step may take (default: 60)')
    .option('--junit <file>', 'writes the results as JUnit XML')
    .action(async (files: string[], options) => {
      const { run } = await import('./run.ts')
      process.exitCode = (await run(files, flags(), options)) ? 0 : 1
    })
}
