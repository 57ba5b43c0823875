import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { makeGoModule } from '../support/go-module.ts'
import { packageOfRun } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { buildGoApp, FILES } from './apps/go-app.ts'
import { describeApp } from './describe-app.ts'
import { makeScratchFolder } from './scratch-folder.ts'

describeWith('go', 'With Go', () => {
  let built: Awaited<ReturnType<typeof buildGoApp>>
  beforeAll(async () => {
    built = await buildGoApp()
    return built.remove
  }, 300_000)

  /** Runs the tests of testing-go.md with the command line of this version. */
  async function runTests(from = '', to = ''): Promise<string> {
    const { write, go } = makeGoModule(makeScratchFolder())
    const command = JSON.stringify([process.execPath, join(await packageOfRun(), 'dist/bin.js')]).slice(1, -1)
    write({
      ...FILES,
      'age/age.go': FILES['age/age.go']?.replace(from, () => to) ?? '',
      'age/age_test.go': FILES['age/age_test.go']?.replace('"npx", "agekey-sandbox"', () => command) ?? '',
    })
    return go('test', '-v', 'example.com/shop/age')
  }

  test('the files of the pages for Go are written as gofmt writes them', async () => {
    const { write, gofmt } = makeGoModule(makeScratchFolder())
    write(FILES)
    expect(await gofmt()).toBe('')
  })

  test('the tests of testing-go.md pass', async () => {
    expect((await runTests()).match(/^ *--- PASS: \S+/gm)).toHaveLength(7)
  }, 180_000)

  test('the tests of testing-go.md fail against an app that compares no nonce', async () => {
    await expect(runTests('token.Nonce == nonce &&', 'nonce != "" &&')).rejects.toMatchObject({
      stdout: expect.stringMatching(
        /^(?=[\s\S]*--- PASS: TestAnAdultIsLetIn)[\s\S]*--- FAIL: TestAWrongAnswerIsRefused\/id_token\.nonce_other/,
      ),
    })
  }, 180_000)

  describeApp('The handler of integration-go.md', (sandbox) => built.start(sandbox), [
    { row: 'use/id_token.kid_empty', because: 'go-oidc takes an empty kid for none, and tries every key' },
    { row: 'jwks/jwks.unknown_key_type', because: 'go-oidc reads no key set that holds an unknown type' },
  ])
})
