import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { describeWith, PYTHON } from '../support/tools.ts'
import { describeApp, type StartApp } from './describe-app.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'
import { createScratchFolder } from './scratch-folder.ts'

const blocks = codeBlocks(readPage('integration-django.md'), 'python')

/** Starts the app of the page by the server of Django. */
const startDjangoApp: StartApp = async ({ baseUrl, url }) => {
  const { folder, remove } = createScratchFolder()
  for (const file of ['age.py', 'settings.py']) writeFileSync(join(folder, file), blockWith(blocks, `# ${file}`))
  const port = await findFreePort()
  const env = { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }
  const command = ['-m', 'django', 'runserver', `${port}`, '--settings', 'settings', '--noreload']
  const app = spawn(PYTHON, command, { cwd: folder, env: { ...env, PYTHONPATH: folder }, stdio: 'ignore' })
  const appUrl = `http://localhost:${port}`
  await vi.waitFor(() => fetch(`${appUrl}/verify`, { redirect: 'manual' }), { timeout: 60_000, interval: 200 })
  const stop = () => {
    app.kill()
    remove()
  }
  return { url: appUrl, stop }
}

describeWith('python', 'With Django and PyJWT', () => {
  describeApp('The views of integration-django.md', startDjangoApp, [
    { row: 'jwks/jwks.redirect', because: 'PyJWKClient follows redirects' },
    { row: 'jwks/jwks.unknown_key_type', because: 'PyJWT reads no key set that holds an unknown type' },
  ])
})
