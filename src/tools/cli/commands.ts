import type { Command } from 'commander'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import type { Texts } from '../../server/config/text-settings.ts'
import type { CoverageFlags } from './coverage/coverage.ts'
import { unknownCommandProblem } from './failure.ts'
import { addFilterFlags } from './remote/filter-flags.ts'

/** The width of help texts in columns. */
export const HELP_WIDTH = 120

/** Reads the settings from flags of the program. Call it when a command runs. */
export type ReadFlags = () => Texts

/**
 * The flag `--json`. Decision: a negative answer is JSON too. For a mistake in flags, files or
 * names, and for an unreachable sandbox, stderr has a line and stdout stays empty.
 */
const JSON_FLAG = ['--json', 'print JSON'] as const

/** Adds the flags that name a running sandbox. */
const addressOptions = (command: Command): Command =>
  command
    .configureHelp({ helpWidth: HELP_WIDTH })
    .option(
      '--url <url>',
      'the sandbox; --control-token if it asks (default: AGEKEY_SANDBOX_URL, else by the settings)',
    )
    .option('--tenant <name>', 'a tenant of it')

/**
 * Gives a command with subcommands its own action. An unknown word is refused with the nearest
 * name, where the parser would only count arguments. Call this last: subcommands inherit the
 * settings.
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

const RESET_EXAMPLES = `
Examples:
  agekey-sandbox reset                             personas, decisions, clock, flows; clients and keys stay
  agekey-sandbox reset --tenant ci-1               one tenant alone`

export function addDrive(program: Command, flags: ReadFlags): void {
  const next = program
    .command('next')
    .description('decide how the next flow goes: --persona, --outcome')
  addressOptions(next)
    .option('--persona <name>', 'who the user is')
    .option('--outcome <name>', 'how the flow ends')
    .option(
      '--flow <flow>',
      'use, create, par, token, upgrade, discovery or jwks (default: the flow of the outcome)',
    )
    .option('--client <id>', 'only a request of this client_id')
    .option('--times <count>', 'for so many requests (default: 1)')
    .option('--clear', 'take back every decision that waits')
    .option(...JSON_FLAG)
    .addHelpText('after', NEXT_EXAMPLES)
    .action(async (_options: unknown, command: Command) =>
      (await import('./drive.ts')).nextDecision(flags(), command.optsWithGlobals()),
    )

  const clock = program.command('clock').description('move the clock: advance, set, freeze, reset')
  addressOptions(clock)
    .option(...JSON_FLAG)
    .addHelpText('after', CLOCK_EXAMPLES)
  const change =
    (name: 'advance' | 'set' | 'freeze' | 'reset' | 'show') =>
    async (value: unknown, _: unknown, command?: Command) => {
      const { driveClock } = await import('./drive.ts')
      const text = typeof value === 'string' ? value : undefined
      await driveClock(flags(), { ...(command ?? clock).optsWithGlobals(), change: name, text })
    }
  clock.command('advance <seconds>').description('let seconds pass').action(change('advance'))
  clock
    .command('set <instant>')
    .description('move to an instant, in ISO 8601')
    .action(change('set'))
  clock.command('freeze').description('stop the clock').action(change('freeze'))
  clock.command('reset').description('back to real time').action(change('reset'))
  withSubcommandsOnly(clock, change('show'))

  addressOptions(
    program.command('reset').description('put the sandbox back to how it was declared'),
  )
    .option(...JSON_FLAG)
    .addHelpText('after', RESET_EXAMPLES)
    .action(async (options) => (await import('./drive.ts')).reset(flags(), options))
}

const RUN_EXPLANATION = `
With a command behind -- it runs the tests of your app while the scenario plays.
The command starts when the first scenario is armed. Its output is passed through, with --json to stderr.
It gets AGEKEY_SANDBOX_URL (of the sandbox or tenant), AGEKEY_SANDBOX_CLIENT_ID and AGEKEY_SANDBOX_CLIENT_SECRET.
When it ends while steps remain, the first of them fails. When nothing meets a step in its time, the command is stopped.

Exit codes: 0 every step passed, and the command ended with 0; that of the command when it failed;
else 1 when a step failed or was not reached; 130 interrupted.

Examples:
  agekey-sandbox run teen-then-adult.yaml
  agekey-sandbox run teen-then-adult.yaml -- npm test
  agekey-sandbox run teen-then-adult.yaml --url http://localhost:2435 --tenant ci-1 -- npx playwright test`

export function addRun(program: Command, flags: ReadFlags): void {
  program
    .command('run <file...>')
    .usage('[options] <file...> [-- command [args...]]')
    .description('play scenario files: what users do, and what the app must send')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .option(
      '--url <url>',
      'the sandbox; --control-token if it asks (default: one of its own, with the flags of start)',
    )
    .option('--tenant <name>', 'the tenant of that sandbox')
    .option('--timeout <seconds>', 'how long a step may take (default: 60)')
    .option('--junit <file>', 'writes the results as JUnit XML')
    .option('--json', 'prints events as JSON, one a line, as --log json does')
    .addHelpText('after', RUN_EXPLANATION)
    .action(async (words: string[], options) => {
      const { run } = await import('./run/run.ts')
      const { files, command } = separate(words)
      process.exitCode = await run(files, flags(), { ...options, ...(command && { command }) })
    })
}

/** Splits the arguments at the first `--`. The parser removes `--`, so `process.argv` is read. */
function separate(words: readonly string[]): {
  files: readonly string[]
  command?: readonly string[]
} {
  const place = process.argv.indexOf('--')
  if (place === -1) return { files: words }
  const command = process.argv.slice(place + 1)
  const files = words.slice(0, words.length - command.length)
  if (command.length === 0)
    throw ConfigError.of('--: a command must follow, for example -- npm test')
  if (files.length === 0) throw ConfigError.of('run: a scenario file must stand before --')
  return { files, command }
}

