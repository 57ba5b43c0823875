import { execFile, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { describeApp } from './describe-app.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'
import { createScratchFolder, makeScratchFolder } from './scratch-folder.ts'

const FILES = ['age.py', 'app.py', 'test_age.py']
const blocks = codeBlocks(readPage('integration-python.md'), 'python')

/** The first Python of this machine that can import what a part of the page needs. */
function findPython(needed: string): string | undefined {
  const found = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', `import ${needed}`]).status === 0)
  if (found === undefined)
    console.warn(`SKIPPED of the page for Python: what needs ${needed}, which no python3 here has`)
  return found
}

const plain = findPython('sys') ?? ''
const withFlask = findPython('authlib.jose, flask') ?? ''
const withPytest = findPython('authlib.jose, flask, pytest, requests') ?? ''

/** Writes the files of the page; the address that they take for granted may be another one. */
function writeFiles(folder: string, sandboxUrl = 'http://localhost:2435'): string {
  for (const file of FILES) {
    const code = blockWith(blocks, `# ${file}`)
    writeFileSync(join(folder, file), code.replaceAll('http://localhost:2435', sandboxUrl))
  }
  return folder
}

const environment = { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }

test('the page shows each file once', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(FILES.map((file) => `# ${file}`))
})

test.skipIf(plain === '')('every file for Python compiles', async () => {
  const folder = writeFiles(makeScratchFolder())
  const files = FILES.map((file) => ['-c', 'import ast, sys; ast.parse(open(sys.argv[1]).read())', file])
  for (const parse of files) await promisify(execFile)(plain, parse, { cwd: folder })
})

describe.skipIf(withFlask === '')('with Flask and Authlib', () => {
  describeApp('The blueprint for Flask', async ({ baseUrl, url }) => {
    const { folder, remove } = createScratchFolder()
    const env = { ...environment, AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }
    const flask = ['-m', 'flask', '--app', 'app', 'run', '--port', '0']
    const app = spawn(withFlask, flask, { cwd: writeFiles(folder), env, stdio: ['ignore', 'ignore', 'pipe'] })
    const port = await new Promise<string>((resolve, reject) => {
      app.once('exit', (code) => reject(new Error(`flask ended with ${code}`)))
      // It is read to the end: nothing else empties the log of the server.
      app.stderr.on('data', (text) => {
        const [, found] = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(`${text}`) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    const stop = () => {
      app.kill()
      remove()
    }
    return { url: `http://localhost:${port}`, stop }
  })
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
      blockWith(blocks, '# age.py').replace('nonce = asked("age_use")', 'return "Welcome, you are 18."'),
    )
    await expect(run()).rejects.toMatchObject({ stdout: expect.stringContaining('2 failed') })
  },
)
