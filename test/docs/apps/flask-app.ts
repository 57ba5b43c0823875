import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartApp } from '../describe-app.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'
import { createScratchFolder } from '../scratch-folder.ts'

/** Files that the page for Python shows, and those of the page for pytest. */
export const FILES = ['age.py', 'app.py']
export const TEST_FILES = ['conftest.py', 'test_age.py']

export const blocks = codeBlocks(readPage('integration-python.md'), 'python')
export const testBlocks = codeBlocks(readPage('testing-pytest.md'), 'python')

/** The first Python of this machine that can import what a part of the page needs; empty when there is none. */
export function findPython(needed: string): string {
  const found = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', `import ${needed}`]).status === 0)
  if (found === undefined)
    console.warn(`SKIPPED of the page for Python: what needs ${needed}, which no python3 here has`)
  return found ?? ''
}

/** A Python with what the app needs; empty when there is none. */
export const withFlask = findPython('authlib.jose, flask')

/** Writes the files of both pages. */
export function writeFiles(folder: string): string {
  for (const file of FILES) writeFileSync(join(folder, file), blockWith(blocks, `# ${file}`))
  for (const file of TEST_FILES) writeFileSync(join(folder, file), blockWith(testBlocks, `# ${file}`))
  return folder
}

export const environment = { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }

/** Starts the app of the page by the server of Flask. */
export const startFlaskApp: StartApp = async ({ baseUrl, url }) => {
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
}
