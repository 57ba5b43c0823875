import type { Command } from 'commander'
import { jsonOption, type ReadFlags, withSubcommandsOnly } from '../command.ts'

/** Registers the commands about personas. What they do is loaded when they run. */
export function addPersonas(program: Command, flags: ReadFlags): void {
  const personas = program
    .command('personas')
    .description('the test users: list, show, check, generate')
    .addOption(jsonOption())
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
    .addOption(jsonOption())
    .action(async (paths: string[], _options: unknown, command: Command) => {
      const { checkPersonas } = await import('./personas.ts')
      process.exitCode = checkPersonas(paths, command.optsWithGlobals()) ? 0 : 1
    })
  personas
    .command('generate <count>')
    .description('make up that many personas (1 to 500) and write them as YAML to stdout')
    .option('--seed <number>', 'the same number gives the same personas (default: 1)')
    .option('--out <folder>', 'write a file for each instead; never overwrites')
    .addOption(jsonOption())
    .action(async (count: string, _options: unknown, command: Command) => {
      const { generate } = await import('./generate.ts')
      await generate(count, command.optsWithGlobals())
    })
  withSubcommandsOnly(personas, list)
}
