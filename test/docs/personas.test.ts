import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { generatePersonas } from '../../src/sandbox/personas/generate-personas.ts'
import { loadPersonas } from '../../src/sandbox/personas/load-personas.ts'
import { readPersonas } from '../../src/sandbox/personas/persona-files.ts'
import { inPersonaOrder } from '../../src/sandbox/personas/persona-order.ts'
import { groupOf, type Persona } from '../../src/sandbox/personas/persona-schema.ts'
import { fencedBlocks } from '../support/markdown.ts'
import { startSandbox } from '../support/sandbox.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const file = `${root}docs/personas.md`
const text = readFileSync(file, 'utf8')
const blocksOf = (language: string) =>
  fencedBlocks(text).flatMap((block) => (block.language === language ? [block.code] : []))

const folder = mkdtempSync(join(tmpdir(), 'personas-md-'))
afterAll(() => rmSync(folder, { recursive: true }))

const heldBy = ({ age_key: key }: Persona) =>
  (key?.signals ?? [])
    .map(({ method, age }) => `\`${method}\` ${JSON.stringify(age).replace(/[{}"]/g, '').replace(':', ': ')}`)
    .join('<br>') || 'no age key'

test('docs/personas.md lists every built-in persona with what it holds; `npm run docs` writes the table', async () => {
  const rows = inPersonaOrder(await loadPersonas()).map(
    (persona) => `| \`${persona.name}\` | ${groupOf(persona)} | ${heldBy(persona)} | ${persona.purpose} |`,
  )
  const table = ['| Name | Group | Holds | What it is for |', '|---|---|---|---|', ...rows].join('\n')
  const [before = '', rest = ''] = text.split('<!-- built-in -->\n')
  const [, after = ''] = rest.split('<!-- /built-in -->')
  await expect(`${before}<!-- built-in -->\n\n${table}\n\n<!-- /built-in -->${after}`).toMatchFileSnapshot(file)
})

test('the YAML of docs/personas.md is a persona file, one with a persona and one with a list', () => {
  const files = blocksOf('yaml').map((code, index) => {
    writeFileSync(join(folder, `${index}.yaml`), code)
    return join(folder, `${index}.yaml`)
  })
  expect(files.map((path) => readPersonas([path]).map(({ name }) => name))).toEqual([
    ['student-19'],
    ['no-key-yet', 'card-holder'],
  ])
})

test('the commands of docs/personas.md list, check and make up personas, and bring them to a sandbox', async () => {
  const sandbox = await startSandbox()
  const command = join(folder, 'agekey-sandbox')
  const tsx = `${root}node_modules/tsx/dist/cli.mjs`
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${tsx}' '${root}src/cli/main.ts' "$@"\n`)
  chmodSync(command, 0o755)
  writeFileSync(join(folder, 'student.yaml'), blocksOf('yaml')[0] ?? '')
  const script = blocksOf('sh').join('\n').replaceAll('http://localhost:2435', sandbox.url)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env })
  expect(stdout).toContain('student.yaml: 1 persona is fine: student-19')
  const names = (await generatePersonas(20, 7)).map(({ name }) => name)
  expect(readdirSync(join(folder, 'made')).sort()).toEqual(names.map((name) => `${name}.yaml`).sort())
  expect((await sandbox.personas.list()).map(({ name }) => name)).toEqual(expect.arrayContaining(names))
}, 120_000)

test('the TypeScript of docs/personas.md puts personas and decides with one of them', async () => {
  const script = join(folder, 'put.mts')
  const [code = ''] = blocksOf('ts')
  writeFileSync(script, code.replace("'agekey-sandbox'", `'${root}src/index.ts'`))
  const run = promisify(execFile)(process.execPath, [`${root}node_modules/tsx/dist/cli.mjs`, script])
  await expect(run).resolves.toMatchObject({ stderr: '' })
}, 120_000)
