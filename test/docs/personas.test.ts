import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generatePersonas } from '../../src/sandbox/personas/generate-personas.ts'
import { loadPersonas } from '../../src/sandbox/personas/load-personas.ts'
import { readPersonas } from '../../src/sandbox/personas/persona-files.ts'
import { groupOf, inPersonaOrder, type Persona } from '../../src/sandbox/personas/persona-schema.ts'
import { makeProject } from '../support/project.ts'
import { startSandbox } from '../support/sandbox.ts'
import { codeBlocks, expectPage, readPage, withGenerated } from './page.ts'

const page = readPage('personas.md')
const yaml = codeBlocks(page, 'yaml')
const project = await makeProject()

const heldBy = ({ age_key: key }: Persona) =>
  (key?.signals ?? [])
    .map(
      ({ method, age }) =>
        `\`${method}\` ${JSON.stringify(age).replace(/[{}"]/g, '').replace(':', ': ')}`,
    )
    .join('<br>') || 'no age key'

test('personas.md has the table that `npm run docs` writes', async () => {
  const rows = inPersonaOrder(await loadPersonas()).map(
    (persona) =>
      `| \`${persona.name}\` | ${groupOf(persona)} | ${heldBy(persona)} | ${persona.purpose} |`,
  )
  const table = ['| Name | Group | Holds | What it is for |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
  await expectPage('personas.md', withGenerated(page, 'built-in', table))
})

test('The YAML of personas.md is a persona file', () => {
  const namesIn = (code: string) => {
    project.write({ 'any.yaml': code })
    return readPersonas([join(project.folder, 'any.yaml')]).map(({ name }) => name)
  }
  expect(yaml.map(namesIn)).toEqual([['student-19'], ['no-key-yet', 'card-holder']])
})

test('The commands of personas.md bring personas to a sandbox', async () => {
  const sandbox = await startSandbox()
  project.write({ 'student.yaml': yaml[0] ?? '' })
  const script = codeBlocks(page, 'sh')
    .join('\n')
    .replaceAll('http://localhost:2435', sandbox.baseUrl)
  const { code, stdout, stderr } = await project.run('bash', ['-euo', 'pipefail', '-c', script])
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('student.yaml: 1 persona is fine: student-19')
  const names = (await generatePersonas(20, 7)).map(({ name }) => name)
  expect(readdirSync(join(project.folder, 'made')).sort()).toEqual(
    names.map((name) => `${name}.yaml`).sort(),
  )
  expect((await sandbox.personas.list()).map(({ name }) => name)).toEqual(
    expect.arrayContaining(names),
  )
}, 60_000)

test('The TypeScript of personas.md runs', async () => {
  project.write({ 'put.js': codeBlocks(page, 'ts')[0] ?? '' })
  expect(await project.runNode('put.js')).toEqual({ code: 0, stdout: '', stderr: '' })
})
