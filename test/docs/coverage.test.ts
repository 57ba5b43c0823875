import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { readMinimums } from '../../src/cli/coverage/minimums.ts'
import { buildPackage } from '../support/built-package.ts'
import { claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { errorsIn } from './compile.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

vi.setConfig({ testTimeout: 120_000 })

const page = readPage('coverage.md')
const shell = codeBlocks(page, 'sh')

test('the examples of coverage.md compile against the library', async () => {
  expect(await errorsIn(codeBlocks(page, 'ts'))).toBe('')
})

/** A folder with the built package, outside the repository. */
async function makeProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-coverage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  await buildPackage(join(folder, 'node_modules/agekey-sandbox'))
  symlinkSync('../agekey-sandbox/dist/bin.js', join(folder, 'node_modules/.bin/agekey-sandbox'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  return folder
}

const outputSchema = z.object({ stdout: z.string(), stderr: z.string(), code: z.number().default(0) })

/** Runs a program to its end, also when it fails. */
async function run(cwd: string, program: string, ...args: string[]) {
  const env = { ...process.env, VITEST: undefined, NODE_TEST_CONTEXT: undefined, GITHUB_STEP_SUMMARY: undefined }
  return outputSchema.parse(await promisify(execFile)(program, args, { cwd, env }).catch((failed) => failed))
}

/** Runs a block of the page; `npx` runs what is installed there. */
const runBlock = (cwd: string, code: string) =>
  run(cwd, 'bash', '-ec', `npx() { "${process.execPath}" "node_modules/.bin/$1" "\${@:2}"; }\n${code}`)

test('the test of coverage.md runs by node:test, and the command says what it and two others have not seen', async () => {
  const folder = await makeProject()
  const query = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18, 21] }) }))
  const visit = `\n  await fetch(sandbox.baseUrl + '/v1/oidc/use?${query}', { redirect: 'manual' })\n})`
  const js = blockWith(codeBlocks(page, 'js'), '// age.test.mjs')
  const ofAdult = js.replace("'teen-16' })\n})", () => `'adult-passport' })${visit}`)
  expect(ofAdult).toContain(visit)
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.test.mjs`), ofAdult)
  const tests = await run(folder, process.execPath, '--test', '--test-reporter=tap')
  expect(tests.stdout).toMatch(/# pass 3\n# fail 0/)
  const kept = join(folder, '.agekey-coverage/tests')
  expect(readdirSync(kept).filter((name) => name.endsWith('.json'))).toHaveLength(3)
  const [file = ''] = readdirSync(kept).filter((name) => name.endsWith('.json'))
  const { claims: counted } = JSON.parse(readFileSync(join(kept, file), 'utf8'))
  expect(counted[0].thresholds[18].true).toEqual({ count: 1, tests: ['a teen is kept out'] })

  const { stdout, code } = await runBlock(folder, shell[0] ?? '')
  expect(code).toBe(1)
  const [shown = ''] = codeBlocks(page, 'text')
  const [begin = '', end = ''] = shown.split('…\n')
  expect(stdout.slice(0, begin.length)).toBe(begin)
  expect(stdout.slice(-end.length)).toBe(end)
})

test('the calls of coverage.md name a test, and keep the counters in a file that the command reads', async () => {
  const folder = await makeProject()
  const sandbox = await startSandbox()
  const block = shell.find((code) => code.startsWith('curl')) ?? expect.fail('no block calls the sandbox')
  const [nameTest = '', ...keep] = block.replaceAll('http://localhost:2435', sandbox.url).split('\n')
  await runBlock(folder, nameTest)
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))
  await fetch(`${sandbox.url}/v1/oidc/use?${query}`, { redirect: 'manual' })
  expect((await runBlock(folder, keep.join('\n'))).stdout).toMatch(/^Coverage of coverage\.json\n\nanswers +50 %/)
  expect(readFileSync(join(folder, 'coverage.json'), 'utf8')).toContain('"a teen is kept out"')
})

test('the job of coverage.md asks for minimums that there are', () => {
  const [yaml = ''] = codeBlocks(page, 'yaml')
  const { jobs } = z
    .object({ jobs: z.object({ test: z.object({ steps: z.array(z.object({ run: z.string().optional() })) }) }) })
    .parse(parse(yaml))
  const command = jobs.test.steps.at(-1)?.run ?? ''
  expect(readMinimums(/--min (\S+)/.exec(command)?.[1])).toHaveLength(3)
})
