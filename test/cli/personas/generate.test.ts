import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { generatePersonas } from '../../../src/sandbox/personas/generate-personas.ts'
import { readPersonas } from '../../../src/sandbox/personas/persona-files.ts'
import { buildCli } from '../built-cli.ts'

const { run } = await buildCli()

describe('personas generate', () => {
  let cwd: string
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'agekey-cwd-'))
  })
  afterEach(() => rmSync(cwd, { recursive: true }))

  test('writes a file of YAML that holds the personas, and names the command that made it', async () => {
    const { code, stdout } = await run(['personas', 'generate', '20', '--seed', '7'])
    writeFileSync(join(cwd, 'made.yaml'), stdout)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# agekey-sandbox personas generate 20 --seed 7\npersonas:\n/)
    expect(readPersonas([join(cwd, 'made.yaml')])).toEqual(await generatePersonas(20, 7))
  })

  test('--json prints the same personas', async () => {
    const { stdout } = await run(['personas', 'generate', '3', '--seed', '7', '--json'])
    expect(JSON.parse(stdout)).toEqual({ personas: await generatePersonas(3, 7) })
  })

  test('--out writes a file for each, which --personas reads, and overwrites none of them', async () => {
    const command = ['personas', 'generate', '5', '--seed', '7', '--out', 'made']
    expect(await run(command, { cwd })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^made: 5 written: /) })
    expect(readdirSync(join(cwd, 'made'))).toHaveLength(5)
    const [first] = await generatePersonas(5, 7)
    const shown = await run(['personas', 'show', first?.name ?? '', '--personas', 'made'], { cwd })
    expect(shown.stdout).toContain(`name: ${first?.name}`)
    const again = await run(['personas', 'generate', '6', '--seed', '7', '--out', 'made'], { cwd })
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(/\.yaml: is there already and stays as it is; .* Nothing was written/)
    expect(readdirSync(join(cwd, 'made'))).toHaveLength(5)
  })

  test.each([
    [['0'], 'the number of personas: "0" must be a whole number from 1 to 500'],
    [['501'], 'the number of personas: "501" must be a whole number from 1 to 500'],
    [['ten'], 'the number of personas: "ten" must be a whole number from 1 to 500'],
    [['2', '--seed', '1.5'], '--seed: "1.5" must be a whole number from 0 to 4294967295'],
    [['2', '--seed', '4294967296'], '--seed: "4294967296" must be a whole number from 0 to 4294967295'],
  ])('%j ends with exit code 1 and one line', async (args, message) => {
    const { code, stdout, stderr } = await run(['personas', 'generate', ...args, '--out', 'made'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(`error: ${message}\n`)
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })
})