const FLOWS_EXAMPLES = `
Formats of --as: scenario, vitest, playwright, pytest, har, curl. The file goes to the standard output.
Ctrl-C ends --follow with exit code 0.

Examples:
  agekey-sandbox flows                             the flows of the running sandbox, the newest first
  agekey-sandbox flows --status error --limit 5    the last five that went wrong
  agekey-sandbox flows f12                         one flow: what happened, and why, as explain shows it
  agekey-sandbox flows f12 --as vitest > teen.test.ts
  agekey-sandbox flows --follow --status error     what goes wrong, as it happens`

export function addFlows(program: Command, flags: ReadFlags): void {
  const command = program
    .command('flows [id]')
    .description('list flows, show one, write one as a test or scenario')
    .option('--as <format>', 'print the flow as a file of this format')
    .option('--follow', 'print calls as they come, with what became of their flow')
    .option('--limit <count>', 'at most so many flows (default: 20)')
  addFilterFlags(addressOptions(command))
    .option(...JSON_FLAG)
    .addHelpText('after', FLOWS_EXAMPLES)
    .action(async (id: string | undefined, _options: unknown, command: Command) =>
      (await import('./flows.ts')).flows(id, flags(), command.optsWithGlobals()),
    )
}

const EXPLAIN_EXAMPLES = `
Examples:
  agekey-sandbox explain use-04                    a rule: what it demands, and how to mend an app that breaks it
  agekey-sandbox explain id_token.expired          an outcome: what a correct client does, and how to force it
  agekey-sandbox explain readings                  what the specification leaves open; a star marks the default
  agekey-sandbox explain refused_token_status      one reading; start --reading refused_token_status=403 sets it
  agekey-sandbox explain f12                       a flow of the running sandbox: what happened, and why
  agekey-sandbox explain http://localhost:2435/_sandbox/console/flows/f12`

