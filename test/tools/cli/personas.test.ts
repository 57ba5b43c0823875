import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generatePersonas } from '../../../src/sandbox/personas/generate-personas.ts'
import { readPersonas } from '../../../src/sandbox/personas/persona-files.ts'
import { folderWith } from '../../support/folder-with.ts'
import { run } from './in-process.ts'

test('personas lists the personas of --personas beside those of the package', async () => {
  const cwd = folderWith({ 'mine.yaml': 'name: my-user\ntitle: My user\npurpose: Mine.\n' })
  const { code, stdout } = await run(['personas', '--personas', 'mine.yaml'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}adult-passport {2,}\S/m)
  expect(stdout).toMatch(/^Own\n {2}my-user {2,}Mine\.$/m)
  expect((await run(['personas', 'list', '--personas', 'mine.yaml'], { cwd })).stdout).toBe(stdout)
})

test('personas --json lists the personas as JSON', async () => {
  for (const args of [['--json'], ['list', '--json']]) {
    const { personas } = JSON.parse((await run(['personas', ...args])).stdout)
    const teen = personas.find(({ name }: { name: string }) => name === 'teen-16')
    expect(teen.age_key.signals[0].age.date_of_birth).toMatch(/^\d{4}-\d\d-\d\d$/)
  }
})

test('personas show prints a persona as YAML', async () => {
  const { code, stdout } = await run(['personas', 'show', 'no-age-key'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^name: no-age-key\ntitle: /)
})

test('personas show refuses an unknown name with the nearest one', async () => {
  const stderr = 'error: there is no persona "adult-pasport". Did you mean "adult-passport"?\n'
  expect(await run(['personas', 'show', 'adult-pasport'])).toEqual({ code: 1, stdout: '', stderr })
})

test('personas check says that files are fine, or what is wrong where, also as JSON', async () => {
  const good = 'name: good\ntitle: Good\npurpose: Good.\n'
  const cwd = folderWith({ 'good.yaml': good, 'bad.yaml': good.replace('title', 'titel') })
  const check = (...args: string[]) => run(['personas', 'check', ...args], { cwd })
  expect(await check('good.yaml')).toMatchObject({
    code: 0,
    stdout: 'good.yaml: 1 persona is fine: good\n',
  })
  const line = expect.stringMatching(
    /^error: .*bad\.yaml:2: titel: unknown key\. Did you mean "title"\?$/m,
  )
  expect(await check('.')).toMatchObject({ code: 1, stderr: line })
  const checkJson = async (file: string) => {
    const { stdout, ...ending } = await check(file, '--json')
    return { ...ending, ...JSON.parse(stdout) }
  }
  expect(await checkJson('good.yaml')).toEqual({
    code: 0,
    stderr: '',
    personas: ['good'],
    problems: [],
  })
  const problem = {
    file: expect.stringContaining('bad.yaml'),
    line: 2,
    message: expect.stringContaining('titel'),
  }
  expect(await checkJson('bad.yaml')).toEqual({
    code: 1,
    stderr: '',
    personas: [],
    problems: [problem],
  })
})

test('personas generate writes YAML that holds the personas, after the command that made it, or JSON', async () => {
  const { code, stdout } = await run(['personas', 'generate', '20', '--seed', '7'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^# agekey-sandbox personas generate 20 --seed 7\npersonas:\n/)
  const file = join(folderWith(), 'made.yaml')
  writeFileSync(file, stdout)
  expect(readPersonas([file])).toEqual(await generatePersonas(20, 7))
  const json = await run(['personas', 'generate', '3', '--seed', '7', '--json'])
  expect(JSON.parse(json.stdout)).toEqual({ personas: await generatePersonas(3, 7) })
  expect((await run(['personas', 'generate', '1'])).stdout).toContain(' generate 1 --seed 1\n')
})

test('personas generate --out writes a file for each persona', async () => {
  const cwd = folderWith()
  const generate = (count: string) =>
    run(['personas', 'generate', count, '--seed', '7', '--out', 'made'], { cwd })
  expect(await generate('5')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^made: 5 written: /),
  })
  expect(readdirSync(join(cwd, 'made'))).toHaveLength(5)
  const [{ name } = { name: '' }] = await generatePersonas(5, 7)
  expect((await run(['personas', 'show', name, '--personas', 'made'], { cwd })).stdout).toContain(
    `name: ${name}`,
  )
})

test('personas generate --out overwrites no file', async () => {
  const cwd = folderWith()
  const generate = (count: string) =>
    run(['personas', 'generate', count, '--seed', '7', '--out', 'made'], { cwd })
  await generate('5')
  const stderr = expect.stringMatching(
    /\.yaml: is there already and stays as it is; .* Nothing was written/,
  )
  expect(await generate('6')).toEqual({ code: 1, stdout: '', stderr })
  expect(readdirSync(join(cwd, 'made'))).toHaveLength(5)
})

const NO_COUNT = 'must be a whole number from 1 to 500'

test.each([
  ['0', `the number of personas: "0" ${NO_COUNT}`],
  ['501', `the number of personas: "501" ${NO_COUNT}`],
  ['ten', `the number of personas: "ten" ${NO_COUNT}`],
  ['2 --seed 1.5', '--seed: "1.5" must be a whole number from 0 to 4294967295'],
  ['2 --seed 4294967296', '--seed: "4294967296" must be a whole number from 0 to 4294967295'],
])('personas generate %s writes nothing but one line', async (args, message) => {
  const cwd = folderWith()
  const result = await run(['personas', 'generate', ...args.split(' '), '--out', 'made'], { cwd })
  expect(result).toEqual({ code: 1, stdout: '', stderr: `error: ${message}\n` })
  expect(existsSync(join(cwd, 'made'))).toBe(false)
})
