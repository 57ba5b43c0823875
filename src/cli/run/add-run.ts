import type { Command } from 'commander'
import { ConfigError } from '../../files/config-error.ts'
import { HELP_WIDTH, type ReadFlags } from '../command.ts'

const EXPLANATION = `
With a command behind -- it runs the tests of your app while the scenario plays. The command starts when the first scenario is
armed. It gets AGEKEY_SANDBOX_URL (the base URL, with --tenant that of the tenant), AGEKEY_SANDBOX_CLIENT_ID and
AGEKEY_SANDBOX_CLIENT_SECRET. When it ends while steps remain, the first of them fails; when nothing meets a step in its time,
the command is stopped. Its output is passed through, with --json to stderr.

Exit codes: 0 every step passed, and the command ended with 0; that of the command when it failed; else 1 when a step failed or
was not reached; 130 interrupted.

Examples:
  agekey-sandbox run teen-then-adult.yaml
  agekey-sandbox run teen-then-adult.yaml -- npm test
  agekey-sandbox run teen-then-adult.yaml --url http://localhost:2435 --tenant ci-1 -- npx playwright test`

/** Registers `run`. What it does is loaded when it runs. */
export function addRun(program: Command, flags: ReadFlags): void {
  program
    .command('run <file...>')
    .usage('[options] <file...> [-- command [args...]]')
    .description('play scenario files: what users do, and what the app must send')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .option(
      '--url <url>',
      'the sandbox to run them in, with --control-token when it asks for one (default: one of its own, with the flags of start)',
    )
    .option('--tenant <name>', 'the tenant of that sandbox')
    .option('--timeout <seconds>', 'how long a step may take (default: 60)')
    .option('--junit <file>', 'writes the results as JUnit XML')
    .option('--json', 'prints events as JSON, one a line, as --log json does')
    .addHelpText('after', EXPLANATION)
    .action(async (words: string[], options) => {
      const { run } = await import('./run.ts')
      const { files, command } = separate(words)
      process.exitCode = await run(files, flags(), { ...options, ...(command && { command }) })
    })
}

/** What stands behind the first `--` is the command: the parser does not say where it was. */
function separate(words: readonly string[]): { files: readonly string[]; command?: readonly string[] } {
  const place = process.argv.indexOf('--')
  if (place === -1) return { files: words }
  const command = process.argv.slice(place + 1)
  const files = words.slice(0, words.length - command.length)
  if (command.length === 0) throw ConfigError.of('--: a command must follow, for example -- npm test')
  if (files.length === 0) throw ConfigError.of('run: a scenario file must stand before --')
  return { files, command }
}
