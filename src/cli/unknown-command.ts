import type { Command } from 'commander'
import { didYouMean } from '../age/nearest.ts'

/** What is wrong with the word that stands where a subcommand of `command` would; `undefined` when nothing is. */
export function unknownCommandProblem(command: Command): string | undefined {
  const [word] = command.args
  const names = command.commands.map((known) => known.name())
  if (word === undefined || word.startsWith('-') || names.includes(word)) return undefined
  return `unknown command "${word}".${didYouMean(word, names) || ` Known are ${names.join(', ')}`}`
}
