import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { buildCli } from '../cli/built-cli.ts'
import { findFreePort } from '../support/free-port.ts'
import { codeBlocks, readRoot } from './page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { start } = await buildCli()
const readme = readRoot('README.md')

test('The README has at most 200 lines, and leads to every page of docs', () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(200)
  const pages = readdirSync(new URL('../../docs/', import.meta.url)).filter((name) => name.endsWith('.md'))
  expect(pages.filter((name) => !readme.includes(`(docs/${name})`))).toEqual([])
})

test('The README has one command to start, one to test and one to install the file that `npm pack` makes', () => {
  expect(readme.match(/^npm ci.*$/gm)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  const { name, version } = JSON.parse(readRoot('package.json'))
  const install = `npm install --save-dev ../agekey-sandbox/${name}-${version}.tgz`
  expect(readme.match(/npm install --save-dev \S+/g)).toEqual([install])
})

test('The README shows four pictures, each of at most 150 KB', () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(pictures).toHaveLength(4)
  const sizes = pictures.map((path) => statSync(new URL(`../../${path}`, import.meta.url)).size)
  expect(sizes.filter((size) => size < 5_000 || size > 150_000)).toEqual([])
})

test('The README shows what a start prints', async () => {
  const port = `${await findFreePort()}`
  const { output } = await start(['--port', port, '--state-dir', 'none'])
  const [shown = ''] = codeBlocks(readme, 'text')
  expect(shown).toContain('discovery')
  expect(output).toContain(shown.replaceAll('2435', port))
})

test('The second `npm start` bundles nothing, and the sandbox ends when npm is ended', async () => {
  const startByNpm = async () => {
    const npm = spawn('npm', ['start', '--', '-p', '0', '--state-dir', 'none'], { cwd: ROOT })
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      npm[name].on('data', (text) => {
        printed[name] += text
      })
    await vi.waitFor(() => expect(printed.stdout).toContain('Ctrl+C stops it'), { timeout: 60_000 })
    npm.kill('SIGTERM')
    await once(npm, 'exit')
    const [url = ''] = /http:\/\/localhost:\d+/.exec(printed.stdout) ?? []
    await vi.waitFor(() => expect(fetch(url)).rejects.toThrow(), { timeout: 10_000 })
    return printed.stderr
  }
  await startByNpm()
  expect(await startByNpm()).not.toContain('Bundling')
}, 120_000)
