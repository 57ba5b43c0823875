import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readMinimums } from '../../src/tools/cli/coverage/coverage.ts'
import { makeProject } from '../support/project.ts'
import { claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const page = readPage('coverage.md')
const shell = codeBlocks(page, 'sh')
const project = await makeProject()
const runBlock = (code: string) => project.run('bash', ['-ec', code])

test('The command of coverage.md says what three test files of node:test have not seen', async () => {
  const query = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18, 21] }) }))
  const visit = `\n  await fetch(sandbox.baseUrl + '/v1/oidc/use?${query}', { redirect: 'manual' })\n})`
  const js = blockWith(codeBlocks(page, 'js'), '// age.test.mjs')
  const ofAdult = js.replace("'teen-16' })\n})", () => `'adult-passport' })${visit}`)
  expect(ofAdult).toContain(visit)
  for (const name of ['a', 'b', 'c']) project.write({ [`${name}.test.mjs`]: ofAdult })
  expect((await project.runNode('--test', '--test-reporter=tap')).stdout).toMatch(
    /# pass 3\n# fail 0/,
  )
  const kept = join(project.folder, '.agekey-coverage/tests')
  const files = readdirSync(kept).filter((name) => name.endsWith('.json'))
  expect(files).toHaveLength(3)
  const { names } = JSON.parse(readFileSync(join(kept, files[0] ?? ''), 'utf8'))
  expect(names).toContain('ending verified')

  const { stdout, code } = await runBlock(shell[0] ?? '')
  expect(code).toBe(1)
  const [shown = ''] = codeBlocks(page, 'text')
  const [begin = '', end = ''] = shown.split('…\n')
  expect(stdout.slice(0, begin.length)).toBe(begin)
  expect(stdout.slice(-end.length)).toBe(end)
}, 60_000)

test('The calls of coverage.md keep the coverage in a file that the command reads', async () => {
  const sandbox = await startSandbox()
  const block =
    shell.find((code) => code.startsWith('curl')) ?? expect.fail('no block calls the sandbox')
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))
  await fetch(`${sandbox.baseUrl}/v1/oidc/use?${query}`, { redirect: 'manual' })
  const calls = block.replaceAll('http://localhost:2435', sandbox.baseUrl)
  expect((await runBlock(calls)).stdout).toMatch(/^Coverage of coverage\.json\n\nanswers +50 %/)
})

test('The job of coverage.md asks for minimums that there are', () => {
  const [yaml = ''] = codeBlocks(page, 'yaml')
  const { run } = parse(yaml).jobs.test.steps.at(-1)
  expect(readMinimums(/--min (\S+)/.exec(run)?.[1])).toHaveLength(3)
})
