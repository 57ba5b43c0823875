import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { blocks, environment, FILES, findPython, startFlaskApp, withFlask, writeFiles } from './apps/flask-app.ts'
import { describeApp } from './describe-app.ts'
import { blockWith } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

const plain = findPython('sys')
const withPytest = findPython('authlib.jose, flask, pytest, requests')

test('the page shows each file once', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(FILES.map((file) => `# ${file}`))
})

test.skipIf(plain === '')('every file for Python compiles', async () => {
  const folder = writeFiles(makeScratchFolder())
  const files = FILES.map((file) => ['-c', 'import ast, sys; ast.parse(open(sys.argv[1]).read())', file])
  for (const parse of files) await promisify(execFile)(plain, parse, { cwd: folder })
})

describe.skipIf(withFlask === '')('with Flask and Authlib', () => {
  describeApp('The blueprint for Flask', startFlaskApp)
})

test.skipIf(withPytest === '')(
  'the tests of the page pass, and fail against an app that lets every user in',
  async () => {
    const folder = writeFiles(makeScratchFolder(), (await startSandbox()).url)
    const pytest = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_age.py']
    const run = () => promisify(execFile)(withPytest, pytest, { cwd: folder, env: environment })
    expect((await run()).stdout).toContain('2 passed')
    writeFileSync(
      join(folder, 'age.py'),
      blockWith(blocks, '# age.py').replace('nonce = asked("age_use", answer)', 'return "Welcome, you are 18."'),
    )
    await expect(run()).rejects.toMatchObject({ stdout: expect.stringContaining('2 failed') })
  },
)
