import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'
import type { StartApp } from '../describe-app.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'
import { createScratchFolder } from '../scratch-folder.ts'

/** Files that the page for Go shows. */
export const FILES = ['main.go', 'age/age.go']

export const blocks = codeBlocks(readPage('integration-go.md'), 'go')

/** The file that the page on tests in Go shows. */
export const TEST_FILE = 'age/age_test.go'
export const testBlocks = codeBlocks(readPage('testing-go.md'), 'go')

const MODULE = 'example.com/shop'

/** Where Debian's `golang-github-coreos-go-oidc-dev` puts libraries. Its 2.1 has all that the page uses of v3. */
const GOCODE = '/usr/share/gocode'
const GO_OIDC = join(GOCODE, 'src/github.com/coreos/go-oidc')

/** Whether a program of this name can be run. */
export const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).error === undefined

/** Whether the app can be built here. */
export const hasGo = works('go', 'version') && existsSync(GO_OIDC)
if (!hasGo) console.warn(`SKIPPED: the page for Go is not run, because there is no go on the PATH or no ${GO_OIDC}`)

/** Writes files of the module, and go-oidc beside it. @returns the environment in which go finds both */
function writeModule(folder: string, files: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  for (const [name, code] of Object.entries(files)) {
    const file = join(folder, 'src', MODULE, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
  cpSync(GO_OIDC, join(folder, 'src/github.com/coreos/go-oidc/v3/oidc'), {
    recursive: true,
    filter: (path) => !path.endsWith('_test.go'),
  })
  return { ...process.env, GO111MODULE: 'off', GOPATH: `${folder}:${GOCODE}`, GOFLAGS: '' }
}

const filesOfTheApp = () => Object.fromEntries(FILES.map((name) => [name, blockWith(blocks, `// ${name}`)]))

/** Runs the tests of the page on tests in Go. @param start the command that starts a sandbox, as code of Go */
export async function runGoTests(start: string, change: (age: string) => string = (age) => age): Promise<string> {
  const { folder, remove } = createScratchFolder()
  const files = filesOfTheApp()
  const tests = blockWith(testBlocks, `// ${TEST_FILE}`).replace('"npx", "agekey-sandbox"', () => start)
  const changed = { ...files, 'age/age.go': change(files['age/age.go'] ?? ''), [TEST_FILE]: tests }
  const env = writeModule(folder, changed)
  try {
    return (await promisify(execFile)('go', ['test', '-v', `${MODULE}/age`], { env })).stdout
  } finally {
    remove()
  }
}

/** Compiles the app of the page once: its address is in it. */
export async function buildGoApp(): Promise<{ readonly start: StartApp; remove(): void }> {
  const { folder, remove } = createScratchFolder()
  const port = await findFreePort()
  const appUrl = `http://localhost:${port}`
  const files = Object.entries(filesOfTheApp()).map(([name, code]) => [
    name,
    code.replaceAll('localhost:3000', `localhost:${port}`),
  ])
  const program = join(folder, 'shop')
  const env = writeModule(folder, Object.fromEntries(files))
  await promisify(execFile)('go', ['vet', `${MODULE}/...`], { env })
  await promisify(execFile)('go', ['build', '-o', program, MODULE], { env })
  let ended: Promise<unknown> | undefined
  return {
    remove,
    async start({ baseUrl, url }) {
      // The port is free only when the app before is gone.
      await ended
      const app = spawn(program, { env: { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }, stdio: 'ignore' })
      ended = once(app, 'exit')
      await vi.waitFor(() => fetch(appUrl), { timeout: 20_000 })
      return { url: appUrl, stop: () => void app.kill('SIGKILL') }
    },
  }
}
