import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FLAGS } from '../../src/config/text-settings.ts'
import { buildPackage } from '../support/built-package.ts'
import { findFreePort } from '../support/free-port.ts'
import { fencedBlocks } from '../support/markdown.ts'
import { errorsIn } from './compile.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const readRoot = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const page = readPage('ci.md')

// The package is built first.
vi.setConfig({ testTimeout: 120_000 })

test('the job without a container waits until the sandbox is healthy, drives it without a token and ends it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await buildPackage(join(folder, 'node_modules/agekey-sandbox'))
  chmodSync(join(folder, 'node_modules/agekey-sandbox/dist/bin.js'), 0o755)
  mkdirSync(join(folder, 'node_modules/.bin'))
  symlinkSync('../agekey-sandbox/dist/bin.js', join(folder, 'node_modules/.bin/agekey-sandbox'))
  writeFileSync(join(folder, 'package.json'), '{}')
  const port = `${await findFreePort()}`
  const [install = '', ...lines] = blockWith(codeBlocks(page, 'sh'), '# your tests').split('\n')
  expect(install).toBe(`npm install --no-save ./${packedName()}`)
  const asked = `curl -s http://localhost:2435/_sandbox/expectations`
  const script = lines.join('\n').replace('# your tests', asked).replaceAll('2435', port)
  const env = { ...process.env, AGEKEY_SANDBOX_PORT: port, AGEKEY_SANDBOX_STATE_DIR: 'none', NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script], { cwd: folder, env })
  expect(stdout).toMatch(/: healthy\n\{"expectations":\[\{"id":"[^"]+","flow":"use","persona":"teen-16"/)
})

test('the example of Testcontainers compiles against its part of the interface', async () => {
  const declared = [
    'declare class GenericContainer {',
    '  constructor(image: string)',
    '  withEnvironment(variables: Record<string, string>): this',
    '  withExposedPorts(ports: { container: number; host: number }): this',
    '  withWaitStrategy(strategy: object): this',
    '  start(): Promise<{ stop(): Promise<void> }>',
    '}',
    'declare const Wait: { forHealthCheck(): object }',
  ].join('\n')
  const [example = ''] = codeBlocks(page, 'ts')
  expect(example).toContain("from 'testcontainers'\n")
  expect(await errorsIn([example.replace(/^import .* from 'testcontainers'$/m, declared)])).toBe('')
})

test('every variable of the page that sets up the sandbox is one of its settings', () => {
  const named = page.match(/AGEKEY_SANDBOX_[A-Z_]+/g) ?? []
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !FLAGS.some(({ variable }) => variable === name))).toEqual([])
})

test('every job builds the image of this repository, and waits by what the image runs', () => {
  const jobs = fencedBlocks(page).map(({ code }) => code)
  const { repository } = JSON.parse(readRoot('package.json'))
  const [, address = ''] = /git\+(.*)$/.exec(repository.url) ?? []
  const built = jobs.flatMap((code) => code.match(/docker build .*/g) ?? [])
  expect(built.length).toBe(3)
  expect(built.filter((line) => !line.includes(`${address}#`))).toEqual([])
  expect(readRoot('Dockerfile')).toContain('ENTRYPOINT ["node", "/app/dist/bin.js"]')
  expect(jobs.join('').match(/node \/app\/dist\/bin\.js wait/g)).toHaveLength(2)
  expect(existsSync(new URL('../../compose.yaml', import.meta.url))).toBe(true)
})

function packedName(): string {
  const { name, version } = JSON.parse(readRoot('package.json'))
  return `${name}-${version}.tgz`
}
