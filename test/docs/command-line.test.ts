import { expect, test } from 'vitest'
import { createProgram } from '../../src/tools/cli/program.ts'
import { readPage } from './page.ts'

test('command-line.md has a section for each command in the order of --help', () => {
  const page = readPage('command-line.md')
  const program = createProgram()
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name())
  expect([...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(names)
})

test('command-line.md has a row for each command in the order of --help', () => {
  const page = readPage('command-line.md')
  const program = createProgram()
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name())
  expect([...page.matchAll(/^\| \[`(\w+)`\]/gm)].map(([, name]) => name)).toEqual(names)
})
