import { expect, test } from 'vitest'
import { connectSandbox } from '../../src/server/client/connect-sandbox.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { readPage, tableOf } from './page.ts'

const page = readPage('library.md')

/** `next` of `next({flow?})`, for each piece of code in a cell. */
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)/g)].map(([, name = '']) => name)
const callsIn = (cell = '') => [...cell.matchAll(/`(\w+)\(/g)].map(([, name = '']) => name)

test('library.md lists exactly the members of a sandbox', async () => {
  await using sandbox = await createSandbox()
  const members = namesOf(sandbox)
  const shown = tableOf(page, 'Member').flatMap((cells) =>
    namesIn(cells[0]).flatMap((name) => {
      const isGroup = members.some((member) => member.startsWith(`${name}.`))
      return [name, ...(isGroup ? callsIn(cells.at(-1)) : []).map((call) => `${name}.${call}`)]
    }),
  )
  expect(shown.toSorted()).toEqual(members.toSorted())
})

test('library.md names the members that a sandbox elsewhere does not have', async () => {
  await using sandbox = await createSandbox()
  const members = namesOf(sandbox)
  const [, exceptions = ''] = /The same members but (.*?), by the control API/.exec(page) ?? []
  const expected = members.filter((name) => !namesIn(exceptions).includes(name))
  expect(namesOf(connectSandbox(sandbox.baseUrl)).toSorted()).toEqual(expected.toSorted())
})

/** Members by name, those of groups like `clock`, which only hold functions, as `clock.advance`. */
const namesOf = (sandbox: object): string[] =>
  Object.entries(sandbox).flatMap(([name, member]) => {
    const inner = typeof member === 'object' && member !== null ? Object.entries(member) : []
    const isGroup = inner.every(([, value]) => typeof value === 'function')
    return [name, ...(isGroup ? inner.map(([innerName]) => `${name}.${innerName}`) : [])]
  })
