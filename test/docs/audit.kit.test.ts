import { expect, test } from 'vitest'
import { makeProject } from '../support/project.ts'
import { blockWith, codeBlocks, readPage, readRoot } from './page.ts'
import { START_APP } from './start-app.ts'

const page = readPage('audit.md')
const project = await makeProject('vitest', 'express', 'jose')

/** A few rows are enough to see that the tests run. */
const short = (code: string) =>
  code
    .replace(/'Welcome'\)\)$/m, "'Welcome'), { only: ['use/id_token.expired', 'create/created'] })")
    .replace('{ test })', "{ test, only: ['use/id_token.expired', 'create/created'] })")

test('The tests of audit.md run by Vitest as by node:test', async () => {
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
