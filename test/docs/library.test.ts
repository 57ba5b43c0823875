import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { connectSandbox } from '../../src/client/connect-sandbox.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { errorsIn } from './compile.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('library.md')

// The compiler reads the whole library, beside the other tests.
vi.setConfig({ testTimeout: 120_000 })

/** First and last cells of the table under a heading, by row. */
function rowsUnder(heading: string): (readonly [first: string, last: string])[] {
  const [, table = ''] = page.split(`\n| ${heading} |`)
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.map((row) => {
    const cells = row.split('|').slice(1, -1)
    return [cells[0] ?? '', cells.at(-1) ?? ''] as const
  })
}

/** `next` of `next({flow?})`, for each piece of code in a cell. */
const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)/g)].map(([, name = '']) => name)
const callsIn = (cell: string) => [...cell.matchAll(/`(\w+)\(/g)].map(([, name = '']) => name)

const examples = codeBlocks(page, 'ts')

test('the examples of library.md compile against the library', async () => {
  expect(examples.length).toBeGreaterThan(5)
  expect(await errorsIn(examples)).toBe('')
})

test('the example of the README compiles', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  expect(await errorsIn(codeBlocks(readme, 'ts'))).toBe('')
})

test('the table of options names options that exist', async () => {
  const options = rowsUnder('Option').flatMap(([first]) => namesIn(first))
  expect(options.length).toBeGreaterThan(10)
  const source = [
    "import type { SandboxOptions } from 'agekey-sandbox'",
    `export const options: (keyof SandboxOptions)[] = ${JSON.stringify(options)}`,
  ]
  expect(await errorsIn([source.join('\n')])).toBe('')
})

test('the table of members lists exactly the members of a sandbox', async () => {
  await using sandbox = await createSandbox()
  const shown = rowsUnder('Member').flatMap(([first, last]) =>
    namesIn(first).flatMap((name) => [
      name,
      ...(isGroup(sandbox, name) ? callsIn(last) : []).map((call) => `${name}.${call}`),
    ]),
  )
  expect(shown.toSorted()).toEqual(namesOf(sandbox).toSorted())
})

test('a sandbox somewhere else has the same members but the exceptions that the page names', async () => {
  await using sandbox = await createSandbox()
  const [, exceptions = ''] = /The same members but (.*?), by the control API/.exec(page) ?? []
  const expected = namesOf(sandbox).filter((name) => !namesIn(exceptions).includes(name))
  expect(namesOf(connectSandbox(sandbox.url)).toSorted()).toEqual(expected.toSorted())
})

/** Members by name, those of groups like `clock` as `clock.advance`. */
const namesOf = (sandbox: object): string[] =>
  Object.entries(sandbox).flatMap(([name, member]) => [
    name,
    ...(isGroup(sandbox, name) ? Object.keys(member).map((inner) => `${name}.${inner}`) : []),
  ])

/** Whether a member only holds functions. */
const isGroup = (sandbox: object, name: string) => {
  const member: unknown = Reflect.get(sandbox, name)
  return (
    typeof member === 'object' && member !== null && Object.values(member).every((inner) => typeof inner === 'function')
  )
}

test('the compiler rejects a member that does not exist, so that an empty list of errors means something', async () => {
  const source = "import { connectSandbox } from 'agekey-sandbox'\nconnectSandbox('http://localhost:2435').nexxt()\n"
  expect(await errorsIn([source])).toContain("'nexxt' does not exist")
})
