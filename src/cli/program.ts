import { Command, Option } from 'commander'
import { FLAGS, type Texts } from '../config/text-settings.ts'
import { packageVersion } from '../package-root.ts'
import { addAudit } from './audit/audit.ts'
import { HELP_WIDTH, withSubcommandsOnly } from './command.ts'
import { addCoverage } from './coverage/add-coverage.ts'
import { addDoctor } from './doctor/add-doctor.ts'
import { addExplain } from './explain/add-explain.ts'
import { reportFailure } from './failure.ts'
import { addFlows } from './flows/add-flows.ts'
import { addPersonas } from './personas/add-personas.ts'
import { addRemote } from './remote/add-remote.ts'
import { addRun } from './run/add-run.ts'
import { printText, requireWritten } from './terminal.ts'

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
  agekey-sandbox personas generate 20 --seed 7     twenty made-up test users as YAML
  agekey-sandbox run teen-then-adult.yaml          play a scenario: what users do, and what the app must send
  agekey-sandbox audit http://localhost:3000/age   find out which wrong answers your app lets in
  agekey-sandbox coverage --min answers=100,must=80
                                                   which answers and wrong answers your tests have not seen
  agekey-sandbox explain f12                       why a flow ended as it did, and what a correct client does next
  agekey-sandbox flows last --as vitest            the newest flow as a test that runs
  agekey-sandbox outcomes expired                  the wrong answers that can be forced, and how to force one
  agekey-sandbox wait --timeout 60                 until the sandbox is up: for scripts and CI
  agekey-sandbox tail --status error               what goes wrong, as it happens
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
export function createProgram(): Command {
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
  addExplain(program, flags)
  program
    .command('init')
    .description('write a commented agekey-sandbox.yaml into this folder; never overwrites')
    .action(async () => {
      const { init } = await import('./init.ts')
      init()
    })
  addRun(program, flags)
  addAudit(program, flags)
  addCoverage(program, flags)
  addFlows(program, flags)
  addRemote(program, flags)
  addDoctor(program, flags)

  return withSubcommandsOnly(program, startSandbox)
}

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
