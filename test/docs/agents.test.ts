import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { loadPersonas } from '../../src/sandbox/personas/load-personas.ts'
import { explainName } from '../../src/server/client/explain-name.ts'
import { TOOLS } from '../../src/workbench/mcp/server.ts'
import { codeBlocks, expectPage, readPage, withGenerated } from './page.ts'

const page = readPage('agents.md')
const skill = readPage('../skills/agekey-sandbox/SKILL.md')

test('agents.md has the table of tools that `npm run docs` writes', async () => {
  await expectPage('agents.md', withGenerated(page, 'tools', toolTable()))
})

test('agents.md names the endpoint in each settings file', () => {
  const files = codeBlocks(page, 'json')
  const server = z.object({
    'agekey-sandbox': z.object({ url: z.literal('http://localhost:2435/_sandbox/mcp') }),
  })
  const settings = z.union([
    z.strictObject({ mcpServers: server }),
    z.strictObject({ servers: server }),
  ])
  expect(files).toHaveLength(3)
  for (const code of files) expect(settings.safeParse(JSON.parse(code)).error).toBeUndefined()
})

test('agents.md links the skill', () => {
  expect(page).toContain('skills/agekey-sandbox/SKILL.md')
})

test('SKILL.md has a front matter as agents read it', () => {
  const [, frontMatter = ''] = /^---\n(.*?)\n---\n/s.exec(skill) ?? []
  const { name, description } = z
    .strictObject({ name: z.string(), description: z.string() })
    .parse(parse(frontMatter))
  expect(name).toBe('agekey-sandbox')
  expect(description.length).toBeLessThan(1_024)
})

/** What SKILL.md has in code that is a part of requests. */
const OF_REQUESTS =
  /^([as]k_test_sandbox|redirect_uri|request_uri|id_token|next_steps|age_thresholds|can_create)$/

test('SKILL.md names only rows that exist', () => {
  const names = [...skill.matchAll(/`([a-z]+_[a-z_]+|[a-z_]+\.[a-z0-9_]+|[A-Z]{3}-\d\d)`/g)].map(
    ([, name = '']) => name,
  )
  const named = names.filter((name) => !OF_REQUESTS.test(name) && !/\.(md|txt)$/.test(name))
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter((name) => explainName(name).kind === 'unknown')).toEqual([])
})

test('SKILL.md names three of the built-in personas', async () => {
  const personas = ['teen-16', 'adult-passport', 'no-age-key']
  expect(personas.filter((name) => !skill.includes(`\`${name}\``))).toEqual([])
  expect((await loadPersonas()).map(({ name }) => name)).toEqual(expect.arrayContaining(personas))
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
