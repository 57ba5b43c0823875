import type { Command } from 'commander'
import { addressOptions, HELP_WIDTH, jsonOption, type ReadFlags } from '../command.ts'
import { addFilterFlags, withNames } from './filter-flags.ts'

const WAIT_EXAMPLES = `
Without a filter it waits until the sandbox is healthy. With one it waits until a flow that fits has ended; a flow that ended
before counts, too, unless --since says otherwise.

Exit codes: 0 it came; 1 it did not come in time, and what ended meanwhile is printed.

Examples:
  agekey-sandbox wait                              until the sandbox is healthy, at most 30 seconds
  agekey-sandbox wait --url http://sandbox:2435 --timeout 60
  agekey-sandbox wait --flow use --persona teen-16 --status error
  agekey-sandbox wait --state "$STATE" --json      the flow of one request, with its calls, as JSON`

const TAIL_EXAMPLES = `
Ctrl-C ends it with exit code 0.

Examples:
  agekey-sandbox tail                              each call, with what became of its flow
  agekey-sandbox tail --status error               only flows that went wrong
  agekey-sandbox tail --json | jq .flow.summary    a JSON object a line`

/** Registers `wait`, `tail` and `healthcheck`. What they do is loaded when they run. */
export function addRemote(program: Command, flags: ReadFlags): void {
  const wait = program.command('wait').description('wait until a sandbox is healthy, or until a flow has ended')
  addFilterFlags(addressOptions(wait.configureHelp({ helpWidth: HELP_WIDTH })))
    .option('--since <flow>', 'only flows that end after this one did: f12, or now')
    .option('--timeout <seconds>', 'how long to wait (default: 30)')
    .addOption(jsonOption())
    .addHelpText('after', WAIT_EXAMPLES)
    .action(async (options) => {
      const command = await import('./wait.ts')
      process.exitCode = (await command.wait(flags(), withNames(options, flags))) ? 0 : 1
    })
  const tail = program
    .command('tail')
    .description('print the calls of a sandbox as they come, with what became of them')
  addFilterFlags(addressOptions(tail.configureHelp({ helpWidth: HELP_WIDTH })))
    .addOption(jsonOption())
    .addHelpText('after', TAIL_EXAMPLES)
    .action(async (options) => {
      const command = await import('./tail.ts')
      await command.tail(flags(), withNames(options, flags))
    })
  program
    .command('healthcheck')
    .description('exit with 0 when the server is healthy, with 1 otherwise')
    .option('--url <url>', 'the base URL of the server (default: from the settings)')
    .addOption(jsonOption())
    .action(async (options) => {
      const { healthcheck } = await import('./healthcheck.ts')
      process.exitCode = (await healthcheck(flags(), options)) ? 0 : 1
    })
}
