import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { describeApp, type StartApp } from './describe-app.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'
import { createScratchFolder, makeScratchFolder } from './scratch-folder.ts'

const FILES = ['main.go', 'age/age.go']
const MODULE = 'example.com/shop'
const blocks = codeBlocks(readPage('integration-go.md'), 'go')

/** Where Debian's `golang-github-coreos-go-oidc-dev` puts libraries. Its 2.1 has all that the page uses of v3. */
const GOCODE = '/usr/share/gocode'
const GO_OIDC = join(GOCODE, 'src/github.com/coreos/go-oidc')

/** Comes with every Go. */
const FORMATTER = 'gofmt'

const works = (command: string, ...args: string[]) => spawnSync(command, args).error === undefined
const hasFormatter = works(FORMATTER, '-h')
const hasGo = works('go', 'version') && existsSync(GO_OIDC)
if (!hasFormatter) console.warn('SKIPPED: the page for Go is not checked at all, because there is no gofmt on the PATH')
if (!hasGo) console.warn(`SKIPPED: the page for Go is not run, because there is no go on the PATH or no ${GO_OIDC}`)

test('the page shows each file once', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(FILES.map((file) => `// ${file}`))
})

test.skipIf(!hasFormatter).each(FILES)('%s is written as gofmt writes it', (name) => {
  const file = join(makeScratchFolder(), 'block.go')
  writeFileSync(file, blockWith(blocks, `// ${name}`))
  expect(execFileSync(FORMATTER, ['-l', file], { encoding: 'utf8' })).toBe('')
})

describe.skipIf(!hasGo)('with Go', () => {
  let program: string
  let appUrl: string

  // Compiled once: its address is in it.
  beforeAll(async () => {
    const { folder, remove } = createScratchFolder()
    const port = await findFreePort()
    appUrl = `http://localhost:${port}`
    for (const name of FILES) {
      const file = join(folder, 'src', MODULE, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, blockWith(blocks, `// ${name}`).replaceAll('localhost:3000', `localhost:${port}`))
    }
    cpSync(GO_OIDC, join(folder, 'src/github.com/coreos/go-oidc/v3/oidc'), {
      recursive: true,
      filter: (path) => !path.endsWith('_test.go'),
    })
    program = join(folder, 'shop')
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: `${folder}:${GOCODE}`, GOFLAGS: '' }
    await promisify(execFile)('go', ['vet', `${MODULE}/...`], { env })
    await promisify(execFile)('go', ['build', '-o', program, MODULE], { env })
    return remove
  }, 300_000)

  const start: StartApp = async ({ baseUrl, url }) => {
    const app = spawn(program, { env: { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }, stdio: 'ignore' })
    await vi.waitFor(() => fetch(appUrl), { timeout: 20_000 })
    return { url: appUrl, stop: () => void app.kill('SIGKILL') }
  }
  describeApp('The handler for Go', start, { tolerates: ['id_token.kid_empty'] })
})