const OUTCOMES_EXAMPLES = `
Examples:
  agekey-sandbox outcomes expired                  whose name or text has the word
  agekey-sandbox outcomes 'id_token.exp*'          whose name fits the pattern
  agekey-sandbox outcomes --flow token             those of one flow or call
  agekey-sandbox outcomes show id_token.expired    one of them, and every way to force it`

export function addExplain(program: Command, flags: ReadFlags): void {
  const outcomes = program
    .command('outcomes [pattern]')
    .description('list the outcomes that can be forced')
    .option(
      '--flow <flow>',
      'only those of one flow or call: use, create, par, token, upgrade, discovery, jwks',
    )
    .option(...JSON_FLAG)
    .addHelpText('after', OUTCOMES_EXAMPLES)
    .action(async (pattern: string | undefined, options) =>
      (await import('./explain.ts')).listOutcomes(pattern, options),
    )
  outcomes
    .command('show <name>')
    .description(
      'explain one, as id_token.expired or use/id_token.expired, with every way to force it',
    )
    .option(...JSON_FLAG)
    .action(async (name: string, _options: unknown, command: Command) =>
      (await import('./explain.ts')).showOutcome(name, flags(), command.optsWithGlobals()),
    )
  addressOptions(
    program
      .command('explain <name>')
      .description('explain a rule, an outcome, a reading or a flow'),
  )
    .option(...JSON_FLAG)
    .addHelpText('after', EXPLAIN_EXAMPLES)
    .action(async (name: string, options) =>
      (await import('./explain.ts')).explain(name, flags(), options),
    )
}

const PERSONAS_EXAMPLES = `
Examples:
  agekey-sandbox personas show teen-16
  agekey-sandbox personas check ./personas         before they are given to start --personas
  agekey-sandbox personas generate 20 --out ./personas`

export function addPersonas(program: Command, flags: ReadFlags): void {
  const personas = program
    .command('personas')
    .description('the test users: list, show, check, generate')
    .option(...JSON_FLAG)
    .addHelpText('after', PERSONAS_EXAMPLES)
  const list = async (_options: unknown, command: Command) =>
    (await import('./personas.ts')).listPersonas(flags(), command.optsWithGlobals())
  personas
    .command('list')
    .description('list them by group (also without a command)')
    .option(...JSON_FLAG)
    .action(list)
  personas
    .command('show <name>')
    .description('show one, with the dates it has today')
    .option(...JSON_FLAG)
    .action(async (name: string, _options: unknown, command: Command) =>
      (await import('./personas.ts')).showPersona(flags(), name, command.optsWithGlobals()),
    )
  personas
    .command('check <path...>')
    .description('check persona files or folders of them')
    .option(...JSON_FLAG)
    .action(async (paths: string[], _options: unknown, command: Command) => {
      const { checkPersonas } = await import('./personas.ts')
      process.exitCode = checkPersonas(paths, command.optsWithGlobals()) ? 0 : 1
    })
  personas
    .command('generate <count>')
    .description('make up that many personas (1 to 500) and write them as YAML to stdout')
    .option('--seed <number>', 'the same number gives the same personas (default: 1)')
    .option('--out <folder>', 'write a file for each instead; never overwrites')
    .option(...JSON_FLAG)
    .action(async (count: string, _options: unknown, command: Command) =>
      (await import('./personas.ts')).generate(count, command.optsWithGlobals()),
    )
  withSubcommandsOnly(personas, list)
}

