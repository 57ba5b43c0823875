import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PYTHON } from '../../support/tools.ts'
import type { StartApp } from '../describe-app.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'
import { createScratchFolder } from '../scratch-folder.ts'

const blocks = ['integration-python.md', 'testing-pytest.md'].flatMap((name) => codeBlocks(readPage(name), 'python'))
export const environment = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }

/** Writes the files of both pages. */
export function writeFiles(folder: string): string {
  for (const file of ['age.py', 'app.py', 'conftest.py', 'test_age.py'])
    writeFileSync(join(folder, file), blockWith(blocks, `# ${file}`))
  return folder
}

/** Starts the app of integration-python.md by the server of Flask. */
export const startFlaskApp: StartApp = async ({ baseUrl, url }) => {
  const { folder, remove } = createScratchFolder()
  const env = { ...environment, PATH: process.env['PATH'], AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }
  const flask = ['-m', 'flask', '--app', 'app', 'run', '--port', '0']
  const app = spawn(PYTHON, flask, { cwd: writeFiles(folder), env, stdio: ['ignore', 'ignore', 'pipe'] })
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
