import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const file = (path: string) => new URL(`../../${path}`, import.meta.url)
/** Rows of five cells: the table of what is not shown has three. */
const rows = readFileSync(file('docs/decisions.md'), 'utf8')
  .split('\n## What the specification does not show\n')
  .flatMap((part, index) => (index === 0 ? [] : part.split('\n## ').slice(1)))
  .flatMap((section) => section.split('\n'))
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Point '))
  .map((line) => line.slice(2, -2).split(' | '))

test('docs/decisions.md says of each decision what, its switch, why and where', () => {
  expect(rows.length).toBeGreaterThan(150)
  expect(rows.filter((cells) => cells.length !== 5 || cells.some((cell) => cell.trim() === ''))).toEqual([])
})

test.each(rows.map(([point = '', , , , where = '']) => [point, where]))(
  'The decision on "%s" is made at %s',
  (_point, where) => {
    const [, name, path = ''] = /^(?:`([^`]+)` in )?`([^`]+)`$/.exec(where) ?? []
    expect(existsSync(file(path)), path).toBe(true)
    if (name !== undefined) expect(readFileSync(file(path), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`))
  },
)
