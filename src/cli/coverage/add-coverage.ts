import type { Command } from 'commander'
import { addressOptions, type ReadFlags } from '../command.ts'
import type { CoverageFlags } from './coverage.ts'

const DESCRIPTION = 'what your tests have not seen, each with what closes the gap'

const EXPLANATION = `
FILE is a file that coverage_file or a test kit wrote, or a folder of them; several are added up. Without one it reads the
folder .agekey-coverage of this folder, and when there is none, or with --url or --tenant, it asks the sandbox that runs.
--json, --junit and --markdown write to the file behind them, or to standard output without one.

Exit codes: 0 no minimum is missed; 1 a minimum is missed; 2 nothing could be read, or a flag is wrong.

Examples:
  agekey-sandbox coverage                          what the last run of the tests has seen, or the running sandbox
  agekey-sandbox coverage --min answers=100,must=80
                                                   fails below a minimum: for CI
  agekey-sandbox coverage unit.json e2e.json --json=all.json
                                                   adds two files up, into a third one
  agekey-sandbox coverage --url http://sandbox:2435 --tenant qa
  agekey-sandbox coverage --markdown coverage.md --junit coverage.xml`

/** Registers the command. What it does is loaded when it runs. */
export function addCoverage(program: Command, flags: ReadFlags): void {
  const coverage = program
    .command('coverage [file...]')
    .description(DESCRIPTION)
    .option(
      '--min <minimums>',
      'the least percent of a dimension: answers=100,must=80; may be given several times',
      both,
    )
  addressOptions(coverage)
    .option('--json [file]', 'writes all of it as JSON, which this command reads again')
    .option('--junit [file]', 'writes it as JUnit XML: a test for each thing to see')
    .option('--markdown [file]', 'writes it as Markdown')
    .addHelpText('after', EXPLANATION)
    .action(async (files: string[], options: CoverageFlags) => {
      const command = await import('./coverage.ts')
      process.exitCode = await command.coverage(files, flags(), options)
    })
}

const both = (minimums: string, earlier?: string) => (earlier === undefined ? minimums : `${earlier},${minimums}`)
