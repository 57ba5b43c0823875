import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const file = (path: string) => new URL(`../../${path}`, import.meta.url)
const rows = readFileSync(file('docs/decisions.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Point '))
  .map((line) => line.slice(2, -2).split(' | '))

test('docs/decisions.md says of each decision what, why and where', () => {
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell.trim() === ''))).toEqual([])
})

test.each(rows.map(([point = '', , , where = '']) => [point, where]))(
  'The decision on "%s" is made at %s',
  (_point, where) => {
    const [, name, path = ''] = /^(?:`([^`]+)` in )?`([^`]+)`$/.exec(where) ?? []
    expect(existsSync(file(path)), path).toBe(true)
    if (name !== undefined) expect(readFileSync(file(path), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`))
  },
)
