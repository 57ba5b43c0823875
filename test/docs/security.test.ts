import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const rows = readFileSync(new URL('SECURITY.md', root), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Never|What) \|/.test(line))

test.each(rows)('A promise of SECURITY.md names tests that exist: %s', (row) => {
  const tests = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path)
  expect(tests).not.toEqual([])
  expect(tests.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})
