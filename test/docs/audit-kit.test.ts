import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildPackage } from '../support/built-package.ts'
import { errorsIn } from './compile.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

vi.setConfig({ testTimeout: 180_000 })

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const page = readPage('audit-kit.md')
const typed = codeBlocks(page, 'ts')

test('the examples of audit-kit.md and drill.md compile against the library', async () => {
  const startApp = 'declare function startApp(env: Readonly<Record<string, string>>): Promise<string>\n'
  const tellsAll = blockWith(typed, '// tells-all-flows.ts').replace(/export const visit/, 'const visit')
  const modules = typed.map((code) =>
    code
      .replace("import { startApp } from './start-app.js'\n", startApp)
      .replace("import { visit } from './tells-all-flows.js'\n", () =>
        tellsAll.replace(/^import type.*$/m, "import type { VisitFunction } from 'agekey-sandbox/audit'"),
      ),
  )
  expect(modules).toHaveLength(4)
  // Once for both pages: to compile takes long.
  expect(await errorsIn([...modules, ...codeBlocks(readPage('drill.md'), 'ts')])).toBe('')
})

/** What `startApp` of the page is, for the example app. */
const START_APP = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export async function startApp(env) {
  const app = spawn(process.execPath, ['app.mjs'], { env: { ...process.env, ...env, PORT: '0' }, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(app.stdout, 'data')
  app.unref()
  app.stdout.resume().unref()
  process.on('exit', () => app.kill())
  return /^http:\\S+/.exec(String(line))[0]
}
`

test('the tests of audit-kit.md run by Vitest and by node:test, and refuse nothing that they should not', async () => {
  // Outside the repository, whose settings of Vitest are not those of the page.
  const folder = mkdtempSync(join(tmpdir(), 'agekey-kit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const installed = join(folder, 'node_modules')
  mkdirSync(installed)
  await buildPackage(join(installed, 'agekey-sandbox'))
  for (const name of ['vitest', 'express', 'jose']) symlinkSync(join(ROOT, 'node_modules', name), join(installed, name))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('package.json', JSON.stringify({ type: 'module' }))
  write('start-app.js', START_APP)
  write('app.mjs', readFileSync(join(ROOT, 'examples/express/app.js'), 'utf8'))
  // A few rows are enough to see that the tests run.
  const short = (code: string) =>
    code
      .replace(/'Welcome'\)\)$/m, "'Welcome'), { only: ['use/id_token.expired', 'create/created'] })")
      .replace('{ test })', "{ test, only: ['use/id_token.expired', 'create/created'] })")
  write('audit.spec.ts', short(blockWith(typed, '// audit.test.ts')))
  const node = (...args: string[]) => {
    const env = { ...process.env, VITEST: undefined, NODE_TEST_CONTEXT: undefined }
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
    return stdout + stderr
  }
  const byVitest = node(join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter=verbose')
  expect(byVitest).toContain('use/id_token.expired is refused')
  expect(byVitest).toMatch(/4 passed/)
  expect(byVitest).toMatch(/1 skipped/)
  write('audit.test.mjs', short(blockWith(codeBlocks(page, 'js'), '// audit.test.mjs')))
  const byNode = node('--test', '--test-reporter=tap', 'audit.test.mjs')
  expect(byNode).toContain('ok 5 - use/id_token.expired is refused')
  expect(byNode).toMatch(/# pass 4\n# fail 0\n(?:# cancelled 0\n)?# skipped 1/)
})
