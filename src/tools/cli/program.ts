import { Command, Option } from 'commander'
import { packageVersion } from '../../package-root.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { FLAGS, type Texts } from '../../server/config/text-settings.ts'
import { addAudit, addAuditFlags } from './audit/audit.ts'
import * as commands from './commands.ts'
import { reportFailure, unknownCommandProblem } from './failure.ts'
import { printText, requireWritten } from './terminal.ts'

const DESCRIPTION =
  'A relying-party sandbox for an age assurance service: real signed tokens, test personas in place of passkeys.'

const MORE = `
Settings come from flags, then from AGEKEY_SANDBOX_PORT and the like, then from the config file, then from the defaults.
Explain a command, with its examples: agekey-sandbox COMMAND --help`

const START_EXAMPLES = `
Examples:
  agekey-sandbox                                   start on http://localhost:2435
  agekey-sandbox -p 0 --log json                   start on a free port, for programs: the first line says which
  agekey-sandbox --persona teen-16                 no choice page: every user is teen-16
  agekey-sandbox --outcome access_denied           every user declines
  agekey-sandbox --signing-alg ES256               for apps that accept no other algorithm
  agekey-sandbox --personas ./personas             your own test users beside the built-in ones`

const INIT_EXAMPLE = `
Example: agekey-sandbox init && agekey-sandbox     write it, and start with it`

/** The end of the help text of `--help-all`. */
const EVERYTHING = `
Every flag is also an environment variable: --base-url is AGEKEY_SANDBOX_BASE_URL. Several folders in
AGEKEY_SANDBOX_PERSONAS are separated like those in PATH. Colours are left out when NO_COLOR is set.
Only in the config file and the environment: ${FLAGS.filter(({ shown }) => shown === 'none')
  .map(({ key }) => key)
  .join(', ')}.${START_EXAMPLES}`

/**
 * Runs the command line of this process. A failure is reported on stderr and sets
 * `process.exitCode`.
 */
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
 * Creates the program with its commands. The code of a command is imported when the command runs,
 * to keep the start fast. The flags of `start` are flags of the program: they apply to every
 * command, before or after its name.
 */
export function createProgram(): Command {
  const program = new Command('agekey-sandbox')
    .description(DESCRIPTION)
    .helpOption('-h, --help', 'explain it')
    .helpCommand(false)
    .configureHelp({ helpWidth: commands.HELP_WIDTH })
    .configureOutput({ outputError() {}, writeOut: printText })
    .exitOverride()
    .addHelpText('after', MORE)
  for (const option of settingOptions()) program.addOption(option)
  program
    .version(packageVersion(), '-v, --version', 'print the version')
    .option('--help-all', 'explain all flags')
    .on('option:help-all', () => {
      for (const option of program.options) option.hideHelp(false)
      program.addHelpText('after', EVERYTHING).help()
    })

  const flags = () => textsOf(program)
  const startSandbox = async () => {
    const { start } = await import('./start/start.ts')
    await start(flags())
  }

  program.commandsGroup('Start it:')
  program
    .command('start')
    .description('run the sandbox until it is stopped (also without a command)')
    .addHelpText('after', START_EXAMPLES)
    .configureHelp({ helpWidth: commands.HELP_WIDTH, showGlobalOptions: true })
    .action(startSandbox)
  program
    .command('init')
    .description('write a commented agekey-sandbox.yaml into this folder; never overwrites')
    .addHelpText('after', INIT_EXAMPLE)
    .action(async () => {
      const { init } = await import('./start/init.ts')
      init()
    })
  program.commandsGroup('Drive it:')
  commands.addDrive(program, flags)
  commands.addRun(program, flags)
  program.commandsGroup('See it:')
  commands.addFlows(program, flags)
  commands.addExplain(program, flags)
  commands.addPersonas(program, flags)
  program.commandsGroup('Check it:')
  addAudit(program, flags)
  commands.addCoverage(program, flags)
  commands.addDoctor(program, flags)
  commands.addWait(program, flags)

  program.command('help [command]', { hidden: true }).action(async (name: string | undefined) => {
    const problem = unknownCommandProblem(program, name)
    if (problem !== undefined) throw ConfigError.of(problem)
    const named = program.commands.find((command) => command.name() === name)
    if (named) await addAuditFlags(named)
    ;(named ?? program).help()
  })
  return commands.withSubcommandsOnly(program, startSandbox)
}

/**
 * The flags that set settings. Their values are checked later, together with environment variables.
 */
const settingOptions = () =>
  FLAGS.filter(({ shown }) => shown !== 'none').map(({ name, short, argument, shown, help }) => {
    const names = short === undefined ? `--${name}` : `${short}, --${name}`
    return new Option(argument === undefined ? names : `${names} ${argument}`, help).hideHelp(
      shown !== 'daily',
    )
  })

/** The settings from flags, by the name of the flag: `{ 'base-url': 'http://localhost:2435' }`. */
function textsOf(program: Command): Texts {
  const texts = settingOptions().map((option) => {
    const given: unknown = program.getOptionValue(option.attributeName())
    return [option.name(), given === true ? 'true' : given]
  })
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}
