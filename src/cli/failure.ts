import { type Command, CommanderError } from 'commander'
import { didYouMean } from '../age/nearest.ts'
import { messageOf } from '../files/caught.ts'
import { paintError, printError, visible } from './terminal.ts'

/**
 * Reports why a command could not do its work: a line on stderr for each reason, never a stack.
 * Returns the exit code; it is 0 when the "failure" was only a request for help.
 */
export function reportFailure(error: unknown, program: Command): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  for (const line of problemOf(error, program).split('\n')) {
    printError(`${paintError('red', 'error:')} ${visible(line)}`)
  }
  return 1
}

function problemOf(error: unknown, program: Command): string {
  if (!(error instanceof CommanderError)) return messageOf(error)
  // Of an unknown command with flags of its own, only the command is the mistake.
  const unknown = error.code === 'commander.unknownOption' ? unknownCommandProblem(program) : undefined
  return unknown ?? error.message.replace(/^error: /, '').replaceAll('\n', ' ')
}

/** What is wrong with the word that stands where a subcommand of `command` would; `undefined` when nothing is. */
export function unknownCommandProblem(command: Command): string | undefined {
  const [word] = command.args
  const names = command.commands.map((known) => known.name())
  if (word === undefined || word.startsWith('-') || names.includes(word)) return undefined
  return `unknown command "${word}".${didYouMean(word, names) || ` Known are ${names.join(', ')}`}`
}
