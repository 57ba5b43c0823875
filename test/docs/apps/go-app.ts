import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { vi } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'
import { makeGoModule } from '../../support/go-module.ts'
import { TOOLS } from '../../support/tools.ts'
import type { StartApp } from '../describe-app.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'
import { createScratchFolder } from '../scratch-folder.ts'

export const hasGo = TOOLS.go.isHere()

const blocks = ['integration-go.md', 'testing-go.md'].flatMap((name) => codeBlocks(readPage(name), 'go'))

/** The files of the pages for Go. */
export const FILES = Object.fromEntries(
  ['main.go', 'age/age.go', 'age/age_test.go'].map((name) => [name, blockWith(blocks, `// ${name}`)]),
)

/** Compiles the app of integration-go.md once: its address is in it. */
export async function buildGoApp(): Promise<{ readonly start: StartApp; remove(): void }> {
  const { folder, remove } = createScratchFolder()
  const address = `localhost:${await findFreePort()}`
  const { write, go } = makeGoModule(folder)
  for (const [name, code] of Object.entries(FILES)) write({ [name]: code.replaceAll('localhost:3000', address) })
  const program = join(folder, 'shop')
  await go('vet', 'example.com/shop/...')
  await go('build', '-o', program, 'example.com/shop')
  let ended: Promise<unknown> | undefined
  return {
    remove,
    async start({ baseUrl, url }) {
      // The port is free only when the app before is gone.
      await ended
      const app = spawn(program, { env: { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }, stdio: 'ignore' })
      ended = once(app, 'exit')
      await vi.waitFor(() => fetch(`http://${address}`), { timeout: 20_000 })
      return { url: `http://${address}`, stop: () => void app.kill('SIGKILL') }
    },
  }
}
