import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { buildCli } from '../tools/cli/built-cli.ts'
import { codeBlocks, ROOT, readRoot, tableOf } from './page.ts'

const { start } = await buildCli()
const readme = readRoot('README.md')

test('The README links a document for each row of its table on where to go next', () => {
  const rows = tableOf(readme, 'You want to')
  expect(rows).not.toEqual([])
  for (const [, read = ''] of rows) expect(read).toMatch(/\]\([\w/-]+\.md\)/)
})

test('The README has one command to start beside one to test', () => {
  expect(readme.match(/^npm ci.*$/gm)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
})

test('The README has one command to install the file that `npm pack` makes', () => {
  const { name, version } = JSON.parse(readRoot('package.json'))
  const install = `npm install --save-dev ../agekey-sandbox/${name}-${version}.tgz`
  expect(readme.match(/npm install --save-dev \S+/g)).toEqual([install])
})

test('The README shows four pictures, each of at most 60 KB', () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(pictures).toHaveLength(4)
  const sizes = pictures.map((path) => statSync(`${ROOT}${path}`).size)
  expect(sizes.filter((size) => size < 5_000 || size > 60_000)).toEqual([])
})

test('The README shows what a start prints', async () => {
  const port = `${await findFreePort()}`
  const { output } = await start(['--port', port, '--state-dir', 'none'])
  const [shown = ''] = codeBlocks(readme, 'text')
  expect(shown).toContain('discovery')
  expect(output).toContain(shown.replaceAll('2435', port))
})

test('The second `npm start` bundles nothing', async () => {
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
