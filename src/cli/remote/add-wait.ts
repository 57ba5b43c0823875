import type { Command } from 'commander'
import { addressOptions, jsonOption, type ReadFlags } from '../command.ts'
import { addFilterFlags, withNames } from './filter-flags.ts'

const EXAMPLES = `
Without a filter it waits until the sandbox is healthy. With one it waits until a flow that fits has ended; a flow that ended
before counts, too, unless --since says otherwise. With --timeout 0 it looks once.

Exit codes: 0 it came; 1 it did not come in time, and what ended meanwhile is printed.

Examples:
  agekey-sandbox wait                              until the sandbox is healthy, at most 30 seconds
  agekey-sandbox wait --timeout 0                  is it healthy now? For a HEALTHCHECK
  agekey-sandbox wait --url http://sandbox:2435 --timeout 60
  agekey-sandbox wait --flow use --persona teen-16 --status error
  agekey-sandbox wait --state "$STATE" --json      the flow of one request, with its calls, as JSON`

/** Registers `wait` and its other name `healthcheck`, which looks once. What they do is loaded when they run. */
export function addWait(program: Command, flags: ReadFlags): void {
  const wait = program.command('wait').description('wait until a sandbox is healthy, or until a flow has ended')
  addFilterFlags(addressOptions(wait))
    .option('--since <flow>', 'only flows that end after this one did: f12, or now')
    .option('--timeout <seconds>', 'how long to wait (default: 30)')
    .addOption(jsonOption())
    .addHelpText('after', EXAMPLES)
    .action((options) => waitFor(withNames(options, flags)))
  addressOptions(program.command('healthcheck', { hidden: true }).description('the same as wait --timeout 0'))
    .addOption(jsonOption())
    .action((options) => waitFor({ ...options, timeout: '0' }))

  async function waitFor(options: Parameters<typeof import('./wait.ts').wait>[1]): Promise<void> {
    const command = await import('./wait.ts')
    process.exitCode = (await command.wait(flags(), options)) ? 0 : 1
  }
}
