import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildCli } from '../cli/built-cli.ts'
import { blocks, buildGoApp, FILES, hasGo, runGoTests, TEST_FILE, testBlocks, works } from './apps/go-app.ts'
import { describeApp, type StartApp } from './describe-app.ts'
import { blockWith } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

/** Comes with every Go. */
const FORMATTER = 'gofmt'

const hasFormatter = works(FORMATTER, '-h')
if (!hasFormatter) console.warn('SKIPPED: the page for Go is not checked at all, because there is no gofmt on the PATH')

test('the page shows each file once', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(FILES.map((file) => `// ${file}`))
})

test('the page on tests shows one file', () => {
  expect(testBlocks.map((code) => code.split('\n')[0])).toEqual([`// ${TEST_FILE}`])
})

test.skipIf(!hasFormatter).each([...FILES, TEST_FILE])('%s is written as gofmt writes it', (name) => {
  const file = join(makeScratchFolder(), 'block.go')
  writeFileSync(file, blockWith([...blocks, ...testBlocks], `// ${name}`))
  expect(execFileSync(FORMATTER, ['-l', file], { encoding: 'utf8' })).toBe('')
})

const { packageFolder } = await buildCli()

describe.skipIf(!hasGo)('with Go', () => {
  let built: Awaited<ReturnType<typeof buildGoApp>>

  beforeAll(async () => {
    built = await buildGoApp()
    return built.remove
  }, 300_000)

  const command = [process.execPath, join(packageFolder, 'dist/bin.js')].map((part) => JSON.stringify(part)).join(', ')

  test('the tests of the page on tests pass', async () => {
    const said = await runGoTests(command)
    expect(said.match(/^ *--- PASS: \S+/gm)).toHaveLength(7)
  }, 180_000)

  test('the tests of the page on tests fail against an app that compares no nonce', async () => {
    const careless = runGoTests(command, (age) => age.replace('token.Nonce == nonce &&', 'nonce != "" &&'))
    await expect(careless).rejects.toMatchObject({
      stdout: expect.stringMatching(
        /^(?=[\s\S]*--- PASS: TestAnAdultIsLetIn)[\s\S]*--- FAIL: TestAWrongAnswerIsRefused\/id_token\.nonce_other/,
      ),
    })
  }, 180_000)

  const start: StartApp = (sandbox) => built.start(sandbox)
  describeApp('The handler for Go', start, { tolerates: ['id_token.kid_empty'] })
})
