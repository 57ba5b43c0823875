import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { buildCli } from '../cli/built-cli.ts'
import { startSandbox } from '../support/sandbox.ts'
import { readPage } from './page.ts'

const PAGE = fileURLToPath(new URL('../../docs/command-line.md', import.meta.url))
const page = readPage('command-line.md')
const { packageFolder } = await buildCli()

/** Commands without flags of their own, and `audit`, whose flags stand in its own page. */
const WITHOUT_TABLE = ['start', 'init', 'personas', 'audit']

test('has a section and a row for each command', () => {
  const names = createProgram().commands.map((command) => command.name())
  expect([...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(names)
  expect([...page.matchAll(/^\| \[`(\w+)`\]/gm)].map(([, name]) => name)).toEqual(names)
})

test('has the flags of each command; `npm run docs` writes them', async () => {
  const commands = new Map(commandsBelow(createProgram()))
  const documented = [...page.matchAll(/^<!-- flags: (.+) -->$/gm)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual([...commands.keys()].filter((name) => !WITHOUT_TABLE.includes(name)).sort())
  const written = page.replace(
    /(<!-- flags: ([\w ]+) -->\n).*?(<!-- \/flags -->)/gs,
    (_, begin, name, end) => `${begin}\n${flagTable(name, commands.get(name))}\n\n${end}`,
  )
  await expect(written).toMatchFileSnapshot(PAGE)
})

test('the shell blocks print what stands below them', async () => {
  const sandbox = await startSandbox({ baseUrl: 'http://localhost:2435' })
  const blocks = [...page.matchAll(/```sh\n((?:(?!```).)*)```\n\n```text\n(.*?)```/gs)]
  expect(blocks.length).toBe((page.match(/^```sh$/gm) ?? []).length)
  const program = `agekey-sandbox() { "${process.execPath}" "${packageFolder}/dist/bin.js" "$@"; }\n`
  for (const [, command = '', shown = ''] of blocks) {
    const script = program + command.replaceAll('http://localhost:2435', sandbox.url)
    const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script])
    const pattern = shown.trimEnd().split('…').map(literal).join('[^]+')
    expect(stdout.replaceAll(sandbox.url, 'http://localhost:2435').trimEnd()).toMatch(new RegExp(`^${pattern}$`))
  }
})

function commandsBelow(parent: Command, path = ''): [string, Command][] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`
    return [[name, command], ...commandsBelow(command, `${name} `)]
  })
}

function flagTable(name: string, command: Command | undefined): string {
  const usage = command?.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  const rows = command?.options.map(
    ({ flags, description }) => `| \`${flags}\` | ${description.replaceAll('|', '\\|')} |`,
  )
  const call = ['agekey-sandbox', name, ...(usage ?? [])].join(' ')
  return [`| \`${call}\` | Meaning |`, '|---|---|', ...(rows ?? [])].join('\n')
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
