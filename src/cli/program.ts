import { Command, Option } from 'commander'
import { FLAGS, type Texts } from '../config/text-settings.ts'
import { ConfigError } from '../files/config-error.ts'
import { packageVersion } from '../package-root.ts'
import { addAudit } from './audit/add-audit.ts'
import { reportFailure, unknownCommandProblem } from './failure.ts'
import { printText, requireWritten } from './terminal.ts'

const HELP_WIDTH = 120

const DESCRIPTION = `A relying-party sandbox for an age assurance service: every endpoint, real signed tokens, and test personas in place
of passkeys. For testing only.`

const EXPLANATION = `
Settings are taken from flags, then from the environment (AGEKEY_SANDBOX_PORT, AGEKEY_SANDBOX_BASE_URL ...: every flag
in capitals), then from the config file, then from the defaults. Several --personas in AGEKEY_SANDBOX_PERSONAS are
separated like the folders in PATH. Colours are left out when NO_COLOR is set.

Examples:
  agekey-sandbox                                   start on http://127.0.0.1:2435
  agekey-sandbox -p 0 --log json                   start on a free port, for programs: the first line says which
  agekey-sandbox --persona teen-16                 no choice page: every user is teen-16
  agekey-sandbox --outcome access_denied           every user declines
  agekey-sandbox --signing-alg ES256               for apps that accept no other algorithm
  agekey-sandbox --personas ./personas             your own test users beside the built-in ones
  agekey-sandbox personas show adult-passport      what a persona's age key holds today
  agekey-sandbox personas check ./personas         check persona files without starting
  agekey-sandbox run teen-then-adult.yaml          play a scenario: what users do, and what the app must send
  agekey-sandbox audit http://localhost:3000/age   find out which wrong answers your app lets in
  agekey-sandbox healthcheck                       for HEALTHCHECK in a Dockerfile
  agekey-sandbox doctor --issuer http://localhost:2435/v1/oidc/use
                                                   from the app's side: what is wrong, and the lines to change`

/** Runs the command that the process was started with. When it fails, the exit code of the process says so. */
export async function runProgram(): Promise<void> {
  const program = createProgram()
  for (const step of [() => program.parseAsync(), requireWritten]) {
    try {
      await step()
    } catch (error) {
      process.exitCode = reportFailure(error, program)
    }
  }
}

/**
 * Each command is loaded when it runs, so that a start pays only for itself.
 * The flags of `start` are flags of the program: they apply to every command and may stand before or after its name.
 */
function createProgram(): Command {
  const program = new Command('agekey-sandbox')
    .description(DESCRIPTION)
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'explain all of this')
    .helpCommand('help [command]', 'explain a command')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .configureOutput({ outputError() {}, writeOut: printText })
    .exitOverride()
    .addHelpText('after', EXPLANATION)
  for (const option of settingOptions()) program.addOption(option)

  const flags = () => textsOf(program)
  const startSandbox = async () => {
    const { start } = await import('./start/start.ts')
    await start(flags())
  }

  program
    .command('start')
    .description('run the sandbox until it is stopped (also without a command)')
    .configureHelp({ helpWidth: HELP_WIDTH, showGlobalOptions: true })
    .action(startSandbox)
  addPersonas(program, flags)
  program
    .command('outcomes')
    .description('list the endings that can be forced on a flow')
    .addOption(jsonOption())
    .action(async (options) => {
      const { listOutcomes } = await import('./outcomes.ts')
      listOutcomes(options)
    })
  program
    .command('init')
    .description('write a commented agekey-sandbox.yaml into this folder; never overwrites')
    .action(async () => {
      const { init } = await import('./init.ts')
      init()
    })
  addRun(program, flags)
  addAudit(program, { flags, helpWidth: HELP_WIDTH })
  program
    .command('healthcheck')
    .description('exit with 0 when the server is healthy, with 1 otherwise')
    .option('--url <url>', 'the base URL of the server (default: from the settings)')
    .action(async (options) => {
      const { healthcheck } = await import('./healthcheck.ts')
      await healthcheck(flags(), options)
    })
  addDoctor(program, flags)

  return withSubcommandsOnly(program, startSandbox)
}

