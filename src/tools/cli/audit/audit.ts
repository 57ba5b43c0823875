import { type Command, Help } from 'commander'
import type { GivenFlags } from '../../../audit/command/settings/flags.ts'
import { HELP_WIDTH, type ReadFlags } from '../commands.ts'

const EXPLANATION = `
It uses the sandbox at the base URL, or starts one. Flags go before agekey-audit.yaml, which --learn writes.
Exit codes: 0 all is well; 1 a finding; 2 nothing could be shown; 3 a row that counts is undetermined; 130 interrupted.
Example: agekey-sandbox audit http://localhost:3000/verify --start 'npm start'`

const NAME = 'audit'

/** Registers the command `audit`. Its flags and its code are imported when a call names it. */
export function addAudit(program: Command, texts: ReadFlags): void {
  program
    .hook('preSubcommand', (_program, command) => addAuditFlags(command))
    .configureHelp({ ...program.configureHelp(), subcommandTerm })
    .command(`${NAME} [url]`)
    .description('find out which wrong answers an app lets in')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .addHelpText('after', EXPLANATION)
    .action(async (url: string | undefined, flags: GivenFlags) => {
      const { audit } = await import('./audit-command.ts')
      process.exitCode = await audit(url, texts(), flags)
    })
}

/** The entry in the list of commands: `audit` gets its flags late, so `[options]` is added here. */
const subcommandTerm = (command: Command): string => {
  const term = new Help().subcommandTerm(command)
  return command.name() === NAME ? term.replace(NAME, `${NAME} [options]`) : term
}

/** Adds the flags of `audit` to this command; does nothing for other commands. */
export async function addAuditFlags(command: Command): Promise<void> {
  if (command.name() !== NAME) return
  const { AUDIT_FLAGS } = await import('../../../audit/command/settings/flags.ts')
  const collected = (value: string, earlier: readonly string[] = []) => [...earlier, value]
  for (const { flags, help, isList } of AUDIT_FLAGS)
    if (isList) command.option(flags, help, collected)
    else command.option(flags, help)
}
