import type { Command } from 'commander'
import { HELP_WIDTH, type ReadFlags } from '../command.ts'
import type { AuditFlags } from './read-flags.ts'

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
  agekey-sandbox audit http://localhost:3000/verify --learn
                                                       write agekey-audit.yaml, so that the next call needs no address
  agekey-sandbox audit --only family:signature --skip "use/id_token.huge"
                                                       some rows; --list shows them
  agekey-sandbox audit --known "use/id_token.kid_empty: the library takes an empty kid for none"
                                                       a finding that does not fail this run
  agekey-sandbox audit --readings                      does the app survive what the specification leaves open?
  agekey-sandbox audit --again                         what failed or was undetermined last time
  agekey-sandbox audit --junit audit.xml --sarif audit.sarif
                                                       reports for a CI system`

/** Registers the command. What it does is loaded when it runs. */
export function addAudit(program: Command, flags: ReadFlags): void {
  program
    .command('audit [url]')
    .description(DESCRIPTION)
    .configureHelp({ helpWidth: HELP_WIDTH, showGlobalOptions: true })
    .option(
      '--accepted <rule>',
      'how success of Use is known: get=/me status=200, text=Welcome, url=**/members, cookie=session ...',
    )
    .option(
      '--start <command>',
      'starts the app, and ends it with the audit; {base_url} is that of the sandbox, {port} the port of the app',
    )
    .option('--browser <name>', 'http, chromium or auto: http, unless your app answers by fragment (default: auto)')
    .option('--cdp <url>', 'a Chromium that runs already, as http://localhost:9222; it goes on running')
    .option('--headed', 'shows the window of Chromium')
    .option('--url <url>', 'a sandbox elsewhere, with --control-token when it asks for one')
    .option('--only <pattern>', PATTERN_HELP, collected)
    .option('--skip <pattern>', 'leaves rows out, by the same patterns; may be given several times', collected)
    .option(
      '--readings',
      'instead of rows: under which readings of what the specification leaves open the app works, and on which it depends',
    )
    .option('--fail-on-readings', 'what the app depends on counts for the exit code of --readings')
    .option('--fail-on <level>', 'findings count from this level on: must, should, may or none (default: must)')
    .option(
      '--known <entry>',
      'a finding that is accepted for now: its row, a colon and why; may be given several times',
      collected,
    )
    .option('--catalogue <version>', 'rows that were added after this version run and do not count')
    .option('--again', 'only what failed or was undetermined last time (.agekey-audit/last.json)')
    .option('--jobs <number>', 'visits at the same time (default: 4)')
    .option('--timeout <seconds>', 'how long a visit may take (default: 10)')
    .option('--budget <seconds>', 'how long the audit may take (default: 300, with --readings 900)')
    .option('--repeat <number>', 'how often a finding is looked at (default: 2)')
    .option('--slow', 'also the rows that take long')
    .option('--json <file>', 'writes the report as JSON; - is standard output')
    .option('--junit <file>', 'writes the report as JUnit XML')
    .option('--sarif <file>', 'writes the findings as SARIF 2.1.0')
    .option('--markdown <file>', 'writes the report as Markdown')
    .option('--list', 'lists the rows with level and reference, and runs nothing')
    .option(
      '--learn',
      'learns what success and failure look like, writes agekey-audit.yaml and stops; never overwrites',
    )
    .option('--this-app-is-mine', 'audits an app beyond this machine and its private network')
    .addHelpText('after', EXPLANATION)
    .action(async (url: string | undefined, options: AuditFlags) => {
      const { audit } = await import('./audit.ts')
      process.exitCode = await audit(url, flags(), options)
    })
}

const PATTERN_HELP =
  'only these rows: use/id_token.*, family:signature, flow:create, cwe:347 or level:must; may be given several times'

// Decision: one pattern for each flag, and no commas: a list of values would swallow the address that follows it.
const collected = (pattern: string, earlier: readonly string[] = []) => [...earlier, pattern]