const COVERAGE_EXPLANATION = `
FILE is a file that coverage_file or a test kit wrote, or a folder of them; several are added up.
Without one it reads the folder .agekey-coverage of this folder.
When there is none, or with --url or --tenant, it asks the sandbox that runs.
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

export function addCoverage(program: Command, flags: ReadFlags): void {
  const both = (minimums: string, earlier?: string) =>
    earlier === undefined ? minimums : `${earlier},${minimums}`
  const coverage = program
    .command('coverage [file...]')
    .description('what your tests have not seen, each with what closes the gap')
    .option(
      '--min <minimums>',
      'the least percent of a dimension: answers=100,must=80; may be given several times',
      both,
    )
  addressOptions(coverage)
    .option('--json [file]', 'writes all of it as JSON, which this command reads again')
    .option('--junit [file]', 'writes it as JUnit XML: a test for each thing to see')
    .option('--markdown [file]', 'writes it as Markdown')
    .addHelpText('after', COVERAGE_EXPLANATION)
    .action(async (files: string[], options: CoverageFlags) => {
      const command = await import('./coverage/coverage.ts')
      process.exitCode = await command.coverage(files, flags(), options)
    })
}

const DOCTOR_EXAMPLES = `
With --internal-url it reads discovery by that address, as an app in another container does.

Examples:
  agekey-sandbox doctor                            the sandbox of the settings of this folder
  agekey-sandbox doctor --issuer http://localhost:2435/v1/oidc/use --redirect-uri http://localhost:3000/callback`

export function addDoctor(program: Command, flags: ReadFlags): void {
  const doctor = program
    .command('doctor')
    .description('find out, where the app runs, why it cannot use a sandbox')
  addressOptions(doctor)
    .option('--issuer <url>', 'the issuer as the app has it (default: that of the sandbox)')
    .option('--client-id <id>', 'the client of the app (default: ak_test_sandbox)')
    .option('--client-secret <secret>', 'its secret')
    .option('--redirect-uri <url>', 'its callback')
    .option('--ca <file>', 'a certificate to trust, as PEM')
    .option('--timeout <seconds>', 'how long each call may take (default: 5)')
    .addHelpText('after', DOCTOR_EXAMPLES)
    .option(...JSON_FLAG)
    .action(async (options) => {
      // The program parses --redirect-uri as its setting of the same name, which is a list.
      const { 'redirect-uri': callbacks = [], ...texts } = flags()
      const redirectUri = [callbacks].flat().at(-1)
      const { doctor } = await import('./doctor/doctor.ts')
      process.exitCode = (await doctor(texts, { ...options, redirectUri })) ? 0 : 1
    })
}

const WAIT_EXAMPLES = `
Without a filter it waits until the sandbox is healthy. With one it waits until a flow that fits has ended.
A flow that ended before counts, too, unless --since says otherwise. With --timeout 0 it looks once.

Exit codes: 0 it came; 1 it did not come in time, and what ended meanwhile is printed.

Examples:
  agekey-sandbox wait                              until the sandbox is healthy, at most 30 seconds
  agekey-sandbox wait --timeout 0                  is it healthy now? For a HEALTHCHECK
  agekey-sandbox wait --url http://sandbox:2435 --timeout 60
  agekey-sandbox wait --flow use --persona teen-16 --status error
  agekey-sandbox wait --state "$STATE" --json      the flow of one request, with its calls, as JSON`

export function addWait(program: Command, flags: ReadFlags): void {
  const wait = program
    .command('wait')
    .description('wait until a sandbox is healthy, or until a flow has ended')
  addFilterFlags(addressOptions(wait))
    .option('--since <flow>', 'only flows that end after this one did: f12, or now')
    .option('--timeout <seconds>', 'how long to wait (default: 30)')
    .option(...JSON_FLAG)
    .addHelpText('after', WAIT_EXAMPLES)
    .action((_options: unknown, command: Command) => waitFor(command.optsWithGlobals()))
  addressOptions(
    program.command('healthcheck', { hidden: true }).description('the same as wait --timeout 0'),
  )
    .option(...JSON_FLAG)
    .action((options) => waitFor({ ...options, timeout: '0' }))

  async function waitFor(
    options: Parameters<typeof import('./remote/wait.ts').wait>[1],
  ): Promise<void> {
    const command = await import('./remote/wait.ts')
    process.exitCode = (await command.wait(flags(), options)) ? 0 : 1
  }
}