function addRun(program: Command, flags: () => Texts): void {
  program
    .command('run <file...>')
    .description('run scenario files one after the other; exit with 1 at the first step that fails')
    .configureHelp({ helpWidth: HELP_WIDTH, showGlobalOptions: true })
    .option(
      '--url <url>',
      'the sandbox to run them in, with --control-token when it asks for one (default: one of its own, with the flags of start)',
    )
    .option('--tenant <name>', 'the tenant of that sandbox')
    .option('--timeout <seconds>', 'how long a step may take (default: 60)')
    .option('--junit <file>', 'writes the results as JUnit XML')
    .action(async (files: string[], options) => {
      const { run } = await import('./run/run.ts')
      process.exitCode = (await run(files, flags(), options)) ? 0 : 1
    })
}

function addDoctor(program: Command, flags: () => Texts): void {
  program
    .command('doctor')
    .description('find out, where the app runs, why it cannot use a sandbox; exit with 0 when all is well')
    .option('--issuer <url>', 'the issuer as the app has it (default: http://localhost:2435/v1/oidc/use)')
    .option('--client-id <id>', 'the client of the app')
    .option('--client-secret <secret>', 'its secret')
    .option('--redirect-uri <url>', 'its callback')
    .option('--ca <file>', 'a certificate to trust, as PEM')
    .option('--timeout <seconds>', 'how long each call may take (default: 5)')
    .addHelpText(
      'after',
      '\nWith --internal-url it reads discovery by that address, as an app in another container does.',
    )
    .addOption(jsonOption())
    .action(async (options) => {
      const { doctor } = await import('./doctor/doctor.ts')
      process.exitCode = (await doctor(flags(), options)) ? 0 : 1
    })
}

function addPersonas(program: Command, flags: () => Texts): void {
  const personas = program.command('personas').description('the test users').addOption(jsonOption())
  const list = async (_options: unknown, command: Command) => {
    const { listPersonas } = await import('./personas.ts')
    await listPersonas(flags(), command.optsWithGlobals())
  }
  personas
    .command('list')
    .description('list them by group (also without a command)')
    .addOption(jsonOption())
    .action(list)
  personas
    .command('show <name>')
    .description('show one, with the dates it has today')
    .addOption(jsonOption())
    .action(async (name: string, _options: unknown, command: Command) => {
      const { showPersona } = await import('./personas.ts')
      await showPersona(flags(), name, command.optsWithGlobals())
    })
  personas
    .command('check <path...>')
    .description('check persona files or folders of them')
    .action(async (paths: string[]) => {
      const { checkPersonas } = await import('./personas.ts')
      checkPersonas(paths)
    })
  withSubcommandsOnly(personas, list)
}

/**
 * Gives a command that has subcommands something to do without one. A word that is none of them is refused with the nearest
 * name, where the parser would complain about the number of arguments. Called last: subcommands would inherit it.
 */
function withSubcommandsOnly(command: Command, act: (options: unknown, command: Command) => Promise<void>): Command {
  return command.allowExcessArguments().action(async (options: unknown) => {
    const problem = unknownCommandProblem(command)
    if (problem !== undefined) throw ConfigError.of(problem)
    await act(options, command)
  })
}

const jsonOption = () => new Option('--json', 'print JSON')

/** The flags that give settings. Their values are checked later, together with those of the environment. */
const settingOptions = () =>
  FLAGS.map(({ name, short, argument, help }) => {
    const names = short === undefined ? `--${name}` : `${short}, --${name}`
    return new Option(argument === undefined ? names : `${names} ${argument}`, help)
  })

/** The settings that were given as flags, by flag: `{ 'base-url': 'http://localhost:2435' }`. */
function textsOf(program: Command): Texts {
  const texts = settingOptions().map((option) => {
    const given: unknown = program.getOptionValue(option.attributeName())
    return [option.name(), given === true ? 'true' : given]
  })
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}
