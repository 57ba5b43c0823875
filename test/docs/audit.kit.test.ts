import { expect, test } from 'vitest'
import { makeProject } from '../support/project.ts'
import { blockWith, codeBlocks, readPage, readRoot } from './page.ts'

const page = readPage('audit.md')
const project = await makeProject('vitest', 'express', 'jose')

/** What `startApp` of the page is, for the example app. */
const START_APP = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export async function startApp(env) {
  // The app ends when its input does: a runner that ends its workers by a signal lets them say nothing more.
  const code = "process.stdin.on('end', () => process.exit()).resume(); import('./app.js')"
  const app = spawn(process.execPath, ['-e', code], { env: { ...process.env, ...env, PORT: '0' }, stdio: ['pipe', 'pipe', 'ignore'] })
  app.stdin.unref()
  const [line] = await once(app.stdout, 'data')
  app.unref()
  app.stdout.resume().unref()
  return /^http:\\S+/.exec(String(line))[0]
}
`

/** A few rows are enough to see that the tests run. */
const short = (code: string) =>
  code
    .replace(/'Welcome'\)\)$/m, "'Welcome'), { only: ['use/id_token.expired', 'create/created'] })")
    .replace('{ test })', "{ test, only: ['use/id_token.expired', 'create/created'] })")

test('The tests of audit.md run by Vitest and by node:test, and refuse nothing that they should not', async () => {
  // Outside the repository, whose settings of Vitest are not those of the page.
  project.write({
    'start-app.js': START_APP,
    'app.js': readRoot('examples/express/app.js'),
    'audit.spec.ts': short(blockWith(codeBlocks(page, 'ts'), '// audit.test.ts')),
    'audit.test.mjs': short(blockWith(codeBlocks(page, 'js'), '// audit.test.mjs')),
  })
  const [byVitest, byNode] = await Promise.all([
    project.runNode('node_modules/vitest/vitest.mjs', 'run', 'audit.spec.ts', '--reporter=verbose'),
    project.runNode('--test', '--test-reporter=tap', 'audit.test.mjs'),
  ])
  expect(byVitest.stdout).toContain('use/id_token.expired is refused')
  expect(byVitest.stdout).toMatch(/4 passed/)
  expect(byVitest.stdout).toMatch(/1 skipped/)
  expect(byNode.stdout).toContain('ok 5 - use/id_token.expired is refused')
  expect(byNode.stdout).toMatch(/# pass 4\n# fail 0\n(?:# cancelled 0\n)?# skipped 1/)
}, 60_000)
