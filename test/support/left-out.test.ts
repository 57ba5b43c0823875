import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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

/** Runs test files on a machine without tools. @returns the output of vitest, and its exit code */
async function run(CI: string, ...files: readonly (keyof typeof FILES)[]) {
  const folder = makeScratchFolder()
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  const path = join(folder, 'bin')
  mkdirSync(path)
  symlinkSync(process.execPath, join(path, 'node'))
  const env = { PATH: path, CI, NO_COLOR: '1' }
  const args = [VITEST, 'run', '--dir', folder, ...files]
  const running = promisify(execFile)(process.execPath, args, { cwd: folder, env })
  const { code = 0, stdout, stderr } = await running.catch((failed) => failed)
  return { code, text: `${stdout}${stderr}` }
}

test('A missing tool leaves its group out', {
  timeout: 60_000,
}, async () => {
  const { text, code } = await run('', 'store.test.ts')
  expect(text).toMatch(/1 passed \| 1 skipped/)
  expect(text).toContain(
    'LEFT OUT: 1 group of tests, there is no redis-server here: apt-get install redis-server',
  )
  expect(code).toBe(0)
})

test('A missing tool that npm test needs fails with CI=true', {
  timeout: 60_000,
}, async () => {
  const { text, code } = await run('true', 'store.test.ts', 'trace.test.ts')
  expect(text).toContain('redis-server is missing: apt-get install redis-server')
  expect(text).toMatch(/Tests +1 failed \| 2 passed/)
  expect(text).toContain('this file leaves something changed in its process')
  expect(text).toMatch(/\+ +"LEFT_BEHIND": "1"/)
  expect(text).not.toContain('LEFT OUT')
  expect(code).toBe(1)
})
