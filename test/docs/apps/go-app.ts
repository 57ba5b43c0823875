import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'
import { makeGoModule } from '../../support/go-module.ts'
import type { StartApp } from '../describe-app.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'
import { createScratchFolder } from '../scratch-folder.ts'

const blocks = ['integration-go.md', 'testing-go.md'].flatMap((name) => codeBlocks(readPage(name), 'go'))

/** The files of the pages for Go. */
export const FILES = Object.fromEntries(
  ['main.go', 'age/age.go', 'age/age_test.go'].map((name) => [name, blockWith(blocks, `// ${name}`)]),
)

/** Compiles the app of integration-go.md twice, for an app and a fresh copy beside it: the address is in the program. */
export async function buildGoApp(): Promise<{ readonly start: StartApp; remove(): void }> {
  const { folder, remove } = createScratchFolder()
  const { write, go } = makeGoModule(folder)
  const build = async (name: string) => {
    const address = `localhost:${await findFreePort()}`
    const code = Object.entries(FILES).map(([file, text]) => [file, text.replaceAll('localhost:3000', address)])
    write(Object.fromEntries(code))
    await go('build', '-o', join(folder, name), 'example.com/shop')
    return { program: join(folder, name), address }
  }
  const idle = [await build('first'), await build('second')]
  await go('vet', 'example.com/shop/...')
  return {
    remove,
    async start({ baseUrl, url }) {
      const { program, address } = await vi.waitFor(() => idle.pop() ?? expect.fail('both apps run'))
      const app = spawn(program, { env: { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }, stdio: 'ignore' })
      app.once('exit', () => idle.push({ program, address }))
      await vi.waitFor(() => fetch(`http://${address}`), { timeout: 20_000 })
      return { url: `http://${address}`, stop: () => void app.kill('SIGKILL') }
    },
  }
}
