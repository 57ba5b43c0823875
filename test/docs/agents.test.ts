import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { explainName } from '../../src/client/explain-name.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { fencedBlocks } from '../support/markdown.ts'
import { startSandbox } from '../support/sandbox.ts'
import { errorsIn } from './compile.ts'
import { readPage } from './page.ts'

const PAGE = fileURLToPath(new URL('../../docs/agents.md', import.meta.url))
const page = readPage('agents.md')
const skill = readPage('../skills/agekey-sandbox/SKILL.md')

test.each([
  ['agents.md', page],
  ['SKILL.md', skill],
])('the blocks of %s, run in their order against one sandbox, print what stands below them', async (_name, text) => {
  const sandbox = await startSandbox()
  const blocks = [...text.matchAll(/```sh\n((?:(?!```).)*)```\n\n```text\n(.*?)```/gs)]
  expect(blocks.length).toBe(fencedBlocks(text).filter(({ language }) => language === 'sh').length)
  const script = blocks.map(([, code]) => code).join('echo ----\n')
  const { stdout } = await promisify(execFile)('bash', [
    '-eu',
    '-c',
    script.replaceAll('http://localhost:2435', sandbox.url),
  ])
  for (const [index, printed] of stdout.split('----\n').entries()) {
    const shown = blocks[index]?.[2] ?? ''
    expect(printed).toMatch(new RegExp(`^${shown.split('…').map(literal).join('.+')}$`))
  }
})

/** The commands of a text that are run without a sandbox. */
const commandsOf = (text: string) =>
  [...text.matchAll(/^npx agekey-sandbox ((?:outcomes|explain) .+)$/gm)].map(([, command = '']) => command)

test('the commands of SKILL.md that look something up find it', { timeout: 60_000 }, async () => {
  const commands = commandsOf(skill)
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
    const shell = promisify(execFile)('bash', [
      '-eu',
      '-c',
      `"$0" --import tsx "$1" ${command}`,
      process.execPath,
      program,
    ])
    expect((await shell).stdout).toContain('id_token.nonce')
  }
})

test('the test file of SKILL.md compiles against the library', { timeout: 120_000 }, async () => {
  const modules = fencedBlocks(skill).flatMap(({ language, code }) => (language === 'ts' ? [code] : []))
  expect(modules).toHaveLength(1)
  expect(await errorsIn(modules)).toBe('')
})

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

describe('agents.md', () => {
  test('has the table of tools that the endpoint serves; `npm run docs` writes it', async () => {
    const written = page.replace(
      /(<!-- tools: .*? -->\n).*?(<!-- \/tools -->)/s,
      (_, begin, end) => `${begin}\n${toolTable()}\n\n${end}`,
    )
    await expect(written).toMatchFileSnapshot(PAGE)
  })

  test('names the endpoint in each settings file', () => {
    const files = fencedBlocks(page).filter(({ language }) => language === 'json')
    const server = z.object({ 'agekey-sandbox': z.object({ url: z.literal('http://localhost:2435/_sandbox/mcp') }) })
    const settings = z.union([z.strictObject({ mcpServers: server }), z.strictObject({ servers: server })])
    expect(files).toHaveLength(3)
    for (const { code } of files) expect(settings.safeParse(JSON.parse(code)).error).toBeUndefined()
  })
})

describe('SKILL.md', () => {
  test('has a front matter as agents read it: its name is that of its folder', () => {
    const [, frontMatter = ''] = /^---\n(.*?)\n---\n/s.exec(skill) ?? []
    const { name, description } = z
      .strictObject({ name: z.string(), description: z.string() })
      .parse(parse(frontMatter))
    expect(name).toBe('agekey-sandbox')
    expect(description.length).toBeLessThan(1_024)
  })

  test('names outcomes and personas that exist', async () => {
    const names = [...skill.matchAll(/`([a-z]+_[a-z_]+|[a-z_]+\.[a-z0-9_]+|[A-Z]{3}-\d\d)`/g)].map(
      ([, name = '']) => name,
    )
    const ofRequests = [
      'ak_test_sandbox',
      'sk_test_sandbox',
      'redirect_uri',
      'request_uri',
      'id_token',
      'next_steps',
      'age_thresholds',
      'can_create',
    ]
    const named = names.filter((name) => !ofRequests.includes(name) && !name.endsWith('.md') && !name.endsWith('.txt'))
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((name) => explainName(name).kind === 'unknown')).toEqual([])
    const { personas } = await startSandbox()
    for (const name of ['teen-16', 'adult-passport', 'no-age-key']) {
      expect(skill).toContain(`\`${name}\``)
      expect((await personas.get(name)).name).toBe(name)
    }
  })

  test('is short enough to be read whole', () => {
    expect(skill.split('\n').length).toBeLessThan(150)
    expect(readFileSync(PAGE, 'utf8')).toContain('skills/agekey-sandbox/SKILL.md')
  })
})

function toolTable(): string {
  const schema = z.object({ properties: z.record(z.string(), z.unknown()).optional() })
  const rows = TOOLS.map(({ name, description, effect, inputSchema }) => {
    const [sentence = ''] = /^.*?\.(?= |$)/.exec(description) ?? []
    const args = Object.keys(schema.parse(inputSchema).properties ?? {}).map((one) => `\`${one}\``)
    return `| \`${name}\` | ${sentence} | ${args.join(', ')} | ${effect} |`
  })
  return ['| Tool | Does | Arguments | Effect |', '|---|---|---|---|', ...rows].join('\n')
}
