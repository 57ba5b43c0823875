import type { Command } from 'commander'
import { addressOptions, jsonOption, type ReadFlags, withSubcommandsOnly } from '../command.ts'
import { withNames } from '../remote/filter-flags.ts'

const NEXT_EXAMPLES = `
Without a flag it lists the decisions that wait.

Examples:
  agekey-sandbox next --persona teen-16                    the next user is teen-16
  agekey-sandbox next --outcome id_token.expired           the next Use is answered with an expired id_token
  agekey-sandbox next --flow create --outcome request_uri.expired
  agekey-sandbox next --clear                              take back what was decided`

const CLOCK_EXAMPLES = `
Every age and every lifetime follows this clock. Without a command it prints the time.

Examples:
  agekey-sandbox clock advance 91                  the request_uri of a Create that waits has expired
  agekey-sandbox clock set 2030-02-28T12:00:00Z
  agekey-sandbox clock reset                       back to real time`

/** Registers `next`, `clock` and `reset`, which drive a running sandbox. What they do is loaded when they run. */
export function addDrive(program: Command, flags: ReadFlags): void {
  const next = program.command('next').description('decide how the next flow goes: --persona, --outcome')
  addressOptions(next)
    .option('--flow <flow>', 'use, create, par, token, upgrade, discovery or jwks (default: the flow of the outcome)')
    .option('--client <id>', 'only a request of this client_id')
    .option('--times <count>', 'for so many requests (default: 1)')
    .option('--clear', 'take back every decision that waits')
    .addOption(jsonOption())
    .addHelpText('after', NEXT_EXAMPLES)
    .action(async (options) => {
      const drive = await import('./drive.ts')
      await drive.nextDecision(flags(), withNames(options, flags))
    })

  const clock = program.command('clock').description('move the clock: advance, set, freeze, reset')
  addressOptions(clock).addOption(jsonOption()).addHelpText('after', CLOCK_EXAMPLES)
  const change =
    (name: 'advance' | 'set' | 'freeze' | 'reset' | 'show') =>
    async (value: unknown, _: unknown, command?: Command) => {
      const drive = await import('./drive.ts')
      const text = typeof value === 'string' ? value : undefined
      await drive.driveClock(flags(), { ...(command ?? clock).optsWithGlobals(), change: name, text })
    }
  clock.command('advance <seconds>').description('let seconds pass').action(change('advance'))
  clock.command('set <instant>').description('move to an instant, in ISO 8601').action(change('set'))
  clock.command('freeze').description('stop the clock').action(change('freeze'))
  clock.command('reset').description('back to real time').action(change('reset'))
  withSubcommandsOnly(clock, change('show'))

  addressOptions(program.command('reset').description('put the sandbox back to how it was declared'))
    .addOption(jsonOption())
    .action(async (options) => {
      const drive = await import('./drive.ts')
      await drive.reset(flags(), options)
    })
}
