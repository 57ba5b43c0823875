import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPackage } from '../support/built-package.ts'
import { chromiumPath, describeWith } from '../support/tools.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const examples = codeBlocks(readPage('library.md'), 'ts')

// Each run starts a browser, an app and a sandbox, beside the other tests.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** Outside the repository: Playwright compiles no TypeScript below `node_modules`. */
const folder = mkdtempSync(join(tmpdir(), 'agekey-playwright-'))
const LENT = ['@playwright/test', 'playwright', 'playwright-core', 'express', 'jose']

beforeAll(async () => {
  const installed = join(folder, 'node_modules')
  for (const name of LENT) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, name))
  }
  await buildPackage(join(installed, 'agekey-sandbox'))
  // As `npm install` does.
  chmodSync(join(installed, 'agekey-sandbox/dist/bin.js'), 0o755)
  mkdirSync(join(installed, '.bin'))
  symlinkSync('../agekey-sandbox/dist/bin.js', join(installed, '.bin/agekey-sandbox'))
  copyFileSync(join(ROOT, 'examples/express/app.js'), join(folder, 'app.js'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The files of the page by their first line, at addresses that are free, with the browser that is installed here. */
async function writeExamples(...names: readonly string[]): Promise<void> {
  const [app, sandbox] = [await freePort(), await freePort()]
  for (const name of ['playwright.config.ts', ...names]) {
    const text = blockWith(examples, `// ${name}`)
    writeFileSync(join(folder, name), text.replaceAll('3000', `${app}`).replaceAll('2435', `${sandbox}`))
  }
  writeFileSync(
    join(folder, 'local.config.ts'),
    `import shown from './playwright.config.ts'
    const launchOptions = { executablePath: '${chromiumPath}', args: ['--no-sandbox'] }
    const [sandbox, app] = shown.webServer
    const server = { ...app, env: { ...app.env, PORT: '${app}' } }
    const wanted = {
      webServer: { webServer: [sandbox, server] },
      globalSetup: { webServer: [server], globalSetup: './global-setup.ts' },
      parallel: { webServer: [sandbox], workers: 2 },
    }[process.env.START]
    export default { ...shown, ...wanted, reporter: 'line', use: { ...shown.use, launchOptions } }`,
  )
}

/** What Playwright says of a file of tests. @throws Error with it, when a test fails */
async function play(file: string, start: 'webServer' | 'globalSetup' | 'parallel', ...flags: readonly string[]) {
  const args = [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test', file, '-c', 'local.config.ts', ...flags]
  const env = { ...process.env, START: start, NODE_OPTIONS: '', CI: '1' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
  return stdout + stderr
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

describeWith('chromium', 'Playwright runs the examples of library.md:', () => {
  test('tests pass with an app and a sandbox that webServer starts', async () => {
    await writeExamples('shop.spec.ts')
    expect(await play('shop.spec.ts', 'webServer')).toContain('2 passed')
  })

  test('tests pass with a sandbox that globalSetup starts', async () => {
    await writeExamples('shop.spec.ts', 'global-setup.ts')
    expect(await play('shop.spec.ts', 'globalSetup')).toContain('2 passed')
  })

  test('workers that share one sandbox are warned', async () => {
    await writeExamples('shop.spec.ts')
    const output = await play('shop.spec.ts', 'webServer', '--workers', '2', '--fully-parallel').catch(String)
    expect(output).toMatch(/several Playwright workers use the sandbox at http:\/\/localhost:\d+, and each resets it/)
  })

  test('parallel tests pass, each worker with a tenant of its own', async () => {
    await writeExamples('parallel.spec.ts')
    const output = await play('parallel.spec.ts', 'parallel')
    expect(output).toContain('4 passed')
    expect(output).not.toContain('AgekeySandboxWarning')
  })
})
