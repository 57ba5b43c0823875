import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeScratchFolder } from '../docs/scratch-folder.ts'

const SUPPORT = fileURLToPath(new URL('.', import.meta.url))
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

const FILES = {
  'vitest.config.ts': `import { LeftOut } from '${SUPPORT}left-out.ts'
    const setupFiles = ['${SUPPORT}leaves-no-trace.ts']
    export default { test: { isolate: false, setupFiles, reporters: ['default', new LeftOut()] } }`,
  'store.test.ts': `import { expect, test } from 'vitest'
    import { describeWith } from '${SUPPORT}tools.ts'
    describeWith('redis-server', 'A store', () => test.each([1, 2])('keeps %i', () => expect(1).toBe(1)))
    test('A test that needs no tool', () => {})`,
  'trace.test.ts': `import { test } from 'vitest'
    test('A test that changes the environment', () => { process.env.LEFT_BEHIND = '1' })`,
}

/** Runs a test file where no tool is installed. @returns what vitest says, and its exit code */
async function run(file: keyof typeof FILES, CI: string): Promise<{ text: string; code: number }> {
  const folder = makeScratchFolder()
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  const path = join(folder, 'bin')
  mkdirSync(path)
  symlinkSync(process.execPath, join(path, 'node'))
  const env = { PATH: path, CI, NO_COLOR: '1' }
  return new Promise((resolve) => {
    const vitest = execFile(
      process.execPath,
      [VITEST, 'run', '--dir', folder, file],
      { cwd: folder, env },
      (_, out, err) => resolve({ text: out + err, code: vitest.exitCode ?? -1 }),
    )
  })
}

test('A missing tool leaves its group out, and the last lines say how many tests that are and how to install it', {
  timeout: 60_000,
}, async () => {
  const { text, code } = await run('store.test.ts', '')
  expect(text).toMatch(/1 passed \| 2 skipped/)
  expect(text).toContain('LEFT OUT: 2 tests, there is no redis-server here: apt-get install redis-server')
  expect(code).toBe(0)
})

test('With CI=true a missing tool that npm test needs is a failing test', { timeout: 60_000 }, async () => {
  const { text, code } = await run('store.test.ts', 'true')
  expect(text).toContain('A store: redis-server is installed')
  expect(text).toContain('redis-server is missing: apt-get install redis-server')
  expect(text).toMatch(/1 failed \| 1 passed/)
  expect([text.includes('LEFT OUT'), code]).toEqual([false, 1])
})

test('A test file that leaves something changed in its process fails', { timeout: 60_000 }, async () => {
  const { text, code } = await run('trace.test.ts', '')
  expect(text).toContain('this file leaves something changed in its process')
  expect(text).toMatch(/\+ +"LEFT_BEHIND": "1"/)
  expect(code).toBe(1)
})
