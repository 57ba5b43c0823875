import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { buildCli } from '../cli/built-cli.ts'
import {
  blocks,
  environment,
  FILES,
  findPython,
  startFlaskApp,
  TEST_FILES,
  testBlocks,
  withFlask,
  writeFiles,
} from './apps/flask-app.ts'
import { describeApp } from './describe-app.ts'
import { makeScratchFolder } from './scratch-folder.ts'

const plain = findPython('sys')
const withPytest = findPython('authlib.jose, flask, pytest, requests')

test.each([
  ['Python', blocks, FILES],
  ['pytest', testBlocks, TEST_FILES],
] as const)('the page for %s shows each file once', (_name, blocks, files) => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(files.map((file) => `# ${file}`))
})

test.skipIf(plain === '')('every file for Python compiles', async () => {
  const folder = writeFiles(makeScratchFolder())
  const files = [...FILES, ...TEST_FILES].map((file) => [
    '-c',
    'import ast, sys; ast.parse(open(sys.argv[1]).read())',
    file,
  ])
  for (const parse of files) await promisify(execFile)(plain, parse, { cwd: folder })
})

describe.skipIf(withFlask === '')('with Flask and Authlib', () => {
  describeApp('The blueprint for Flask', startFlaskApp)
})

const { packageFolder } = await buildCli()

describe.skipIf(withPytest === '')('with pytest', () => {
  const bin = [process.execPath, join(packageFolder, 'dist/bin.js')].map((part) => JSON.stringify(part)).join(', ')

  /** Runs the tests of the page, with the command line of this version. */
  function runPytest(changes: readonly (readonly [file: string, from: string, to: string])[] = []) {
    const folder = writeFiles(makeScratchFolder())
    for (const [file, from, to] of [['conftest.py', '"npx", "agekey-sandbox"', bin] as const, ...changes]) {
      const code = readFileSync(join(folder, file), 'utf8')
      expect(code).toContain(from)
      writeFileSync(
        join(folder, file),
        code.replace(from, () => to),
      )
    }
    const pytest = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider']
    return promisify(execFile)(withPytest, pytest, { cwd: folder, env: environment })
  }

  test('the tests of the page pass', async () => {
    expect((await runPytest()).stdout).toContain('6 passed')
  })

  test('the tests of the page fail against an app that lets every user in', async () => {
    const careless = runPytest([['age.py', 'nonce = asked("age_use", answer)', 'return "Welcome, you are 18."']])
    await expect(careless).rejects.toMatchObject({ stdout: expect.stringContaining('4 failed, 2 passed') })
  })

  test('a name that does not exist is an error of the test, in the words of the sandbox', async () => {
    const misspelt = runPytest([['test_age.py', 'persona="child-12"', 'persona="child-21"']])
    await expect(misspelt).rejects.toMatchObject({ stdout: expect.stringContaining('Did you mean "child-12"') })
  })
})
