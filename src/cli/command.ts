import { type Command, Option } from 'commander'
import type { Texts } from '../config/text-settings.ts'
import { ConfigError } from '../files/config-error.ts'
import { unknownCommandProblem } from './failure.ts'

/** Columns of help texts. */
export const HELP_WIDTH = 120

/** The settings that were given as flags of the program, read when a command runs. */
export type ReadFlags = () => Texts

/**
 * For what a command prints.
 *
 * Decision: an answer of "no" is JSON too; a mistake in flags, files or names, and a sandbox that cannot be reached, stay a line on
 * stderr, and stdout is empty then.
 */
export const jsonOption = () => new Option('--json', 'print JSON')

/** Gives a command the flags that say which running sandbox it asks. */
export const addressOptions = (command: Command): Command =>
  command
    .configureHelp({ helpWidth: HELP_WIDTH })
    .option(
      '--url <url>',
      'the sandbox to ask, with --control-token when it asks for one (default: AGEKEY_SANDBOX_URL, else from the settings)',
    )
    .option('--tenant <name>', 'a tenant of it')

/**
 * Gives a command that has subcommands something to do without one. A word that is none of them is refused with the nearest
 * name, where the parser would complain about the number of arguments. Called last: subcommands would inherit it.
 */
export function withSubcommandsOnly(
  command: Command,
  act: (options: unknown, command: Command) => Promise<void>,
): Command {
  return command.allowExcessArguments().action(async (options: unknown) => {
    const problem = unknownCommandProblem(command)
    if (problem !== undefined) throw ConfigError.of(problem)
    await act(options, command)
  })
}
