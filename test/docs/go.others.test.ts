import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { makeGoModule } from '../support/go-module.ts'
import { packageOfRun } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { describeApp, type StartApp } from './describe-app.ts'
import { blockWith, codeBlocks, readPage, readRoot } from './page.ts'
import { createScratchFolder, makeScratchFolder } from './scratch-folder.ts'

const FILES: Readonly<Record<string, string>> = {
  'main.go': readRoot('examples/go/main.go'),
  'main_test.go': blockWith(codeBlocks(readPage('testing.md'), 'go'), '// main_test.go'),
}

describeWith('go', 'With Go', async () => {
  /**
   * The example, compiled for an app and for a fresh copy beside it: the address is in the program.
   */
  const idle: { readonly program: string; readonly address: string }[] = []
  const { folder, remove } = createScratchFolder()
  afterAll(remove)
  const { write, go } = makeGoModule(folder)
  for (const name of ['first', 'second']) {
    const address = `localhost:${await findFreePort()}`
    const code = Object.entries(FILES).map(([file, text]) => [
      file,
      text.replaceAll('localhost:3000', address),
    ])
    write(Object.fromEntries(code))
    await go('build', '-o', join(folder, name), 'example.com/shop')
    idle.push({ program: join(folder, name), address })
  }
  await go('vet', 'example.com/shop/...')

  const start: StartApp = async ({ baseUrl, url }) => {
    const { program, address } = await vi.waitFor(() => idle.pop() ?? expect.fail('both apps run'))
    const app = spawn(program, {
      env: { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url },
      stdio: 'ignore',
    })
    app.once('exit', () => idle.push({ program, address }))
    await vi.waitFor(() => fetch(`http://${address}`), { timeout: 20_000 })
    return { url: `http://${address}`, stop: () => void app.kill('SIGKILL') }
  }

  /** Runs the tests of testing.md with the command line of this version. */
  async function runTests(from = '', to = ''): Promise<string> {
    const { write, go } = makeGoModule(makeScratchFolder())
    const started = '"node", "node_modules/agekey-sandbox/dist/bin.js"'
    expect(FILES['main_test.go']).toContain(started)
    const command = JSON.stringify([
      process.execPath,
      join(await packageOfRun(), 'dist/bin.js'),
    ]).slice(1, -1)
    write({
      ...FILES,
      'main.go': FILES['main.go']?.replace(from, () => to) ?? '',
      'main_test.go': FILES['main_test.go']?.replace(started, () => command) ?? '',
    })
    return go('test', '-v', 'example.com/shop')
  }

  test('The files of the Go example are written as gofmt writes them', async () => {
    const { write, gofmt } = makeGoModule(makeScratchFolder())
    write(FILES)
    expect(await gofmt()).toBe('')
  })

  test('The tests of testing.md pass', async () => {
    expect((await runTests()).match(/^ *--- PASS: \S+/gm)).toHaveLength(7)
  }, 180_000)

  test('The tests of testing.md fail against an app that compares no nonce', async () => {
    await expect(runTests('token.Nonce == nonce &&', 'nonce != "" &&')).rejects.toMatchObject({
      stdout: expect.stringMatching(
        /^(?=[\s\S]*--- PASS: TestAnAdultIsLetIn)[\s\S]*--- FAIL: TestAWrongAnswerIsRefused\/id_token\.nonce_other/,
      ),
    })
  }, 180_000)

  describeApp('The Go example', start, {
    isUseAlone: true,
    known: [
      {
        row: 'use/id_token.kid_empty',
        because: 'go-oidc takes an empty kid for none, and tries every key',
      },
      {
        row: 'jwks/jwks.unknown_key_type',
        because: 'go-oidc reads no key set that holds an unknown type',
      },
    ],
  })
})
