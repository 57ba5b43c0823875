import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { expectPage, readPage } from './page.ts'

const page = readPage('command-line.md')

/** Commands without flags of their own, and `audit`, whose flags stand in its own page. */
const WITHOUT_TABLE = ['start', 'init', 'personas', 'audit']

test('command-line.md has a section and a row for each command', () => {
  const names = createProgram().commands.map((command) => command.name())
  expect([...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(names)
  expect([...page.matchAll(/^\| \[`(\w+)`\]/gm)].map(([, name]) => name)).toEqual(names)
})

test('command-line.md has the flags of each command; `npm run docs` writes the flags', async () => {
  const commands = new Map(commandsBelow(createProgram()))
  const documented = [...page.matchAll(/^<!-- flags: (.+) -->$/gm)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual([...commands.keys()].filter((name) => !WITHOUT_TABLE.includes(name)).sort())
  const written = page.replace(
    /(<!-- flags: ([\w ]+) -->\n).*?(<!-- \/flags -->)/gs,
    (_, begin, name, end) => `${begin}\n${flagTable(name, commands.get(name))}\n\n${end}`,
  )
  await expectPage('command-line.md', written)
})

function commandsBelow(parent: Command, path = ''): [string, Command][] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`
    return [[name, command], ...commandsBelow(command, `${name} `)]
  })
}

function flagTable(name: string, command: Command | undefined): string {
  const usage = command?.registeredArguments.map((it) => (it.required ? `<${it.name()}>` : `[${it.name()}]`))
  const rows = command?.options.map(
    ({ flags, description: text }) => `| \`${flags}\` | ${text.replaceAll('|', '\\|')} |`,
  )
  const call = ['agekey-sandbox', name, ...(usage ?? [])].join(' ')
  return [`| \`${call}\` | Meaning |`, '|---|---|', ...(rows ?? [])].join('\n')
}
