import { type Command, CommanderError, type Option } from 'commander'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { SandboxError } from '../../server/client/sandbox-error.ts'
import { FLAGS } from '../../server/config/text-settings.ts'
import { didYouMean } from '../../service/text/message-parts.ts'
import { visible } from '../../service/text/visible.ts'
import { paintError, printError } from './terminal.ts'

/** Exit codes of failed commands, where 1 means that the command worked and found something. */
const FAILURE_CODES: Readonly<Record<string, number>> = { audit: 2, coverage: 2 }

/**
 * Reports why a command failed, with one line on stderr for each reason and without a stack.
 * @returns the exit code; 0 for a request for help
 */
export function reportFailure(error: unknown, program: Command): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  for (const line of problemOf(error, program).split('\n')) {
    printError(`${paintError('red', 'error:')} ${visible(line)}`)
  }
  return FAILURE_CODES[calledCommand(program).name()] ?? 1
}

function problemOf(error: unknown, program: Command): string {
  if (error instanceof SandboxError && error.status === 401)
    return `${error.message}; give it by --control-token`
  if (isFolderGone(error))
    return 'the folder in which this was started is gone; change to another one, for example by cd'
  if (!(error instanceof CommanderError)) return asCommands(messageOf(error))
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ')
  const command = calledCommand(program)
  switch (error.code) {
    case 'commander.unknownOption':
      // The flag may belong to a mistyped command, so an unknown command is reported first.
      return unknownCommandProblem(program) ?? unknownOptionProblem(message, command)
    case 'commander.optionMissingArgument':
      return missingValueProblem(message, [...command.options, ...program.options])
    case 'commander.missingArgument':
      return `${message}; ${usageOf(command)}`
    case 'commander.excessArguments':
      return `unexpected argument ${excess(command).map(quoted).join(', ')}; ${usageOf(command)}`
    default:
      return message
  }
}

/**
 * Whether `process.cwd()` failed: the working folder was removed, or replaced by a new folder.
 */
const isFolderGone = (error: unknown) =>
  codeOf(error) === 'ENOENT' && /\buv_cwd$/.test(messageOf(error))

/** Translates messages of the sandbox, which name API calls, into commands and flags. */
const asCommands = (message: string): string =>
  message
    .replace('GET /_sandbox/personas lists', 'agekey-sandbox personas lists')
    .replace('GET /_sandbox/catalog lists', 'agekey-sandbox outcomes lists')
    .replace(' GET /_sandbox/tenants lists all.', '')
    .replace('take as=', 'take --as ')
    .replace(/ Served below (\S+): .*/, ' Give the base URL: $1')

/** The called command or subcommand, otherwise the program itself. */
function calledCommand(command: Command): Command {
  const called = command.commands.find((known) => known.name() === command.args[0])
  return called === undefined ? command : calledCommand(called)
}

/** The full name of a command: `agekey-sandbox run`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
const usageOf = (command: Command) => `usage: ${pathOf(command)} ${command.usage()}`
const excess = ({ args, registeredArguments }: Command) => args.slice(registeredArguments.length)
const quoted = (text: string) => JSON.stringify(text)

function unknownOptionProblem(message: string, command: Command): string {
  const [, name] = /^unknown option '--([\w-]+)/.exec(message) ?? []
  const setting = FLAGS.find((flag) => flag.name === name)
  if (setting)
    return `--${name} is no flag: set ${setting.key} in the config file, or ${setting.variable}`
  return message.includes('Did you mean')
    ? message
    : `${message}; ${pathOf(command)} --help lists them`
}

/** Says which value a flag expects. */
function missingValueProblem(message: string, options: readonly Option[]): string {
  const option = options.find(({ flags }) => message.includes(`'${flags}'`))
  if (!option) return message
  const [value = 'a value'] = /<.+>/.exec(option.flags) ?? []
  return `${option.long}: the value is missing; it takes ${value}: ${option.description}`
}

/** Words that users may try as commands, and the commands to use instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  tail: 'flows --follow',
  readings: 'explain readings',
  drill: 'audit',
}

/** Says that a word is no subcommand of `command`; `undefined` if the word is one, or a flag. */
export function unknownCommandProblem(
  command: Command,
  word = command.args[0],
): string | undefined {
  const known = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name())
  if (
    word === undefined ||
    word.startsWith('-') ||
    command.commands.some((one) => one.name() === word)
  )
    return undefined
  const elsewhere = ELSEWHERE[word]
  if (command.parent === null && elsewhere !== undefined)
    return `unknown command "${word}". Use: agekey-sandbox ${elsewhere}`
  const switchHint = /^(?:true|false|yes|no|on|off|\d+)$/i.test(word)
    ? '; a switch like --https takes no value'
    : ''
  return `unknown command "${word}".${didYouMean(word, known) || ` Known are ${known.join(', ')}`}${switchHint}`
}
