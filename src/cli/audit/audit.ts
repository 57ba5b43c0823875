import type { Command } from 'commander'
import type { GivenFlags } from '../../audit/command/read-flags.ts'
import { AUDIT_FLAGS } from '../../audit/command/settings.ts'
import { HELP_WIDTH, type ReadFlags } from '../command.ts'

const DESCRIPTION = `find out which wrong answers an app lets in: drives the running app like a browser, gives it every row of the
catalogue that applies to it, and says which ones it took for true`

const EXPLANATION = `
It uses the sandbox that runs at the base URL of the settings, or starts one there and stops it in the end. Settings of the
audit stand in agekey-audit.yaml in this folder, which --learn writes; flags go before it.

Exit codes: 0 every row that counts was refused and every control accepted; 1 a finding; 2 nothing could be shown (the app is
down, a setting is wrong); 3 nothing failed, but rows that count are undetermined; 130 interrupted. --readings gives no wrong
answer: it switches the readings of the sandbox, puts them back, and ends with 0 unless --fail-on-readings is given.

Examples:
  agekey-sandbox audit http://localhost:3000/verify    the page of the app where a user begins to prove an age
  agekey-sandbox audit http://localhost:3000/verify --accepted "get=/me status=200"
                                                       how success is known, when the audit cannot learn it
  agekey-sandbox audit http://localhost:{port}/verify --start "AGE_BASE_URL={base_url} PORT={port} npm start"
                                                       the audit starts copies of the app, and ends them
  agekey-sandbox audit --only family:signature --skip "use/id_token.huge" --sarif audit.sarif
                                                       some rows, and a report for a CI system`

/** Registers the command. What it does is loaded when it runs. */
export function addAudit(program: Command, texts: ReadFlags): void {
  const command = program
    .command('audit [url]')
    .description(DESCRIPTION)
    .configureHelp({ helpWidth: HELP_WIDTH, showGlobalOptions: true })
    .addHelpText('after', EXPLANATION)
    .action(async (url: string | undefined, flags: GivenFlags) => {
      const { audit } = await import('./audit-command.ts')
      process.exitCode = await audit(url, texts(), flags)
    })
  const collected = (value: string, earlier: readonly string[] = []) => [...earlier, value]
  for (const { flags, help, isList } of AUDIT_FLAGS)
    if (isList) command.option(flags, help, collected)
    else command.option(flags, help)
}
