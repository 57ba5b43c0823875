import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildCli } from '../cli/built-cli.ts'
import { findFreePort } from '../support/free-port.ts'
import { codeBlocks } from './page.ts'

const { start } = await buildCli()

const readRoot = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const readme = readRoot('README.md')

test('the README has at most 200 lines', () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(200)
})

test('the README has one command to start and one to test, and both set up what they need', () => {
  expect(readme.match(/^npm ci.*$/gm)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
})

test('the README installs the file that `npm pack` makes of this version', () => {
  const { name, version } = JSON.parse(readRoot('package.json'))
  expect(readme.match(/npm install --save-dev \S+/g)).toEqual([
    `npm install --save-dev ../agekey-sandbox/${name}-${version}.tgz`,
  ])
})

test('the README shows four pictures, each of at most 150 KB', () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(pictures).toHaveLength(4)
  const sizes = pictures.map((path) => statSync(new URL(`../../${path}`, import.meta.url)).size)
  expect(sizes.filter((size) => size < 5_000 || size > 150_000)).toEqual([])
})

test('the README shows what a start prints', async () => {
  const port = `${await findFreePort()}`
  const { output } = await start(['--port', port, '--state-dir', 'none'])
  const [shown = ''] = codeBlocks(readme, 'text')
  expect(shown).toContain('discovery')
  expect(output).toContain(shown.replaceAll('2435', port))
})

test('the README leads to every page of docs', () => {
  const pages = readdirSync(new URL('../../docs/', import.meta.url)).filter((name) => name.endsWith('.md'))
  expect(pages.filter((name) => !readme.includes(`(docs/${name})`))).toEqual([])
})
